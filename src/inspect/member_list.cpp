#include "inspect/member_list.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "base/checked.hpp"
#include "delta/fills.hpp"
#include "exe/images.hpp"
#include "exe/section_names.hpp"
#include "view/gzip_head.hpp"
#include "view/tar_members.hpp"
#include "view/zip_layout.hpp"

namespace bdelta::inspecting {
namespace {

constexpr unsigned kMostDepth = 8;  // of archives in archives
constexpr std::uint32_t kZipDescriptorMagic = 0x08074b50;
constexpr std::uint64_t kZipDescriptorBytes = 16;

constexpr const char* kFile = "file";

struct Magic {
  std::string_view bytes;
  const char* name;
};
using namespace std::string_view_literals;
constexpr Magic kPacked[] = {{"\x1f\x8b\x08"sv, "gzip"}, {"\xfd" "7zXZ\0"sv, "xz"}, {"\x28\xb5\x2f\xfd"sv, "zstd"},
                             {"BZh"sv, "bzip2"}, {"\x04\x22\x4d\x18"sv, "lz4"}, {"7z\xbc\xaf\x27\x1c"sv, "7z"},
                             {"\x89PNG"sv, "png"}, {"\xff\xd8\xff"sv, "jpeg"}, {"wOF2"sv, "woff2"}, {"Rar!"sv, "rar"}};

const char* format_word(exe::ImageFormat format) {
  switch (format) {
    case exe::ImageFormat::kElf: return "elf";
    case exe::ImageFormat::kPe: return "pe";
    case exe::ImageFormat::kMachO: return "mach-o";
    default: return "program";
  }
}

struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

// From positions of a file, or of one of its views, to those of the next view.
class Unpacking {
 public:
  explicit Unpacking(const view::PackedStreams& streams) : streams_(streams) {
    std::uint64_t shift = 0;  // modulo 2^64
    for (const view::PackedStream& stream : streams) shifts_.push_back(shift += stream.raw_bytes - stream.packed_bytes);
  }

  // Of a position that is inside of no stream.
  [[nodiscard]] std::uint64_t moved(std::uint64_t pos) const noexcept {
    const auto behind = std::partition_point(streams_.begin(), streams_.end(),
                                             [pos](const view::PackedStream& stream) { return stream.file_end() <= pos; });
    return behind == streams_.begin() ? pos : pos + shifts_[static_cast<std::size_t>(behind - streams_.begin()) - 1];
  }

 private:
  const view::PackedStreams& streams_;
  std::vector<std::uint64_t> shifts_;  // by each and those before it
};

class Lister {
 public:
  explicit Lister(const ListedView& view) : view_(view), bytes_(view.bytes), levels_(view.streams.begin(), view.streams.end()) {
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      for (const view::PackedStream& stream : view.streams[level]) {
        const std::uint64_t begin = levels_[level].moved(stream.file_pos);
        const Range range{in_view(begin, level + 1), in_view(begin + stream.raw_bytes, level + 1)};
        if (range.begin <= range.end && range.end <= bytes_.size()) unpacked_.push_back(range);
      }
    }
    std::sort(unpacked_.begin(), unpacked_.end(), [](const Range& a, const Range& b) {
      return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
    });
  }

  MemberList take() && {
    if (view_.manifest) {
      list_tree();
    } else {
      list_file(add("", kNone), {0, bytes_.size()}, 0);
    }
    return std::move(list_);
  }

 private:
  std::uint32_t add(std::string name, std::uint32_t parent) {
    list_.members.push_back({std::move(name), parent, kFile, "", {""}});
    return static_cast<std::uint32_t>(list_.members.size() - 1);
  }

  // What follows is of this section, until something else is said.
  void mark(std::uint64_t begin, std::uint32_t member, std::string_view section = {}) {
    std::vector<std::string>& names = list_.members[member].sections;
    auto at = std::find(names.begin(), names.end(), section);
    if (at == names.end()) at = names.insert(names.end(), std::string(section));
    const auto number = static_cast<std::uint32_t>(at - names.begin());
    std::vector<Region>& regions = list_.regions;
    if (!regions.empty() && regions.back().begin >= begin) {
      regions.back().member = member;
      regions.back().section = number;
      return;
    }
    regions.push_back({begin, member, number});
  }

  // Where a position of a file, or of the view of that level, is in the last view; for none inside a stream that is unpacked.
  [[nodiscard]] std::uint64_t in_view(std::uint64_t pos, std::size_t level = 0) const noexcept {
    for (; level < levels_.size(); ++level) pos = levels_[level].moved(pos);
    return pos;
  }

  void list_tree() {
    const std::uint32_t root = add("", kNone);
    list_.members[root].format = "directory";
    mark(0, root, "names");
    std::map<std::string_view, std::uint32_t> directories;
    const auto parent_of = [&](std::string_view path) {
      const std::size_t slash = path.rfind('/');
      const auto found = directories.find(path.substr(0, slash == path.npos ? 0 : slash));
      return found == directories.end() ? root : found->second;
    };
    const auto name_of = [](std::string_view path) { return std::string(path.substr(path.rfind('/') + 1)); };
    std::uint64_t pos = view_.manifest->bytes().size();
    const std::vector<view::TreeEntry>& entries = view_.manifest->entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const view::TreeEntry& entry = entries[i];
      if (entry.kind == view::EntryKind::kDirectory) {
        directories[entry.path] = add(name_of(entry.path), parent_of(entry.path));
        list_.members.back().format = "directory";
      }
      if (entry.kind != view::EntryKind::kFile || (view_.left_out && (*view_.left_out)[i])) continue;
      const std::uint64_t begin = std::min<std::uint64_t>(in_view(pos), bytes_.size());
      const Range range{begin, std::clamp<std::uint64_t>(in_view(pos + entry.bytes), begin, bytes_.size())};
      pos += entry.bytes;
      const std::uint32_t member = add(name_of(entry.path), parent_of(entry.path));
      if (range.begin < range.end) list_file(member, range, 0);
    }
  }

  [[nodiscard]] ByteSpan span(Range range) const {
    return bytes_.subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.end - range.begin));
  }

  // The unpacked stream that begins there.
  [[nodiscard]] const Range* unpacked_at(std::uint64_t pos) const {
    const auto found = std::lower_bound(unpacked_.begin(), unpacked_.end(), pos,
                                        [](const Range& stream, std::uint64_t at) { return stream.begin < at; });
    return found != unpacked_.end() && found->begin == pos ? &*found : nullptr;
  }

  void list_file(std::uint32_t member, Range range, unsigned depth) {
    mark(range.begin, member);
    if (range.begin == range.end) return;
    if (depth < kMostDepth && (list_zip(member, range, depth) || list_gzip(member, range, depth) || list_tar(member, range, depth))) {
      return;
    }
    const ByteSpan bytes = span(range);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 8));
    for (const Magic& magic : kPacked) {
      if (text.substr(0, magic.bytes.size()) == magic.bytes) list_.members[member].packed = magic.name;
    }
    list_programs(member, range);
  }

  bool list_zip(std::uint32_t archive, Range range, unsigned depth) {
    std::uint64_t pos = range.begin;
    const ByteSpan file = bytes_.first(static_cast<std::size_t>(range.end));
    for (;;) {
      const std::uint64_t data_pos = view::zip_data_pos(file, pos);
      if (data_pos == 0 || data_pos > range.end) break;
      mark(pos, archive, "headers");
      mark(pos + 10, archive, "times");
      mark(pos + 14, archive, "headers");
      const std::size_t name_bytes = view::zip_field<std::uint16_t>(file, pos + 26);
      const auto* const name = reinterpret_cast<const char*>(file.data() + static_cast<std::size_t>(pos + view::kZipLocalBytes));
      const std::uint32_t member = add(std::string(name, name_bytes), archive);
      const Range* const unpacked = unpacked_at(data_pos);
      const std::uint64_t end = unpacked ? unpacked->end : end_of_packed(file, pos, data_pos, range.end);
      const bool is_plain = unpacked || view::zip_field<std::uint16_t>(file, pos + 8) == view::kZipStored;
      if (is_plain) {
        list_file(member, {data_pos, end}, depth + 1);
      } else {
        list_.members[member].packed = view::zip_field<std::uint16_t>(file, pos + 8) == view::kZipDeflated ? "deflate" : "other";
        mark(data_pos, member);
      }
      pos = end;
      mark(pos, archive, "headers");
      const bool describes = range_fits(pos, kZipDescriptorBytes, range.end) &&
                             view::zip_field<std::uint32_t>(file, pos) == kZipDescriptorMagic;
      if (describes) pos += kZipDescriptorBytes;
    }
    if (pos == range.begin) return false;
    list_.members[archive].format = "zip";
    mark(pos, archive, "list of entries");
    return true;
  }

  // Behind a member whose bytes are as they are in the file. Where its size stands behind it, the next record tells.
  [[nodiscard]] static std::uint64_t end_of_packed(ByteSpan file, std::uint64_t pos, std::uint64_t data_pos, std::uint64_t end) {
    const std::uint64_t bytes = view::zip_field<std::uint32_t>(file, pos + 18);
    const bool stands_behind = (view::zip_field<std::uint16_t>(file, pos + 6) & 8) != 0;
    if (!stands_behind || bytes != 0) return range_fits(data_pos, bytes, end) ? data_pos + bytes : end;
    static constexpr std::uint8_t kRecord[] = {'P', 'K', 7, 8};
    const auto found = std::search(file.begin() + static_cast<std::ptrdiff_t>(data_pos), file.end(), std::begin(kRecord), std::end(kRecord));
    return static_cast<std::uint64_t>(found - file.begin());
  }

  // Only where its text is there.
  bool list_gzip(std::uint32_t member, Range range, unsigned depth) {
    const ByteSpan bytes = span(range);
    if (bytes.size() < 18 || bytes[0] != 0x1f || bytes[1] != 0x8b) return false;
    const auto first = std::lower_bound(unpacked_.begin(), unpacked_.end(), range.begin,
                                        [](const Range& stream, std::uint64_t at) { return stream.begin < at; });
    if (first == unpacked_.end() || first->begin >= range.end || first->end > range.end) return false;
    mark(range.begin, member, "headers");
    mark(range.begin + 4, member, "times");
    mark(range.begin + 8, member, "headers");
    list_file(member, *first, depth + 1);
    if (list_.members[member].format == kFile) list_.members[member].format = "gzip";
    mark(first->end, member, "headers");
    return true;
  }

  bool list_tar(std::uint32_t archive, Range range, unsigned depth) {
    if (range.end - range.begin < kTarBlockBytes || !is_tar_header(span({range.begin, range.begin + kTarBlockBytes}))) return false;
    view::Members members;
    view::add_tar_members(bytes_.first(static_cast<std::size_t>(range.end)), range.begin, members);
    if (members.empty()) return false;
    list_.members[archive].format = "tar";
    for (const view::Member& found : members) {
      const std::uint64_t header = found.data_pos - kTarBlockBytes;
      mark(found.begin, archive, "headers");
      mark(header + 136, archive, "times");
      mark(header + 148, archive, "headers");
      if (found.is_file) list_file(add(found.name, archive), {found.data_pos, found.data_end()}, depth + 1);
      mark(found.data_end(), archive, "headers");
    }
    return true;
  }

  // Sections of the programs that it is or holds one behind the other.
  void list_programs(std::uint32_t member, Range range) {
    const ByteSpan file = span(range);
    if (!exe::begins_program(file)) return;
    for (const exe::Image& image : exe::find_images(file)) {
      list_.members[member].format = format_word(image.format);
      mark(range.begin + image.file_pos, member, "header");
      for (const exe::NamedSection& section : exe::name_sections(file, image)) {
        mark(range.begin + section.file_pos, member, section.name);
        mark(range.begin + section.file_pos + section.size_bytes, member, "between sections");
      }
    }
  }

  const ListedView& view_;
  const ByteSpan bytes_;
  std::vector<Range> unpacked_;  // streams, where they are in the view
  std::vector<Unpacking> levels_;
  MemberList list_;
};

}  // namespace

std::size_t MemberList::region_of(std::uint64_t pos) const noexcept {
  const auto behind = std::upper_bound(regions.begin(), regions.end(), pos,
                                       [](std::uint64_t at, const Region& region) { return at < region.begin; });
  return static_cast<std::size_t>(behind - regions.begin()) - 1;
}

std::string MemberList::path_of(std::uint32_t member) const {
  std::string path = members[member].name;
  for (std::uint32_t at = members[member].parent; at != kNone; at = members[at].parent) {
    if (!members[at].name.empty()) path.insert(0, members[at].name + "/");
  }
  return path;
}

MemberList list_members(const ListedView& view) { return Lister(view).take(); }

}  // namespace bdelta::inspecting

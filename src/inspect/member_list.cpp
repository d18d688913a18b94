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
#include "inspect/view_levels.hpp"
#include "view/gzip_head.hpp"
#include "view/tar_members.hpp"
#include "view/zip_layout.hpp"

namespace bdelta::inspecting {
namespace {

constexpr unsigned kMostDepth = 8;  // of archives in archives
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

class Lister {
 public:
  explicit Lister(const ListedView& view) : view_(view), bytes_(view.bytes), levels_(view.streams, view.bytes.size()) {}

  MemberList take() && {
    if (view_.manifest) {
      list_tree();
    } else {
      list_file(add("", kNone), {0, bytes_.size()}, {});
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
    const view::TreeEntries entries = view_.manifest->entries();
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const view::TreeEntry& entry = entries[i];
      if (entry.kind == view::EntryKind::kDirectory) {
        directories[entry.path] = add(name_of(entry.path), parent_of(entry.path));
        list_.members.back().format = "directory";
      }
      if (entry.kind != view::EntryKind::kFile || (view_.left_out && (*view_.left_out)[i])) continue;
      const std::uint64_t begin = std::min<std::uint64_t>(levels_.in_view(pos), bytes_.size());
      const Range range{begin, std::clamp<std::uint64_t>(levels_.in_view(pos + entry.bytes), begin, bytes_.size())};
      pos += entry.bytes;
      const std::uint32_t member = add(name_of(entry.path), parent_of(entry.path));
      if (range.begin < range.end) list_file(member, range, {});
    }
  }

  [[nodiscard]] ByteSpan span(Range range) const {
    return bytes_.subspan(static_cast<std::size_t>(range.begin), static_cast<std::size_t>(range.end - range.begin));
  }

  // How far inside of containers a file is, and the level of the view that its own sizes are of.
  struct Depth {
    unsigned containers = 0;
    std::size_t level = 0;

    [[nodiscard]] Depth inside() const noexcept { return {containers + 1, level}; }
    [[nodiscard]] Depth inside(const UnpackedStream& stream) const noexcept { return {containers + 1, stream.inner_level}; }
  };

  void list_file(std::uint32_t member, Range range, Depth depth) {
    mark(range.begin, member);
    if (range.begin == range.end) return;
    if (depth.containers < kMostDepth && (list_zip(member, range, depth) || list_gzip(member, range, depth) || list_tar(member, range, depth))) {
      return;
    }
    const ByteSpan bytes = span(range);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), std::min<std::size_t>(bytes.size(), 8));
    for (const Magic& magic : kPacked) {
      if (text.substr(0, magic.bytes.size()) == magic.bytes) list_.members[member].packed = magic.name;
    }
    list_programs(member, range);
  }

  bool list_zip(std::uint32_t archive, Range range, Depth depth) {
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
      const UnpackedStream* const unpacked = levels_.stream_at(data_pos);
      std::uint64_t end = unpacked ? std::min(unpacked->end, range.end) : end_of_packed(file, pos, data_pos, range.end);
      if (unpacked) {
        list_file(member, {data_pos, end}, depth.inside(*unpacked));
      } else if (view::zip_field<std::uint16_t>(file, pos + 8) == view::kZipStored) {
        const bool tells_size = (view::zip_field<std::uint16_t>(file, pos + 6) & 8) == 0;
        if (tells_size) end = std::min(levels_.end_in_view(data_pos, end - data_pos, depth.level), range.end);
        list_file(member, {data_pos, end}, depth.inside());
      } else {
        list_.members[member].packed = view::zip_field<std::uint16_t>(file, pos + 8) == view::kZipDeflated ? "deflate" : "other";
        mark(data_pos, member);
      }
      pos = end;
      mark(pos, archive, "headers");
      const bool describes = range_fits(pos, kZipDescriptorBytes, range.end) &&
                             view::zip_field<std::uint32_t>(file, pos) == view::kZipDescriptorMagic;
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
  bool list_gzip(std::uint32_t member, Range range, Depth depth) {
    const ByteSpan bytes = span(range);
    if (bytes.size() < 18 || bytes[0] != 0x1f || bytes[1] != 0x8b) return false;
    const UnpackedStream* const first = levels_.first_from(range.begin);
    if (!first || first->begin >= range.end || first->end > range.end) return false;
    mark(range.begin, member, "headers");
    mark(range.begin + 4, member, "times");
    mark(range.begin + 8, member, "headers");
    list_file(member, {first->begin, first->end}, depth.inside(*first));
    if (list_.members[member].format == kFile) list_.members[member].format = "gzip";
    mark(first->end, member, "headers");
    return true;
  }

  // What is unpacked in a member moves those behind it: their headers are looked for where they are then.
  bool list_tar(std::uint32_t archive, Range range, Depth depth) {
    if (range.end - range.begin < kTarBlockBytes || !is_tar_header(span({range.begin, range.begin + kTarBlockBytes}))) return false;
    view::Members members;
    std::uint64_t pos = range.begin, next = pos;
    do {
      pos = next;
      members.clear();
      view::add_tar_members(bytes_.first(static_cast<std::size_t>(range.end)), pos, members);
      for (const view::Member& found : members) {
        list_tar_member(archive, found, range.end, depth);
        next = std::min(levels_.end_in_view(found.data_pos, found.end - found.data_pos, depth.level), range.end);
        if (next != found.end) break;
      }
    } while (!members.empty() && next > pos);
    if (next == range.begin) return false;
    list_.members[archive].format = "tar";
    return true;
  }

  void list_tar_member(std::uint32_t archive, const view::Member& found, std::uint64_t archive_end, Depth depth) {
    const std::uint64_t header = found.data_pos - kTarBlockBytes;
    const std::uint64_t data_end = std::min(levels_.end_in_view(found.data_pos, found.data_bytes, depth.level), archive_end);
    mark(found.begin, archive, "headers");
    mark(header + 136, archive, "times");
    mark(header + 148, archive, "headers");
    if (found.is_file) list_file(add(found.name, archive), {found.data_pos, data_end}, depth.inside());
    mark(data_end, archive, "headers");
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
  const ViewLevels levels_;
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

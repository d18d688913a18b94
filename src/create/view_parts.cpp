#include "create/view_parts.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/deciding/archives.hpp"
#include "delta/fills.hpp"
#include "exe/images.hpp"
#include "view/deflate/inflate.hpp"
#include "view/gzip_head.hpp"
#include "view/raw_streams.hpp"
#include "view/tar_members.hpp"
#include "view/view_positions.hpp"
#include "view/zip_entries.hpp"
#include "view/zip_layout.hpp"

namespace bdelta {
namespace {

ByteSpan part_of(ByteSpan file, const view::Member& member) {
  return file.subspan(static_cast<std::size_t>(member.data_pos), static_cast<std::size_t>(member.data_bytes));
}

std::string joined_name(const std::string& outer, std::string_view inner) {
  return outer.empty() ? std::string(inner) : outer + '/' + std::string(inner);
}

class PartFinder {
 public:
  PartFinder(ByteSpan file, const PartSearch& search) : file_(file), search_(search), left_raw_bytes_(search.most_raw_bytes) {
    gzip_work_.allow(file.size());
  }

  void look_into(ViewPart part, unsigned nesting) {
    if (nesting < kMostNesting && (add_gzip(part) || add_zip(part, nesting) || add_tar(part, nesting))) return;
    const ByteSpan bytes = part_of(file_, part.member);
    part.is_seen = search_.scans || search_.is_of_view;
    // Streams in programs stay packed, as fields are predicted where they stand.
    if (part.is_seen && !exe::begins_program(bytes)) add_raw(part.member, bytes);
    found_.parts.push_back(std::move(part));
  }

  void pass(const ViewPart& part) { found_.parts.push_back(part); }

  [[nodiscard]] FoundParts take() {
    found_.unscanned.add(scan_.unscanned());
    return std::move(found_);
  }

 private:
  // Whether a part stands in an archive.
  [[nodiscard]] bool is_inner(unsigned nesting) const noexcept { return nesting > 0 || search_.is_of_view; }

  // A member that is a stream, where it is in the file.
  void add_stream(view::Member member, std::uint64_t raw_bytes) {
    found_.streams.push_back({member.data_pos, member.data_bytes, raw_bytes, member.name});
    member.is_file = false;
    found_.parts.push_back({std::move(member), true, true});
  }

  // A part that nobody looks into.
  bool add_closed(ViewPart& part) {
    part.is_seen = true;
    found_.parts.push_back(std::move(part));
    return true;
  }

  // Members of a gzip file stand one behind the other, and only their streams tell where they end. A file with more bytes
  // than there may be is closed; so is one when those before have taken too much work in vain.
  bool add_gzip(ViewPart& part) {
    const ByteSpan bytes = part_of(file_, part.member);
    if (view::gzip_head_bytes(bytes, 0) == 0) return false;
    if (gzip_work_.is_done()) {
      found_.unscanned.add(bytes.size());
      return add_closed(part);
    }
    std::vector<std::pair<view::Member, std::uint64_t>> members;
    std::uint64_t left_raw_bytes = left_raw_bytes_, pos = 0;
    while (pos < bytes.size() && members.size() < view::kMostStreams) {
      const std::vector<view::FoundStream> head = view::find_gzip_stream(bytes, pos);
      if (head.empty()) break;
      deflate::InflateWork work;
      const ByteSpan packed = bytes.subspan(static_cast<std::size_t>(head[0].file_pos));
      const Status status = deflate::try_inflate(deflate::pieces_of(packed), left_raw_bytes, room_, [](ByteSpan) { return Status(); }, work);
      if (!status) {
        gzip_work_.count(work);
        if (status.error().code == ErrorCode::kOutputLimit) return add_closed(part);
        break;
      }
      const auto& [packed_bytes, raw_bytes] = work.sizes;
      const std::uint64_t base = part.member.data_pos, end = head[0].file_pos + packed_bytes;
      left_raw_bytes -= raw_bytes;
      const std::uint64_t begin = std::exchange(pos, std::min<std::uint64_t>(bytes.size(), end + view::kGzipTrailerBytes));
      if (packed_bytes < view::kLeastStreamBytes) continue;
      members.push_back({{part.member.name, false, base + begin, base + head[0].file_pos, packed_bytes, base + pos}, raw_bytes});
    }
    left_raw_bytes_ = left_raw_bytes;
    for (auto& [member, raw_bytes] : members) add_stream(std::move(member), raw_bytes);
    return !members.empty();
  }

  bool add_zip(const ViewPart& part, unsigned nesting) {
    const ByteSpan bytes = part_of(file_, part.member);
    if (is_inner(nesting) && view::zip_data_pos(bytes, 0) == 0) return false;  // quicker than to look for its end
    const std::vector<view::ZipEntry> entries = view::find_zip_entries_apart(bytes);
    const std::uint64_t base = part.member.data_pos;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const view::ZipEntry& entry = entries[i];
      const std::uint64_t next = i + 1 < entries.size() ? entries[i + 1].begin : entry.data_end();
      const bool is_whole = entry.method == view::kZipStored && !entry.is_encrypted && !entry.is_folder();
      ViewPart child{{joined_name(part.member.name, entry.name), is_whole, base + entry.begin, base + entry.data_pos, entry.packed_bytes, base + next},
                     false, true};
      if (entry.is_encrypted) found_.encrypted.push_back(child.member);
      if (view::is_unpackable(entry)) add_stream(std::move(child.member), entry.raw_bytes);
      else if (is_whole) look_into(std::move(child), nesting + 1);
      else found_.parts.push_back(std::move(child));
    }
    if (entries.empty()) return false;
    if (auto directory = view::find_zip_directory(bytes)) {
      directory->file_pos += base;
      directory->archive_pos += base;
      found_.directories.push_back({*directory, part.member.name});
    }
    return true;
  }

  bool add_tar(const ViewPart& part, unsigned nesting) {
    view::Members members = view::tar_members_of(file_, part.member);
    for (view::Member& member : members) {
      if (member.is_file) look_into({std::move(member), false, false}, nesting + 1);
      else found_.parts.push_back({std::move(member), false, true});
    }
    return !members.empty();
  }

  void add_raw(view::Member& member, ByteSpan bytes) {
    std::vector<view::FoundStream> streams = scan_.find_all(bytes, std::min(left_raw_bytes_, search_.most_scanned_bytes));
    if (!streams.empty()) member.is_file = false;
    for (view::FoundStream& stream : streams) {
      left_raw_bytes_ -= stream.raw_bytes;
      stream.file_pos += member.data_pos;
      found_.streams.push_back(std::move(stream));
    }
  }

  const ByteSpan file_;
  const PartSearch search_;
  std::uint64_t left_raw_bytes_;
  view::RawStreamScan scan_;
  view::ScanWork gzip_work_;
  Bytes room_;  // of the inflater
  FoundParts found_;
};

}  // namespace

ViewPart whole_part(std::uint64_t file_bytes) { return {{{}, true, 0, 0, file_bytes, file_bytes}, false, false}; }

FoundParts find_parts(ByteSpan file, const ViewParts& parts, const PartSearch& search) {
  PartFinder finder(file, search);
  for (const ViewPart& part : parts) part.is_seen ? finder.pass(part) : finder.look_into(part, 0);
  return finder.take();
}

ViewParts parts_in_view(ViewParts parts, const view::Replacements& replaced) {
  const view::PackedStreams all = replaced.all();
  view::ViewPositions positions(all);
  for (auto& [member, is_packed, is_seen] : parts) {
    const std::uint64_t data_pos = member.data_pos, data_end = member.data_end();
    member.begin = positions.at(member.begin);
    member.data_pos = positions.at(data_pos);
    if (is_packed && positions.is_stream(data_pos)) {
      member.is_file = true;
      is_seen = false;
    }
    is_packed = false;
    member.data_bytes = positions.at(data_end) - member.data_pos;
    member.end = positions.at(member.end);
  }
  return parts;
}

view::Members members_of(const ViewParts& parts) {
  view::Members members;
  if (parts.size() == 1 && parts[0].member.name.empty()) return members;
  for (const ViewPart& part : parts) members.push_back(part.member);
  return members;
}

}  // namespace bdelta

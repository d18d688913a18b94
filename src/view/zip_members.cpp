#include "view/zip_members.hpp"

#include <algorithm>

#include "view/zip_entries.hpp"
#include "view/zip_layout.hpp"

namespace bdelta::view {
namespace {

// Goes through a file in its order, and knows positions of its view.
class ViewPositions {
 public:
  explicit ViewPositions(const PackedStreams& streams) : streams_(streams) {}

  // Of a stream's start, if file_pos is inside of it. No less than file_pos of the call before.
  std::uint64_t at(std::uint64_t file_pos) {
    for (; next_ < streams_.size() && streams_[next_].file_end() <= file_pos; ++next_) {
      shift_ += streams_[next_].raw_bytes - streams_[next_].packed_bytes;  // modulo 2^64
    }
    return shift_ + (next_ < streams_.size() ? std::min(file_pos, streams_[next_].file_pos) : file_pos);
  }

  // Whether a stream begins there, where at() was called.
  [[nodiscard]] bool is_stream(std::uint64_t file_pos) const {
    return next_ < streams_.size() && streams_[next_].file_pos == file_pos;
  }

 private:
  const PackedStreams& streams_;
  std::size_t next_ = 0;
  std::uint64_t shift_ = 0;
};

bool is_folder(const ZipEntry& entry) { return entry.name.empty() || entry.name.back() == '/'; }

}  // namespace

void add_zip_members(ByteSpan file, const PackedStreams& streams, Members& members) {
  std::vector<ZipEntry> entries = find_zip_entries(file);
  std::stable_sort(entries.begin(), entries.end(), [](const ZipEntry& a, const ZipEntry& b) { return a.begin < b.begin; });
  ViewPositions positions(streams);
  std::uint64_t end = 0;
  std::erase_if(entries, [&](const ZipEntry& entry) {
    if (entry.begin < end) return true;
    end = entry.data_end();
    return false;
  });
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const ZipEntry& entry = entries[i];
    Member member;
    member.name = entry.name;
    member.begin = positions.at(entry.begin);
    member.data_pos = positions.at(entry.data_pos);
    const bool is_whole = positions.is_stream(entry.data_pos) || entry.method == kZipStored;
    member.is_file = is_whole && !entry.is_encrypted && !is_folder(entry);
    member.data_bytes = positions.at(entry.data_end()) - member.data_pos;
    member.end = i + 1 < entries.size() ? positions.at(entries[i + 1].begin) : member.data_end();
    members.push_back(std::move(member));
  }
}

}  // namespace bdelta::view

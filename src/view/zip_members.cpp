#include "view/zip_members.hpp"

#include "view/view_positions.hpp"
#include "view/zip_entries.hpp"
#include "view/zip_layout.hpp"

namespace bdelta::view {
void add_zip_members(ByteSpan file, const PackedStreams& streams, Members& members) {
  const std::vector<ZipEntry> entries = find_zip_entries_apart(file);
  ViewPositions positions(streams);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const ZipEntry& entry = entries[i];
    Member member;
    member.name = entry.name;
    member.begin = positions.at(entry.begin);
    member.data_pos = positions.at(entry.data_pos);
    const bool is_whole = positions.is_stream(entry.data_pos) || entry.method == kZipStored;
    member.is_file = is_whole && !entry.is_encrypted && !entry.is_folder();
    member.data_bytes = positions.at(entry.data_end()) - member.data_pos;
    member.end = i + 1 < entries.size() ? positions.at(entries[i + 1].begin) : member.data_end();
    members.push_back(std::move(member));
  }
}

}  // namespace bdelta::view

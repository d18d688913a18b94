// Small tar archives, made up: files of one folder with times, sizes and checksums, in any of the forms of a checksum.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "delta/fills.hpp"
#include "view/members.hpp"

namespace bdelta::test {

struct TarFile {
  std::string name;
  std::uint64_t time = 0;  // seconds
  Bytes content;
  char kind = '0';
};

// With the two empty blocks of an end.
[[nodiscard]] Bytes tar_of(const std::vector<TarFile>& files, FillEncoding form = FillEncoding::kSixNulSpace);

// Of an archive that begins there.
[[nodiscard]] view::Members members_of(ByteSpan view, std::uint64_t archive_pos = 0);

// Two versions of an archive: each file has a new time, some have other contents, and one is new.
struct TarPair {
  Bytes old_version;
  Bytes new_version;

  // All of the new version.
  [[nodiscard]] FillRule checksums(FillEncoding form = FillEncoding::kSixNulSpace) const {
    return {tar_checksums(form), 0, {{0, new_version.size(), 0}}};
  }
};
[[nodiscard]] TarPair tar_pair(unsigned file_count, unsigned seed, const char* old_folder = "app-1.0",
                               const char* new_folder = "app-1.1",
                               FillEncoding form = FillEncoding::kSixNulSpace);

}  // namespace bdelta::test

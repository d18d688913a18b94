// Small tar archives, made up: files of one folder with times, sizes and checksums, in any of the forms of a checksum.
#pragma once

#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "delta/header_sums.hpp"

namespace bdelta::test {

struct TarFile {
  std::string name;
  std::uint64_t time = 0;  // seconds
  Bytes content;
  char kind = '0';
};

// With the two empty blocks of an end.
[[nodiscard]] Bytes tar_of(const std::vector<TarFile>& files, HeaderSumForm form = HeaderSumForm::kSixNulSpace);

// Two versions of an archive: each file has a new time, some have other contents, and one is new.
struct TarPair {
  Bytes old_version;
  Bytes new_version;

  // All of the new version.
  [[nodiscard]] HeaderSumSpans spans(HeaderSumForm form = HeaderSumForm::kSixNulSpace) const {
    return {{form, 0, new_version.size() / kHeaderBlockBytes}};
  }
};
[[nodiscard]] TarPair tar_pair(unsigned file_count, unsigned seed, const char* old_folder = "app-1.0",
                               const char* new_folder = "app-1.1",
                               HeaderSumForm form = HeaderSumForm::kSixNulSpace);

}  // namespace bdelta::test

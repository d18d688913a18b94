// Pairs of archives whose patches are frozen.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/bytes.hpp"

namespace bdelta::test {

struct ArchivePair {
  std::string name;
  Bytes old_version;
  Bytes new_version;
};

// vectors: the folder of streams that other programs made.
[[nodiscard]] std::vector<ArchivePair> archive_pairs(const std::filesystem::path& vectors);

}  // namespace bdelta::test

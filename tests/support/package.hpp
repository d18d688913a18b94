// Tar archives of an installed Python package, made up: modules, and the list that has their digests.
#pragma once

#include "support/tar.hpp"

namespace bdelta::test {

struct PackagePair {
  Bytes old_version;
  Bytes new_version;
  FillRule changed;  // digests of new_version, in the order of their files: whose files differ, or are new
};

struct PackageShape {
  unsigned file_count = 40;
  unsigned seed = 1;
  bool list_first = false;        // the list in front of the files
  bool reversed_list = false;     // lines in another order than the files
  std::string root;               // in front of all names, with a slash
  std::string old_name = "Tool.Kit-1.0";
  std::string new_name = "tool_kit-1.1";
};

// Every third file has other contents in the new version, the last one is new.
[[nodiscard]] PackagePair package_pair(const PackageShape& shape = {});

}  // namespace bdelta::test

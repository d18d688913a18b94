// Files of a signed jar, made up: classes, their manifest, and a signature file for each signer.
#pragma once

#include "support/tar.hpp"

namespace bdelta::test {

struct JarShape {
  unsigned file_count = 40;
  unsigned seed = 1;
  unsigned signer_count = 1;
  bool lists_first = true;        // in front of the files, as jarsigner puts them
  bool signatures_first = false;  // in front of the manifest, as apksigner puts them
  bool long_names = false;        // that take several lines of a list
  const char* line_end = "\r\n";
  std::string root;               // in front of all names, with a slash
};

struct JarPair {
  std::vector<TarFile> old_version;
  std::vector<TarFile> new_version;
  std::size_t changed_count = 0;  // files that differ, or are new
};

// Every third file has other contents in the new version, the last one is new.
[[nodiscard]] JarPair jar_pair(const JarShape& shape = {});

// The same as tar archives, with all that is found to be filled in in the new one, headers apart.
struct JarArchives {
  Bytes old_version;
  Bytes new_version;
  Fills fills;
};
[[nodiscard]] JarArchives jar_archives(const JarShape& shape = {});

}  // namespace bdelta::test

// The files that are read and written while cases are timed.
#pragma once

#include <cstdint>
#include <filesystem>

#include "io/temp_file.hpp"

namespace io_study {

// The files that the cases share. They vanish with this object, and when a signal ends the program.
struct StudyFiles {
  // `input` gets size_bytes of made-up text and is synced, so that nobody writes it back while cases are timed.
  StudyFiles(const std::filesystem::path& dir, std::uint64_t size_bytes);

  bdelta::io::TempFile input;
  bdelta::io::TempFile output;
  bdelta::io::TempFile records;  // these three are filled by the typed cases
  bdelta::io::TempFile varints;
  bdelta::io::TempFile fixed;
  std::uint64_t size_bytes;      // of input
};

}  // namespace io_study

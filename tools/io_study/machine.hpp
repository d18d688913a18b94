// Where figures were measured: what every row of the CSV ends with, so that the file stands alone.
#pragma once

#include <filesystem>
#include <string>

namespace io_study {

struct Machine {
  std::string date;        // UTC, YYYY-MM-DD
  std::string kernel;      // system and release
  std::string machine;     // processor, cores, memory, C library
  std::string filesystem;  // of the directory where the files are
};

// What cannot be found out is "unknown".
Machine describe_machine(const std::filesystem::path& dir);

}  // namespace io_study

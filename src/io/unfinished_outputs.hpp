// Names of temporary files that a signal handler is to remove: bdelta::remove_unfinished_outputs (bdelta/files.hpp).
//
// Slots are static and of fixed size, because a handler may neither allocate nor lock. Each slot has a state:
// free -> filling -> armed -> free by its owner, or armed -> removing -> removed by the handler, whose slot the owner
// frees later. A name that finds no slot, or is too long for one, is left behind if a signal ends the program.
#pragma once

#include <filesystem>

namespace bdelta::io {

class UnfinishedName {
 public:
  UnfinishedName() = default;
  explicit UnfinishedName(const std::filesystem::path& absolute) noexcept;
  UnfinishedName(UnfinishedName&& other) noexcept;
  UnfinishedName& operator=(UnfinishedName&& other) noexcept;
  ~UnfinishedName() { forget(); }

  // The file is finished or gone.
  void forget() noexcept;

 private:
  static constexpr int kNone = -1;
  int slot_ = kNone;
};

}  // namespace bdelta::io

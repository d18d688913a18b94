// Names of temporary files that a signal handler is to remove: bdelta::remove_unfinished_outputs (bdelta/files.hpp).
//
// Slots are static and of fixed size, because a handler may neither allocate nor lock. Each slot has a state:
//   free -> filling -> opening -> armed -> free   by its owner
//   opening or armed -> removing -> removed       by the handler; the owner frees the slot later
// A name that finds no slot, or is too long for one, is left behind if a signal ends the program.
//
// Between opening and armed the file may come to be at any moment. A handler on another thread waits for the end of
// that, up to a second. Else it would remove a file too early and leave it behind. A handler on the same thread has
// stopped the owner, which makes no file any more.
#pragma once

#include <filesystem>

#include "bdelta/files.hpp"

namespace bdelta::io {

// To be told before it can be so: what is left behind is never less than a handler says. `kNothing` takes back a kWhole
// that did not come to be.
void note_left_behind(LeftBehind what) noexcept;

// Until it is taken back, kUnfinished is left behind.
void note_unfinished(bool is_so) noexcept;

class UnfinishedName {
 public:
  UnfinishedName() = default;
  // Of a file, or of a directory with all that will be in it, that this thread makes next, whatever becomes of that. `opened`
  // says that it has tried.
  explicit UnfinishedName(const std::filesystem::path& absolute, bool is_tree = false) noexcept;
  void opened() noexcept;

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

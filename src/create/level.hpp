// What the levels mean: one place.
#pragma once

#include <cstdint>

#include "bdelta/error.hpp"
#include "format/native/writer_settings.hpp"
#include "match/params.hpp"

namespace bdelta {

struct LevelSettings {
  MatchParams match;
  native::WriterSettings coding;
  std::uint64_t make_byte_ns = 0;  // nominal, of making on one thread, that a saved byte may take
  bool predict = false;             // fields of programs
  bool fills = false;               // checksums and digests are left to who applies the patch
  std::uint64_t substitution_search = 0;  // most bytes to search for substitutions for each changed one; 0: none
  int label_passes = 1;             // how often covers are chosen anew once they have told where addresses went
  std::uint64_t choice_bytes = 0;  // largest target that is parsed with all costs where little changes; else a sample chooses
  std::uint64_t history_bytes = 0;  // how far back in NEW copies of itself may begin; 0: there are none
  std::uint64_t least_saved_share = 64;  // of a patch, that such copies must save to be looked for
  unsigned copy_gram_shift = 2;  // they are looked for at one place in 2^shift
  bool quick_copies = false;     // only where NEW changes much, and taken by an estimate, which takes no coding
  std::uint64_t plain_bytes = std::uint64_t{1} << 20;  // least length of an exact stretch that is a window of its own
  std::uint64_t group_bytes = 0;   // target bytes after which a group ends
};

[[nodiscard]] LevelSettings level_settings(int level);

// kUsage unless there is such a level.
[[nodiscard]] Status check_level(int level);

}  // namespace bdelta

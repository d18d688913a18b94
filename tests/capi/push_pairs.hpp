// Pairs whose patches have many parts: what push mode and want of memory are tried on.
#pragma once

#include "support/craft.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/program_pair.hpp"
#include "support/renumbered.hpp"

namespace bdelta::test {

struct Pair {
  Bytes source;
  Bytes target;
  Bytes patch;
};

// Many small groups of coded windows.
inline Pair small_groups() {
  Pair pair;
  pair.source = wordy_bytes(6000, 1);
  pair.target = pair.source;
  for (std::size_t i = 0; i < pair.target.size(); i += 9) pair.target[i] ^= 1;
  Craft craft;
  craft.window_bytes = 700;
  craft.group_bytes = 1400;
  pair.patch = craft_patch(pair.source, pair.target, bdelta::test::covers_of(pair.source, pair.target), craft);
  return pair;
}

inline Pair programs() {
  const ProgramPair pair = program_pair(11, 60);
  auto patch = make_patch(pair.old_version, pair.new_version, create_options(6));
  EXPECT_OK(patch);
  return {pair.old_version, pair.new_version, patch ? *patch : Bytes()};
}

// Substitutions in front of small groups or of covers that stand apart.
inline Pair renumbered(bool covers_apart) {
  const RenumberedPair pair = renumbered_pair(400, 20, 1);
  Craft craft;
  craft.substitutions = pair.substitutions;
  craft.covers_apart = covers_apart;
  craft.window_bytes = 700;
  craft.group_bytes = 1400;
  const Covers covers = {{0, 0, pair.old_version.size()}};
  return {pair.old_version, pair.new_version, craft_patch(pair.old_version, pair.new_version, covers, craft)};
}

}  // namespace bdelta::test

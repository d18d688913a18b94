// A pair of files whose changes stand in two places.
#pragma once

#include <algorithm>

#include "delta/cover.hpp"
#include "support/generate.hpp"

namespace bdelta::test {

// A text and, `gap` bytes behind it, the same in capitals, with the same text again at the end: so each change of the
// text is one of three, and two of these are equal.
struct RepeatedPair {
  Bytes old_version;
  Bytes new_version;
};

[[nodiscard]] inline RepeatedPair repeated_pair(std::size_t text_bytes, std::size_t gap_bytes, std::uint64_t seed) {
  const Bytes text = wordy_bytes(text_bytes, seed);
  const Bytes changed = edited(text, random_edits(text_bytes / 150, text_bytes, 24, seed + 1));
  const Bytes gap = random_bytes(gap_bytes, seed + 2);
  const auto file_of = [&](const Bytes& part) {
    Bytes file = part;
    append(file, gap);
    for (const std::uint8_t byte : part) file.push_back(byte >= 'a' && byte <= 'z' ? static_cast<std::uint8_t>(byte - 32) : byte);
    append(file, gap);
    append(file, part);
    return file;
  };
  return {file_of(text), file_of(changed)};
}

// Covers of which two in three take what stands before them in the target: pieces of any length, on any diagonal, some of
// them with bytes that differ, of a target that has the last one's bytes for it.
struct SelfCopied {
  Bytes source;
  Bytes target;
  Covers covers;
};

[[nodiscard]] inline SelfCopied self_copied(std::size_t target_bytes, std::uint64_t reach, std::uint64_t seed) {
  Random random(seed);
  SelfCopied made;
  made.source = wordy_bytes(5000, seed);
  while (made.target.size() < target_bytes) {
    const std::uint64_t pos = made.target.size();
    std::uint64_t length = random.between(1, 90);
    const bool of_target = pos > 200 && random.below(3) != 0;
    const Bytes& from = of_target ? made.target : made.source;
    const std::uint64_t first = of_target ? pos - std::min(pos, reach) : 0;
    const std::uint64_t place = random.between(first, from.size() - length);
    made.covers.push_back({of_target ? made.source.size() + place : place, pos, length});
    for (std::uint64_t i = 0; i < length; ++i) {
      const std::uint8_t byte = from[static_cast<std::size_t>(place + i)];
      made.target.push_back(random.below(40) == 0 ? static_cast<std::uint8_t>(byte + 1) : byte);
    }
    if (random.below(3) == 0) append(made.target, random_bytes(static_cast<std::size_t>(random.between(1, 9)), pos));
  }
  return made;
}

// Three parts of part_bytes. Misses of the first and the last follow from what stands around them, as a model is quick to
// learn; the one between is the first one once more, with a few other bytes. New words come at the end.
[[nodiscard]] inline SelfCopied partly_self_copied(std::size_t part_bytes, std::uint64_t seed) {
  SelfCopied made;
  made.source = wordy_bytes(2 * part_bytes, seed);
  const auto append_bent = [&](std::size_t from) {
    made.covers.push_back({from, made.target.size(), part_bytes});
    for (std::size_t i = from; i < from + part_bytes; ++i) {
      const bool changes = i >= 2 && (made.source[i - 2] * 31 + made.source[i - 1] * 7) % 61 == 3;
      made.target.push_back(static_cast<std::uint8_t>(made.source[i] + (changes ? 1 : 0)));
    }
  };
  append_bent(0);
  made.covers.push_back({made.source.size(), part_bytes, part_bytes});
  for (std::size_t i = 0; i < part_bytes; ++i) made.target.push_back(static_cast<std::uint8_t>(made.target[i] + (i % 601 == 7 ? 1 : 0)));
  append_bent(part_bytes);
  append(made.target, wordy_bytes(part_bytes / 4, seed + 1));
  return made;
}

}  // namespace bdelta::test

// Streams that OLD and NEW have packed alike. NEW's are copied as they are. So OLD's stay packed; or they are kept beside their
// text, where NEW is made from that, too.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "bdelta/report.hpp"
#include "hash/xxh3.hpp"
#include "view/find_streams.hpp"
#include "view/geometry.hpp"

namespace bdelta {

using FoundStreams = std::vector<view::FoundStream>;

// Whose texts NEW is made from, of streams that could stay packed.
struct WantedTexts {
  bool all = false;
  std::set<Digest128> of = {};  // by their packed bytes

  [[nodiscard]] bool have(const Digest128& digest) const { return all || of.count(digest) != 0; }
};

// Of OLD, ascending.
struct ChosenStreams {
  FoundStreams unpacked;
  view::KeptRanges kept;
};

class AlikeStreams {
 public:
  AlikeStreams() = default;  // there are none

  // Leaves out of NEW's streams those that OLD has, and counts them.
  AlikeStreams(ByteSpan source, const FoundStreams& of_source, ByteSpan target, FoundStreams& of_target, UnpackReport::Streams& same);

  // All others of OLD stay packed, too.
  void leave_all_packed();

  // Of those that may stay packed, unpacked are the ones whose name a stream of NEW has that changes: NEW is likely made from
  // their text. Of those that are wanted it is the first. Besides, each for whose position is_forced says so.
  [[nodiscard]] ChosenStreams choose(ByteSpan source, FoundStreams of_source, const WantedTexts& wanted,
                                     const std::function<bool(std::uint64_t)>& is_forced = {}) const;

  [[nodiscard]] bool may_stay_packed(const Digest128& digest) const { return all_stay_ || are_in_target(digest); }

 private:
  [[nodiscard]] bool are_in_target(const Digest128& digest) const { return digests_.count(digest) != 0; }

  std::set<Digest128> digests_;              // of NEW's
  std::unordered_set<std::string> changed_;  // names
  bool all_stay_ = false;
};

[[nodiscard]] Digest128 packed_digest(ByteSpan file, std::uint64_t pos, std::uint64_t bytes);

}  // namespace bdelta

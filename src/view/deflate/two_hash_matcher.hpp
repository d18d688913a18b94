// Levels 5 and 6 of Go from 1.27 on: a block of text at a time, with two tables.
//
// One table has the latest position for each hash of four bytes, the other the latest two for each hash of seven. A place
// is looked up in both. What seven bytes find is taken; what four bytes find is held against what seven bytes find at the
// next place. The match is then held against one that goes on where it ends. If that is longer, it is taken, and goes back
// to the front as far as it can. The longer nothing has been found, the more bytes lie between one place and the next.
//
// Level 6 looks up more, waits longer before it leaves places out, and tries the distance of the match before.
#pragma once

#include "view/deflate/block_matcher.hpp"

namespace bdelta::deflate {

class TwoHashMatcher final : public BlockMatcher {
 public:
  TwoHashMatcher();

  void begin(const Parameters& parameters, std::uint64_t first, std::uint64_t pos) override;
  void join(JointKind kind) override;

 private:
  // A stamp stands for a position; those of other streams are far from all of this one.
  using Stamp = std::uint32_t;
  struct Two {
    Stamp latest;
    Stamp before;
  };
  struct Match {
    std::uint64_t pos = 0;
    std::uint64_t from = 0;
    std::uint64_t length = 0;
  };

  void make_tokens() override;
  void move_window();
  [[nodiscard]] Two two_of_seven(std::uint64_t pos) { return {of_seven(pos)[0], of_seven(pos)[1]}; }
  [[nodiscard]] bool find(std::uint64_t pos, std::uint64_t next, Match& match);
  void extend(Match& match, std::uint64_t behind);
  void try_end(Match& match);
  void add_match(const Match& match);
  void remember_within(const Match& match, std::uint64_t looked_up, std::uint64_t pos);
  void remember_four(std::uint64_t pos) { *of_four(pos) = stamp_of(pos); }
  void remember_seven(std::uint64_t pos);
  void remember(std::uint64_t pos);
  [[nodiscard]] Stamp* of_four(std::uint64_t pos);
  [[nodiscard]] Stamp* of_seven(std::uint64_t pos);  // the latest; the one before it stands behind it

  [[nodiscard]] Stamp stamp_of(std::uint64_t pos) const { return static_cast<Stamp>(pos + stamp_of_0_); }
  [[nodiscard]] std::uint64_t distance(std::uint64_t pos, Stamp stamp) const { return stamp_of(pos) - stamp; }
  [[nodiscard]] bool alike(std::uint64_t pos, std::uint64_t distance) const;
  [[nodiscard]] std::uint64_t count_alike(std::uint64_t pos, std::uint64_t from, std::uint64_t most) const;

  bool six_ = false;
  bool keeps_short_ = false;       // blocks: they are searched, and nothing is forgotten behind them
  std::uint64_t base_ = 0;         // what is before is not looked at
  std::uint64_t repeat_ = 1;       // distance of the last match of the block
  std::uint64_t stamp_of_0_ = 0;
  std::vector<Stamp> stamps_;      // one for each hash of four bytes, then two for each of seven
};

}  // namespace bdelta::deflate

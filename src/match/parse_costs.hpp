// What the parse takes each choice to cost, in 1/64 bit.
#pragma once

#include <array>
#include <cstdint>

#include "base/deciding/parse.hpp"
#include "bdelta/io.hpp"
#include "delta/cover.hpp"

namespace bdelta {

// The defaults are what did best over programs, text and tables with LZMA behind them.
struct ParseCosts {
  std::int64_t match = 0;              // a copied byte that fits, behind one that fits
  std::int64_t match_after_miss = 38;  // the first that fits again
  std::int64_t first_miss = 620;       // a copied byte that differs, behind one that fits: its place and its value
  std::int64_t next_miss = 400;        // each further one of the same run
  std::int64_t literal = 290;          // a literal byte
  std::int64_t begin_literal = 320;    // from a copy to literals
  std::int64_t far_switch = 2816;      // a copy on another diagonal
  std::int64_t near_switch = 1536;     // the same, less than kNearBytes from the diagonal before
  std::int64_t resume = 900;           // a copy on the diagonal of the copy before
  std::int64_t slack = 1536;           // how far beyond a switch a path may lie behind the best and live on
  // Added to a miss of each value (target - source): differences that are frequent in this pair are cheap.
  std::array<std::int32_t, 256> value{};
  std::int64_t mean_value = 0;         // the mean of `value`, for misses that are only counted
};

// What covers leave to be told of the target.
struct CoverChanges {
  std::uint64_t free_bytes = 0;              // that no cover copies
  std::array<std::uint64_t, 256> misses{};   // copied bytes that differ, by target - source, …
  std::uint64_t take_every = 1;              // … of one piece in so many

  [[nodiscard]] std::uint64_t changed_bytes() const noexcept;
};

// Beyond 64 MiB of covers from samples.
[[nodiscard]] CoverChanges cover_changes(ByteSpan source, ByteSpan target, const Covers& covers);

// What covers leave free, as values of bytes; beyond 4 MiB of it from samples.
struct FreeBytes {
  std::array<std::uint64_t, 256> counts{};
  std::uint64_t total = 0;  // with what was not looked at

  // Some KiB to MiB that look compressed or random: literals then cost as many bits as they have.
  [[nodiscard]] bool are_dense() const noexcept;

  // Some KiB or more of lines of text or source code: what is new has mostly been seen before, so literals cost little.
  [[nodiscard]] bool are_text() const noexcept;
};

[[nodiscard]] FreeBytes free_bytes(ByteSpan target, const Covers& covers);

// Fits the value costs of `start` to the misses. Integer arithmetic: the same on every machine.
[[nodiscard]] ParseCosts fit_costs(const CoverChanges& changes, const ParseCosts& start);

// For where lengths and diagonals of covers follow rules that whoever codes them sees: with covers of a quarter of what they
// cost. More covers are of fewer kinds than some, so a quarter does where those that are found take a half.
[[nodiscard]] ParseCosts with_cheap_covers(const ParseCosts& costs) noexcept;

}  // namespace bdelta

// The streams of a group: each kind of number or byte apart, so that each meets only its like in the coder.
// Order and meaning are part of the format (format/native/FORMAT.md).
#pragma once

#include <array>
#include <cstdint>

#include "base/bytes.hpp"

namespace bdelta {

enum StreamId : std::uint8_t {
  kLiteralLengths = 0,   // varint: literal bytes before a copy; those behind the last copy are what is left
  kCopyLengths = 1,      // varint
  kDiagonals = 2,        // zigzag varint: change of source_pos - target_pos from copy to copy
  kResidualGaps = 3,     // varint: unchanged copied bytes before a residual run
  kResidualLengths = 4,  // varint: length of the run less one
  kResidualValues = 5,   // bytes: target - source
  kLiterals = 6,         // bytes
  kModelledCode = 7,     // bytes: what models make of literals and misses; a draft has none
};
inline constexpr std::size_t kStreamCount = 8;

// Those that say which copied bytes change.
inline constexpr std::array<StreamId, 3> kResidualStreams = {kResidualGaps, kResidualLengths, kResidualValues};
inline constexpr unsigned kResidualBits = 1u << kResidualGaps | 1u << kResidualLengths | 1u << kResidualValues;
[[nodiscard]] constexpr bool is_residual(std::size_t stream) noexcept { return stream >= kResidualGaps && stream <= kResidualValues; }

[[nodiscard]] const char* stream_name(std::size_t id) noexcept;

inline constexpr std::size_t kOpStreamCount = 3;
inline constexpr unsigned kOpStreams = (1u << kOpStreamCount) - 1;  // bits: those of ops

// What of its windows a group carries. The covers of windows that are predicted stand before the first window's bytes.
enum class GroupKind : std::uint8_t { kWhole, kCovers };

using StreamBytes = std::array<Bytes, kStreamCount>;
using StreamSizes = std::array<std::uint64_t, kStreamCount>;

// What a reader must be able to hold for one coded window; writers cut windows before they pass these.
inline constexpr std::uint64_t kMaxWindowCopies = 65536;            // copies
inline constexpr std::uint64_t kMaxWindowRuns = 262144;          // residual runs
inline constexpr std::uint64_t kMaxWindowBytes = 8ull << 20;     // target bytes of a window that is not plain

// A window as the table of its group describes it.
struct WindowRecord {
  bool plain = false;               // one copy, no residual, no streams
  bool predicted = false;           // coded: its ops stand apart, as covers
  bool modelled = false;            // coded: models have its literals, its misses or both; in a draft: they may
  bool covers = false;              // coded: covers alone, that make nothing; of any length
  std::uint64_t target_length = 0;
  std::int64_t diagonal_change = 0; // plain: as a value of kDiagonals
  std::uint64_t copy_count = 0;     // coded
  std::uint64_t run_count = 0;      // coded: residual runs
  StreamSizes sizes{};              // coded: raw bytes of each stream that belong to this window
  std::uint32_t checksum = 0;       // coded
  std::uint64_t left_out_bytes = 0; // of the target in front, where a draft is of a sample alone
};

}  // namespace bdelta

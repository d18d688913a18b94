#include "create/cover_price.hpp"

#include "base/deciding/choosing.hpp"
#include "base/try.hpp"
#include "base/varint.hpp"
#include "format/native/group_writer.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kCostsPerByte = 8 * 64;

// The columns of lengths and diagonals through a quick codec.
Result<std::uint64_t> coded_bytes_of(const Covers& covers, Watch* watch) {
  Bytes literal_lengths;
  Bytes copy_lengths;
  Bytes jumps;
  std::uint64_t pos = covers.empty() ? 0 : covers.front().target_pos;
  std::int64_t diagonal = 0;
  for (const Cover& cover : covers) {
    append_varint(literal_lengths, cover.target_pos - pos);
    append_varint(copy_lengths, cover.length);
    append_varint(jumps, zigzag(cover.diagonal() - diagonal));
    pos = cover.target_end();
    diagonal = cover.diagonal();
  }
  std::uint64_t bytes = 0;
  for (const Bytes* column : {&literal_lengths, &copy_lengths, &jumps}) {
    BDELTA_ASSIGN(const native::CodedStream coded, native::compress_stream(*column, kQuickCodec, {watch, nullptr}));
    bytes += native::coded_bytes(coded);
  }
  return bytes;
}

}  // namespace

Result<bool> are_cheap_covers(const Covers& covers, const ParseCosts& costs, Watch* watch) {
  if (covers.size() < kLeastCheapCovers) return false;
  BDELTA_ASSIGN(const std::uint64_t bytes, coded_bytes_of(covers, watch));
  const std::uint64_t all_cost = covers.size() * static_cast<std::uint64_t>(costs.near_switch);
  return bytes * kCostsPerByte * kCheapDenominator <= all_cost * kCheapNumerator;
}

}  // namespace bdelta

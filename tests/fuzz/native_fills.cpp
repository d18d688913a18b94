// The record of fills, and what a filler makes of it. Searches for memory that is taken before it is declared, for records
// that mean something else once they are written again, and for windows that make a difference.
#include "apply/filler.hpp"
#include "format/native/envelope.hpp"
#include "format/native/fill_record.hpp"
#include "fuzz/fuzz_input.hpp"
#include "io/memory_io.hpp"
#include "support/fills.hpp"
#include "support/guard_page.hpp"

namespace bdelta::fuzz {
namespace {

constexpr std::uint64_t kMostFilled = 1 << 15;

bool read(ByteSpan record, const native::Header& header, Fills& fills) {
  io::MemorySequentialReader from(record);
  io::TypedReader reader(from, 64);
  auto found = native::read_fills(reader, header);
  if (!found) require(found.error().code != ErrorCode::kInternal, "no record is an internal error");
  if (found) fills = std::move(*found);
  return static_cast<bool>(found);
}

// What the windows give: blocks that look like headers among others.
Bytes target_of(std::uint64_t size, std::uint8_t seed) {
  Bytes target(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < target.size(); ++i) target[i] = static_cast<std::uint8_t>(i * (seed | 1) >> 3);
  constexpr std::uint8_t kMagic[] = {'u', 's', 't', 'a', 'r'};
  for (std::size_t at = 257; at + sizeof kMagic <= target.size(); at += kTarBlockBytes / 2 * (1 + seed % 4)) {
    std::copy(std::begin(kMagic), std::end(kMagic), target.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return target;
}

Bytes filled(Bytes target, const Fills& fills, std::size_t window_bytes) {
  Filler filler(fills);
  Bytes made;
  const auto pass = [&](std::uint64_t pos, ByteSpan bytes) {
    require(pos == made.size(), "bytes of the target pass in order");
    append(made, bytes);
    return Status();
  };
  for (const bool in_turn : {false, true}) {
    for (std::size_t pos = 0; pos < target.size(); pos += window_bytes) {
      const MutableByteSpan window = MutableByteSpan(target).subspan(pos, std::min(window_bytes, target.size() - pos));
      if (!in_turn) {
        filler.hash_early(pos, window);
      } else if (filler.fills(pos, window.size())) {
        require(static_cast<bool>(filler.fill(pos, window, pass)), "nothing can fail");
      } else {
        filler.hash(pos, window);
        (void)pass(pos, window);
      }
    }
  }
  return made;
}

}  // namespace

void run(Input& input) {
  native::Header header;
  header.target_size = input.u32();
  header.decoder_memory_bytes = input.u16();
  const std::size_t window_bytes = std::size_t{1} + input.u16();
  const std::uint8_t seed = input.u8();
  const test::GuardedBytes record(input.rest());
  Fills fills;
  if (!read(record.bytes(), header, fills)) return;
  require(held_bytes(fills) <= header.decoder_memory_bytes, "fills take what is declared");
  Fills again;
  const auto body = native::open_record(native::encode_fills(fills));
  require(body && read(*body, header, again), "a written record can be read");
  require(again == fills, "fills are written as they were read");
  if (header.target_size > kMostFilled) return;
  const Bytes before = target_of(header.target_size, seed);
  Bytes expected = before;
  test::fill_slowly(expected, fills);
  require(filled(before, fills, window_bytes) == expected, "windows make no difference");
}

}  // namespace bdelta::fuzz

// Pairs of files and options made from the input: OLD is pieces of bytes and repetitions of them, NEW is OLD with
// edits. Searches for pairs that have no patch, a patch that depends on threads, or one that gives something else.
#include "fuzz/fuzz_input.hpp"
#include "fuzz/round_trip_check.hpp"
#include "support/generate.hpp"
#include "support/guard_page.hpp"

namespace bdelta::fuzz {
namespace {

constexpr std::size_t kMostBytes = 1 << 13;  // of OLD, and half of what NEW has at most
constexpr int kSlowLevel = 8;                    // from here on models code literals, for each set of covers anew …
constexpr std::size_t kMostSlowBytes = 1 << 11;  // … and NEW has no more

Bytes take_old(Input& input) {
  Bytes bytes;
  for (std::size_t count = input.u8() % 6; count > 0; --count) {
    const std::uint8_t how = input.u8();
    const std::size_t length = input.u16() % (kMostBytes / 6);
    switch (how % 4) {
      case 0: append(bytes, input.bytes(length % 512)); break;
      case 1: append(bytes, test::random_bytes(length, how)); break;
      case 2: append(bytes, test::wordy_bytes(length, how)); break;
      default: append(bytes, test::periodic_bytes(length, 1 + how, how));
    }
  }
  return bytes;
}

test::Edits take_edits(Input& input) {
  test::Edits edits;
  for (std::size_t count = input.u8() % 12; count > 0; --count) {
    const auto kind = static_cast<test::Edit::Kind>(input.u8() % 6);
    const std::size_t at = input.u16();
    const std::size_t length = input.u16() % 3000;
    edits.push_back({kind, at, length, input.u16(), input.u8()});
  }
  return edits;
}

}  // namespace

void run(Input& input) {
  CreateOptions options;
  const std::uint8_t choice = input.u8();
  options.level = kMinLevel + choice % kUltraLevel;
  const bool twice = choice % 4 == 0;
  options.format = choice >= 240 ? PatchFormat::kBdt1 : PatchFormat::kBdt2;
  const Bytes old_bytes = take_old(input);
  Bytes new_bytes = test::edited(old_bytes, take_edits(input));
  append(new_bytes, input.rest());
  const std::size_t most_bytes = options.level >= kSlowLevel ? kMostSlowBytes : 2 * kMostBytes;
  if (new_bytes.size() > most_bytes) new_bytes.resize(most_bytes);
  const test::GuardedBytes source(old_bytes);
  const test::GuardedBytes target(new_bytes);
  check_round_trip(source.bytes(), target.bytes(), options, twice);
}

}  // namespace bdelta::fuzz

// Pairs of programs, each with changes that the input chooses: hostile headers, sections that overlap, references that
// lead nowhere. What is predicted may be wrong, the patch may not: searches for pairs that don't come back.
#include "fuzz/program_input.hpp"
#include "fuzz/round_trip_check.hpp"
#include "support/generate.hpp"
#include "support/guard_page.hpp"

namespace bdelta::fuzz {
namespace {

// Bytes put in or taken out, so that what follows moves and covers overlap in OLD.
void move_parts(Bytes& bytes, Input& input) {
  test::Edits edits;
  for (std::size_t count = input.u8() % 6; count > 0; --count) {
    const auto kind = static_cast<test::Edit::Kind>(input.u8() % 6);
    const std::size_t at = input.u16();
    const std::size_t length = input.u8();
    edits.push_back({kind, at, length, input.u16(), length});
  }
  bytes = test::edited(std::move(bytes), edits);
}

}  // namespace

void run(Input& input) {
  // Levels differ little in what they do with programs, and much in time.
  constexpr int kLevels[] = {3, 3, 3, 4, 5, 6, 3, 9};
  CreateOptions options;
  const std::uint8_t choice = input.u8();
  options.level = kLevels[choice % 8];
  const test::GuardedBytes source(take_program(input));
  Bytes new_bytes = take_program(input);
  move_parts(new_bytes, input);
  const test::GuardedBytes target(new_bytes);
  check_round_trip(source.bytes(), target.bytes(), options, choice >= 192);
}

}  // namespace bdelta::fuzz

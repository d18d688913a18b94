// What the units of a pair are made of. The bytes of a unit are the same in both releases except for its fixups.
// These are fields that hold the address of another unit, which the writer of each release fills in as a linker
// would.
#pragma once

#include <cstdint>
#include <vector>

#include "plan.hpp"
#include "rng.hpp"

namespace make_pair {

using Bytes = std::vector<std::uint8_t>;

enum class FixupKind : std::uint8_t {
  kRelative32,  // target minus the end of the field
  kAbsolute64,
  kIndex32,  // number of the target's 16-byte slot
  kRelease,  // one digit, the number of the release
};

struct Fixup {
  std::uint32_t at;  // position in the unit
  std::uint32_t target;
  std::uint32_t addend;
  FixupKind kind;
};

[[nodiscard]] constexpr std::uint32_t width_of(FixupKind kind) noexcept {
  return kind == FixupKind::kRelease ? 1 : kind == FixupKind::kAbsolute64 ? 8 : 4;
}

class ContentMaker {
 public:
  explicit ContentMaker(const Plan& plan);

  // Bytes and fixups (ascending) of a unit from `seed`, exactly `unit.size` bytes; fields of fixups are left zero.
  void make(std::uint32_t index, std::uint64_t seed, Bytes& bytes, std::vector<Fixup>& fixups);

 private:
  struct Word {
    std::uint8_t length;
    char letters[11];
  };
  struct Slot {  // of an idiom
    std::uint8_t at;
    bool calls;
  };
  struct Idiom {  // a few instructions a compiler likes to emit together
    Bytes bytes;
    std::vector<Slot> fields;
  };

  void invent_words(Rng& rng);
  void invent_idioms(Rng& rng);

  void make_code(Rng& rng, std::uint32_t size);
  void make_text(Rng& rng, std::uint32_t size);
  void make_table(Rng& rng, const Unit& unit);
  void make_image(Rng& rng, std::uint32_t size);

  void field(std::size_t at, FixupKind kind, std::uint32_t target, std::uint32_t addend);
  [[nodiscard]] std::uint32_t function_target(Rng& rng);
  [[nodiscard]] std::uint32_t data_target(Rng& rng);
  void put_word(Rng& rng);
  void put_number(std::uint32_t number);
  void put(const char* text);
  void put_le(std::uint64_t value, std::uint32_t width);

  const Plan& plan_;
  std::vector<Word> words_;
  std::vector<Idiom> idioms_;
  Bytes* bytes_ = nullptr;  // of the unit being made
  std::vector<Fixup>* fixups_ = nullptr;
  std::uint32_t index_ = 0;
};

}  // namespace make_pair

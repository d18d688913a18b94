#include "content.hpp"

#include <algorithm>
#include <cstring>

namespace make_pair {
namespace {

// Instructions in the manner of x86-64. `r`: any register in the low bits. `i`: a small number. `I`: 32 bits of
// which the upper are zero. `c`: call or jump to a function. `d`: address of data. All else is two hex digits.
constexpr const char* kInstructions[] = {
    "48 89 r",       "48 8b r",    "48 8b 44 24 i", "48 89 44 24 i", "8b r i",      "89 r i",        "48 8d 05 d",
    "48 8b 0d I",    "e8 c",       "48 63 r",       "41 8b 44 24 i", "0f 84 I",     "74 i",          "75 i",
    "85 r",          "48 85 r",    "83 r i",        "48 83 r i",     "b8 I",        "31 r",          "0f b6 r i",
    "f3 0f 10 44 i", "66 0f ef r", "c7 44 24 i I",  "81 r I",        "48 8b 4f i",  "4c 8b r i",     "41 r",
    "0f 1f 40 i",    "eb i",       "ff 50 i",       "48 39 r",       "4c 89 r",     "45 31 r",       "48 c7 r I",
};
constexpr std::uint32_t kInstructionCount = sizeof kInstructions / sizeof kInstructions[0];

std::uint8_t hex(char digit) noexcept {
  return static_cast<std::uint8_t>(digit <= '9' ? digit - '0' : digit - 'a' + 10);
}

}  // namespace

ContentMaker::ContentMaker(const Plan& plan) : plan_(plan) {
  Rng rng(derive(plan.seed, 4));
  invent_words(rng);
  invent_idioms(rng);
}

void ContentMaker::invent_words(Rng& rng) {
  constexpr char kConsonants[] = "tnsrhldcmfpgwybvkxjqz";
  constexpr char kVowels[] = "eaoiu";
  words_.resize(20000);
  for (std::size_t i = 0; i < words_.size(); ++i) {
    Word& word = words_[i];
    const std::uint32_t shortest = i < 32 ? 1 : i < 1000 ? 3 : 5;
    word.length = static_cast<std::uint8_t>(rng.between(shortest, std::min(11U, shortest + 5)));
    for (std::uint32_t k = 0; k < word.length; ++k) {
      word.letters[k] = k % 2 == 0 ? kConsonants[rng.zipf(21)] : kVowels[rng.zipf(5)];
    }
  }
}

void ContentMaker::invent_idioms(Rng& rng) {
  idioms_.resize(600);
  for (Idiom& idiom : idioms_) {
    for (std::uint32_t left = rng.between(1, 5); left > 0; --left) {
      for (const char* at = kInstructions[rng.below(kInstructionCount)]; *at != 0; ++at) {
        if (*at == ' ') continue;
        if (*at == 'c' && at[1] == 0) {
          idiom.fields.push_back({static_cast<std::uint8_t>(idiom.bytes.size()), true});
          idiom.bytes.resize(idiom.bytes.size() + 4);
        } else if (*at == 'd' && at[1] == 0) {
          idiom.fields.push_back({static_cast<std::uint8_t>(idiom.bytes.size()), false});
          idiom.bytes.resize(idiom.bytes.size() + 4);
        } else if (*at == 'r') {
          idiom.bytes.push_back(static_cast<std::uint8_t>(0xc0 | rng.below(64)));
        } else if (*at == 'i') {
          idiom.bytes.push_back(static_cast<std::uint8_t>(8 * rng.below(24)));
        } else if (*at == 'I') {
          idiom.bytes.insert(idiom.bytes.end(), {rng.byte(), static_cast<std::uint8_t>(rng.below(4)), 0, 0});
        } else {
          idiom.bytes.push_back(static_cast<std::uint8_t>(hex(at[0]) << 4 | hex(at[1])));
          ++at;
        }
      }
    }
  }
}

void ContentMaker::make(std::uint32_t index, std::uint64_t seed, Bytes& bytes, std::vector<Fixup>& fixups) {
  const Unit& unit = plan_.units[index];
  bytes.clear();
  fixups.clear();
  bytes_ = &bytes;
  fixups_ = &fixups;
  index_ = index;
  Rng rng(derive(seed, 5));
  switch (unit.kind) {
    case Kind::kCode: make_code(rng, unit.size); break;
    case Kind::kText: make_text(rng, unit.size); break;
    case Kind::kTable: make_table(rng, unit); break;
    case Kind::kPadding: break;  // zeros
    case Kind::kImage: make_image(rng, unit.size); break;
  }
  bytes.resize(unit.size);
  while (!fixups.empty() && fixups.back().at + width_of(fixups.back().kind) > unit.size) fixups.pop_back();
}

void ContentMaker::make_code(Rng& rng, std::uint32_t size) {
  put("\x55\x48\x89\xe5");
  while (bytes_->size() < size) {
    const Idiom& idiom = idioms_[rng.zipf(static_cast<std::uint32_t>(idioms_.size()))];
    const std::size_t start = bytes_->size();
    bytes_->insert(bytes_->end(), idiom.bytes.begin(), idiom.bytes.end());
    if (rng.chance(1, 2)) {  // other registers, other offsets on the stack
      (*bytes_)[start + rng.below(static_cast<std::uint32_t>(idiom.bytes.size()))] ^=
          static_cast<std::uint8_t>(rng.below(16) << 2);
    }
    for (const Slot& slot : idiom.fields) {
      const std::uint32_t target = slot.calls ? function_target(rng) : data_target(rng);
      const std::uint32_t room = plan_.units[target].size / 8;
      field(start + slot.at, FixupKind::kRelative32, target, slot.calls ? 0 : 8 * rng.below(room));
    }
  }
}

void ContentMaker::make_text(Rng& rng, std::uint32_t size) {
  const std::uint32_t style = rng.below(3);  // prose, settings, objects
  put(style == 0 ? "Release 1." : style == 1 ? "version=1." : "{\"version\": 1.");
  field(bytes_->size(), FixupKind::kRelease, index_, 0);
  put("0\n");
  while (bytes_->size() < size) {
    if (style == 0) {
      for (std::uint32_t words = rng.between(7, 13); words > 0; --words) put_word(rng), put(" ");
      bytes_->back() = rng.chance(1, 3) ? '.' : ',';
    } else if (style == 1) {
      put_word(rng), put("."), put_word(rng), put("=");
      rng.chance(1, 2) ? put_number(rng.log_between(1, 1000000)) : put_word(rng);
    } else {
      put("  {\"id\": "), put_number(rng.log_between(1, 10000000)), put(", \"name\": \"");
      put_word(rng), put("_"), put_word(rng), put("\", \""), put_word(rng), put("\": ");
      put(rng.chance(1, 2) ? "true}," : "false},");
    }
    put("\n");
  }
}

void ContentMaker::make_table(Rng& rng, const Unit& unit) {
  const std::uint32_t stride = stride_of(unit);
  const bool points = rng.chance(1, 6);  // the others hold numbers only
  std::uint32_t id = rng.below(100000);
  while (bytes_->size() < unit.size) {
    const std::size_t end = bytes_->size() + stride;
    put_le(id, 4);
    put_le(rng.zipf(4096), 4);
    if (points) {
      field(bytes_->size(), FixupKind::kAbsolute64, rng.chance(1, 2) ? function_target(rng) : data_target(rng), 0);
      put_le(0, 8);
    }
    if (points && stride >= 32) {
      field(bytes_->size(), FixupKind::kIndex32, data_target(rng), 0);
      put_le(0, 4);
      put_le(rng.next() & 0xffff, 4);
    }
    while (bytes_->size() < end) put_le(rng.chance(1, 2) ? 0 : rng.log_between(1, 1U << 20), 4);
    id += rng.between(1, 3);
  }
}

void ContentMaker::make_image(Rng& rng, std::uint32_t size) {
  while (bytes_->size() < size) put_le(rng.next(), 8);
}

void ContentMaker::field(std::size_t at, FixupKind kind, std::uint32_t target, std::uint32_t addend) {
  fixups_->push_back({static_cast<std::uint32_t>(at), target, addend, kind});
}

// Most calls go to a near neighbour, which often has moved as far as the caller; the others to functions that are
// popular everywhere.
std::uint32_t ContentMaker::function_target(Rng& rng) {
  if (plan_.functions.empty() || (rng.chance(7, 8) && index_ < plan_.old_units)) {
    const std::uint32_t low = index_ > 8 ? std::min(index_, plan_.old_units) - 8 : 0;
    return low + rng.below(std::min(17U, plan_.old_units - low));
  }
  return plan_.functions[rng.zipf(static_cast<std::uint32_t>(plan_.functions.size()))];
}

std::uint32_t ContentMaker::data_target(Rng& rng) {
  if (plan_.data.empty()) return function_target(rng);
  const auto count = static_cast<std::uint32_t>(plan_.data.size());
  return plan_.data[rng.chance(1, 2) ? rng.zipf(count) : rng.below(count)];
}

void ContentMaker::put_word(Rng& rng) {
  const Word& word = words_[rng.zipf(static_cast<std::uint32_t>(words_.size()))];
  bytes_->insert(bytes_->end(), word.letters, word.letters + word.length);
}

void ContentMaker::put_number(std::uint32_t number) {
  char digits[10];
  char* at = digits + sizeof digits;
  do *--at = static_cast<char>('0' + number % 10);
  while ((number /= 10) != 0);
  bytes_->insert(bytes_->end(), at, digits + sizeof digits);
}

void ContentMaker::put(const char* text) { bytes_->insert(bytes_->end(), text, text + std::strlen(text)); }

void ContentMaker::put_le(std::uint64_t value, std::uint32_t width) {
  std::uint8_t bytes[8];
  for (std::uint32_t i = 0; i < width; ++i) bytes[i] = static_cast<std::uint8_t>(value >> (8 * i));
  bytes_->insert(bytes_->end(), bytes, bytes + width);
}

}  // namespace make_pair

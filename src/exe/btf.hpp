// BTF, the types of a Linux kernel and its modules: a list of types that name one another and strings by number. Those
// of a module go on counting where the kernel's end, so each new type of the kernel moves numbers in all its modules.
//
// Source: the kernel's documentation, "BPF Type Format (BTF)". Little-endian, version 1.
#pragma once

#include <optional>
#include <string_view>

#include "base/bytes.hpp"
#include "bdelta/io.hpp"
#include "delta/moved_numbers.hpp"
#include "parallel/watch.hpp"

namespace bdelta::exe {

inline constexpr std::size_t kBtfHeaderBytes = 24;
inline constexpr std::size_t kBtfTypeBytes = 12;  // name, information, size or type; what follows depends on the kind

// The list of types, in the file that its header stands in.
struct BtfTypes {
  std::uint64_t pos = 0;
  std::uint64_t size_bytes = 0;
};

// By the header at header_pos, of whose bytes at least kBtfHeaderBytes are given. None if it is none, or if its list or
// its strings are not inside a file of this size.
[[nodiscard]] std::optional<BtfTypes> read_btf_header(ByteSpan header, std::uint64_t header_pos,
                                                      std::uint64_t file_size) noexcept;

enum class BtfNumber : std::uint8_t { kType, kString };

// What a type of this kind is made of, in words of four bytes: s names a string, t a type, a dot neither.
struct BtfShape {
  std::string_view head;    // information is the second of the three
  std::string_view tail;    // once, behind that
  std::string_view member;  // as often as information says
};

// Null for a kind that is not known: nothing can be said of what comes behind it.
[[nodiscard]] const BtfShape* btf_shape(unsigned kind) noexcept;

// Of the type that begins with these bytes; 0 if it is not whole or its kind is not known.
[[nodiscard]] std::size_t btf_type_bytes(ByteSpan types) noexcept;

// Calls body(BtfNumber, pos) for each number of the type that begins with these bytes and is whole, ascending, pos
// being the number's first byte.
template <class Body>
void for_each_number_of_type(ByteSpan type, Body&& body) {
  const auto information = load_le<std::uint32_t>(type.data() + 4);
  const BtfShape& shape = *btf_shape(information >> 24 & 31);
  std::size_t at = 0;
  const auto pass = [&](std::string_view words) {
    for (const char word : words) {
      if (word != '.') body(word == 't' ? BtfNumber::kType : BtfNumber::kString, at);
      at += 4;
    }
  };
  pass(shape.head);
  pass(shape.tail);
  for (std::size_t i = information & 0xffff; i > 0 && !shape.member.empty(); --i) pass(shape.member);
}

// Calls body(pos, bytes) for each type of the list. False if what is there is no list of whole types of known kinds; the
// body has been called for those in front of that.
template <class Body>
[[nodiscard]] bool for_each_btf_type(ByteSpan types, Body&& body) {
  for (std::size_t at = 0; at < types.size();) {
    const std::size_t size = btf_type_bytes(types.subspan(at));
    if (size == 0) return false;
    body(at, types.subspan(at, size));
    at += size;
  }
  return true;
}

// Puts others in place of the list's numbers, by the thresholds that are its own and those of all lists. False as
// above; what stands in front of that has been changed. The watch, which may be null, is looked at meanwhile.
[[nodiscard]] bool move_btf_numbers(MutableByteSpan types, const ThresholdPair& common, const ThresholdPair& own,
                                    Watch* watch);

// For loops over types or numbers: so many are gone through between two looks at the watch.
inline constexpr std::uint32_t kBtfPace = 4096;

}  // namespace bdelta::exe

#include "exe/btf.hpp"

#include <array>

#include "base/checked.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint16_t kBtfMagic = 0xeb9f;
constexpr std::uint8_t kBtfVersion = 1;

constexpr std::array<BtfShape, 20> kShapes{{
    {},                   // 0, void, is not in the list
    {"s..", ".", ""},     // an integer
    {"s.t", "", ""},      // a pointer
    {"s..", "tt.", ""},   // an array
    {"s..", "", "st."},   // a structure
    {"s..", "", "st."},   // a union
    {"s..", "", "s."},    // an enumeration
    {"s..", "", ""},      // a forward declaration
    {"s.t", "", ""},      // typedef
    {"s.t", "", ""},      // volatile
    {"s.t", "", ""},      // const
    {"s.t", "", ""},      // restrict
    {"s.t", "", ""},      // a function
    {"s.t", "", "st"},    // what a function takes and gives
    {"s.t", ".", ""},     // a variable
    {"s..", "", "t.."},   // variables of a section
    {"s..", "", ""},      // a floating-point number
    {"s.t", ".", ""},     // a tag of a declaration
    {"s.t", "", ""},      // a tag of a type
    {"s..", "", "s.."},   // an enumeration of 64 bits
}};

}  // namespace

const BtfShape* btf_shape(unsigned kind) noexcept {
  return kind > 0 && kind < kShapes.size() ? &kShapes[kind] : nullptr;
}

std::optional<BtfTypes> read_btf_header(ByteSpan header, std::uint64_t header_pos, std::uint64_t file_size) noexcept {
  if (header.size() < kBtfHeaderBytes || load_le<std::uint16_t>(header.data()) != kBtfMagic) return std::nullopt;
  if (header[2] != kBtfVersion) return std::nullopt;
  const auto word = [&](std::size_t at) -> std::uint64_t { return load_le<std::uint32_t>(header.data() + at); };
  const std::uint64_t data_at = word(4);  // of the header; both parts begin behind that
  const std::uint64_t types_at = data_at + word(8);
  const std::uint64_t types_bytes = word(12);
  const std::uint64_t strings_at = data_at + word(16);
  if (data_at < kBtfHeaderBytes || header_pos > file_size) return std::nullopt;
  const std::uint64_t left = file_size - header_pos;
  if (!range_fits(types_at, types_bytes, left) || !range_fits(strings_at, word(20), left)) return std::nullopt;
  return BtfTypes{header_pos + types_at, types_bytes};
}

std::size_t btf_type_bytes(ByteSpan types) noexcept {
  if (types.size() < kBtfTypeBytes) return 0;
  const auto information = load_le<std::uint32_t>(types.data() + 4);
  const BtfShape* const shape = btf_shape(information >> 24 & 31);
  if (!shape) return 0;
  const std::size_t words = shape->tail.size() + (information & 0xffff) * shape->member.size();
  return words <= (types.size() - kBtfTypeBytes) / 4 ? kBtfTypeBytes + 4 * words : 0;
}

bool move_btf_numbers(MutableByteSpan types, const ThresholdPair& common, const ThresholdPair& own, Watch* watch) {
  Pace pace(watch, kBtfPace);
  return for_each_btf_type(types, [&](std::size_t begin, ByteSpan type) {
    pace.step(1 + static_cast<std::uint32_t>(type.size() / 64));
    for_each_number_of_type(type, [&](BtfNumber kind, std::size_t at) {
      std::uint8_t* const place = types.data() + begin + at;
      const auto number = load_le<std::uint32_t>(place);
      store_le<std::uint32_t>(place, kind == BtfNumber::kType ? moved(common.types, own.types, number)
                                                              : moved(common.strings, own.strings, number));
    });
  });
}

}  // namespace bdelta::exe

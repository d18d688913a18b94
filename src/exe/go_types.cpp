// Descriptions of Go's types (internal/abi of its runtime, Go 1.20 and later). They lie between two addresses that
// moduledata names, amid other things, and only some are listed. So each word there is tried: a description has
// pointers, flags, alignments and a name that little else has at their places. It begins
//
//   size, bytes with pointers (words), hash (u32), flags, alignment, alignment of a field, kind (bytes),
//   equality, mask for the collector (pointers), name, pointer to this type (u32, from the start of the types)
//
// What follows depends on the kind. If the flags say so, an "uncommon" part comes after that: package and methods. Each
// method has name and type from the start of the types, and two addresses of code from the start of the text.
#include <bit>

#include "exe/go_tables.hpp"

namespace bdelta::exe {
namespace {

enum Kind : std::uint8_t {
  kLastNumber = 16, kArray = 17, kChannel, kFunction, kInterface, kMap, kPointer, kSlice, kString, kStruct,
  kUnsafePointer = 26,
};

constexpr std::uint8_t kIsUncommon = 1;
constexpr std::uint8_t kMostFlags = 63;
constexpr std::uint8_t kMostNameFlags = 15;
constexpr std::uint64_t kUncommonBytes = 16;
constexpr std::uint64_t kMethodBytes = 16;

// Words between the common and the uncommon part; maps differ from version to version.
std::uint64_t words_of_kind(std::uint8_t kind) {
  switch (kind) {
    case kArray: return 3;
    case kChannel: return 2;
    case kInterface:
    case kStruct: return 4;
    case kFunction:
    case kPointer:
    case kSlice: return 1;
    default: return 0;
  }
}

class TypeReader {
 public:
  TypeReader(FieldSink& sink, const GoTables& tables) : sink_(sink), tables_(tables) {}

  void read_all() {
    const std::uint64_t end = tables_.types.pos + tables_.types_bytes;
    for (std::uint64_t pos = tables_.types.pos; pos + head_bytes() <= end; pos += word_.bytes) {
      if (is_type(pos)) read_type(pos);
    }
  }

 private:
  [[nodiscard]] std::uint64_t head_bytes() const { return 4 * word_.bytes + 16; }
  [[nodiscard]] std::uint8_t byte_at(std::uint64_t pos) const { return number_at<std::uint8_t>(sink_.file(), pos); }
  [[nodiscard]] std::uint8_t kind_at(std::uint64_t pos) const { return byte_at(pos + 2 * word_.bytes + 7) & 31; }
  [[nodiscard]] std::uint64_t name_pos(std::uint64_t pos) const { return pos + 4 * word_.bytes + 8; }

  [[nodiscard]] bool is_pointer(std::uint64_t pos) const {
    return word_.at(pos) == 0 || sink_.layout().is_mapped(go_pointer_at(sink_, pos));
  }

  [[nodiscard]] bool is_type(std::uint64_t pos) const {
    const std::uint64_t flags = pos + 2 * word_.bytes + 4;
    const std::uint8_t kind = kind_at(pos);
    const unsigned alignment = byte_at(flags + 1);
    if (kind == 0 || kind > kUnsafePointer || byte_at(flags) > kMostFlags) return false;
    if (alignment != byte_at(flags + 2) || alignment > 8 || !std::has_single_bit(alignment)) return false;
    const std::uint64_t size = word_.at(pos);
    if (word_.at(pos + word_.bytes) > size || size % alignment != 0) return false;
    const std::uint32_t name = sink_.number32(name_pos(pos));
    if (name == 0 || name >= tables_.types_bytes || byte_at(tables_.types.pos + name) > kMostNameFlags) return false;
    return is_pointer(pos + 2 * word_.bytes + 8) && is_pointer(pos + 3 * word_.bytes + 8);
  }

  // None is 0.
  void add_offset(std::uint64_t pos, FieldBase base) {
    if (sink_.number32(pos) != 0) sink_.offset32(pos, base, FieldKind::kGoTable);
  }

  void read_type(std::uint64_t pos) {
    if (!sink_.step()) return;
    add_offset(name_pos(pos), tables_.types);
    add_offset(name_pos(pos) + 4, tables_.types);
    const std::uint8_t kind = kind_at(pos);
    const std::uint64_t special = pos + head_bytes();
    if (kind == kInterface) read_interface(special + word_.bytes);
    const bool is_uncommon = (byte_at(pos + 2 * word_.bytes + 4) & kIsUncommon) != 0;
    if (is_uncommon && kind != kMap) read_uncommon(special + words_of_kind(kind) * word_.bytes);
  }

  // A slice of pairs: name and type.
  void read_interface(std::uint64_t slice) {
    std::uint64_t list = 0;
    if (!sink_.layout().file_pos_of(go_pointer_at(sink_, slice), list)) return;
    const std::uint64_t count = word_.at(slice + word_.bytes);
    for (std::uint64_t i = 0; i < count && sink_.step(); ++i) {
      add_offset(list + 8 * i, tables_.types);
      add_offset(list + 8 * i + 4, tables_.types);
    }
  }

  // Package, count of methods, of those exported, distance of the list.
  void read_uncommon(std::uint64_t pos) {
    constexpr std::uint32_t kNoCode = 0xffffffff;
    add_offset(pos, tables_.types);
    const std::uint64_t count = number_at<std::uint16_t>(sink_.file(), pos + 4);
    const std::uint64_t list = pos + sink_.number32(pos + 8);
    if (sink_.number32(pos + 8) < kUncommonBytes) return;
    for (std::uint64_t i = 0; i < count && sink_.step(); ++i) {
      const std::uint64_t method = list + kMethodBytes * i;
      add_offset(method, tables_.types);
      add_offset(method + 4, tables_.types);
      for (const std::uint64_t code : {method + 8, method + 12}) {
        if (tables_.text.pos != 0 && sink_.number32(code) != kNoCode) add_offset(code, tables_.text);
      }
    }
  }

  FieldSink& sink_;
  const GoTables& tables_;
  Word word_{sink_};
};

}  // namespace

void find_go_type_fields(FieldSink& sink, const GoTables& tables) {
  if (tables.types.pos == 0) return;
  const Section* section = sink.layout().section_of(tables.types.address);
  const std::uint64_t skipped = tables.types.address - section->address;
  if (!range_fits(skipped, tables.types_bytes, section->size_bytes)) return;
  TypeReader(sink, tables).read_all();
}

}  // namespace bdelta::exe

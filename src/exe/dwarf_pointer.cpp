#include "exe/dwarf_pointer.hpp"

namespace bdelta::exe {

void add_encoded_pointer(FieldSink& sink, std::uint64_t pos, std::uint8_t encoding, FieldKind kind) {
  const std::uint64_t bytes = dwarf_bytes(encoding, sink.image().bits64);
  const bool is_absolute = dwarf_origin(encoding) == kDwarfFromZero;
  if (bytes == 4 && dwarf_origin(encoding) == kDwarfFromSelf) sink.relative32(pos, kind);
  if (bytes == 8 && dwarf_origin(encoding) == kDwarfFromSelf) sink.relative64(pos, kind);
  if (bytes == 4 && is_absolute) sink.absolute32(pos, kind);
  if (bytes == 8 && is_absolute) sink.absolute64(pos, kind);
}

std::uint64_t encoded_address(const FieldSink& sink, std::uint64_t pos, std::uint8_t encoding) {
  const std::uint64_t bytes = dwarf_bytes(encoding, sink.image().bits64);
  if (bytes != 4 && bytes != 8) return 0;
  const std::uint64_t narrow = number_at<std::uint32_t>(sink.file(), pos);
  const std::uint64_t number = bytes == 8 ? number_at<std::uint64_t>(sink.file(), pos) : narrow;
  if (dwarf_origin(encoding) == kDwarfFromZero) return number;
  std::uint64_t own = 0;
  if (dwarf_origin(encoding) != kDwarfFromSelf || number == 0 || !sink.layout().address_of(pos, own)) return 0;
  const std::uint64_t sign = bytes == 4 && (number >> 31) != 0 ? ~std::uint64_t{0} << 32 : 0;
  return own + (number | sign);
}

}  // namespace bdelta::exe

#include "exe/field_sink.hpp"

namespace bdelta::exe {
namespace {

// Field::base_delta; false where the base is too far away to be written so.
bool base_delta(std::uint64_t pos, std::uint64_t base_pos, std::uint32_t& delta) {
  delta = static_cast<std::uint32_t>(pos - base_pos);
  return base_pos + sign_extended(delta) == pos;
}

}  // namespace

bool FieldSink::holds(std::uint64_t pos, std::uint64_t size_bytes) const noexcept {
  if (pos < image_.file_pos || !range_fits(pos - image_.file_pos, size_bytes, image_.size_bytes)) return false;
  return range_fits(pos, size_bytes, file_.size());
}

void FieldSink::add(std::uint64_t pos, std::uint64_t width, FieldForm form, FieldKind kind, std::uint64_t target,
                    std::uint32_t delta, std::uint8_t trailing_bytes) {
  if (!holds(pos, width) || target == 0 || !layout_.is_mapped(target)) return;
  if (!image_.bits64 && target > 0xffffffff) return;  // a section that a header put across the end of memory
  push({pos, target, delta, form, kind, trailing_bytes, 0});
}

void FieldSink::rva32(std::uint64_t pos, FieldKind kind) {
  const std::uint32_t rva = number32(pos);
  if (rva != 0) add(pos, 4, FieldForm::kRva32, kind, image_.base_address + rva);
}

// Tables ask for the same base again and again.
bool FieldSink::is_base(FieldBase base) {
  if (base == good_base_) return true;
  std::uint64_t address = 0;
  if (!layout_.address_of(base.pos, address) || address != base.address) return false;
  good_base_ = base;
  return true;
}

void FieldSink::offset32(std::uint64_t pos, FieldBase base, FieldKind kind) {
  std::uint32_t delta = 0;
  if (!base_delta(pos, base.pos, delta) || !is_base(base)) return;
  add(pos, 4, FieldForm::kOffset32, kind, base.address + sign_extended(number32(pos)), delta);
}

void FieldSink::offset24(std::uint64_t pos, FieldBase base, FieldKind kind) {
  std::uint32_t delta = 0;
  if (!base_delta(pos, base.pos, delta) || !is_base(base)) return;
  add(pos, 4, FieldForm::kOffset24, kind, base.address + (number32(pos) & 0xffffff), delta);
}

void FieldSink::add_entry(std::uint64_t pos, FieldForm form, std::uint64_t number, Entries entries, FieldKind kind) {
  const std::uint64_t offset = number * entries.entry_bytes;
  std::uint32_t delta = 0;
  if (offset == 0 || offset >= entries.table_bytes || !base_delta(pos, entries.table_pos, delta)) return;
  if (!holds(pos, field_bytes(form)) || !holds(entries.table_pos, entries.table_bytes)) return;
  push({pos, kFileSpace + entries.table_pos + offset, delta, form, kind, entries.entry_bytes, 0});
}

void FieldSink::entry32(std::uint64_t pos, std::uint64_t table_pos, std::uint64_t table_bytes, std::uint8_t entry_bytes,
                        FieldKind kind) {
  add_entry(pos, FieldForm::kFileOffset32, number32(pos), {table_pos, table_bytes, entry_bytes}, kind);
}

void FieldSink::entry24(std::uint64_t pos, std::uint64_t table_pos, std::uint64_t table_bytes, std::uint8_t entry_bytes,
                        FieldKind kind) {
  add_entry(pos, FieldForm::kFileOffset24, number32(pos) >> 8, {table_pos, table_bytes, entry_bytes}, kind);
}

void FieldSink::uleb_rva(Uleb number, FieldKind kind) {
  if (number.size_bytes != 3 && number.size_bytes != 4) return;
  const FieldForm form = number.size_bytes == 3 ? FieldForm::kUleb21 : FieldForm::kUleb28;
  add(number.pos, number.size_bytes, form, kind, image_.base_address + number.value);
}

void FieldSink::uleb_entry(Uleb number, std::uint64_t table_pos, std::uint64_t table_bytes, FieldKind kind) {
  if (number.size_bytes != 3 && number.size_bytes != 4) return;
  const FieldForm form = number.size_bytes == 3 ? FieldForm::kFileUleb21 : FieldForm::kFileUleb28;
  add_entry(number.pos, form, number.value, {table_pos, table_bytes, 1}, kind);
}

void FieldSink::relative32(std::uint64_t pos, FieldKind kind) {
  std::uint64_t own = 0;
  if (number32(pos) != 0 && layout_.address_of(pos, own)) offset32(pos, {pos, own}, kind);
}

void FieldSink::relative64(std::uint64_t pos, FieldKind kind) {
  const bool is_small = number64(pos) == sign_extended(number32(pos));
  if (is_small && holds(pos, 8)) relative32(pos, kind);
}

void FieldSink::back32(std::uint64_t pos, FieldKind kind) {
  std::uint64_t own = 0;
  if (layout_.address_of(pos, own)) add(pos, 4, FieldForm::kBack32, kind, own - number32(pos));
}

void FieldSink::prel31(std::uint64_t pos, FieldKind kind) {
  std::uint64_t own = 0;
  if (layout_.address_of(pos, own)) add(pos, 4, FieldForm::kPrel31, kind, own + prel31_distance(number32(pos)));
}

void FieldSink::add_size(std::uint64_t pos, bool wide, std::uint64_t start, FieldKind kind) {
  const std::uint64_t bytes = wide ? number64(pos) : number32(pos);
  std::uint64_t start_pos = 0;
  std::uint64_t end = 0;
  std::uint32_t delta = 0;
  if (bytes == 0 || !checked_add(start, bytes, end) || !layout_.file_pos_of(start, start_pos)) return;
  if (!base_delta(pos, start_pos, delta)) return;
  add(pos, wide ? 8 : 4, wide ? FieldForm::kSize64 : FieldForm::kSize32, kind, end, delta);
}

void FieldSink::chained(std::uint64_t pos, unsigned number_bits, bool from_base, FieldKind kind) {
  const std::uint64_t number = number64(pos) & ((std::uint64_t{1} << number_bits) - 1);
  const auto shape = static_cast<std::uint8_t>(number_bits | (from_base ? kChainedFromBase : 0u));
  if (number != 0) add(pos, 8, FieldForm::kMachChained, kind, number + (from_base ? image_.base_address : 0), 0, shape);
}

}  // namespace bdelta::exe

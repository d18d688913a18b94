#include "exe/field_blocks.hpp"

#include <algorithm>

namespace bdelta::exe {
namespace {

// Of a block that has not been looked at for repetitions: more than as many fields take as it has bytes.
constexpr std::size_t kMostPackedBytes = 16 * FieldBlocks::kBlockBytes;
constexpr std::uint32_t kBlocksToLook = 16;  // between two looks at the watch

// Stable: of fields at one position the one added first stays in front.
void sort_fields(std::vector<Field>& fields) {
  if (!std::is_sorted(fields.begin(), fields.end(), comes_before)) {
    std::stable_sort(fields.begin(), fields.end(), comes_before);
  }
}

// Sorted fields that also end before `limit`.
bool are_disjoint(std::span<const Field> fields, std::uint64_t limit) {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::uint64_t next = i + 1 < fields.size() ? fields[i + 1].pos : limit;
    if (fields[i].pos + field_bytes(fields[i].form) > next) return false;
  }
  return true;
}

}  // namespace

FieldBlocks::FieldBlocks(ByteSpan file, std::span<const Image> images, std::size_t number)
    : file_(file), images_(images), number_(static_cast<std::uint32_t>(number)) {
  const std::uint64_t size = images[number].size_bytes;
  blocks_.resize(static_cast<std::size_t>(size / kBlockBytes + (size % kBlockBytes != 0 ? 1 : 0)));
  in_order_.resize(blocks_.size());
}

PackScope FieldBlocks::scope(std::size_t block) const noexcept {
  return {file_, images_, number_, images_[number_].file_pos + block * kBlockBytes, PackScope::kNoAddress};
}

std::size_t FieldBlocks::block_of(std::uint64_t pos) const noexcept {
  const std::uint64_t begin = images_[number_].file_pos;
  const std::uint64_t block = pos < begin ? 0 : (pos - begin) / kBlockBytes;
  return static_cast<std::size_t>(std::min<std::uint64_t>(block, blocks_.size()));
}

void FieldBlocks::take(std::vector<Field>& fields) {
  for (Field& field : fields) field.image = number_;
  sort_fields(fields);
  const std::span<const Field> all(fields);
  Bytes packed;
  for (std::size_t begin = 0; begin < all.size();) {
    const std::size_t block = block_of(all[begin].pos);
    std::size_t end = begin + 1;
    while (end < all.size() && block_of(all[end].pos) == block) ++end;
    const std::span<const Field> some = all.subspan(begin, end - begin);
    packed.clear();
    pack_fields(scope(block), some, shapes_, packed);
    in_order_[block] = blocks_[block].empty() && are_disjoint(some, scope(block + 1).pos);
    append(blocks_[block], packed);
    if (blocks_[block].size() > kMostPackedBytes) drop_repeated(block);
    begin = end;
  }
  fields.clear();
}

void FieldBlocks::unpack(std::size_t block, std::vector<Field>& to) const {
  for (ByteSpan packed = blocks_[block]; !packed.empty();) packed = unpack_fields(scope(block), shapes_, packed, to);
}

// Of fields at one position only the first can stay, whatever else there is; hostile tables say millions.
void FieldBlocks::drop_repeated(std::size_t block) {
  std::vector<Field> fields;
  unpack(block, fields);
  sort_fields(fields);
  const auto same = [](const Field& a, const Field& b) { return a.pos == b.pos; };
  fields.erase(std::unique(fields.begin(), fields.end(), same), fields.end());
  Bytes packed;
  pack_fields(scope(block), fields, shapes_, packed);
  blocks_[block].swap(packed);
}

void FieldBlocks::settle(Watch* watch) {
  std::vector<Field> fields;
  Bytes packed;
  Pace pace(watch, kBlocksToLook);
  std::uint64_t end = 0;  // of the last field that stayed, as far as it matters to the next block
  for (std::size_t block = 0; block < blocks_.size(); ++block) {
    if (blocks_[block].empty() || (in_order_[block] && end <= scope(block).pos)) continue;
    pace.step();
    fields.clear();
    unpack(block, fields);
    sort_fields(fields);
    std::size_t kept = 0;
    for (const Field& field : fields) {
      if (field.pos < end) continue;
      end = field.pos + field_bytes(field.form);
      fields[kept++] = field;
    }
    fields.resize(kept);
    packed.clear();
    if (kept != 0) pack_fields(scope(block), fields, shapes_, packed);
    blocks_[block] = Bytes(packed.begin(), packed.end());
    in_order_[block] = end <= scope(block + 1).pos;
  }
}

const std::vector<Field>& FieldBlocks::unpacked(std::size_t block, Unpacked& last) const {
  const bool is_dense = blocks_[block].size() > Unpacked::kMostPackedBytes;
  Unpacked::Block& kept = last.blocks_[is_dense ? Unpacked::kPlaceCount : block % Unpacked::kPlaceCount];
  if (kept.of == this && kept.number == block) return kept.fields;
  kept.of = this;
  kept.number = block;
  kept.fields.clear();
  unpack(block, kept.fields);
  return kept.fields;
}

void FieldBlocks::add_fields(std::uint64_t begin, std::uint64_t end, Unpacked& last, std::vector<Field>& to) const {
  const auto before = [](const Field& field, std::uint64_t pos) { return field.pos < pos; };
  for (std::size_t block = block_of(begin); block < blocks_.size() && scope(block).pos < end; ++block) {
    const std::vector<Field>& fields = unpacked(block, last);
    const auto first = std::lower_bound(fields.begin(), fields.end(), begin, before);
    to.insert(to.end(), first, std::lower_bound(first, fields.end(), end, before));
  }
}

std::uint64_t FieldBlocks::memory_bytes() const noexcept {
  std::uint64_t bytes = shapes_.size() * sizeof(FieldShape);
  for (const Bytes& block : blocks_) bytes += block.size() + kVectorBytes;
  return bytes;
}

}  // namespace bdelta::exe

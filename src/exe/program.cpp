#include "exe/program.hpp"

#include <algorithm>
#include <iterator>

#include "exe/isa.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint64_t kLargestField = 8;

// Code of which the target is so far away is none; no instruction of its machine says that.
bool is_near(const Field& field, std::uint64_t block_address) noexcept {
  constexpr std::uint64_t kReach = std::uint64_t{1} << 39;
  return field.target_address - block_address + kReach < 2 * kReach;
}

bool lies_before(const Field& field, std::uint64_t pos) noexcept { return field.pos < pos; }

std::uint64_t end_of(const Field& field) noexcept { return field.pos + field_bytes(field.form); }

}  // namespace

std::uint64_t PackedCode::memory_bytes() const noexcept {
  return packed.size() + shapes.size() * sizeof(FieldShape) + begins.size() * sizeof(std::uint32_t) + 3 * kVectorBytes;
}

const Program::CodePart& Program::part_of_block(std::size_t block) const noexcept {
  const auto before = [](std::size_t number, const CodePart& part) { return number < part.first_block; };
  const auto after = std::upper_bound(parts_.begin(), parts_.end(), block, before);
  return *std::prev(after);
}

Program::Stretch Program::stretch_at(std::uint64_t pos) const noexcept {
  const auto ends_before = [pos](const CodePart& part) { return part.file_pos + part.size_bytes <= pos; };
  const auto part = std::partition_point(parts_.begin(), parts_.end(), ends_before);
  if (part == parts_.end()) return {std::nullopt, file_.size()};
  if (pos < part->file_pos) return {std::nullopt, part->file_pos};
  const auto block = static_cast<std::size_t>((pos - part->file_pos) / kCodeBlockBytes);
  return {part->first_block + block, part->file_pos + std::min<std::uint64_t>((block + 1) * kCodeBlockBytes, part->size_bytes)};
}

void Program::find_code(std::size_t block, std::vector<Field>& fields) const {
  const CodePart& part = part_of_block(block);
  const ImageLayout& layout = images_.layouts[part.image];
  const auto file_pos = static_cast<std::size_t>(part.file_pos);
  const CodeSection section{file_.subspan(file_pos, static_cast<std::size_t>(part.size_bytes)), part.address,
                            part.file_pos, images_.all[part.image].machine, images_.all[part.image].is_fixed};
  fields.clear();
  find_code_fields(section, block - part.first_block, {layout.low(), layout.high()}, fields);
}

PackScope Program::piece_scope(std::size_t block, std::size_t piece) const noexcept {
  const CodePart& part = part_of_block(block);
  const std::uint64_t skipped = (block - part.first_block) * kCodeBlockBytes + piece * PackedCode::kPieceBytes;
  return {file_, images_.all, part.image, part.file_pos + skipped, part.address + skipped};
}

PackedCode Program::pack_code(std::size_t block, std::span<Field> fields) const {
  const std::uint64_t address = piece_scope(block, 0).address;
  const auto is_far = [&](const Field& field) { return !is_near(field, address); };
  fields = fields.first(static_cast<std::size_t>(std::remove_if(fields.begin(), fields.end(), is_far) - fields.begin()));
  PackedCode code;
  if (fields.empty()) return code;
  const std::uint32_t image = part_of_block(block).image;
  for (Field& field : fields) field.image = image;
  Bytes packed;
  packed.reserve(fields.size() * 4);
  for (std::size_t piece = 0; piece * PackedCode::kPieceBytes < kCodeBlockBytes; ++piece) {
    const PackScope scope = piece_scope(block, piece);
    const auto end = std::lower_bound(fields.begin(), fields.end(), scope.pos + PackedCode::kPieceBytes, lies_before);
    code.begins.push_back(static_cast<std::uint32_t>(packed.size()));
    if (end != fields.begin()) pack_fields(scope, {fields.begin(), end}, code.shapes, packed);
    fields = {end, fields.end()};
  }
  code.begins.push_back(static_cast<std::uint32_t>(packed.size()));
  code.packed = Bytes(packed.begin(), packed.end());
  return code;
}

const PackedCode& Program::code_of(std::size_t block, FieldCache& cache) const {
  if (!code_.empty()) return code_[block];
  if (cache.entry_of_block_.empty()) cache.entry_of_block_.resize(block_count_);
  ++cache.use_count_;
  if (const std::uint32_t entry = cache.entry_of_block_[block]; entry != 0) {
    cache.entries_[entry - 1].last_use = cache.use_count_;
    return cache.entries_[entry - 1].code;
  }
  find_code(block, cache.decoded_);
  PackedCode code = pack_code(block, cache.decoded_);
  cache.kept_bytes_ += code.memory_bytes();
  while (cache.kept_bytes_ > FieldCache::kMostBytes && !cache.entries_.empty()) {
    const auto oldest = std::min_element(cache.entries_.begin(), cache.entries_.end(),
                                         [](const auto& a, const auto& b) { return a.last_use < b.last_use; });
    cache.kept_bytes_ -= oldest->code.memory_bytes();
    cache.entry_of_block_[oldest->block] = 0;
    if (&*oldest != &cache.entries_.back()) {
      *oldest = std::move(cache.entries_.back());
      cache.entry_of_block_[oldest->block] = static_cast<std::uint32_t>(oldest - cache.entries_.begin()) + 1;
    }
    cache.entries_.pop_back();
  }
  cache.entries_.push_back({block, cache.use_count_, std::move(code)});
  cache.entry_of_block_[block] = static_cast<std::uint32_t>(cache.entries_.size());
  return cache.entries_.back().code;
}

std::span<const Field> Program::code_piece(std::size_t block, std::size_t piece, FieldCache& cache) const {
  const std::uint64_t number = std::uint64_t{block} * (kCodeBlockBytes / PackedCode::kPieceBytes) + piece;
  FieldCache::CodePiece& last = cache.code_pieces_[number % FieldCache::kPieceCount];
  if (last.number == number) return last.fields;
  const PackedCode& code = code_of(block, cache);
  last.fields.clear();
  last.number = number;
  if (code.begins.empty() || code.begins[piece] == code.begins[piece + 1]) return last.fields;
  const ByteSpan packed(code.packed);
  (void)unpack_fields(piece_scope(block, piece), code.shapes, packed.subspan(code.begins[piece]), last.fields);
  return last.fields;
}

// Those of tables that begin in [begin, end).
void Program::add_table_fields(std::uint64_t begin, std::uint64_t end, FieldCache& cache, std::vector<Field>& to) const {
  const auto first = std::partition_point(images_.all.begin(), images_.all.end(), [&](const Image& image) {
    return image.file_pos + image.size_bytes <= begin;
  });
  for (auto image = static_cast<std::size_t>(first - images_.all.begin()); image < tables_.size(); ++image) {
    if (images_.all[image].file_pos >= end) break;
    tables_[image].add_fields(begin, end, cache.table_blocks_, to);
  }
  remove_left_out(begin, end, to);
}

void Program::remove_left_out(std::uint64_t begin, std::uint64_t end, std::vector<Field>& fields) const {
  auto table = std::partition_point(left_out_.begin(), left_out_.end(),
                                    [&](const SortedTable& t) { return t.pos + t.size_bytes <= begin; });
  for (; table != left_out_.end() && table->pos < end; ++table) {
    std::erase_if(fields, [&](const Field& field) {
      return field.pos >= table->pos && end_of(field) <= table->pos + table->size_bytes;
    });
  }
}

// Adds those of one section that begin in [begin, end), merged with cache.tables_ from number `table` on. Gives the number
// of the first of these that is not before the end.
std::size_t Program::add_code_fields(const CodePart& part, std::uint64_t begin, std::uint64_t end, std::size_t table,
                                     FieldCache& cache) const {
  const std::vector<Field>& tables = cache.tables_;
  // One before the section may reach into it.
  while (table != 0 && tables[table - 1].pos + kLargestField > begin) --table;
  const auto add_table = [&] {
    if (tables[table].pos >= begin) cache.found_.push_back(tables[table]);
    ++table;
  };
  const auto last = static_cast<std::size_t>((end - 1 - part.file_pos) / PackedCode::kPieceBytes);
  for (auto i = static_cast<std::size_t>((begin - part.file_pos) / PackedCode::kPieceBytes); i <= last; ++i) {
    constexpr std::size_t kPieces = kCodeBlockBytes / PackedCode::kPieceBytes;
    const std::span<const Field> fields = code_piece(part.first_block + i / kPieces, i % kPieces, cache);
    const auto wanted = std::lower_bound(fields.begin(), fields.end(), begin, lies_before);
    const auto stop = std::lower_bound(wanted, fields.end(), end, lies_before);
    for (auto field = wanted; field != stop; ++field) {
      while (table < tables.size() && end_of(tables[table]) <= field->pos) add_table();
      if (table == tables.size() || tables[table].pos >= end_of(*field)) cache.found_.push_back(*field);
    }
  }
  while (table < tables.size() && tables[table].pos < end) add_table();
  return table;
}

std::span<const Field> Program::table_fields_from(std::uint64_t begin, std::uint64_t end, FieldCache& cache) const {
  cache.found_.clear();
  if (begin < end) add_table_fields(begin, end, cache, cache.found_);
  return cache.found_;
}

std::span<const Field> Program::fields_from(std::uint64_t begin, std::uint64_t end, FieldCache& cache) const {
  end = std::min<std::uint64_t>(end, file_.size());
  auto part = std::partition_point(parts_.begin(), parts_.end(),
                                   [&](const CodePart& p) { return p.file_pos + p.size_bytes <= begin; });
  if (part == parts_.end() || part->file_pos >= end) return table_fields_from(begin, end, cache);
  cache.found_.clear();
  cache.tables_.clear();
  // One before the beginning may reach into it, and to one behind the end code may reach.
  add_table_fields(begin - std::min(begin, kLargestField - 1), end + kLargestField - 1, cache, cache.tables_);
  std::size_t table = 0;
  const auto add_tables = [&](std::uint64_t until) {
    for (; table < cache.tables_.size() && cache.tables_[table].pos < until; ++table) {
      if (cache.tables_[table].pos >= begin) cache.found_.push_back(cache.tables_[table]);
    }
    begin = until;
  };
  for (; part != parts_.end() && part->file_pos < end; ++part) {
    if (begin < part->file_pos) add_tables(part->file_pos);
    const std::uint64_t stop = std::min(end, part->file_pos + part->size_bytes);
    table = add_code_fields(*part, begin, stop, table, cache);
    begin = stop;
  }
  add_tables(end);
  return cache.found_;
}

std::uint64_t Program::table_memory_bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const FieldBlocks& blocks : tables_) bytes += blocks.memory_bytes();
  return bytes;
}

std::uint64_t Program::memory_bytes() const noexcept {
  std::uint64_t bytes = table_memory_bytes();
  for (const PackedCode& code : code_) bytes += code.memory_bytes();
  return bytes;
}

std::uint64_t Program::cache_memory_bytes() noexcept {
  // The densest code has a field every two bytes, in two bytes each.
  constexpr std::uint64_t kBlockFields = kCodeBlockBytes / 2;
  constexpr std::uint64_t kPieceFields = FieldCache::kPieceCount * PackedCode::kPieceBytes / 2;
  return FieldCache::kMostBytes + 2 * kBlockFields + (kBlockFields + kPieceFields + kStepBytes) * sizeof(Field) +
         FieldBlocks::Unpacked::memory_bytes();
}

}  // namespace bdelta::exe

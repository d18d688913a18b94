#include "exe/program.hpp"

#include <algorithm>
#include <iterator>

#include "exe/isa.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint64_t kLargestField = 8;
constexpr unsigned kTargetBits = 40;

// Memory is told as it is with 64 bits, wherever that is reckoned: a patch declares it.
constexpr std::uint64_t kBucketBytes = 8;
constexpr std::uint64_t kVectorBytes = 24;

std::uint64_t end_of(const Field& field) noexcept { return field.pos + field_bytes(field.form); }

// False for a target that is too far away; what machines can say in an instruction is not.
bool pack(const Field& field, std::uint64_t block_pos, std::uint64_t block_address, CodeRecord& record) noexcept {
  const auto delta = static_cast<std::int64_t>(field.target_address - block_address);
  constexpr std::int64_t kLimit = std::int64_t{1} << (kTargetBits - 1);
  if (delta < -kLimit || delta >= kLimit) return false;
  record.offset = static_cast<std::uint32_t>(field.pos - block_pos);
  record.base_delta = field.base_delta;
  record.packed = static_cast<std::uint64_t>(delta) << 24 | static_cast<std::uint64_t>(field.form) << 16 |
                  static_cast<std::uint64_t>(field.kind) << 8 | field.trailing_bytes;
  return true;
}

Field unpack(const CodeRecord& record, std::uint64_t block_pos, std::uint64_t block_address,
             std::uint8_t image) noexcept {
  Field field;
  field.pos = block_pos + record.offset;
  field.target_address = block_address + static_cast<std::uint64_t>(static_cast<std::int64_t>(record.packed) >> 24);
  field.base_delta = record.base_delta;
  field.form = static_cast<FieldForm>(record.packed >> 16 & 0xff);
  field.kind = static_cast<FieldKind>(record.packed >> 8 & 0xff);
  field.trailing_bytes = static_cast<std::uint8_t>(record.packed);
  field.image = image;
  return field;
}

}  // namespace

const Program::CodePart& Program::part_of_block(std::size_t block) const noexcept {
  const auto before = [](std::size_t number, const CodePart& part) { return number < part.first_block; };
  const auto after = std::upper_bound(parts_.begin(), parts_.end(), block, before);
  return *std::prev(after);
}

void Program::find_code(std::size_t block, std::vector<Field>& fields) const {
  const CodePart& part = part_of_block(block);
  const ImageLayout& layout = images_.layouts[part.image];
  const auto file_pos = static_cast<std::size_t>(part.file_pos);
  const CodeSection section{file_.subspan(file_pos, static_cast<std::size_t>(part.size_bytes)), part.address,
                            part.file_pos, images_.all[part.image].machine, images_.all[part.image].is_fixed,
                            predictor_};
  fields.clear();
  find_code_fields(section, block - part.first_block, {layout.low(), layout.high()}, fields);
}

void Program::pack_code(std::size_t block, std::span<const Field> fields, std::vector<CodeRecord>& records) const {
  const CodePart& part = part_of_block(block);
  const std::uint64_t skipped = (block - part.first_block) * kCodeBlockBytes;
  records.clear();
  records.reserve(fields.size());
  for (const Field& field : fields) {
    CodeRecord record;
    if (pack(field, part.file_pos + skipped, part.address + skipped, record)) records.push_back(record);
  }
}

std::span<const CodeRecord> Program::records_of(std::size_t block, FieldCache& cache) const {
  if (!decoded_.empty()) return decoded_[block];
  if (cache.entry_of_block_.empty()) cache.entry_of_block_.resize(block_count_);
  ++cache.use_count_;
  if (const std::uint32_t entry = cache.entry_of_block_[block]; entry != 0) {
    cache.entries_[entry - 1].last_use = cache.use_count_;
    return cache.entries_[entry - 1].records;
  }
  std::vector<CodeRecord> records;
  find_code(block, cache.decoded_);
  pack_code(block, cache.decoded_, records);
  cache.record_count_ += records.size();
  while (cache.record_count_ > FieldCache::kMostRecords && !cache.entries_.empty()) {
    const auto oldest = std::min_element(cache.entries_.begin(), cache.entries_.end(),
                                         [](const auto& a, const auto& b) { return a.last_use < b.last_use; });
    cache.record_count_ -= oldest->records.size();
    cache.entry_of_block_[oldest->block] = 0;
    if (&*oldest != &cache.entries_.back()) {
      *oldest = std::move(cache.entries_.back());
      cache.entry_of_block_[oldest->block] = static_cast<std::uint32_t>(oldest - cache.entries_.begin()) + 1;
    }
    cache.entries_.pop_back();
  }
  cache.entries_.push_back({block, cache.use_count_, std::move(records)});
  cache.entry_of_block_[block] = static_cast<std::uint32_t>(cache.entries_.size());
  return cache.entries_.back().records;
}

std::size_t Program::table_field_from(std::uint64_t pos) const noexcept {
  const auto bucket = static_cast<std::size_t>(pos / kStepBytes);
  if (bucket + 1 >= table_buckets_.size()) return table_fields_.size();
  const auto begin = table_fields_.begin() + static_cast<std::ptrdiff_t>(table_buckets_[bucket]);
  const auto end = table_fields_.begin() + static_cast<std::ptrdiff_t>(table_buckets_[bucket + 1]);
  const auto before = [](const Field& field, std::uint64_t at) { return field.pos < at; };
  const auto found = std::lower_bound(begin, end, pos, before);
  return static_cast<std::size_t>(found - table_fields_.begin());
}

// Those of one section that begin in [begin, end), merged with the table fields there.
void Program::add_code_fields(const CodePart& part, std::uint64_t begin, std::uint64_t end, FieldCache& cache) const {
  std::size_t table = table_field_from(begin - std::min(begin, kLargestField - 1));
  const auto first = static_cast<std::size_t>((begin - part.file_pos) / kCodeBlockBytes);
  const auto last = static_cast<std::size_t>((end - 1 - part.file_pos) / kCodeBlockBytes);
  std::size_t count = cache.found_.size();
  const auto add = [&](const Field& field) { cache.found_[count++] = field; };
  for (std::size_t i = first; i <= last; ++i) {
    const std::uint64_t skipped = i * kCodeBlockBytes;
    const std::uint64_t block_pos = part.file_pos + skipped;
    const std::span<const CodeRecord> records = records_of(part.first_block + i, cache);
    const auto before = [](const CodeRecord& r, std::uint64_t offset) { return r.offset < offset; };
    const std::uint64_t skip = begin > block_pos ? begin - block_pos : 0;
    const auto wanted = std::lower_bound(records.begin(), records.end(), skip, before);
    const auto stop = std::lower_bound(wanted, records.end(), end - block_pos, before);
    // Room for all of these, and for each table field that may come between them.
    cache.found_.resize(count + static_cast<std::size_t>(stop - wanted) + (table_field_from(end) - table));
    for (auto record = wanted; record != stop; ++record) {
      const Field field = unpack(*record, block_pos, part.address + skipped, part.image);
      for (; table < table_fields_.size() && end_of(table_fields_[table]) <= field.pos; ++table) {
        if (table_fields_[table].pos >= begin) add(table_fields_[table]);
      }
      if (table == table_fields_.size() || table_fields_[table].pos >= end_of(field)) add(field);
    }
  }
  cache.found_.resize(count);
  for (; table < table_fields_.size() && table_fields_[table].pos < end; ++table) {
    if (table_fields_[table].pos >= begin) cache.found_.push_back(table_fields_[table]);
  }
}

std::span<const Field> Program::table_fields_from(std::uint64_t begin, std::uint64_t end) const noexcept {
  const std::size_t first = table_field_from(begin);
  return std::span(table_fields_).subspan(first, std::max(first, table_field_from(end)) - first);
}

std::span<const Field> Program::fields_from(std::uint64_t begin, std::uint64_t end, FieldCache& cache) const {
  cache.found_.clear();
  end = std::min<std::uint64_t>(end, file_.size());
  if (begin >= end) return {};
  auto part = std::partition_point(parts_.begin(), parts_.end(),
                                   [&](const CodePart& p) { return p.file_pos + p.size_bytes <= begin; });
  const auto add_tables = [&](std::uint64_t until) {
    const std::span<const Field> tables = table_fields_from(begin, until);
    cache.found_.insert(cache.found_.end(), tables.begin(), tables.end());
    begin = until;
  };
  for (; part != parts_.end() && part->file_pos < end; ++part) {
    if (begin < part->file_pos) add_tables(part->file_pos);
    const std::uint64_t stop = std::min(end, part->file_pos + part->size_bytes);
    add_code_fields(*part, begin, stop, cache);
    begin = stop;
  }
  if (begin < end) add_tables(end);
  return cache.found_;
}

std::vector<Field> Program::all_fields(WorkerPool& pool) const {
  constexpr std::uint64_t kChunkBytes = std::uint64_t{4} << 20;
  std::vector<std::vector<Field>> chunks(static_cast<std::size_t>((file_.size() + kChunkBytes - 1) / kChunkBytes));
  pool.for_each(chunks.size(), [&](std::size_t i) {
    FieldCache cache;
    const std::span<const Field> found = fields_from(i * kChunkBytes, (i + 1) * kChunkBytes, cache);
    chunks[i].assign(found.begin(), found.end());
  });
  std::vector<Field> all;
  std::size_t count = 0;
  for (const auto& chunk : chunks) count += chunk.size();
  all.reserve(count);
  for (const auto& chunk : chunks) all.insert(all.end(), chunk.begin(), chunk.end());
  return all;
}

std::uint64_t Program::table_memory_bytes() const noexcept {
  return table_fields_.size() * sizeof(Field) + table_buckets_.size() * kBucketBytes;
}

std::uint64_t Program::memory_bytes() const noexcept {
  std::uint64_t bytes = table_memory_bytes();
  for (const auto& records : decoded_) bytes += records.size() * sizeof(CodeRecord) + kVectorBytes;
  return bytes;
}

std::uint64_t Program::cache_memory_bytes() noexcept {
  // The densest code has a field every two bytes.
  constexpr std::uint64_t kBlockFields = kCodeBlockBytes / 2;
  return (FieldCache::kMostRecords + kBlockFields) * sizeof(CodeRecord) + (kBlockFields + kStepBytes) * sizeof(Field);
}

}  // namespace bdelta::exe

// Finding what a Program holds: the fields of tables, and those of jump tables, which all code is gone through for.
#include <algorithm>
#include <atomic>
#include <iterator>
#include <optional>

#include "base/checked.hpp"
#include "exe/images.hpp"
#include "exe/isa.hpp"
#include "exe/jump_tables.hpp"
#include "exe/program.hpp"
#include "exe/table_fields.hpp"

namespace bdelta::exe {
namespace {

// Adds fields to others; where two overlap the one that begins first stays, or the one that was there. Merges from behind
// into the same memory, of which a large program has none to spare.
void add_fields(const std::vector<Field>& more, std::vector<Field>& fields) {
  if (more.empty()) return;
  std::size_t old_count = fields.size();
  std::size_t more_count = more.size();
  fields.reserve(old_count + more_count);
  fields.resize(old_count + more_count);
  for (std::size_t to = fields.size(); more_count != 0;) {
    const bool is_old = old_count != 0 && comes_before(more[more_count - 1], fields[old_count - 1]);
    fields[--to] = is_old ? fields[--old_count] : more[--more_count];
  }
  std::size_t kept = 0;
  std::uint64_t end = 0;
  for (const Field& field : fields) {
    if (field.pos < end) continue;
    end = field.pos + field_bytes(field.form);
    fields[kept++] = field;
  }
  fields.resize(kept);
}

}  // namespace

Program::Program(ByteSpan file, WorkerPool& pool, std::uint64_t keep_bytes, PredictorId predictor)
    : Program(file, find_images(file), pool, keep_bytes, predictor) {}

Program::Program(ByteSpan file, std::vector<Image> images, WorkerPool& pool, std::uint64_t keep_bytes,
                 PredictorId predictor)
    : file_(file), predictor_(predictor), images_(std::move(images)) {
  find_code_parts();
  // Tables take up to twice their memory while they are sought, so not much is kept beside that. Decoding again is quick.
  find_tables(pool, keep_bytes / 4);
  fill_buckets();
  if (keep_bytes > table_memory_bytes()) decode_code(pool, keep_bytes - table_memory_bytes());
  if (memory_bytes() > keep_bytes) std::vector<std::vector<CodeRecord>>().swap(decoded_);
}

void Program::find_code_parts() {
  for (std::size_t i = 0; i < images_.all.size(); ++i) {
    const Image& image = images_.all[i];
    for (const Section& section : image.sections) {
      if (section.kind != SectionKind::kCode || section.size_bytes == 0) continue;
      if (!range_fits(section.file_pos - image.file_pos, section.size_bytes, image.size_bytes)) continue;
      const auto number = static_cast<std::uint8_t>(i);
      parts_.push_back({section.file_pos, section.size_bytes, section.address, block_count_, number});
      block_count_ += code_block_count(static_cast<std::size_t>(section.size_bytes));
    }
  }
}

void Program::find_tables(WorkerPool& pool, std::uint64_t keep_bytes) {
  std::vector<std::vector<Field>> loads(images_.all.size());
  scan_code(pool, keep_bytes, &loads);
  std::vector<std::vector<Field>> found(images_.all.size());
  pool.for_each(found.size(), [&](std::size_t i) {
    find_table_fields(file_, images_.all[i], predictor_, found[i]);
    std::vector<Field> jumps;
    find_jump_tables(file_, images_.all[i], loads[i], jumps);
    std::vector<Field>().swap(loads[i]);
    add_fields(jumps, found[i]);
    for (Field& field : found[i]) field.image = static_cast<std::uint8_t>(i);
    pool.advance();
  });
  if (found.size() == 1) {
    table_fields_ = std::move(found[0]);  // what it has room for beyond its size was never touched
    return;
  }
  std::size_t count = 0;
  for (const std::vector<Field>& fields : found) count += fields.size();
  table_fields_.reserve(count);
  for (std::vector<Field>& fields : found) {
    table_fields_.insert(table_fields_.end(), fields.begin(), fields.end());
    std::vector<Field>().swap(fields);
  }
}

void Program::fill_buckets() {
  table_buckets_.resize(static_cast<std::size_t>(file_.size() / kStepBytes) + 2);
  std::size_t next = 0;
  for (std::size_t bucket = 0; bucket < table_buckets_.size(); ++bucket) {
    while (next < table_fields_.size() && table_fields_[next].pos < bucket * kStepBytes) ++next;
    table_buckets_[bucket] = next;
  }
}

bool Program::decode_code(WorkerPool& pool, std::uint64_t most_bytes) {
  if (decoded_.empty()) scan_code(pool, most_bytes, nullptr);
  return block_count_ == 0 || !decoded_.empty();
}

void Program::scan_code(WorkerPool& pool, std::uint64_t keep_bytes, std::vector<std::vector<Field>>* loads) {
  // Tasks of several blocks share one scratch vector.
  constexpr std::size_t kBlocksPerTask = std::max<std::size_t>(1, (std::size_t{4} << 20) / kCodeBlockBytes);
  const std::size_t task_count = (block_count_ + kBlocksPerTask - 1) / kBlocksPerTask;
  std::vector<std::vector<Field>> task_loads(loads != nullptr ? task_count : 0);
  std::atomic<std::uint64_t> kept_bytes{0};
  if (keep_bytes != 0) decoded_.resize(block_count_);
  pool.for_each(task_count, [&](std::size_t task) {
    std::vector<Field> fields;
    // A copy, as look-ups remember the one before; of one image only, as there may be many tasks and many images.
    std::optional<ImageLayout> layout;
    std::size_t layout_image = 0;
    const std::size_t end = std::min(block_count_, (task + 1) * kBlocksPerTask);
    for (std::size_t block = task * kBlocksPerTask; block < end; ++block) {
      if (loads == nullptr && kept_bytes > keep_bytes) return;
      find_code(block, fields);
      if (keep_bytes != 0 && kept_bytes <= keep_bytes) {
        pack_code(block, fields, decoded_[block]);
        decoded_[block].shrink_to_fit();
        kept_bytes += decoded_[block].size() * sizeof(CodeRecord);
      }
      if (loads == nullptr || fields.empty()) continue;
      const std::uint8_t image = part_of_block(block).image;
      if (!layout || layout_image != image) layout.emplace(images_.layouts[image]);
      layout_image = image;
      for (Field& field : fields) {
        if (!may_load_jump_table(file_, images_.all[image], *layout, field)) continue;
        field.image = image;
        task_loads[task].push_back(field);
      }
    }
    pool.advance();
  });
  if (kept_bytes > keep_bytes) std::vector<std::vector<CodeRecord>>().swap(decoded_);
  for (std::vector<Field>& some : task_loads) {
    for (const Field& field : some) (*loads)[field.image].push_back(field);
    std::vector<Field>().swap(some);
  }
}

}  // namespace bdelta::exe

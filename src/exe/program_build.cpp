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
Program::Program(ByteSpan file, WorkerPool& pool, std::uint64_t keep_bytes, PredictorId predictor)
    : Program(file, find_images(file), pool, keep_bytes, predictor) {}

Program::Program(ByteSpan file, std::vector<Image> images, WorkerPool& pool, std::uint64_t keep_bytes,
                 PredictorId predictor)
    : file_(file), predictor_(predictor), images_(std::move(images)) {
  find_code_parts();
  find_tables(pool);
  find_code_and_jump_tables(pool, keep_bytes);
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

void Program::find_tables(WorkerPool& pool) {
  for (std::size_t i = 0; i < images_.all.size(); ++i) tables_.emplace_back(file_, images_.all, i);
  pool.for_each(tables_.size(), [&](std::size_t i) {
    find_table_fields(file_, images_.all[i], predictor_, tables_[i]);
    pool.advance();
  });
}

// The fields of code are kept if all then takes no more than keep_bytes.
void Program::find_code_and_jump_tables(WorkerPool& pool, std::uint64_t keep_bytes) {
  const std::uint64_t table_bytes = table_memory_bytes();
  std::vector<std::vector<Field>> loads(images_.all.size());
  scan_code(pool, keep_bytes - std::min(keep_bytes, table_bytes), &loads);
  pool.for_each(tables_.size(), [&](std::size_t i) {
    find_jump_tables(file_, images_.all[i], loads[i], tables_[i]);
    std::vector<Field>().swap(loads[i]);
    pool.advance();
  });
  if (memory_bytes() > keep_bytes) std::vector<PackedCode>().swap(code_);
}

bool Program::decode_code(WorkerPool& pool, std::uint64_t most_bytes) {
  if (code_.empty()) scan_code(pool, most_bytes, nullptr);
  return block_count_ == 0 || !code_.empty();
}

void Program::scan_code(WorkerPool& pool, std::uint64_t keep_bytes, std::vector<std::vector<Field>>* loads) {
  // Tasks of several blocks share one scratch vector.
  constexpr std::size_t kBlocksPerTask = std::max<std::size_t>(1, (std::size_t{4} << 20) / kCodeBlockBytes);
  const std::size_t task_count = (block_count_ + kBlocksPerTask - 1) / kBlocksPerTask;
  std::vector<std::vector<Field>> task_loads(loads != nullptr ? task_count : 0);
  std::atomic<std::uint64_t> kept_bytes{0};
  if (keep_bytes != 0) code_.resize(block_count_);
  pool.for_each(task_count, [&](std::size_t task) {
    std::vector<Field> fields;
    // A copy, as look-ups remember the one before; of one image only, as there may be many tasks and many images.
    std::optional<ImageLayout> layout;
    std::size_t layout_image = 0;
    const std::size_t end = std::min(block_count_, (task + 1) * kBlocksPerTask);
    for (std::size_t block = task * kBlocksPerTask; block < end; ++block) {
      if (loads == nullptr && kept_bytes > keep_bytes) return;
      find_code(block, fields);
      const std::uint8_t image = part_of_block(block).image;
      if (!layout || layout_image != image) layout.emplace(images_.layouts[image]);
      layout_image = image;
      for (std::size_t i = 0; loads != nullptr && i < fields.size(); ++i) {
        fields[i].image = image;
        if (may_load_jump_table(file_, images_.all[image], *layout, fields[i])) task_loads[task].push_back(fields[i]);
      }
      if (keep_bytes == 0 || kept_bytes > keep_bytes) continue;
      code_[block] = pack_code(block, fields);
      kept_bytes += code_[block].memory_bytes();
    }
    pool.advance();
  });
  if (kept_bytes > keep_bytes) std::vector<PackedCode>().swap(code_);
  for (std::vector<Field>& some : task_loads) {
    for (const Field& field : some) (*loads)[field.image].push_back(field);
    std::vector<Field>().swap(some);
  }
}

}  // namespace bdelta::exe

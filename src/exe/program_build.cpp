// Finding what a Program holds: the fields of tables, and those of jump tables, which all code is gone through for.
#include <algorithm>
#include <atomic>

#include "base/checked.hpp"
#include "exe/images.hpp"
#include "exe/isa.hpp"
#include "exe/program.hpp"
#include "exe/table_fields.hpp"

namespace bdelta::exe {

Program::Program(ByteSpan file, std::vector<Image> images, WorkerPool& pool, std::uint64_t keep_bytes)
    : Program(file, std::move(images), pool, WithoutJumpTables()) {
  find_all(pool, keep_bytes);
}

Program::Program(ByteSpan file, std::vector<Image> images, WorkerPool& pool, WithoutJumpTables)
    : file_(file), images_(std::move(images)) {
  find_code_parts();
  find_tables(pool);
}

void Program::find_code_parts() {
  for (std::size_t i = 0; i < images_.all.size(); ++i) {
    const Image& image = images_.all[i];
    for (const Section& section : image.sections) {
      if (section.kind != SectionKind::kCode || section.size_bytes == 0) continue;
      if (!range_fits(section.file_pos - image.file_pos, section.size_bytes, image.size_bytes)) continue;
      const auto number = static_cast<std::uint32_t>(i);
      parts_.push_back({section.file_pos, section.size_bytes, section.address, block_count_, number});
      block_count_ += code_block_count(static_cast<std::size_t>(section.size_bytes));
    }
  }
}

void Program::find_tables(WorkerPool& pool) {
  for (std::size_t i = 0; i < images_.all.size(); ++i) tables_.emplace_back(file_, images_.all, i);
  pool.for_each(tables_.size(), [&](std::size_t i) {
    find_table_fields(up_to_end(file_, images_.all[i]), images_.all[i], tables_[i], pool.watch());
    pool.advance();
  });
}

// The fields of code are kept if all then takes no more than keep_bytes.
void Program::find_all(WorkerPool& pool, std::uint64_t keep_bytes) {
  const std::uint64_t table_bytes = table_memory_bytes();
  std::vector<std::vector<TableLoad>> loads = scan_code(pool, keep_bytes - std::min(keep_bytes, table_bytes));
  pool.for_each(tables_.size(), [&](std::size_t i) {
    keep_first_loads(loads[i]);
    find_jump_tables(up_to_end(file_, images_.all[i]), images_.all[i], loads[i], tables_[i], pool.watch());
    std::vector<TableLoad>().swap(loads[i]);
    pool.advance();
  });
  if (memory_bytes() > keep_bytes) std::vector<PackedCode>().swap(code_);
}

std::uint64_t Program::block_bytes(std::size_t block) const noexcept {
  const CodePart& part = part_of_block(block);
  return std::min<std::uint64_t>(kCodeBlockBytes, part.size_bytes - (block - part.first_block) * kCodeBlockBytes);
}

std::vector<TableLoad> Program::table_loads(std::size_t block, std::span<Field> fields, LayoutCopy& copy) const {
  const std::uint32_t image = part_of_block(block).image;
  if (!copy.layout || copy.image != image) copy = {images_.layouts[image], image};
  std::vector<TableLoad> loads;
  for (Field& field : fields) {
    field.image = image;
    TableLoad load;
    if (is_table_load(file_, images_.all[image], *copy.layout, field, load)) loads.push_back(load);
  }
  keep_first_loads(loads);
  return {loads.begin(), loads.end()};
}

// Gives the loads of each image, and keeps the fields if they take no more than keep_bytes. The watch counts bytes of code.
std::vector<std::vector<TableLoad>> Program::scan_code(WorkerPool& pool, std::uint64_t keep_bytes) {
  // Tasks of several blocks share one scratch vector.
  constexpr std::size_t kBlocksPerTask = std::max<std::size_t>(1, (std::size_t{4} << 20) / kCodeBlockBytes);
  const std::size_t task_count = (block_count_ + kBlocksPerTask - 1) / kBlocksPerTask;
  std::vector<std::vector<TableLoad>> block_loads(block_count_);
  std::atomic<std::uint64_t> kept_bytes{0};
  if (keep_bytes != 0) code_.resize(block_count_);
  pool.for_each(task_count, [&](std::size_t task) {
    std::vector<Field> fields;
    LayoutCopy layout;
    const std::size_t end = std::min(block_count_, (task + 1) * kBlocksPerTask);
    for (std::size_t block = task * kBlocksPerTask; block < end; ++block) {
      find_code(block, fields);
      block_loads[block] = table_loads(block, fields, layout);
      pool.advance(block_bytes(block));
      if (keep_bytes == 0 || kept_bytes > keep_bytes) continue;
      code_[block] = pack_code(block, fields);
      kept_bytes += code_[block].memory_bytes();
    }
    pool.advance();
  });
  if (kept_bytes > keep_bytes) std::vector<PackedCode>().swap(code_);
  std::vector<std::vector<TableLoad>> loads(images_.all.size());
  for (std::size_t block = 0; block < block_loads.size(); ++block) {
    std::vector<TableLoad>& all = loads[part_of_block(block).image];
    all.insert(all.end(), block_loads[block].begin(), block_loads[block].end());
    std::vector<TableLoad>().swap(block_loads[block]);
  }
  return loads;
}

}  // namespace bdelta::exe

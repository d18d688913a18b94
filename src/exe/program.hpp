// The executable parts of one file: its images and their fields.
//
//   const Program program(file, pool);
//   FieldCache cache;                                              // one a thread
//   program.for_each_field(begin, end, cache, [&](const Field& field) { … });
//
// The fields of tables are found at once. Those of code are many times as many. They are kept where memory allows that.
// Else they are found by blocks when they are asked for, and each thread keeps a bounded number of blocks. All are kept
// packed, and unpacked for a look at them.
// Which fields there are is part of the patch format: it depends on the file alone, never on what was asked before.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bdelta/io.hpp"
#include "exe/field.hpp"
#include "exe/field_blocks.hpp"
#include "exe/jump_tables.hpp"
#include "exe/packed_fields.hpp"
#include "exe/predict.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta::exe {

// The fields of a block of code, packed in pieces.
struct PackedCode {
  static constexpr std::uint64_t kPieceBytes = 1024;  // of the file; what is unpacked for a look at one field

  Bytes packed;
  FieldShapes shapes;
  std::vector<std::uint32_t> begins;  // of each piece, and the end; empty if the block has no fields

  [[nodiscard]] std::uint64_t memory_bytes() const noexcept;
};

// What one thread keeps while it asks a Program for fields; not to be shared, nor used with another Program.
class FieldCache {
 public:
  // Blocks of code are kept until they take so much; the one in use is kept in any case.
  static constexpr std::uint64_t kMostBytes = (std::uint64_t{4} << 20) - FieldBlocks::Unpacked::memory_bytes();

 private:
  friend class Program;

  // Covers of reordered code come back to the same few pieces.
  static constexpr std::size_t kPieceCount = 32;

  struct Entry {
    std::size_t block = 0;
    std::uint64_t last_use = 0;
    PackedCode code;
  };
  struct CodePiece {  // unpacked
    static constexpr std::uint64_t kNone = ~std::uint64_t{0};
    std::uint64_t number = kNone;
    std::vector<Field> fields;
  };

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> entry_of_block_;  // index into entries_ and 1, or 0
  std::uint64_t kept_bytes_ = 0;               // of all entries
  std::uint64_t use_count_ = 0;
  std::vector<Field> decoded_;                 // scratch of decoding
  FieldBlocks::Unpacked table_blocks_;
  std::array<CodePiece, kPieceCount> code_pieces_;  // each in the place that its number tells
  std::vector<Field> tables_;                  // scratch: what code is merged with
  std::vector<Field> found_;                   // what fields_from returned last
};

class Program {
 public:
  static constexpr std::uint64_t kKeepAll = ~std::uint64_t{0};

  // Finds the fields of the tables of these images, as find_images gives them. `file` must outlive the program. All code is
  // decoded for that, as it tells where jump tables are; its fields are kept if the program then takes no more than keep_bytes.
  Program(ByteSpan file, std::vector<Image> images, WorkerPool& pool, std::uint64_t keep_bytes = 0);

  // The same without jump tables, for a look at some of the fields, until find_all has decoded all code.
  struct WithoutJumpTables {};
  Program(ByteSpan file, std::vector<Image> images, WorkerPool& pool, WithoutJumpTables);
  void find_all(WorkerPool& pool, std::uint64_t keep_bytes);

  Program(const Program&) = delete;  // what it is made of knows where the rest is
  Program& operator=(const Program&) = delete;

  [[nodiscard]] ByteSpan file() const noexcept { return file_; }
  [[nodiscard]] const Images& images() const noexcept { return images_; }

  // From now on there are no fields of tables inside of these, which are ascending and disjoint. For those who choose
  // covers: what copies give is the same, as the bytes of a rebuilt table stand above what its fields give.
  void leave_out(std::vector<SortedTable> tables) { left_out_ = std::move(tables); }
  [[nodiscard]] const std::vector<SortedTable>& left_out() const noexcept { return left_out_; }

  // Calls body(const Field&) for each field that lies in [begin, end) as a whole, ascending and disjoint. Where a field of
  // code overlaps one of a table, there is only the latter. The body must not use the cache.
  template <class Body>
  void for_each_field(std::uint64_t begin, std::uint64_t end, FieldCache& cache, Body&& body) const {
    for (std::uint64_t at = begin; at < end;) {
      const std::uint64_t next = end - at > kStepBytes ? at + kStepBytes : end;
      for (const Field& field : fields_from(at, next, cache)) {
        if (field.pos + field_bytes(field.form) <= end) body(field);
      }
      at = next;
    }
  }

  // Where the stretch ends that a position is in: a block of code, which is decoded as one, or what lies between two sections.
  struct Stretch {
    std::optional<std::size_t> code_block;  // its number
    std::uint64_t end_pos = 0;
  };
  [[nodiscard]] Stretch stretch_at(std::uint64_t pos) const noexcept;
  [[nodiscard]] std::size_t code_blocks() const noexcept { return block_count_; }

  // The fields whose first byte lies in [begin, end); valid until the cache is used again.
  [[nodiscard]] std::span<const Field> fields_from(std::uint64_t begin, std::uint64_t end, FieldCache& cache) const;

  // The same of the fields of tables alone.
  [[nodiscard]] std::span<const Field> table_fields_from(std::uint64_t begin, std::uint64_t end, FieldCache& cache) const;

  // Bytes of memory that this object takes, and each cache at most; with 32 bits a little less is taken than told.
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept;
  [[nodiscard]] std::uint64_t table_memory_bytes() const noexcept;  // the same without the fields of code
  [[nodiscard]] static std::uint64_t cache_memory_bytes() noexcept;

 private:
  // Of the file, whose fields are unpacked at a time.
  static constexpr std::uint64_t kStepBytes = std::uint64_t{64} << 10;

  struct CodePart {  // a code section
    std::uint64_t file_pos;
    std::uint64_t size_bytes;
    std::uint64_t address;
    std::size_t first_block;  // the number of its first block in the program
    std::uint32_t image;
  };

  void find_code_parts();
  void find_tables(WorkerPool& pool);
  std::vector<std::vector<TableLoad>> scan_code(WorkerPool& pool, std::uint64_t keep_bytes);
  // Look-ups in a layout remember the one before, so each task has a copy: of one image only, as there may be many of both.
  struct LayoutCopy {
    std::optional<ImageLayout> layout;
    std::uint32_t image = 0;
  };
  [[nodiscard]] std::uint64_t block_bytes(std::size_t block) const noexcept;
  [[nodiscard]] std::vector<TableLoad> table_loads(std::size_t block, std::span<Field> fields, LayoutCopy& copy) const;
  [[nodiscard]] const CodePart& part_of_block(std::size_t block) const noexcept;
  void find_code(std::size_t block, std::vector<Field>& fields) const;
  [[nodiscard]] PackScope piece_scope(std::size_t block, std::size_t piece) const noexcept;
  [[nodiscard]] PackedCode pack_code(std::size_t block, std::span<Field> fields) const;
  [[nodiscard]] const PackedCode& code_of(std::size_t block, FieldCache& cache) const;
  [[nodiscard]] std::span<const Field> code_piece(std::size_t block, std::size_t piece, FieldCache& cache) const;
  void add_table_fields(std::uint64_t begin, std::uint64_t end, FieldCache& cache, std::vector<Field>& to) const;
  void remove_left_out(std::uint64_t begin, std::uint64_t end, std::vector<Field>& fields) const;
  std::size_t add_code_fields(const CodePart& part, std::uint64_t begin, std::uint64_t end, std::size_t table,
                              FieldCache& cache) const;

  ByteSpan file_;
  Images images_;
  std::vector<FieldBlocks> tables_;  // by image
  std::vector<SortedTable> left_out_;
  std::vector<CodePart> parts_;      // ascending
  std::size_t block_count_ = 0;
  std::vector<PackedCode> code_;     // by block, if it is kept
};

}  // namespace bdelta::exe

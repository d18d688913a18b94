// The fields of one image's tables, packed in blocks of the file. They come from one table after the other, and a large
// program has no memory to spare for all of them at 32 bytes each until they are in order.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/bytes.hpp"
#include "bdelta/io.hpp"
#include "exe/field.hpp"
#include "exe/image.hpp"
#include "exe/packed_fields.hpp"
#include "parallel/watch.hpp"

namespace bdelta::exe {

class FieldBlocks {
 public:
  static constexpr std::uint64_t kBlockBytes = 4096;  // of the file; what is unpacked for a look at one field

  // Of image `number` of `images`. File and images must outlive the object.
  FieldBlocks(ByteSpan file, std::span<const Image> images, std::size_t number);

  // Adds fields, which must lie inside the image, and empties the vector.
  void take(std::vector<Field>& fields);

  // Puts them in order and makes them disjoint: where fields overlap the one that begins first stays, and of those that
  // begin together the one that was added first. To be called before fields are asked for; more may be added afterwards.
  void settle(Watch* watch = nullptr);

  // The blocks that a thread unpacked last, each in the place that its number tells. Covers of tables whose entries stand in
  // another order come back to the same few blocks. Dense blocks share one place. What changes a FieldBlocks makes them
  // worthless.
  class Unpacked {
   public:
    [[nodiscard]] static constexpr std::uint64_t memory_bytes() noexcept {
      return (kPlaceCount * kMostPackedBytes / 2 + kBlockBytes) * sizeof(Field);
    }

   private:
    friend class FieldBlocks;

    static constexpr std::size_t kPlaceCount = 32;
    static constexpr std::size_t kMostPackedBytes = 4096;  // of a block with a place of its own; a field takes two or more

    struct Block {
      const FieldBlocks* of = nullptr;
      std::size_t number = 0;
      std::vector<Field> fields;
    };

    std::array<Block, kPlaceCount + 1> blocks_;
  };

  // Appends those whose first byte lies in [begin, end).
  void add_fields(std::uint64_t begin, std::uint64_t end, Unpacked& last, std::vector<Field>& to) const;

  // The same wherever they are found: a patch tells it.
  [[nodiscard]] std::uint64_t memory_bytes() const noexcept;

 private:
  [[nodiscard]] PackScope scope(std::size_t block) const noexcept;

  // The block of the byte; of one before the image the first, of one behind it the one behind the last.
  [[nodiscard]] std::size_t block_of(std::uint64_t pos) const noexcept;

  const std::vector<Field>& unpacked(std::size_t block, Unpacked& last) const;

  // Appends the fields of a block to `to`.
  void unpack(std::size_t block, std::vector<Field>& to) const;
  void drop_repeated(std::size_t block);

  ByteSpan file_;
  std::span<const Image> images_;
  std::uint32_t number_;
  std::vector<Bytes> blocks_;
  std::vector<bool> in_order_;  // a block's fields are sorted, disjoint, and end inside it
  FieldShapes shapes_;  // of all blocks
};

}  // namespace bdelta::exe

// Takes the fields that the tables of an image hold. Checks here, for the readers of all tables, that a field lies inside
// its image and leads to a place in it. Bounds the work that a hostile image can cause, too.
#pragma once

#include <vector>

#include "bdelta/io.hpp"
#include "exe/field.hpp"
#include "exe/field_blocks.hpp"
#include "exe/file_number.hpp"
#include "exe/layout.hpp"
#include "exe/leb128.hpp"
#include "parallel/watch.hpp"

namespace bdelta::exe {

// Where numbers count from: a byte of the file and its address.
struct FieldBase {
  std::uint64_t pos = 0;
  std::uint64_t address = 0;
  bool operator==(const FieldBase&) const = default;
};

// A ULEB128 number of the file.
struct Uleb {
  std::uint64_t pos = 0;
  std::uint64_t size_bytes = 0;
  std::uint64_t value = 0;
};

// What the low 31 bits of a word of ARM's unwind tables say, sign-extended.
[[nodiscard]] constexpr std::uint64_t prel31_distance(std::uint32_t word) noexcept {
  return ((std::uint64_t{word} & 0x7fffffff) ^ 0x40000000) - 0x40000000;
}

class FieldSink {
 public:
  // All are kept by reference and have to outlive the sink. Not all fields are in `out` before `finish`.
  // The watch may be null.
  FieldSink(ByteSpan file, const Image& image, const ImageLayout& layout, FieldBlocks& out, Watch* watch)
      : file_(file), image_(image), layout_(layout), out_(out), watch_(watch),
        steps_left_(image.size_bytes / 2 + 4096),
        long_numbers_(bytes_at(file, image.file_pos, image.size_bytes)) {}

  [[nodiscard]] ByteSpan file() const noexcept { return file_; }
  [[nodiscard]] const Image& image() const noexcept { return image_; }
  [[nodiscard]] const ImageLayout& layout() const noexcept { return layout_; }

  // For numbers in sections of the image: of all its tables, so that all of it is gone through once.
  [[nodiscard]] LongNumbers& long_numbers() noexcept { return long_numbers_; }

  // The number at a position of the file; 0 where that has no such bytes.
  [[nodiscard]] std::uint16_t number16(std::uint64_t pos) const { return number_at<std::uint16_t>(file_, pos); }
  [[nodiscard]] std::uint32_t number32(std::uint64_t pos) const { return number_at<std::uint32_t>(file_, pos); }
  [[nodiscard]] std::uint64_t number64(std::uint64_t pos) const { return number_at<std::uint64_t>(file_, pos); }

  // To be asked once for each entry of a table: tables may overlap, so their sizes alone bound nothing. False when
  // more entries were read than an image of this size can have.
  [[nodiscard]] bool step() {
    if (steps_left_ == 0) return false;
    if (--steps_left_ % kStepsToLook == 0) look();
    return true;
  }
  // For what takes long and has no entries.
  void look() const {
    if (watch_) watch_->advance();
  }

  // Each reads the number at `pos` and adds a field if it leads to a place in the image. A null pointer leads nowhere.
  void absolute32(std::uint64_t pos, FieldKind kind) { add(pos, 4, FieldForm::kAbs32, kind, number32(pos)); }
  void absolute64(std::uint64_t pos, FieldKind kind) { add(pos, 8, FieldForm::kAbs64, kind, number64(pos)); }
  // As wide as the image's pointers.
  void absolute(std::uint64_t pos, FieldKind kind) { image_.bits64 ? absolute64(pos, kind) : absolute32(pos, kind); }
  void rva32(std::uint64_t pos, FieldKind kind);
  void offset32(std::uint64_t pos, FieldBase base, FieldKind kind);
  void offset24(std::uint64_t pos, FieldBase base, FieldKind kind);
  // Entry `number at pos` of a table of the file with entries of so many bytes, which may be no part of memory. Entry 0 is
  // none.
  void entry32(std::uint64_t pos, std::uint64_t table_pos, std::uint64_t table_bytes, std::uint8_t entry_bytes,
               FieldKind kind);
  // The same of a number in the high 24 bits.
  void entry24(std::uint64_t pos, std::uint64_t table_pos, std::uint64_t table_bytes, std::uint8_t entry_bytes,
               FieldKind kind);
  // A ULEB128 number that was read as it is, of three or four bytes; others are passed over. It counts from the image's
  // base, or is the position of a byte in a table.
  void uleb_rva(Uleb number, FieldKind kind);
  void uleb_entry(Uleb number, std::uint64_t table_pos, std::uint64_t table_bytes, FieldKind kind);
  // The base is the field itself.
  void relative32(std::uint64_t pos, FieldKind kind);
  // The same of a number of 64 bits that 32 can say: the field is its low half.
  void relative64(std::uint64_t pos, FieldKind kind);
  void back32(std::uint64_t pos, FieldKind kind);
  // The low 31 bits count from the field itself.
  void prel31(std::uint64_t pos, FieldKind kind);
  // The length of what begins at `start`.
  void size32(std::uint64_t pos, std::uint64_t start, FieldKind kind) { add_size(pos, false, start, kind); }
  void size64(std::uint64_t pos, std::uint64_t start, FieldKind kind) { add_size(pos, true, start, kind); }
  void size(std::uint64_t pos, std::uint64_t start, FieldKind kind) { add_size(pos, image_.bits64, start, kind); }
  // Low `number_bits` bits of eight bytes, counting from Image::base_address or from 0.
  void chained(std::uint64_t pos, unsigned number_bits, bool from_base, FieldKind kind);

  void finish() { out_.take(waiting_); }

 private:
  static constexpr std::size_t kMostWaiting = std::size_t{1} << 16;
  static constexpr std::uint64_t kStepsToLook = std::uint64_t{1} << 14;

  void push(const Field& field) {
    waiting_.push_back(field);
    if (waiting_.size() < kMostWaiting) return;
    out_.take(waiting_);
    look();
  }
  void add(std::uint64_t pos, std::uint64_t width, FieldForm form, FieldKind kind, std::uint64_t target,
           std::uint32_t base_delta = 0, std::uint8_t trailing_bytes = 0);
  [[nodiscard]] bool holds(std::uint64_t pos, std::uint64_t size_bytes) const noexcept;  // the image, in the file
  struct Entries {  // of a table of the file
    std::uint64_t table_pos;
    std::uint64_t table_bytes;
    std::uint8_t entry_bytes;
  };
  void add_entry(std::uint64_t pos, FieldForm form, std::uint64_t number, Entries entries, FieldKind kind);
  void add_size(std::uint64_t pos, bool wide, std::uint64_t start, FieldKind kind);
  [[nodiscard]] bool is_base(FieldBase base);  // its byte is in a section, at that address

  ByteSpan file_;
  const Image& image_;
  const ImageLayout& layout_;
  FieldBlocks& out_;
  Watch* watch_;
  std::vector<Field> waiting_;
  std::uint64_t steps_left_;
  LongNumbers long_numbers_;
  FieldBase good_base_{~std::uint64_t{0}, 0};  // the last one that is_base approved
};

// Reads numbers as wide as the image's pointers.
struct Word {
  const FieldSink& sink;
  std::uint64_t bytes = sink.image().bits64 ? 8 : 4;

  std::uint64_t at(std::uint64_t pos) const {
    return bytes == 8 ? sink.number64(pos) : sink.number32(pos);
  }
};

}  // namespace bdelta::exe

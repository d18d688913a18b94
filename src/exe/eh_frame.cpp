// .eh_frame is a list of entries, each with its length. A CIE says how the numbers of those FDEs are encoded that refer to
// it. An FDE is the unwind information of one function. It tells how far back its CIE is, where the function begins, how
// long it is, and where its exception table is. .eh_frame_hdr is a sorted table of function and FDE.
#include <algorithm>

#include "exe/dwarf_pointer.hpp"
#include "exe/leb128.hpp"
#include "exe/table_kernels.hpp"

namespace bdelta::exe {
namespace {

struct Cie {
  std::uint64_t pos = 0;  // of its length field
  std::uint8_t pointer_encoding = 0;
  std::uint8_t table_encoding = kDwarfOmitted;  // of the exception table's address
  bool augmented = false;  // FDEs carry the length of what follows the range
};

class FrameReader {
 public:
  FrameReader(FieldSink& sink, std::uint64_t pos, std::uint64_t size_bytes)
      : sink_(sink), begin_(pos), bytes_(bytes_at(sink.file(), pos, size_bytes)) {}

  void read();

 private:
  [[nodiscard]] std::uint32_t number(std::uint64_t pos) const { return number_at<std::uint32_t>(sink_.file(), pos); }
  void read_cie(std::uint64_t pos, ByteSpan body);
  void read_fde(std::uint64_t pos, std::uint64_t end);
  [[nodiscard]] const Cie* find_cie(std::uint64_t pos);

  FieldSink& sink_;
  std::uint64_t begin_;
  ByteSpan bytes_;
  std::vector<Cie> cies_;  // ascending by position
  std::size_t last_cie_ = 0;
  std::vector<std::uint64_t> exception_tables_;  // addresses
};

void FrameReader::read() {
  constexpr std::uint32_t kWide = 0xffffffff;  // a length of 64 bits follows; no compiler needs that
  std::uint64_t at = begin_;
  const std::uint64_t end = begin_ + bytes_.size();
  while (end - at >= 8 && sink_.step()) {
    const std::uint64_t body_bytes = number(at);
    if (body_bytes == 0) {  // ends what one object file brought; some linkers leave it in the middle
      at += 4;
      continue;
    }
    if (body_bytes == kWide || body_bytes < 4 || body_bytes > end - at - 4) break;
    const std::uint64_t next = at + 4 + body_bytes;
    if (number(at + 4) == 0) {
      read_cie(at, bytes_at(sink_.file(), at + 8, body_bytes - 4));
    } else {
      read_fde(at, next);
    }
    at = next;
  }
  find_exception_table_fields(sink_, std::move(exception_tables_));
}

void FrameReader::read_cie(std::uint64_t pos, ByteSpan body) {
  ByteCursor cursor(body);
  Cie cie;
  cie.pos = pos;
  const std::uint8_t version = cursor.u8();
  if (version != 1 && version != 3) return;
  char letters[8] = {};
  std::size_t count = 0;
  for (std::uint8_t letter = cursor.u8(); letter != 0; letter = cursor.u8()) {
    if (count == sizeof letters) return;
    letters[count++] = static_cast<char>(letter);
  }
  read_uleb(cursor);  // code alignment
  read_sleb(cursor);  // data alignment
  version == 1 ? cursor.u8() : read_uleb(cursor);  // return register
  cie.augmented = letters[0] == 'z';
  if (count != 0 && !cie.augmented) return;
  if (cie.augmented) read_uleb(cursor);
  for (std::size_t i = 1; i < count; ++i) {
    if (letters[i] == 'R') cie.pointer_encoding = cursor.u8();
    if (letters[i] == 'L') cie.table_encoding = cursor.u8();
    if (letters[i] != 'P') continue;
    const std::uint8_t encoding = cursor.u8();
    const auto offset = static_cast<std::uint64_t>(cursor.position() - body.data());
    add_encoded_pointer(sink_, pos + 8 + offset, encoding, FieldKind::kExceptionTable);
    (void)cursor.bytes(dwarf_bytes(encoding, sink_.image().bits64));
  }
  if (cursor.ok()) cies_.push_back(cie);
}

const Cie* FrameReader::find_cie(std::uint64_t pos) {
  if (last_cie_ < cies_.size() && cies_[last_cie_].pos == pos) return &cies_[last_cie_];
  const auto found = std::lower_bound(cies_.begin(), cies_.end(), pos,
                                      [](const Cie& cie, std::uint64_t wanted) { return cie.pos < wanted; });
  if (found == cies_.end() || found->pos != pos) return nullptr;
  last_cie_ = static_cast<std::size_t>(found - cies_.begin());
  return &*found;
}

void FrameReader::read_fde(std::uint64_t pos, std::uint64_t end) {
  const Cie* cie = find_cie(pos + 4 - number(pos + 4));
  if (cie == nullptr) return;
  const bool bits64 = sink_.image().bits64;
  const std::uint64_t number_bytes = dwarf_bytes(cie->pointer_encoding, bits64);
  std::uint64_t at = pos + 8;
  if (number_bytes == 0 || end - at < 2 * number_bytes) return;
  sink_.back32(pos + 4, FieldKind::kUnwindEntry);
  add_encoded_pointer(sink_, at, cie->pointer_encoding, FieldKind::kUnwindStart);
  const std::uint64_t start = encoded_address(sink_, at, cie->pointer_encoding);
  at += number_bytes;
  if (number_bytes == 4) sink_.size32(at, start, FieldKind::kUnwindSize);
  if (number_bytes == 8) sink_.size64(at, start, FieldKind::kUnwindSize);
  at += number_bytes;
  // The length of the augmentation takes one byte: all it can hold is one pointer.
  if (!cie->augmented || at >= end || cie->table_encoding == kDwarfOmitted) return;
  const std::uint64_t table_bytes = dwarf_bytes(cie->table_encoding, bits64);
  if (table_bytes == 0 || end - at < 1 + table_bytes) return;
  if (number_at<std::uint8_t>(sink_.file(), at) != table_bytes) return;
  ++at;
  add_encoded_pointer(sink_, at, cie->table_encoding, FieldKind::kExceptionTable);
  if (const std::uint64_t table = encoded_address(sink_, at, cie->table_encoding)) exception_tables_.push_back(table);
}

}  // namespace

std::uint64_t find_eh_frame_header_fields(FieldSink& sink, std::uint64_t pos, std::uint64_t size_bytes) {
  constexpr std::uint8_t kSigned32 = 0x0b, kUnsigned32 = 0x03;
  const ByteSpan head = bytes_at(sink.file(), pos, 12);
  FieldBase base{pos, 0};
  if (size_bytes < 12 || head.empty() || head[0] != 1 || !sink.layout().address_of(pos, base.address)) return 0;
  add_encoded_pointer(sink, pos + 4, head[1], FieldKind::kUnwindHeader);
  const std::uint64_t frames = encoded_address(sink, pos + 4, head[1]);
  if (dwarf_bytes(head[1], sink.image().bits64) != 4 || head[2] != kUnsigned32 ||
      head[3] != (kDwarfFromTable | kSigned32)) {
    return frames;
  }
  const std::uint64_t room = (std::min(size_bytes, sink.file().size() - pos) - 12) / 8;
  const std::uint64_t count = std::min<std::uint64_t>(number_at<std::uint32_t>(sink.file(), pos + 8), room);
  for (std::uint64_t i = 0; i < count && sink.step(); ++i) {
    sink.offset32(pos + 12 + 8 * i, base, FieldKind::kUnwindHeader);
    sink.offset32(pos + 16 + 8 * i, base, FieldKind::kUnwindHeader);
  }
  return frames;
}

void find_eh_frame_fields(FieldSink& sink, std::uint64_t pos, std::uint64_t size_bytes) {
  FrameReader(sink, pos, size_bytes).read();
}

}  // namespace bdelta::exe

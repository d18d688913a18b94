// The export trie of Mach-O (mach-o/loader.h, LC_DYLD_EXPORTS_TRIE): what a program exports, by letters of the names. A
// node begins with the size of what is said of the name that ends there: flags and address, or nothing. Then come the
// number of children and for each the letters that lead to it, with a 0, and its place in the trie. All numbers are
// ULEB128, so one name more moves all nodes behind it, and all that lead there change.
#include <vector>

#include "base/byte_cursor.hpp"
#include "exe/table_kernels.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint64_t kKindMask = 3, kAbsolute = 2;  // of flags
constexpr std::uint64_t kReexport = 8, kResolver = 16;
constexpr std::size_t kLettersPerStep = 64;

class TrieReader {
 public:
  TrieReader(FieldSink& sink, std::uint64_t pos, ByteSpan bytes) : sink_(sink), pos_(pos), bytes_(bytes) {}

  void read() {
    std::vector<std::size_t> nodes{0};  // offsets
    while (!nodes.empty() && sink_.step()) {
      const std::size_t node = nodes.back();
      nodes.pop_back();
      read_node(node, nodes);
    }
  }

 private:
  // The number at the cursor, which fails on one of more than nine bytes: as nodes may overlap, a long one could be read
  // again and again.
  Uleb read_number(ByteCursor& cursor) const {
    Uleb number;
    const std::uint8_t* const begin = cursor.position();
    number.pos = pos_ + static_cast<std::uint64_t>(begin - bytes_.data());
    bool more = true;
    for (unsigned shift = 0; shift < 63 && more; shift += 7) {
      const std::uint64_t byte = cursor.u8();
      number.value |= (byte & 0x7f) << shift;
      more = byte >= 0x80;
    }
    if (more) (void)cursor.bytes(~std::uint64_t{0});
    number.size_bytes = static_cast<std::uint64_t>(cursor.position() - begin);
    return number;
  }

  void read_node(std::size_t node, std::vector<std::size_t>& nodes) {
    ByteCursor cursor(bytes_.subspan(node));
    const std::uint64_t said_bytes = read_number(cursor).value;
    const ByteSpan said = cursor.bytes(said_bytes);
    if (!cursor.ok()) return;
    if (!said.empty()) read_export(said);
    const unsigned child_count = cursor.u8();
    for (unsigned i = 0; i < child_count && sink_.step() && pass_letters(cursor); ++i) {
      const Uleb child = read_number(cursor);
      if (!cursor.ok() || child.value == 0 || child.value >= bytes_.size()) return;
      sink_.uleb_entry(child, pos_, bytes_.size(), FieldKind::kImportExport);
      nodes.push_back(static_cast<std::size_t>(child.value));
    }
  }

  // Long names cost steps, as nodes may overlap.
  bool pass_letters(ByteCursor& cursor) {
    std::size_t count = 1;
    while (cursor.u8() != 0 && cursor.ok()) {
      if (++count % kLettersPerStep == 0 && !sink_.step()) return false;
    }
    return cursor.ok();
  }

  void read_export(ByteSpan said) {
    ByteCursor cursor(said);
    const std::uint64_t flags = read_number(cursor).value;
    if ((flags & kReexport) != 0 || (flags & kKindMask) == kAbsolute) return;
    for (int i = 0; i < ((flags & kResolver) != 0 ? 2 : 1); ++i) {
      const Uleb address = read_number(cursor);
      if (!cursor.ok()) return;
      sink_.uleb_rva(address, FieldKind::kImportExport);
    }
  }

  FieldSink& sink_;
  const std::uint64_t pos_;
  const ByteSpan bytes_;
};

}  // namespace

void find_export_trie_fields(FieldSink& sink, std::uint64_t pos, std::uint64_t size_bytes) {
  const ByteSpan bytes = bytes_at(sink.file(), pos, size_bytes);
  if (bytes.empty()) return;
  TrieReader(sink, pos, bytes).read();
}

}  // namespace bdelta::exe

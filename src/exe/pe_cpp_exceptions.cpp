// What handlers of C++ exceptions read in PE images of 64 bits. For each function they read what to destroy in each of
// its states, what is tried in which states, and where in its code states begin. Rust has the same tables.
//
// There are two forms. In the old one all is 32 bits wide and begins with a magic number. In the one that Microsoft's
// compiler writes since 2019 numbers take one to five bytes. Nothing tells such a table but that all of it fits
// together. Their RVAs lead to code, so they differ wherever that moved.
//
// Sources: the magic numbers and lists of the old form as LLVM's WinException.cpp writes them (emitCXXFrameHandler3Table);
// the new one by "Making C++ Exception Handling Smaller On x64", M. Hargreaves and others, Microsoft C++ Team Blog, 2019.
#include "exe/pe_tables.hpp"

namespace bdelta::exe {
namespace {

constexpr FieldKind kKind = FieldKind::kExceptionTable;

// FuncInfo: a count and an RVA for each list.
class WideTable {
 public:
  static constexpr std::uint32_t kFirstMagic = 0x19930520, kLastMagic = 0x19930522;

  explicit WideTable(FieldSink& sink) : sink_(sink) {}

  // False if it is none.
  bool add(std::uint64_t pos) {
    const std::uint32_t magic = sink_.number32(pos) & 0x1fffffff;
    if (magic < kFirstMagic || magic > kLastMagic) return false;
    for (const std::uint64_t list : {8u, 16u, 24u}) sink_.rva32(pos + list, kKind);
    if (magic > kFirstMagic) sink_.rva32(pos + 32, kKind);  // of exception types
    each_entry(pos + 4, 8, [&](std::uint64_t at) { sink_.rva32(at + 4, kKind); });
    each_entry(pos + 12, 20, [&](std::uint64_t at) {
      sink_.rva32(at + 16, kKind);
      each_entry(at + 12, 20, [&](std::uint64_t handler) {
        sink_.rva32(handler + 4, kKind);  // the type
        sink_.rva32(handler + 12, kKind);
      });
    });
    each_entry(pos + 20, 8, [&](std::uint64_t at) { sink_.rva32(at, kKind); });
    return true;
  }

 private:
  // visit(position) for each entry of a list whose count stands at `pos` and whose RVA stands behind that.
  template <class Visit>
  void each_entry(std::uint64_t pos, std::uint64_t entry_bytes, const Visit& visit) {
    std::uint64_t first = 0;
    if (!pos_of_rva(sink_, sink_.number32(pos + 4), first)) return;
    const std::uint64_t count = sink_.number32(pos);
    for (std::uint64_t i = 0; i < count && sink_.step(); ++i) visit(first + i * entry_bytes);
  }

  FieldSink& sink_;
};

// FuncInfo4: a byte of flags, and the RVAs of the lists that these say there are.
class PackedTable {
 public:
  explicit PackedTable(FieldSink& sink) : sink_(sink) {}

  // False if it does not look like one.
  bool add(std::uint64_t pos) {
    constexpr unsigned kSeparated = 2, kCounted = 4, kStates = 8, kTries = 16, kNever = 128;
    std::uint64_t at = pos;
    const unsigned flags = byte(at);
    if ((flags & kNever) != 0 || (flags & (kStates | kTries)) == 0) return false;
    if ((flags & kCounted) != 0) (void)number(at);
    const std::uint64_t lists = at;
    const std::uint64_t list_count = ((flags & kStates) != 0 ? 1u : 0u) + ((flags & kTries) != 0 ? 1u : 0u) + 1;
    for (std::uint64_t i = 0; i < list_count; ++i) {
      if (!rva_leads_into(sink_, sink_.number32(lists + 4 * i), SectionKind::kData)) return false;
    }
    if ((flags & kStates) != 0) each_entry(rva(at), [this](std::uint64_t& entry) { add_state(entry); });
    if ((flags & kTries) != 0) each_entry(rva(at), [this](std::uint64_t& entry) { add_try(entry); });
    const std::uint32_t code = rva(at);
    if ((flags & kSeparated) != 0) {
      each_entry(code, [this](std::uint64_t& entry) {
        (void)rva(entry);  // a part of the function
        (void)rva(entry);
      });
    }
    return true;
  }

 private:
  // Each reads what stands at `at` and moves that behind it.
  unsigned byte(std::uint64_t& at) const {
    const ByteSpan bytes = bytes_at(sink_.file(), at++, 1);
    return bytes.empty() ? 0 : bytes[0];
  }
  // As many of the lowest bits of the first byte are 1 as bytes follow it, up to four; with four of them these alone are
  // the number.
  std::uint32_t number(std::uint64_t& at) const {
    std::uint64_t first = at;
    unsigned more = 0;
    for (unsigned bits = byte(first); more < 4 && (bits >> more & 1) != 0;) ++more;
    const std::uint32_t value = more == 4 ? sink_.number32(first) : number_of(at, more + 1) >> (more + 1);
    at += more + 1;
    return value;
  }
  [[nodiscard]] std::uint32_t number_of(std::uint64_t at, unsigned count) const {
    std::uint32_t value = 0;
    for (unsigned i = 0; i < count; ++i) value |= byte(at) << 8 * i;
    return value;
  }
  std::uint32_t rva(std::uint64_t& at) {
    sink_.rva32(at, kKind);
    const std::uint32_t value = sink_.number32(at);
    at += 4;
    return value;
  }

  // What to call with which object; the first number's low bits tell which of these there are.
  void add_state(std::uint64_t& at) {
    const unsigned type = number(at) & 3;
    if (type == 0) return;
    (void)rva(at);
    if (type != 3) (void)number(at);
  }

  void add_try(std::uint64_t& at) {
    for (int i = 0; i < 3; ++i) (void)number(at);  // first and last state, last one of the handlers
    each_entry(rva(at), [this](std::uint64_t& handler) { add_handler(handler); });
  }

  void add_handler(std::uint64_t& at) {
    constexpr unsigned kAdjectives = 1, kType = 2, kObject = 4, kRvas = 8;
    const unsigned flags = byte(at);
    if ((flags & kAdjectives) != 0) (void)number(at);
    if ((flags & kType) != 0) (void)rva(at);
    if ((flags & kObject) != 0) (void)number(at);
    (void)rva(at);
    for (unsigned i = 0; i < (flags >> 4 & 3); ++i) (void)((flags & kRvas) != 0 ? rva(at) : number(at));
  }

  // visit(position) for each entry of the list, whose count stands in front; moves the position behind the entry.
  template <class Visit>
  void each_entry(std::uint32_t list, const Visit& visit) {
    std::uint64_t at = 0;
    if (!pos_of_rva(sink_, list, at)) return;
    const std::uint32_t count = number(at);
    for (std::uint32_t i = 0; i < count && sink_.step(); ++i) visit(at);
  }

  FieldSink& sink_;
};

}  // namespace

void find_cpp_exception_fields(FieldSink& sink, std::vector<CppTable> tables) {
  std::stable_sort(tables.begin(), tables.end(), [](const CppTable& a, const CppTable& b) { return a.rva < b.rva; });
  bool is_table = false;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const std::uint32_t rva = tables[i].rva;
    // A function with its handlers is cut into several, all of which lead to one table.
    if (i == 0 || rva != tables[i - 1].rva) {
      std::uint64_t pos = 0;
      is_table = pos_of_rva(sink, rva, pos) && sink.step() && (WideTable(sink).add(pos) || PackedTable(sink).add(pos));
    }
    if (is_table && rva % 4 != 0) sink.rva32(tables[i].reference_pos, kKind);
  }
}

}  // namespace bdelta::exe

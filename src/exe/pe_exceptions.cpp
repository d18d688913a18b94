// What PE needs to unwind on machines of 64 bits: the table of functions, their unwind information, and what the handlers
// of exceptions read. Nearly all of it is RVAs of code, so it differs wherever code moved; in programs of C++ and Rust it
// is a tenth of the file.
//
// Sources: "x64 exception handling", "ARM64 exception handling" and "PE Format" of Microsoft's documentation.
#include "exe/pe_tables.hpp"

namespace bdelta::exe {
namespace {

class PeExceptions {
 public:
  explicit PeExceptions(FieldSink& sink) : sink_(sink) {}

  // RUNTIME_FUNCTION: begin, end and unwind information on x86-64; begin, and unwind information or that itself in some
  // bits, on arm64.
  void add_functions(const PeTable& table) {
    const bool x86 = sink_.image().machine == Machine::kX86_64;
    const bool arm64 = sink_.image().machine == Machine::kArm64;
    const std::uint64_t entry_bytes = x86 ? 12 : 8;
    std::vector<std::uint32_t> unwind_infos;
    for (std::uint64_t i = 0; i < table.size_bytes / entry_bytes && sink_.step(); ++i) {
      const std::uint64_t at = table.pos + i * entry_bytes;
      const std::uint32_t unwind = sink_.number32(at + entry_bytes - 4);
      const bool leads = x86 || unwind % 4 == 0;
      rva(at, FieldKind::kPdata);
      if (x86) rva(at + 4, FieldKind::kPdata);
      if (leads) rva(at + entry_bytes - 4, FieldKind::kPdata);
      if (leads && (x86 || arm64)) unwind_infos.push_back(unwind);
    }
    std::sort(unwind_infos.begin(), unwind_infos.end());
    unwind_infos.erase(std::unique(unwind_infos.begin(), unwind_infos.end()), unwind_infos.end());
    for (const std::uint32_t info : unwind_infos) {
      std::uint64_t pos = 0;
      if (!pos_of_rva(sink_, info, pos) || !sink_.step()) continue;
      x86 ? add_unwind_info(pos) : add_arm64_unwind_info(pos);
    }
    find_cpp_exception_fields(sink_, std::move(cpp_tables_));
  }

 private:
  void rva(std::uint64_t pos, FieldKind kind = FieldKind::kExceptionTable) { sink_.rva32(pos, kind); }

  [[nodiscard]] bool leads_into(std::uint32_t rva, SectionKind kind) const { return rva_leads_into(sink_, rva, kind); }

  // Of x86-64: version and flags, size of the prologue, count of codes, frame; the codes, padded to pairs; the handler or
  // the function whose information goes on with this.
  void add_unwind_info(std::uint64_t pos) {
    constexpr unsigned kHandlers = 3, kChained = 4;
    const ByteSpan head = bytes_at(sink_.file(), pos, 4);
    if (head.empty() || (head[0] & 7) == 0 || (head[0] & 7) > 2) return;
    const unsigned flags = head[0] >> 3;
    const std::uint64_t at = pos + 4 + 2 * ((std::uint64_t{head[2]} + 1) & ~std::uint64_t{1});
    if ((flags & kChained) != 0) {
      for (std::uint64_t i = 0; i < 12; i += 4) rva(at + i, FieldKind::kPdata);
    } else if ((flags & kHandlers) != 0) {
      add_handler(at);
    }
  }

  // Of arm64. A word of sizes and flags comes first, then another one where its counts are 0. Then come a word for each
  // end of the function, unless the first word tells its only one; words of codes; the handler.
  void add_arm64_unwind_info(std::uint64_t pos) {
    if (bytes_at(sink_.file(), pos, 8).empty()) return;
    const std::uint32_t head = sink_.number32(pos);
    const bool has_handler = (head >> 20 & 1) != 0;
    const bool one_end = (head >> 21 & 1) != 0;
    std::uint64_t end_count = head >> 22 & 31;
    std::uint64_t code_words = head >> 27;
    std::uint64_t at = pos + 4;
    if (end_count == 0 && code_words == 0) {
      const std::uint32_t more = sink_.number32(at);
      end_count = more & 0xffff;
      code_words = more >> 16 & 0xff;
      at += 4;
    }
    if (has_handler) add_handler(at + 4 * ((one_end ? 0 : end_count) + code_words));
  }

  // What follows the handler's RVA depends on the handler. Two kinds are told by their look: a count and ranges of code
  // with filter and target, as __C_specific_handler has them; or the RVA of the C++ tables.
  void add_handler(std::uint64_t handler_pos) {
    constexpr std::uint32_t kMostScopes = 256;
    constexpr std::uint32_t kExecuteHandler = 1;  // instead of the RVA of a filter
    rva(handler_pos);
    const std::uint64_t pos = handler_pos + 4;
    const std::uint32_t first = sink_.number32(pos);
    if (first == 0 || first > kMostScopes) {
      if (!leads_into(first, SectionKind::kData)) return;
      if (first % 4 == 0) rva(pos);
      cpp_tables_.push_back({first, pos});
      return;
    }
    for (std::uint32_t i = 0; i < first && sink_.step(); ++i) {
      const std::uint64_t at = pos + 4 + 16 * std::uint64_t{i};
      if (!leads_into(sink_.number32(at), SectionKind::kCode) || sink_.number32(at + 4) <= sink_.number32(at)) return;
      rva(at);
      rva(at + 4);
      if (sink_.number32(at + 8) != kExecuteHandler) rva(at + 8);
      rva(at + 12);
    }
  }

  FieldSink& sink_;
  std::vector<CppTable> cpp_tables_;
};

}  // namespace

void find_pe_exception_fields(FieldSink& sink, const PeTable& table) { PeExceptions(sink).add_functions(table); }

}  // namespace bdelta::exe

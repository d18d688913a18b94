// What the readers of PE's tables share.
#pragma once

#include <algorithm>

#include "exe/pe.hpp"
#include "exe/table_kernels.hpp"

namespace bdelta::exe {

// A directory with its bytes in the file, empty if it is not there. It is cut to what is left of the image, so that
// many images don't read one another's bytes.
struct PeTable {
  std::uint64_t pos = 0;
  std::uint64_t size_bytes = 0;
};

// Position of the byte at an RVA; false if it has none.
inline bool pos_of_rva(const FieldSink& sink, std::uint64_t rva, std::uint64_t& pos) {
  return rva != 0 && sink.layout().file_pos_of(sink.image().base_address + rva, pos);
}

inline PeTable table_of(const FieldSink& sink, const PeDirectory& directory) {
  PeTable table;
  const std::uint64_t end = sink.image().file_pos + sink.image().size_bytes;
  if (!pos_of_rva(sink, directory.rva, table.pos) || table.pos > end) return {};
  table.size_bytes = std::min<std::uint64_t>(directory.size_bytes, end - table.pos);
  return table;
}

inline bool rva_leads_into(const FieldSink& sink, std::uint32_t rva, SectionKind kind) {
  const Section* section = sink.layout().section_of(sink.image().base_address + rva);
  return section != nullptr && section->kind == kind;
}

// Directory 3: functions with their unwind information, and the exception tables these lead to.
void find_pe_exception_fields(FieldSink& sink, const PeTable& table);

// What a handler of C++ exceptions may read.
struct CppTable {
  std::uint32_t rva = 0;
  std::uint64_t reference_pos = 0;  // where that stands; no field yet unless it is a multiple of 4
};

// Those of them that are such tables, in either form.
void find_cpp_exception_fields(FieldSink& sink, std::vector<CppTable> tables);

}  // namespace bdelta::exe

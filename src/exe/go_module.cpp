// Go's moduledata: a row of words that says where all tables of the runtime begin. It has no mark of its own. It is found
// as the word that is the address of the pclntab, with the address of the names of functions behind it. Which word is
// which differs from version to version; two slices, whose length and capacity are the same, tell some of these apart.
//
// Sources: runtime/symtab.go of Go 1.18 to 1.27.
#include "exe/go_tables.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint64_t kBucketCodeBytes = 4096;  // what an entry of the lookup table stands for

// Words of moduledata up to where the types begin, the same since Go 1.20.
constexpr std::uint64_t kLookup = 19, kCodeBegin = 20, kCodeEnd = 21, kText = 22, kTypes = 37;

// Words of what comes behind. Go 1.26 has one more before the slice of text sections.
constexpr std::uint64_t kOldTypesEnd = 38, kOldReadOnly = 39, kOldCollectorData = 40, kOldSections = 41;
// Go 1.27 has no list of types: it says how many of the bytes are those that were in it, and where itabs lie among the
// rest.
constexpr std::uint64_t kListedBytes = 38, kTypesEnd = 39, kReadOnly = 42, kCollectorData = 43, kSections = 45;

// Position of moduledata, or 0.
std::uint64_t find_module(const FieldSink& sink, const GoTables& tables) {
  const Word word{sink};
  const auto low_bits = static_cast<std::uint32_t>(tables.start.address);
  const auto low_rva = static_cast<std::uint32_t>(tables.start.address - sink.image().base_address);
  for (const Section& section : sink.image().sections) {
    if (section.kind != SectionKind::kData) continue;
    const ByteSpan bytes = bytes_at(sink.file(), section.file_pos, section.size_bytes);
    for (std::size_t i = 0; i + 2 * word.bytes <= bytes.size(); i += static_cast<std::size_t>(word.bytes)) {
      const auto number = load_le<std::uint32_t>(bytes.data() + i);
      if (number != low_bits && number != low_rva) continue;
      const std::uint64_t pos = section.file_pos + i;
      if (go_pointer_at(sink, pos) != tables.start.address) continue;
      if (go_pointer_at(sink, pos + word.bytes) == tables.names.address) return pos;
    }
  }
  return 0;
}

class ModuleReader {
 public:
  ModuleReader(FieldSink& sink, std::uint64_t pos, GoTables& tables) : sink_(sink), pos_(pos), tables_(tables) {}

  void read() {
    tables_.text = base_at(kText);
    add_slice_lengths();
    if (tables_.record_bytes != 44) return;  // of Go 1.18 and 1.19, which have other words than the following
    tables_.types = base_at(kTypes);
    tables_.lookup = base_at(kLookup);
    if (tables_.lookup.pos != 0) {
      tables_.lookup_count = (pointer(kCodeEnd) - pointer(kCodeBegin)) / kBucketCodeBytes + 1;
    }
    is_of_127() ? read_tail() : read_old_tail();
  }

 private:
  [[nodiscard]] std::uint64_t at(std::uint64_t index) const { return pos_ + index * word_.bytes; }
  [[nodiscard]] std::uint64_t number(std::uint64_t index) const { return word_.at(at(index)); }
  [[nodiscard]] std::uint64_t pointer(std::uint64_t index) const { return go_pointer_at(sink_, at(index)); }
  [[nodiscard]] FieldBase base_at(std::uint64_t index) const {
    FieldBase base{0, pointer(index)};
    return sink_.layout().file_pos_of(base.address, base.pos) ? base : FieldBase{};
  }
  [[nodiscard]] bool is_slice(std::uint64_t index) const {
    const std::uint64_t length = number(index + 1);
    return length != 0 && length < sink_.file().size() && length == number(index + 2);
  }

  // Slices of the pclntab: pointer, length, capacity. Those of names, files, programs and functions count bytes; the
  // one of units, at 4, counts numbers.
  void add_slice_lengths() {
    for (const std::uint64_t slice : {1u, 7u, 10u, 13u}) {
      sink_.size(at(slice + 1), pointer(slice), FieldKind::kGoTable);
      sink_.size(at(slice + 2), pointer(slice), FieldKind::kGoTable);
    }
  }

  // Where an older one has the slice of text sections, this one has three different addresses.
  [[nodiscard]] bool is_of_127() const {
    if (is_slice(kOldSections) || is_slice(kOldSections + 1) || !is_slice(kSections)) return false;
    return number(kListedBytes) <= pointer(kTypesEnd) - pointer(kTypes);
  }

  void read_tail() {
    tables_.types_bytes = pointer(kTypesEnd) - pointer(kTypes);
    tables_.read_only = base_at(kReadOnly);
    tables_.collector_data = base_at(kCollectorData);
  }

  void read_old_tail() {
    tables_.types_bytes = pointer(kOldTypesEnd) - tables_.types.address;
    tables_.read_only = base_at(kOldReadOnly);
    tables_.collector_data = base_at(kOldCollectorData);
    for (std::uint64_t sections = kOldSections; sections <= kOldSections + 1; ++sections) {
      const std::uint64_t links = sections + 3;
      if (is_slice(sections) && is_slice(links) && tables_.types.pos != 0) return add_links(links);
    }
  }

  // A slice of offsets of types.
  void add_links(std::uint64_t links) {
    const FieldBase list = base_at(links);
    const std::uint64_t count = list.pos == 0 ? 0 : number(links + 1);
    for (std::uint64_t i = 0; i < count && sink_.step(); ++i) {
      sink_.offset32(list.pos + 4 * i, tables_.types, FieldKind::kGoTable);
    }
  }

  FieldSink& sink_;
  std::uint64_t pos_;
  GoTables& tables_;
  Word word_{sink_};
};

}  // namespace

std::uint64_t go_pointer_at(const FieldSink& sink, std::uint64_t pos) {
  const std::uint64_t number = Word{sink}.at(pos);
  if (sink.layout().is_mapped(number)) return number;
  const std::uint64_t low = number & ((std::uint64_t{1} << 36) - 1);
  return sink.layout().is_mapped(low) ? low : low + sink.image().base_address;
}

void read_go_module(FieldSink& sink, GoTables& tables) {
  if (const std::uint64_t pos = find_module(sink, tables)) ModuleReader(sink, pos, tables).read();
}

}  // namespace bdelta::exe

#include "fuzz/field_check.hpp"

#include <algorithm>
#include <array>

#include "exe/btf.hpp"
#include "exe/btf_sections.hpp"
#include "exe/field_codec.hpp"
#include "exe/file_number.hpp"
#include "exe/images.hpp"
#include "exe/isa.hpp"
#include "exe/program.hpp"
#include "exe/rebuilt_tables.hpp"
#include "exe/table_fields.hpp"
#include "fuzz/fuzz_input.hpp"
#include "support/exe_fields.hpp"
#include "support/guard_page.hpp"

namespace bdelta::fuzz {
namespace {

void check_sections(const exe::Image& image, std::uint64_t file_size) {
  std::uint64_t file_end = image.file_pos;
  bool unbacked = false;
  for (const exe::Section& section : image.sections) {
    require(section.memory_bytes != 0 && section.memory_bytes <= ~section.address,
            "a section takes up memory and does not wrap");
    if (section.kind == exe::SectionKind::kUnbacked) {
      require(section.size_bytes == 0, "unbacked memory has no bytes");
      unbacked = true;
      continue;
    }
    require(!unbacked, "unbacked sections come last");
    require(section.size_bytes != 0 && section.size_bytes <= section.memory_bytes,
            "a section has no more bytes than memory");
    require(section.file_pos >= file_end && section.file_pos <= file_size &&
                section.size_bytes <= file_size - section.file_pos,
            "sections ascend within the file");
    file_end = section.file_pos + section.size_bytes;
  }
}

void check_memory(const exe::Image& image) {
  std::vector<exe::Section> sections = image.sections;
  std::sort(sections.begin(), sections.end(), [](const auto& a, const auto& b) { return a.address < b.address; });
  for (std::size_t i = 1; i < sections.size(); ++i) {
    require(sections[i].address - sections[i - 1].address >= sections[i - 1].memory_bytes,
            "sections are apart in memory");
  }
}

// Code of 64 bits in an image whose header says 32, with sections where 32 bits don't reach: such addresses have to be
// refused, and the field keeps its bytes.
bool is_out_of_reach(const exe::FieldOrigin& place, const exe::Field& field) {
  return !place.bits64 && !exe::leads_into_file(field.form) && field.target_address > 0xffffffff;
}

// Whether the bytes say what the field says. Fields whose base lies in no section have no place to be read from.
void check_codec(ByteSpan file, const exe::FieldOrigin& place, const exe::Field& field) {
  exe::Field again = field;
  require(exe::read_field(file, place, again), "a field can be read");
  if (is_out_of_reach(place, field)) {
    require(again.target_address == (field.target_address & 0xffffffff), "its bytes say what of it is in reach");
    std::array<std::uint8_t, 8> untouched{};
    require(!exe::write_field(untouched.data(), field, place, field.target_address), "what is out of reach is refused");
    require(untouched == std::array<std::uint8_t, 8>{}, "what is refused is not written");
    return;
  }
  require(again.target_address == field.target_address, "a field leads where its bytes say");
  std::array<std::uint8_t, 8> bytes{};
  const std::size_t size = exe::field_bytes(field.form);
  std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(field.pos), size, bytes.begin());
  require(exe::write_field(bytes.data(), field, place, field.target_address), "a field can be written");
  require(std::equal(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size),
                     file.begin() + static_cast<std::ptrdiff_t>(field.pos)),
          "writing back what was read changes nothing");
}

void check_field(ByteSpan file, const exe::Images& images, const exe::Field& field) {
  require(field.image < images.all.size(), "a field names an image");
  const exe::Image& image = images.all[field.image];
  const exe::ImageLayout& layout = images.layouts[field.image];
  const std::size_t size = exe::field_bytes(field.form);
  require(field.pos >= image.file_pos && field.pos - image.file_pos + size <= image.size_bytes,
          "a field lies in its image");
  exe::FieldOrigin place;
  place.bits64 = image.bits64;
  place.base_address = image.base_address;
  if (!layout.address_of(field.pos, place.own_address)) place.own_address = field.pos;
  if (exe::leads_into_file(field.form)) {
    place.base_address = exe::kFileSpace + exe::base_pos(field);
    require(field.target_address - exe::kFileSpace - image.file_pos < image.size_bytes, "an entry lies in the image");
  }
  if (exe::traits_of(field.form).counts_from == exe::CountsFrom::kBase && !layout.address_of(exe::base_pos(field), place.base_address)) {
    require(false, "the base of a field is in a section");
  }
  check_codec(file, place, field);
}

bool same(const exe::Field& a, const exe::Field& b) {
  return a.pos == b.pos && a.target_address == b.target_address && a.form == b.form && a.kind == b.kind &&
         a.trailing_bytes == b.trailing_bytes && a.image == b.image && a.base_delta == b.base_delta;
}

// Tables ascend inside their images, and are rebuilt into as many bytes by a cover of half of the file.
void check_sorted_tables(ByteSpan file, const exe::Images& images) {
  const std::vector<exe::SortedTable> tables = exe::find_sorted_tables(file, images.all);
  std::uint64_t end = 0;
  for (const exe::SortedTable& table : tables) {
    const exe::Image& image = images.all.at(table.image);
    require(table.pos >= std::max(end, image.file_pos) && table.size_bytes != 0, "sorted tables ascend and are apart");
    end = table.pos + table.size_bytes;
    require(end <= image.file_pos + image.size_bytes && end <= file.size(), "a sorted table lies in its image");
  }
  const Covers covers{{file.size() / 4, file.size() / 2, file.size() / 2}};
  const exe::OwnerMap map(covers);
  const exe::LabelIndex labels({});
  const std::vector<exe::PageBreaks> breaks = exe::find_page_breaks(file, images.all, tables);
  const auto rebuilt = exe::rebuild_tables({file, images, images, map, labels, breaks}, tables, exe::kAllTables);
  end = 0;
  for (const exe::RebuiltTable& table : rebuilt) {
    require(table.bytes.size() == table.old.size_bytes && table.old.pos >= end, "rebuilt tables stay in order");
    end = table.old.pos + table.old.size_bytes;
  }
  require(exe::rebuild_tables({file, images, images, map, labels, breaks}, tables, exe::kAllKinds).empty(),
          "what is not named is not rebuilt");
}

}  // namespace

void check_images(std::span<const exe::Image> images, std::uint64_t file_size) {
  std::uint64_t end = 0;
  for (const exe::Image& image : images) {
    require(image.file_pos >= end && image.file_pos <= file_size && image.size_bytes <= file_size - image.file_pos,
            "images ascend within the file");
    end = image.file_pos + image.size_bytes;
    check_sections(image, file_size);
    check_memory(image);
  }
}

void check_fields(ByteSpan file, const exe::Images& images, std::span<const exe::Field> fields, std::uint64_t begin,
                  std::uint64_t end) {
  std::uint64_t before = begin;
  for (const exe::Field& field : fields) {
    const std::uint64_t field_end = field.pos + exe::field_bytes(field.form);
    require(field.pos >= before && field_end <= end, "fields ascend, are apart and inside");
    before = field_end;
    check_field(file, images, field);
  }
}

void check_program(ByteSpan file) {
  std::vector<exe::Image> found = exe::find_images(file);
  check_images(found, file.size());
  if (found.empty()) return;
  check_sorted_tables(file, exe::Images(found));
  WorkerPool pool(1);
  const exe::Program program(file, found, pool);
  const std::vector<exe::Field> all = test::all_fields(program);
  check_fields(file, program.images(), all, 0, file.size());
  // The same by halves, and once code is kept.
  const exe::Program keeping(file, std::move(found), pool, exe::Program::kKeepAll);
  exe::FieldCache cache;
  std::size_t next = 0;
  const std::uint64_t half = file.size() / 2;
  for (const auto& [begin, end] : {std::pair<std::uint64_t, std::uint64_t>{0, half}, {half, file.size()}}) {
    for (const exe::Field& field : keeping.fields_from(begin, end, cache)) {
      require(next < all.size() && same(all[next], field), "fields don't depend on how they are asked for");
      ++next;
    }
  }
  require(next == all.size(), "halves have all fields");
}

// Lists of types lie apart inside the file, and their numbers can be moved.
void check_types(ByteSpan file) {
  const ThresholdPair common{{{1, 3}, {100, 0}}, {{2, 1}}};
  const ThresholdPair own{{{50, ~std::uint32_t{0}}}, {}};
  std::uint64_t end = 0;
  for (const std::uint64_t pos : exe::find_btf(file)) {
    const auto types = exe::read_btf_header(exe::bytes_at(file, pos, exe::kBtfHeaderBytes), pos, file.size());
    require(types && types->pos >= end, "lists of types have headers and lie apart");
    end = types->pos + types->size_bytes;
    require(end <= file.size(), "lists of types lie inside the file");
    const ByteSpan list = exe::bytes_at(file, types->pos, types->size_bytes);
    Bytes numbered(list.begin(), list.end());
    require(exe::move_btf_numbers(numbered, common, own, nullptr), "lists that are found are sound");
  }
}

void check_file_input(Input& input, ByteSpan magic, std::size_t start) {
  test::GuardedBytes file(input.rest());
  if (file.bytes().size() >= start + magic.size()) {
    std::copy(magic.begin(), magic.end(), file.writable().begin() + static_cast<std::ptrdiff_t>(start));
  }
  check_program(file.bytes());
  check_types(file.bytes());
}

namespace {

bool has_wide_addresses(exe::Machine machine) {
  return machine != exe::Machine::kX86_32 && machine != exe::Machine::kArm32;
}

// Code behind so many zeros. Only the last block is searched: memory that nothing touches costs nothing.
void check_code(ByteSpan code, std::size_t zero_bytes, exe::Machine machine, std::uint64_t address,
                exe::AddressRange image) {
  constexpr std::uint64_t kSectionPos = 3;
  test::GuardedBytes file(kSectionPos + zero_bytes + code.size());
  std::copy(code.begin(), code.end(), file.writable().end() - static_cast<std::ptrdiff_t>(code.size()));
  const exe::CodeSection section{file.bytes().subspan(kSectionPos), address, kSectionPos, machine, false};
  const std::size_t block = section.bytes.empty() ? 0 : (section.bytes.size() - 1) / exe::kCodeBlockBytes;
  std::vector<exe::Field> fields;
  exe::find_code_fields(section, block, image, fields);
  std::uint64_t before = kSectionPos + block * exe::kCodeBlockBytes;
  for (const exe::Field& field : fields) {
    require(field.pos >= before, "fields of code ascend, are apart and in their block");
    before = field.pos + exe::field_bytes(field.form);
    require(before <= file.bytes().size(), "fields of code lie in the section");
    // A page that nothing uses may begin before the image.
    const std::uint64_t slack = field.kind == exe::FieldKind::kPageReference ? 0xfff : 0;
    require(field.target_address >= image.low - std::min(slack, image.low) && field.target_address < image.high,
            "fields of code lead into the image");
    const std::uint64_t base = exe::has_base(field.form) ? exe::base_pos(field) - kSectionPos : 0;
    require(base < section.bytes.size(), "the base of a field is in the section");
    check_codec(file.bytes(), {address + (field.pos - kSectionPos), address + base, has_wide_addresses(machine)}, field);
  }
}

}  // namespace

void check_code_input(Input& input, exe::Machine machine) {
  constexpr std::uint8_t kAcrossBlocks = 0x80;
  const std::uint8_t options = input.u8();
  const bool bits64 = has_wide_addresses(machine);
  const bool is_arm = machine == exe::Machine::kArm64 || machine == exe::Machine::kArm32;
  const std::uint64_t unit = is_arm ? 4 : 1;
  const std::uint64_t address = (bits64 ? input.u64() >> (options & 63) : input.u32()) / unit * unit;
  const std::uint64_t reach = std::uint64_t{1} << (input.u8() % 40);
  const std::uint64_t most = bits64 ? ~std::uint64_t{0} : 0xffffffff;
  const std::uint64_t low = address > reach ? address - reach : 0;
  const std::uint64_t high = address < most - reach ? address + reach : most;
  const std::size_t in_block_before = input.rest().size() / 2 / 4 * 4;
  const bool across = (options & kAcrossBlocks) != 0 && in_block_before < exe::kCodeBlockBytes;
  check_code(input.rest(), across ? exe::kCodeBlockBytes - in_block_before : 0, machine, address, {low, high});
}

}  // namespace bdelta::fuzz

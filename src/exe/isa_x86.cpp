// Fields of x86 code by a linear sweep: one instruction after the other, from the start of the block on.
//
// The length of an instruction is known only when the one before it has been decoded, so the sweep is one long chain of
// dependent loads; it decides the speed. Four things keep the chain short. The eight bytes at the instruction are
// loaded once, and a REX prefix is shifted out without a branch. The opcode's table entry and the ModRM byte's size are
// loaded side by side, and both lengths are added. Prefixes 66, F2, F3, VEX and what else is rarer goes to the general
// decoder.
//
// A branch on "does this instruction hold a field" would be mispredicted every few instructions. So a record is stored
// after each instruction, and the next store overwrites it unless it was one. Records are turned into fields by a
// second loop, equally without branches on what was found.
//
// An invalid opcode is stepped over by one byte. Code of x86 falls in step by itself. After data inside the code, or
// when the sweep begins in the middle of an instruction, it is mostly back on true borders after some instructions.
// That is why a block can begin anywhere, some bytes earlier than wanted.
#include <algorithm>
#include <array>
#include <cstring>

#include "base/bytes.hpp"
#include "exe/isa_kernels.hpp"
#include "exe/x86_sweep.hpp"

namespace bdelta::exe {
namespace x86 {
namespace {

// Fillers between functions. At the start of an instruction eight equal ones are a run; it may be megabytes long.
const std::uint8_t* skip_filler(const std::uint8_t* at, const std::uint8_t* limit) noexcept {
  const std::uint8_t filler = *at;
  const std::uint64_t eight = filler * std::uint64_t{0x0101010101010101};
  if (load_le<std::uint64_t>(at) != eight) return at;
  do at += 8;
  while (at < limit && load_le<std::uint64_t>(at) == eight);
  while (at < limit && *at == filler) ++at;
  return at;
}

constexpr std::size_t kMostRecords = 2;  // of an instruction: displacement and immediate

// Decodes what the short way leaves out, or a run of fillers. Gives the next instruction's start.
template <bool kBits64, Numbers kNumbers>
const std::uint8_t* sweep_special(const std::uint8_t* at, const std::uint8_t* limit, const std::uint8_t* base,
                                  SweepRecord* records, std::size_t& count) noexcept {
  if (action_of(opcodes<kBits64>()[*at]) == Action::kPadding) {
    const std::uint8_t* next = skip_filler(at, limit);
    if (next != at) return next;
  }
  const Instruction found = decode_instruction<kBits64>(at);
  if (found.length_bytes == 0) return at + 1;
  const auto start = static_cast<std::uint32_t>(at - base);
  if (kNumbers == Numbers::kAll && found.displacement_offset != 0) {
    records[count++] = {start + found.displacement_offset, Relative::kAbsolute, 0};
  }
  records[count] = {start + found.field_offset, found.relative, found.trailing_bytes};
  count += found.relative != Relative::kNone ? 1 : 0;
  if (kNumbers == Numbers::kAll && found.immediate_offset != 0) {
    records[count++] = {start + found.immediate_offset, Relative::kAbsolute, 0};
  }
  return at + found.length_bytes;
}

}  // namespace

// An instruction with a ModRM byte has no relative immediate, so the two can be joined.
constexpr unsigned kMemoryCode = static_cast<unsigned>(Relative::kMemory);

template <bool kBits64, Numbers kNumbers>
Sweep sweep(const std::uint8_t* base, const std::uint8_t* at, const std::uint8_t* limit,
            SweepBuffer& records) noexcept {
  const OpcodeTable& table = opcodes<kBits64>();
  std::size_t count = 0;
  while (at < limit && count + kMostRecords <= records.size()) {
    std::uint64_t word = load_le<std::uint64_t>(at);
    const unsigned rex = kBits64 && (word & 0xF0) == 0x40 ? 1 : 0;
    const unsigned rex_w = rex & static_cast<unsigned>(word >> 3);
    word >>= 8 * rex;
    unsigned opcode_bytes = rex + 1;
    OpcodeEntry entry = table[word & 0xFF];
    if (action_of(entry) == Action::kEscape) {
      word >>= 8;
      opcode_bytes += 1;
      entry = table[k0F * 256 + (word & 0xFF)];
    }
    if (action_of(entry) != Action::kPlain) {
      at = sweep_special<kBits64, kNumbers>(at, limit, base, records.data(), count);
      continue;
    }
    // Masks and sums instead of conditions, so that no compiler makes branches of them.
    const unsigned modrm_mask = 0u - (entry / kHasModRm & 1u);
    const unsigned modrm = kModRmSizes[(word >> 8) & 0x7FF] & modrm_mask;
    const unsigned memory = kBits64 ? modrm / kDisplacementOnly : 0u;
    const unsigned immediate_bytes = (entry & kImmediateMask) + (rex_w & (entry / kWide)) * 4;
    const unsigned relative = (entry & kRelativeMask) >> kRelativeShift | memory * kMemoryCode;
    at += opcode_bytes + (modrm & ~unsigned{kDisplacementOnly}) + immediate_bytes;
    if constexpr (kNumbers == Numbers::kAll) {
      records[count] = {static_cast<std::uint32_t>(at - base) - immediate_bytes - 4, Relative::kAbsolute, 0};
      count += (modrm & ~unsigned{kDisplacementOnly}) >= 5 && memory == 0 ? 1 : 0;
    }
    records[count] = {static_cast<std::uint32_t>(at - base) - immediate_bytes - 4 * memory,
                      static_cast<Relative>(relative), static_cast<std::uint8_t>(immediate_bytes & (0u - memory))};
    count += relative != 0 ? 1 : 0;
    if constexpr (kNumbers == Numbers::kAll) {
      records[count] = {static_cast<std::uint32_t>(at - base) - 4, Relative::kAbsolute, 0};
      count += immediate_bytes == 4 && (entry & kRelativeMask) == 0 ? 1 : 0;
    }
  }
  return {at, count};
}

template Sweep sweep<true>(const std::uint8_t*, const std::uint8_t*, const std::uint8_t*, SweepBuffer&) noexcept;
template Sweep sweep<false>(const std::uint8_t*, const std::uint8_t*, const std::uint8_t*, SweepBuffer&) noexcept;
template Sweep sweep<true, Numbers::kAll>(const std::uint8_t*, const std::uint8_t*, const std::uint8_t*,
                                          SweepBuffer&) noexcept;
template Sweep sweep<false, Numbers::kAll>(const std::uint8_t*, const std::uint8_t*, const std::uint8_t*,
                                           SweepBuffer&) noexcept;

}  // namespace x86

namespace {

using x86::Relative;

// Decoding begins so much before a block. Sixteen million sweeps began at a wrong byte of four large programs. One in
// ten was still out of step after 16 bytes, one in 500 after 64, one in 130,000 after 512.
constexpr std::size_t kLeadBytes = 512;

constexpr std::array<FieldKind, 7> kKinds = {FieldKind::kOther,       FieldKind::kCall,          FieldKind::kJump,
                                             FieldKind::kBranch,      FieldKind::kShortBranch,   FieldKind::kDataReference,
                                             FieldKind::kCodePointer};

// Where a swept stretch lies and which of its fields count.
struct Stretch {
  const std::uint8_t* bytes;  // at `pos` of the section
  std::size_t pos;
  std::size_t size_bytes;
};

template <bool kBits64>
class FieldWriter {
 public:
  FieldWriter(const CodeSection& section, CodeBlock block, AddressRange image, std::vector<Field>& out) noexcept
      : section_(section), block_(block), image_(image), out_(out) {}

  // Turns records into fields: those that lie in the block and the section and lead into the image.
  void write(const Stretch& stretch, const x86::SweepBuffer& records, std::size_t record_count) {
    const std::size_t before = out_.size();
    out_.resize(before + record_count);
    Field* next = out_.data() + before;
    for (std::size_t i = 0; i < record_count; ++i) {
      *next = field_of(stretch, records[i]);
      next += counts(stretch, records[i], next->target_address) ? 1 : 0;
    }
    out_.resize(static_cast<std::size_t>(next - out_.data()));
  }

 private:
  static std::size_t size_of(Relative relative) noexcept { return relative == Relative::kShort ? 1 : 4; }

  // The four bytes can always be read: the stretch is followed by readable ones.
  Field field_of(const Stretch& stretch, const x86::SweepRecord& record) const noexcept {
    const auto raw = load_le<std::uint32_t>(stretch.bytes + record.pos);
    const bool is_short = record.relative == Relative::kShort;
    const std::int64_t delta = is_short ? static_cast<std::int8_t>(raw) : static_cast<std::int32_t>(raw);
    const std::uint64_t pos = stretch.pos + record.pos;
    const std::uint64_t end = section_.address + pos + size_of(record.relative) + record.trailing_bytes;
    Field field;
    field.pos = section_.file_pos + pos;
    field.target_address = end + static_cast<std::uint64_t>(delta);
    if (!kBits64) field.target_address &= 0xFFFFFFFF;
    field.form = is_short ? FieldForm::kRel8 : FieldForm::kRel32;
    field.kind = kKinds[static_cast<std::size_t>(record.relative)];
    field.trailing_bytes = record.trailing_bytes;
    if (record.relative == Relative::kAbsolute) {
      field.form = FieldForm::kAbs32;
      field.target_address = raw;
    }
    return field;
  }

  bool counts(const Stretch& stretch, const x86::SweepRecord& record, std::uint64_t target) const noexcept {
    const std::size_t pos = stretch.pos + record.pos;
    const std::size_t end = pos + size_of(record.relative);
    const bool in_block = (pos >= block_.begin) & (end <= block_.end);
    const bool in_section = end + record.trailing_bytes <= section_.bytes.size();
    return in_block & in_section & (target - image_.low < image_.high - image_.low);
  }

  const CodeSection& section_;
  CodeBlock block_;
  AddressRange image_;
  std::vector<Field>& out_;
};

// Sweeps a stretch whose last instruction starts before `limit`; gives the start of the one after it.
template <bool kBits64, x86::Numbers kNumbers>
std::size_t sweep_stretch(const Stretch& stretch, std::size_t limit, FieldWriter<kBits64>& writer) {
  x86::SweepBuffer records;
  std::size_t done = 0;
  while (done < limit) {
    const x86::Sweep swept = x86::sweep<kBits64, kNumbers>(stretch.bytes, stretch.bytes + done, stretch.bytes + limit, records);
    writer.write(stretch, records, swept.record_count);
    done = static_cast<std::size_t>(swept.next - stretch.bytes);
  }
  return done;
}

// The last bytes of a section are decoded in a copy, as the sweep reads beyond the instruction.
template <bool kBits64, x86::Numbers kNumbers>
void find_fields(const CodeSection& section, CodeBlock block, AddressRange image, std::vector<Field>& out) {
  FieldWriter<kBits64> writer(section, block, image, out);
  const std::size_t size = section.bytes.size();
  const std::size_t begin = block.begin - std::min(block.begin, kLeadBytes);
  const std::size_t open_end = std::max(begin, size - std::min(size, x86::kReadableBytes));
  const Stretch open{section.bytes.data() + begin, begin, open_end - begin};
  const std::size_t open_limit = std::min(block.end, open_end) - begin;
  const std::size_t next = begin + (open_limit > 0 ? sweep_stretch<kBits64, kNumbers>(open, open_limit, writer) : 0);
  if (next >= block.end) return;

  std::array<std::uint8_t, 2 * x86::kReadableBytes> copy{};
  const std::size_t rest = size - next;
  std::memcpy(copy.data(), section.bytes.data() + next, rest);
  sweep_stretch<kBits64, kNumbers>(Stretch{copy.data(), next, rest}, rest, writer);
}

}  // namespace

void find_x86_64_fields(const CodeSection& section, CodeBlock block, AddressRange image, std::vector<Field>& out) {
  section.is_fixed ? find_fields<true, x86::Numbers::kAll>(section, block, image, out)
                   : find_fields<true, x86::Numbers::kRelative>(section, block, image, out);
}

void find_x86_32_fields(const CodeSection& section, CodeBlock block, AddressRange image, std::vector<Field>& out) {
  section.is_fixed ? find_fields<false, x86::Numbers::kAll>(section, block, image, out)
                   : find_fields<false, x86::Numbers::kRelative>(section, block, image, out);
}

}  // namespace bdelta::exe

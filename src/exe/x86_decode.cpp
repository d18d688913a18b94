// The general decoder: every prefix, every map. An instruction is
//
//   legacy prefixes, REX (64-bit mode) | opcode of map 0, 0F, 0F38 or 0F3A | ModRM, SIB, displacement | immediate
//   VEX, EVEX or XOP, which name the map themselves | opcode               | the same
//
// and each step below takes one of these parts. The sweep decodes the common forms by itself and comes here with the
// rest; tests hold both against each other.
#include "exe/x86_decode.hpp"

namespace bdelta::exe::x86 {
namespace {

struct Prefixes {
  bool operand = false;  // 66
  bool address = false;  // 67
  bool repne = false;    // F2
  bool rex = false;
  bool rex_w = false;
};

struct Decoder {
  const std::uint8_t* code;
  unsigned used = 0;
  Prefixes prefixes{};
};

constexpr OpcodeEntry kInvalidEntry = detail::with(Action::kInvalid);

// Takes the prefixes. A REX prefix counts only where the opcode follows at once.
template <bool kBits64>
void take_prefixes(Decoder& d) noexcept {
  for (; d.used < kMaxInstructionBytes; ++d.used) {
    const unsigned byte = d.code[d.used];
    const Action action = action_of(opcodes<kBits64>()[byte]);
    if (action == Action::kRex) {
      d.prefixes.rex = true;
      d.prefixes.rex_w = (byte & 8) != 0;
      continue;
    }
    if (action != Action::kPrefix) return;
    d.prefixes.rex = d.prefixes.rex_w = false;
    d.prefixes.operand |= byte == 0x66;
    d.prefixes.address |= byte == 0x67;
    d.prefixes.repne |= byte == 0xF2;
  }
}

// VEX and EVEX give opcodes of map 0F other meanings; where the old one says nothing that holds for them, ModRM and no
// immediate is right.
OpcodeEntry entry_of_vector_0f(unsigned opcode, bool evex) noexcept {
  const OpcodeEntry entry = kOpcodes64[k0F * 256 + opcode];
  const bool plain = action_of(entry) == Action::kPlain && (entry & kRelativeMask) == 0;
  return plain && !(evex && opcode == 0x77) ? entry : OpcodeEntry{kHasModRm};
}

// Maps 5 and 6 are those of EVEX for half precision.
OpcodeEntry entry_of_vector_map(unsigned map, unsigned opcode, bool evex) noexcept {
  switch (map) {
    case 1: return entry_of_vector_0f(opcode, evex);
    case 2: return kHasModRm;
    case 3: return kHasModRm | 1;
    case 5:
    case 6: return evex ? OpcodeEntry{kHasModRm} : kInvalidEntry;
    default: return kInvalidEntry;
  }
}

OpcodeEntry entry_of_xop_map(unsigned map) noexcept {
  if (map == 8) return kHasModRm | 1;
  if (map == 9) return kHasModRm;
  return map == 10 ? OpcodeEntry{kHasModRm | 4} : kInvalidEntry;
}

// Takes the bytes from the VEX, EVEX or XOP prefix through the opcode. In 32-bit mode the caller has made sure that
// it is none of LES, LDS and BOUND.
OpcodeEntry take_vector_opcode(Decoder& d, Action action) noexcept {
  const std::uint8_t* at = d.code + d.used;
  if (d.prefixes.rex || d.prefixes.operand || d.prefixes.repne) return kInvalidEntry;
  if (action == Action::kVex2) {
    d.used += 3;
    return entry_of_vector_map(1, at[2], false);
  }
  if (action == Action::kEvex) {
    d.used += 5;
    return entry_of_vector_map(at[1] & 7, at[4], true);
  }
  d.used += 4;
  return action == Action::kXop ? entry_of_xop_map(at[1] & 31) : entry_of_vector_map(at[1] & 31, at[3], false);
}

// In 32-bit mode C4, C5 and 62 are old instructions unless the next byte would be a ModRM byte of two registers. 8F
// is POP unless the next byte names an XOP map.
template <bool kBits64>
bool is_vector_prefix(Action action, unsigned next) noexcept {
  if (action == Action::kXop) return (next & 31) >= 8;
  return kBits64 || next >= 0xC0;
}

// Takes the opcode and gives its entry.
template <bool kBits64>
OpcodeEntry take_opcode(Decoder& d) noexcept {
  const std::uint8_t* at = d.code + d.used;
  const OpcodeEntry first = opcodes<kBits64>()[at[0]];
  const Action action = action_of(first);
  if (action >= Action::kVex3 && action <= Action::kXop && is_vector_prefix<kBits64>(action, at[1])) {
    return take_vector_opcode(d, action);
  }
  d.used += 1;
  if (action != Action::kEscape) return first;
  const OpcodeEntry second = kOpcodes64[k0F * 256 + at[1]];
  d.used += 1;
  const Action escape = action_of(second);
  if (escape != Action::kEscape38 && escape != Action::kEscape3A) return second;
  d.used += 1;
  return kOpcodes64[(escape == Action::kEscape38 ? k0F38 : k0F3A) * 256 + at[2]];
}

// A size of kModRmSizes.
template <bool kBits64>
unsigned modrm_size(const Decoder& d, OpcodeEntry entry) noexcept {
  if ((entry & kHasModRm) == 0) return 0;
  const unsigned modrm = d.code[d.used];
  if ((entry & kScaleMask) == kRegistersOnly) return 1;
  if (!kBits64 && d.prefixes.address) return detail::modrm_size16(modrm);
  return kModRmSizes[modrm | (d.code[d.used + 1] & 7u) << 8];
}

template <bool kBits64>
unsigned immediate_bytes(const Decoder& d, OpcodeEntry entry, unsigned modrm) noexcept {
  const unsigned bytes = entry & kImmediateMask;
  const bool narrow = d.prefixes.operand && !d.prefixes.rex_w;
  const unsigned by_operand = bytes > 2 && narrow ? bytes - 2 : bytes;
  switch (entry & kScaleMask) {
    // Branches keep their 32 bits in 64-bit mode.
    case kByOperand: return kBits64 && (entry & kRelativeMask) != 0 ? bytes : by_operand;
    case kByOperand64: return d.prefixes.rex_w ? 8 : by_operand;
    case kByAddress: return d.prefixes.address ? bytes / 2 : bytes;
    case kTestOnly: return (modrm & 0x30) == 0 ? by_operand : 0;
    case kByPrefix: return d.prefixes.operand || d.prefixes.repne ? 2 : 0;
    default: return bytes;
  }
}

void set_field(Instruction& found, Relative relative, unsigned field_bytes, unsigned trailing_bytes) noexcept {
  found.relative = relative;
  found.field_offset = static_cast<std::uint8_t>(found.length_bytes - trailing_bytes - field_bytes);
  found.trailing_bytes = static_cast<std::uint8_t>(trailing_bytes);
}

}  // namespace

template <bool kBits64>
Instruction decode_instruction(const std::uint8_t* code) noexcept {
  Decoder d{code};
  take_prefixes<kBits64>(d);
  if (d.used >= kMaxInstructionBytes) return {};
  const OpcodeEntry entry = take_opcode<kBits64>(d);
  if (action_of(entry) == Action::kInvalid) return {};

  const unsigned modrm = d.code[d.used];
  const unsigned immediate = immediate_bytes<kBits64>(d, entry, modrm);
  const unsigned size = modrm_size<kBits64>(d, entry);
  const unsigned length = d.used + (size & ~unsigned{kDisplacementOnly}) + immediate;
  if (length > kMaxInstructionBytes) return {};

  Instruction found{static_cast<std::uint8_t>(length)};
  const auto relative = static_cast<Relative>((entry & kRelativeMask) >> kRelativeShift);
  if (relative == Relative::kShort) {
    set_field(found, relative, 1, 0);
  } else if (relative != Relative::kNone) {
    if (immediate == 4) set_field(found, relative, 4, 0);
  } else if (kBits64 && (size & kDisplacementOnly) != 0) {
    set_field(found, Relative::kMemory, 4, immediate);
  }
  const unsigned bytes = size & ~unsigned{kDisplacementOnly};
  if (bytes >= 5 && !(kBits64 && (size & kDisplacementOnly) != 0)) {
    found.displacement_offset = static_cast<std::uint8_t>(length - immediate - 4);
  }
  if (immediate == 4 && relative == Relative::kNone) found.immediate_offset = static_cast<std::uint8_t>(length - 4);
  return found;
}

template Instruction decode_instruction<true>(const std::uint8_t*) noexcept;
template Instruction decode_instruction<false>(const std::uint8_t*) noexcept;

}  // namespace bdelta::exe::x86

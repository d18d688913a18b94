#include "support/pe_program.hpp"

#include "support/exe_craft.hpp"
#include "support/generate.hpp"

namespace bdelta::test {
namespace {

std::size_t pe_code_bytes(unsigned number) { return 48 + 16 * Random(number + 3).below(4); }

bool has_wide_table(unsigned number) { return number % 2 == 0; }

class PeLinker {
 public:
  PeLinker(const std::vector<unsigned>& functions, bool arm64) : functions_(functions), arm64_(arm64) {}

  PeProgram link() {
    std::size_t at = kPeText;
    for (const unsigned number : functions_) {
      at_.starts.push_back(at);
      at += pe_code_bytes(number);
    }
    text_end_ = at;
    data_ = next_ = aligned_up(at, 0x200);
    for (std::size_t i = 0; i < functions_.size(); ++i) put_code(i);
    for (std::size_t i = 0; i < functions_.size(); ++i) has_wide_table(functions_[i]) ? put_wide(i) : put_packed(i);
    for (std::size_t i = 0; i < functions_.size(); ++i) put_unwind_info(i);
    put_functions();
    put_config();
    at_.end = next_;
    put_headers();
    return {out_.take(), at_};
  }

 private:
  static std::uint32_t rva(std::size_t pos) { return static_cast<std::uint32_t>(pos + kPeRvaShift); }
  std::uint32_t code(std::size_t i, std::size_t offset) const { return rva(at_.starts[i] + offset); }

  std::size_t take(std::size_t bytes, std::size_t unit = 4) {
    const std::size_t pos = aligned_up(next_, unit);
    next_ = pos + bytes;
    out_.grow_to(next_);
    return pos;
  }
  std::size_t put_words(std::initializer_list<std::uint32_t> words) {
    const std::size_t pos = take(4 * words.size());
    std::size_t at = pos;
    for (const std::uint32_t word : words) out_.put32(at, word), at += 4;
    return pos;
  }

  // Bytes that are no instructions with an address, and one call of some function.
  void put_code(std::size_t i) {
    Random random(functions_[i]);
    const std::size_t at = at_.starts[i];
    const std::size_t to = at_.starts[(i * 5 + 1) % functions_.size()];
    for (std::size_t k = 0; k < pe_code_bytes(functions_[i]); k += 4) {
      out_.put32(at + k, arm64_ ? 0xd2800000 | random.below(1 << 16) << 5 : 0x00b04090 | random.below(256) << 24);
    }
    if (arm64_) {
      out_.put32(at + 4, 0x94000000 | ((to - (at + 4)) / 4 & 0x3ffffff));
    } else {
      out_.put8(at + 4, 0xe8).put32(at + 5, to - (at + 9)).put8(at + 9, 0x90).put8(at + 10, 0x90).put8(at + 11, 0x90);
    }
  }

  // Two states with something to destroy, one try with one handler, three places in the code.
  void put_wide(std::size_t i) {
    const std::size_t states = put_words({~0u, code(i, 8), 0, code(i, 12)});
    const std::size_t handlers = put_words({8, 0, 0, code(i, 32), 0});
    const std::size_t tries = put_words({0, 0, 1, 1, rva(handlers)});
    const std::size_t places = put_words({code(i, 0), ~0u, code(i, 16), 0, code(i, 24), 1});
    const std::size_t types = put_words({0, 0});
    at_.cpp_tables.push_back(put_words({0x19930522, 2, rva(states), 1, rva(tries), 3, rva(places), 0, rva(types), 1}));
  }

  // The same; numbers of one byte are twice their value, and they may stand at odd positions.
  void put_packed(std::size_t i) {
    Bytes part;
    const auto start_part = [&] { part.clear(); };
    const auto rva_of = [&](std::uint32_t value) { append_le(part, value); };
    const auto place_part = [&] {
      const std::size_t pos = take(part.size(), 1);
      out_.put_bytes(pos, part);
      return pos;
    };
    start_part();  // entries of each kind: nothing, an object, a pointer to one, a call alone
    part.insert(part.end(), {4 * 2, 2 * 4, 2 * (4 + 1)});
    rva_of(code(i, 8));
    part.insert(part.end(), {2 * 40, 2 * (4 + 2)});
    rva_of(code(i, 12));
    part.insert(part.end(), {0x01, 0x05, 2 * (4 + 3)});  // an object at 0x0140: a number of two bytes
    rva_of(code(i, 20));
    const std::size_t states = place_part();
    start_part();  // a handler with all there is, and two places where to go on
    part.insert(part.end(), {2 * 1, 1 | 2 | 4 | 8 | 2 << 4, 2 * 8});
    rva_of(rva(states));
    part.insert(part.end(), {2 * 16});
    rva_of(code(i, 32));
    rva_of(code(i, 36));
    rva_of(code(i, 40));
    const std::size_t handlers = place_part();
    start_part();
    part.insert(part.end(), {2 * 1, 0, 0, 2 * 1});
    rva_of(rva(handlers));
    const std::size_t tries = place_part();
    start_part();  // two parts of a function
    part.insert(part.end(), {2 * 2});
    for (const std::uint32_t offset : {0u, 24u}) {
      rva_of(code(i, offset));
      rva_of(rva(tries));
    }
    const std::size_t places = place_part();
    start_part();
    part.insert(part.end(), {2 | 4 | 8 | 16, 0x0f, 1, 2, 3, 4});  // with a number of five bytes
    rva_of(rva(states));
    rva_of(rva(tries));
    rva_of(rva(places));
    at_.cpp_tables.push_back(place_part());
  }

  void put_unwind_info(std::size_t i) {
    constexpr std::uint32_t kHandler = 1 << 20, kOneEnd = 1 << 21;
    const auto words = static_cast<std::uint32_t>(pe_code_bytes(functions_[i]) / 4);
    if (!arm64_) {
      at_.unwind_infos.push_back(put_words({0x00010419, 0, code(0, 0), rva(at_.cpp_tables[i])}));
      out_.put16(at_.unwind_infos.back() + 4, 0x4204);  // one code, and another for padding
    } else if (functions_[i] % 3 == 0) {
      at_.unwind_infos.push_back(
          put_words({words | kHandler | kOneEnd | 3 << 22 | 1u << 27, 0xe3e3e4e1, code(0, 0), rva(at_.cpp_tables[i])}));
    } else if (functions_[i] % 3 == 1) {
      at_.unwind_infos.push_back(put_words({words | kHandler | 2u << 22 | 1u << 27, 4, 8, 0xe3e3e4e1, code(0, 0),
                                            rva(at_.cpp_tables[i])}));
    } else {
      at_.unwind_infos.push_back(
          put_words({words | kHandler, 1 | 2 << 16, 4, 0xe3e3e3e1, 0xe3e3e4e1, code(0, 0), rva(at_.cpp_tables[i])}));
    }
  }

  void put_functions() {
    at_.functions = take(functions_.size() * entry_bytes());
    for (std::size_t i = 0; i < functions_.size(); ++i) {
      const std::size_t at = at_.functions + entry_bytes() * i;
      out_.put32(at, code(i, 0));
      if (!arm64_) out_.put32(at + 4, code(i, pe_code_bytes(functions_[i]) - 1));
      out_.put32(at + entry_bytes() - 4, rva(at_.unwind_infos[i]));
    }
  }

  void put_config() {
    const std::size_t count = functions_.size();
    const std::size_t accesses = take(4 * count), ranges = take(8 * count);
    for (std::size_t i = 0; i < count; ++i) {
      out_.put32(accesses + 4 * i, code(i, 28));
      out_.put32(ranges + 8 * i, code(i, 0)).put32(ranges + 8 * i + 4, pe_code_bytes(functions_[i]));
    }
    at_.volatiles = put_words({24, 0x1000, rva(accesses), static_cast<std::uint32_t>(4 * count), rva(ranges),
                               static_cast<std::uint32_t>(8 * count)});
    at_.config = take(kConfigBytes, 8);
    out_.put32(at_.config, kConfigBytes).put64(at_.config + 256, kPeProgramBase + rva(at_.volatiles));
  }

  void put_headers() {
    constexpr std::size_t kCoff = 0x40, kOptional = kCoff + 24, kSections = kOptional + 240;
    out_.put_bytes(0, bytes_of("MZ"));
    out_.put32(60, kCoff).put32(kCoff, 0x4550).put16(kCoff + 4, arm64_ ? 0xaa64 : 0x8664).put16(kCoff + 6, 2);
    out_.put16(kCoff + 20, 240).put16(kOptional, 0x20b).put32(kOptional + 16, code(0, 0));
    out_.put64(kOptional + 24, kPeProgramBase).put32(kOptional + 108, 16);
    const auto directory = [&](std::size_t index, std::size_t pos, std::size_t size) {
      out_.put32(kOptional + 112 + 8 * index, rva(pos)).put32(kOptional + 116 + 8 * index, size);
    };
    directory(3, at_.functions, functions_.size() * entry_bytes());
    directory(10, at_.config, kConfigBytes);
    const auto section = [&](std::size_t index, std::size_t pos, std::size_t size, std::uint32_t flags) {
      const std::size_t at = kSections + 40 * index;
      out_.put32(at + 8, size).put32(at + 12, rva(pos)).put32(at + 16, size).put32(at + 20, pos).put32(at + 36, flags);
    };
    section(0, kPeText, text_end_ - kPeText, 0x60000020);
    section(1, data_, at_.end - data_, 0x40000040);
  }

  [[nodiscard]] std::size_t entry_bytes() const { return arm64_ ? 8 : 12; }

  static constexpr std::uint32_t kConfigBytes = 264;
  const std::vector<unsigned>& functions_;
  const bool arm64_;
  std::size_t text_end_ = 0;
  std::size_t data_ = 0;
  std::size_t next_ = 0;
  PeLayout at_{};
  CraftedBytes out_;
};

}  // namespace

PeProgram pe_program(const std::vector<unsigned>& functions, bool arm64) { return PeLinker(functions, arm64).link(); }

ProgramPair pe_pair(unsigned function_count) {
  const TwoVersions versions(function_count);
  ProgramPair pair;
  for (const bool arm64 : {false, true}) {
    append(pair.old_version, pe_program(versions.old_functions, arm64).bytes);
    append(pair.new_version, pe_program(versions.new_functions, arm64).bytes);
  }
  return pair;
}

}  // namespace bdelta::test

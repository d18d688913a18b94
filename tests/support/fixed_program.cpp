#include "support/fixed_program.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "support/exe_craft.hpp"
#include "support/generate.hpp"
#include "support/program_pair.hpp"

namespace bdelta::test {
namespace {

constexpr std::size_t kSymbolBytes = 24;
constexpr std::size_t kDebugBytes = 13;  // of an entry: a tag, an address, a size
constexpr std::uint64_t kCode = 6, kData = 2;

std::size_t rounded(std::size_t pos) { return (pos + 15) / 16 * 16; }

std::string string_of(unsigned function) {
  const Bytes words = wordy_bytes(20 + function % 30, function + 1);
  return "in " + std::to_string(function) + ": " + std::string(words.begin(), words.end());
}

std::string name_of(unsigned function) { return "function_" + std::to_string(function * 7919 % 1000); }

// Texts with a zero behind each; gives where they begin.
std::vector<std::size_t> put_texts(CraftedBytes& out, std::size_t at, const std::vector<std::string>& texts) {
  std::vector<std::size_t> places;
  for (const std::string& text : texts) {
    places.push_back(at);
    out.put_bytes(at, bytes_of(text));
    at += text.size() + 1;
  }
  return places;
}

std::size_t bytes_of_texts(const std::vector<std::string>& texts) {
  std::size_t bytes = 0;
  for (const std::string& text : texts) bytes += text.size() + 1;
  return bytes;
}

struct Part {
  std::uint32_t type;
  std::uint64_t flags;
  std::size_t pos;
  std::size_t size;
  unsigned link;
};

void put_headers(CraftedBytes& out, const FixedLayout& at, std::size_t functions, std::size_t string_bytes,
                 std::size_t name_bytes) {
  const std::size_t symbol_bytes = (functions + 1) * kSymbolBytes;
  const Part parts[] = {{0, 0, 0, 0, 0},
                        {1, kCode, kFixedText, functions * kFixedFunctionBytes, 0},
                        {1, kData, at.strings, string_bytes, 0},
                        {1, kData, at.data, 8 * functions, 0},
                        {3, kData, at.names, name_bytes, 0},
                        {11, kData, at.symbols, symbol_bytes, 4},
                        {5, kData, at.hash, 4 * (2 + functions + functions + 1), 5},
                        {0x6ffffff6, kData, at.gnu_hash, 4 * (4 + 2 + functions + functions), 5},
                        {4, kData, at.relocations, 24 * functions, 5},
                        {6, kData, at.dynamic, 64, 4},
                        {2, 0, at.all_symbols, symbol_bytes, 11},
                        {3, 0, at.all_names, name_bytes, 0},
                        {1, 0, at.debug, kDebugBytes * functions, 0}};
  out.put_bytes(0, bytes_of("\x7f" "ELF\x02\x01\x01"));
  out.put16(16, 2).put16(18, 62).put32(20, 1).put64(24, kFixedBase + kFixedText).put64(32, 64).put64(40, at.headers);
  out.put16(52, 64).put16(54, 56).put16(56, 1).put16(58, 64).put16(60, 13);
  out.put32(64, 2).put32(68, 6).put64(72, at.dynamic).put64(80, kFixedBase + at.dynamic).put64(96, 64).put64(104, 64);
  std::size_t header = at.headers;
  for (const Part& part : parts) {
    out.put32(header + 4, part.type).put64(header + 8, part.flags).put64(header + 24, part.pos);
    out.put64(header + 32, part.size).put32(header + 40, part.link);
    out.put64(header + 16, part.flags != 0 ? kFixedBase + part.pos : 0);
    header += 64;
  }
}

void put_symbols(CraftedBytes& out, std::size_t table, std::size_t names, const std::vector<std::size_t>& places,
                 const std::vector<std::size_t>& order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t function = order[i];
    const std::size_t entry = table + (i + 1) * kSymbolBytes;
    out.put32(entry, places[function] - names).put8(entry + 4, 0x12).put16(entry + 6, 1);
    out.put64(entry + 8, kFixedBase + kFixedText + function * kFixedFunctionBytes);
    out.put64(entry + 16, kFixedFunctionBytes);
  }
}

void put_function(CraftedBytes& out, unsigned number, std::size_t pos, std::size_t callee, std::size_t string,
                  std::size_t data) {
  out.put8(pos, 0xbf).put32(pos + 1, kFixedBase + string);                                  // mov edi, string
  out.put8(pos + 5, 0xe8).put32(pos + 6, callee - (pos + 10));                              // call callee
  out.put8(pos + 10, 0xc7).put8(pos + 11, 5).put32(pos + 12, data - (pos + 20));            // mov [rip + data], callee
  out.put32(pos + 16, kFixedBase + callee);
  out.put8(pos + 20, 0x8b).put8(pos + 21, 4).put8(pos + 22, 0xc5);                          // mov eax, [data + 8 rax]
  out.put32(pos + 23, kFixedBase + data);
  out.put8(pos + 27, 0xc3);
  out.put8(pos + 28, 0xb0).put8(pos + 29, number % 256).put8(pos + 30, 0xb1).put8(pos + 31, number * 53 / 256 % 256);
}

// Without any order, but the same for a number in all versions.
std::uint64_t rank_of(unsigned function, std::uint64_t salt) { return Random(function * 1000 + salt).next(); }

std::vector<std::size_t> shuffled(const std::vector<unsigned>& functions, std::uint64_t salt) {
  std::vector<std::size_t> order(functions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return rank_of(functions[a], salt) < rank_of(functions[b], salt); });
  return order;
}

// Which function the one of this number calls.
std::size_t callee_of(const std::vector<unsigned>& functions, unsigned number) {
  const auto less = [&](unsigned a, unsigned b) { return rank_of(a, 5 + number) < rank_of(b, 5 + number); };
  return static_cast<std::size_t>(std::min_element(functions.begin(), functions.end(), less) - functions.begin());
}

}  // namespace

FixedLayout::FixedLayout(std::size_t functions, std::size_t string_bytes, std::size_t name_bytes)
    : strings(rounded(kFixedText + functions * kFixedFunctionBytes)), data(rounded(strings + string_bytes)),
      names(rounded(data + 8 * functions)), symbols(rounded(names + name_bytes)),
      hash(rounded(symbols + (functions + 1) * kSymbolBytes)), gnu_hash(rounded(hash + 4 * (2 * functions + 3))),
      relocations(rounded(gnu_hash + 4 * (2 * functions + 6))), dynamic(rounded(relocations + 24 * functions)),
      all_symbols(dynamic + 64), all_names(rounded(all_symbols + (functions + 1) * kSymbolBytes)),
      debug(rounded(all_names + name_bytes)), headers(rounded(debug + kDebugBytes * functions)),
      end(headers + 13 * 64) {}

FixedProgram fixed_program(const std::vector<unsigned>& functions) {
  std::vector<std::string> strings;
  std::vector<std::string> names;
  names.emplace_back();
  for (const unsigned function : functions) {
    strings.push_back(string_of(function));
    names.push_back(name_of(function));
  }
  const std::size_t count = functions.size();
  const FixedLayout at(count, bytes_of_texts(strings), bytes_of_texts(names));
  CraftedBytes out;
  out.grow_to(at.end);
  put_headers(out, at, count, bytes_of_texts(strings), bytes_of_texts(names));
  const std::vector<std::size_t> string_places = put_texts(out, at.strings, strings);
  std::vector<std::size_t> name_places = put_texts(out, at.names, names);
  std::vector<std::size_t> all_name_places = put_texts(out, at.all_names, names);
  name_places.erase(name_places.begin());
  all_name_places.erase(all_name_places.begin());
  put_symbols(out, at.symbols, at.names, name_places, shuffled(functions, 1));
  put_symbols(out, at.all_symbols, at.all_names, all_name_places, shuffled(functions, 2));
  out.put32(at.hash, count).put32(at.hash + 4, count + 1);
  out.put32(at.gnu_hash, count).put32(at.gnu_hash + 4, 1).put32(at.gnu_hash + 8, 1);
  // Symbols by number, in orders of their own: entry i of the tables below is one of the same function in all versions.
  std::vector<std::size_t> symbol_of(count);
  const std::vector<std::size_t> symbols = shuffled(functions, 1);
  for (std::size_t i = 0; i < count; ++i) symbol_of[symbols[i]] = i + 1;
  const std::vector<std::size_t> buckets = shuffled(functions, 3);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t function = kFixedText + i * kFixedFunctionBytes;
    const std::size_t other = callee_of(functions, functions[i]);
    const std::size_t callee = kFixedText + other * kFixedFunctionBytes;
    put_function(out, functions[i], function, callee, string_places[i], at.data + 8 * other);
    out.put64(at.data + 8 * i, kFixedBase + callee);
    out.put32(at.hash + 8 + 4 * i, symbol_of[buckets[i]]).put32(at.gnu_hash + 24 + 4 * i, symbol_of[buckets[i]]);
    const std::size_t relocation = at.relocations + 24 * i;
    out.put64(relocation, kFixedBase + at.data + 8 * i);
    out.put64(relocation + 8, std::uint64_t{symbol_of[other]} << 32 | 6);
    out.put8(at.debug + kDebugBytes * i, 0x2e).put64(at.debug + kDebugBytes * i + 1, kFixedBase + function);
    out.put32(at.debug + kDebugBytes * i + 9, kFixedFunctionBytes);
  }
  const std::uint64_t dynamic[] = {6, kFixedBase + at.symbols, 7, kFixedBase + at.relocations, 8, 24 * count, 0, 0};
  for (std::size_t i = 0; i < 8; ++i) out.put64(at.dynamic + 8 * i, dynamic[i]);
  return {out.take(), at};
}

FixedPair fixed_pair(unsigned function_count) {
  const TwoVersions versions(function_count);
  return {fixed_program(versions.old_functions), fixed_program(versions.new_functions)};
}

}  // namespace bdelta::test

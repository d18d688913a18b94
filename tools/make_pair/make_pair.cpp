// make_pair SIZE SEED OLD NEW: a sample pair of files, two releases of something that never existed.
//
// The model is a linker's. A release consists of units: functions, documents, tables, padding, images (plan.hpp).
// The bytes of a unit follow from its own seed (content.hpp). Functions are idioms of opcodes from a small
// vocabulary. Documents are words with Zipf-like frequencies in lines of prose, settings or objects. Tables are
// records of a fixed stride, and images do not compress. Functions and tables hold addresses of other units,
// relative or absolute, and those are filled in only when a release is laid out.
//
// NEW is the same set of units with another layout. Some units are edited: bytes overwritten (1 to 8), inserted or
// deleted, clustered as real changes are (most units have none, the others many; edits.hpp). Some are replaced,
// deleted or new, and blocks of them change places. Whatever lies behind a change moves, functions by multiples of
// 16. So addresses to or from there differ a little (some 800,000 of them at 300 MB). The code is the same, with
// small differences everywhere.
//
// At 300 MB there are over a million small edits, not counting the shifted addresses; smaller pairs have
// proportionally fewer. The files follow from SIZE and SEED, byte for byte, on every platform: all decisions are
// made with integers. Memory: about a twentieth of SIZE. Nothing here is shared with bdelta, so that no matcher is
// flattered by a generator that knows its hashes or block sizes.
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <exception>
#include <limits>
#include <optional>
#include <string_view>

#include "plan.hpp"
#include "release.hpp"

namespace {

constexpr char kHelp[] =
    "usage: make_pair SIZE SEED OLD NEW\n"
    "\n"
    "Writes two similar files, OLD of exactly SIZE bytes and NEW of about that size.\n"
    "The same SIZE and SEED give the same bytes on every machine.\n"
    "\n"
    "  SIZE  bytes, or a number with K, M or G: powers of 1000 (4K = 4000, 300M = 300000000); at most 64G\n"
    "  SEED  a whole number from 0 to 2^64-1\n";

constexpr std::uint64_t kLargest = 64'000'000'000;

std::optional<std::uint64_t> parse_number(std::string_view text) {
  if (text.empty()) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    const auto digit = static_cast<std::uint64_t>(c - '0');
    if (value > (std::numeric_limits<std::uint64_t>::max() - digit) / 10) return std::nullopt;
    value = value * 10 + digit;
  }
  return value;
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::uint64_t unit = 1;
  if (!text.empty()) {
    if (text.back() == 'K') unit = 1'000;
    if (text.back() == 'M') unit = 1'000'000;
    if (text.back() == 'G') unit = 1'000'000'000;
    if (unit != 1) text.remove_suffix(1);
  }
  const auto number = parse_number(text);
  if (!number || *number > kLargest / unit) return std::nullopt;
  return *number * unit;
}

template <class Write>
bool write_file(const char* path, Write write) {
  std::FILE* file = std::fopen(path, "wb");
  bool ok = file != nullptr && write(file);
  if (file != nullptr && std::fclose(file) != 0) ok = false;
  if (!ok) std::fprintf(stderr, "make_pair: cannot write %s\n", path);
  return ok;
}

void report(const make_pair::Plan& plan, const make_pair::Counts& counts) {
  const auto number = [](std::uint64_t value) { return static_cast<unsigned long long>(value); };
  std::printf("old %llu bytes, new %llu bytes\n", number(plan.old_size), number(plan.new_size));
  std::printf("%llu small edits (%llu overwrites, %llu inserts, %llu deletes), %llu shifted addresses\n",
              number(counts.small_edits()), number(counts.overwrites), number(counts.inserts), number(counts.deletes),
              number(counts.shifted));
  std::printf("%llu units replaced, %llu deleted, %llu new, %llu blocks moved\n", number(counts.replaced),
              number(counts.removed), number(counts.added), number(plan.moved_blocks));
}

int run(int argc, char** argv) {
  if (argc == 2 && (std::strcmp(argv[1], "--help") == 0 || std::strcmp(argv[1], "-h") == 0)) {
    std::fputs(kHelp, stdout);
    return 0;
  }
  const auto size = argc == 5 ? parse_size(argv[1]) : std::nullopt;
  const auto seed = argc == 5 ? parse_number(argv[2]) : std::nullopt;
  if (!size || !seed) {
    std::fputs(kHelp, stderr);
    return 1;
  }
  const make_pair::Plan plan = make_pair::make_plan(*size, *seed);
  make_pair::Counts counts;
  if (!write_file(argv[3], [&](std::FILE* file) { return make_pair::write_old(plan, file); })) return 2;
  if (!write_file(argv[4], [&](std::FILE* file) { return make_pair::write_new(plan, file, counts); })) return 2;
  report(plan, counts);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "make_pair: %s\n", error.what());
    return 70;
  }
}

// What no tool can go below, as a command of its own so that it is timed like the tools:
//
//   bench_floor hash FILE                  maps the file and prints its XXH3-128
//   bench_floor map-hash-compare OLD NEW   maps both, hashes both, compares them
//   bench_floor equal A B                  exit status 0 if the files are equal, 1 with the first difference if not
//
// Copying is timed with cp itself. Exit status 2: a file can't be read.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "bdelta/files.hpp"
#include "hash/xxh3.hpp"

namespace {

using bdelta::ByteSpan;

// Mapped for the life of the process; the message goes to stderr.
ByteSpan map_or_stop(const char* path) {
  bdelta::FileOptions options;
  options.mode = bdelta::IoMode::kMmap;
  auto reader = bdelta::open_random(path, options);
  if (!reader) {
    std::fprintf(stderr, "bench_floor: %s: %s\n", path, reader.error().detail.c_str());
    std::exit(2);
  }
  return reader->release()->view();
}

void print_hash(ByteSpan bytes) {
  std::puts(bdelta::to_hex(bdelta::xxh3_128(bytes)).c_str());
}

int equal(ByteSpan a, ByteSpan b) {
  if (a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0)) return 0;
  const auto [in_a, in_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  std::printf("sizes %zu and %zu, first difference at byte %td\n", a.size(), b.size(), in_a - a.begin());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view verb = argc > 1 ? argv[1] : "";
  if (verb == "hash" && argc == 3) {
    print_hash(map_or_stop(argv[2]));
    return 0;
  }
  if (verb == "equal" && argc == 4) return equal(map_or_stop(argv[2]), map_or_stop(argv[3]));
  if (verb == "map-hash-compare" && argc == 4) {
    const ByteSpan source = map_or_stop(argv[2]);
    const ByteSpan target = map_or_stop(argv[3]);
    print_hash(source);
    print_hash(target);
    equal(source, target);
    return 0;
  }
  std::fputs("usage: bench_floor hash FILE | map-hash-compare OLD NEW | equal A B\n", stderr);
  return 2;
}

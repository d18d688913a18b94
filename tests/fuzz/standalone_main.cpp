// Runs a fuzz target without a fuzzer: each file that is named, each file of each folder, then mutations of them from a
// fixed seed, the same on every machine. An input that ends the program is saved first, to be run by name.
//
//   fuzz_NAME [--mutations COUNT] [--crash FILE] FILE_OR_FOLDER...
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/generate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace bdelta::fuzz {
namespace {

const Bytes* g_current = nullptr;
std::string g_crash_file = "crash-input";

// Only what may be called in a signal handler.
void save_and_die(int signal_number) {
  if (g_current != nullptr) {
    const int file = ::open(g_crash_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
    const bool saved = file >= 0 && ::write(file, g_current->data(), g_current->size()) ==
                                        static_cast<ssize_t>(g_current->size());
    const char note[] = "the input that did it was saved\n";
    if (saved) (void)!::write(2, note, sizeof note - 1);
  }
  std::signal(signal_number, SIG_DFL);
  std::raise(signal_number);
}

void run(const Bytes& input) {
  g_current = &input;
  (void)LLVMFuzzerTestOneInput(input.data(), input.size());
  g_current = nullptr;
}

Bytes load(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

std::vector<Bytes> load_all(const std::vector<std::string>& places) {
  std::vector<std::filesystem::path> paths;
  for (const std::string& place : places) {
    if (!std::filesystem::is_directory(place)) {
      paths.emplace_back(place);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(place)) paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  std::vector<Bytes> inputs;
  for (const auto& path : paths) inputs.push_back(load(path));
  return inputs;
}

std::uint64_t striking_number(test::Random& random) {
  constexpr std::uint64_t kNumbers[] = {0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff,
                                        ~std::uint64_t{0} >> 1, ~std::uint64_t{0}};
  return random.below(2) == 0 ? random.next() : kNumbers[random.below(std::size(kNumbers))];
}

void overwrite(Bytes& bytes, test::Random& random) {
  if (bytes.empty()) return;
  const auto at = static_cast<std::size_t>(random.below(bytes.size()));
  const std::size_t width = std::min<std::size_t>(std::size_t{1} << random.below(4), bytes.size() - at);
  std::uint64_t number = striking_number(random);
  for (std::size_t i = 0; i < width; ++i, number >>= 8) bytes[at + i] = static_cast<std::uint8_t>(number);
}

void mutate(Bytes& bytes, const std::vector<Bytes>& seeds, test::Random& random) {
  constexpr std::size_t kMostBytes = 1 << 16;
  const auto at = static_cast<std::size_t>(random.below(bytes.size() + 1));
  const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(at);
  const auto length = static_cast<std::size_t>(random.below(std::min<std::size_t>(bytes.size() - at, 64) + 1));
  const auto end = place + static_cast<std::ptrdiff_t>(length);
  switch (random.below(8)) {
    case 0: bytes.erase(place, end); break;
    case 1: {
      const Bytes part(place, end);
      if (bytes.size() < kMostBytes) bytes.insert(place, part.begin(), part.end());
      break;
    }
    case 2: bytes.insert(place, static_cast<std::uint8_t>(random.next())); break;
    case 3:
      if (at < bytes.size()) *place = static_cast<std::uint8_t>(*place ^ 1u << random.below(8));
      break;
    case 4: {  // the end of another one
      const Bytes& other = seeds[static_cast<std::size_t>(random.below(seeds.size()))];
      if (at > other.size()) break;
      bytes.resize(at);
      bytes.insert(bytes.end(), other.begin() + static_cast<std::ptrdiff_t>(at), other.end());
      break;
    }
    default: overwrite(bytes, random);
  }
}

int run_all(const std::vector<std::string>& places, std::uint64_t mutation_count) {
  const std::vector<Bytes> seeds = load_all(places);
  if (seeds.empty()) {
    std::fputs("expected files to run, found none\n", stderr);
    return 1;
  }
  for (const Bytes& seed : seeds) run(seed);
  test::Random random(1);
  for (std::uint64_t i = 0; i < mutation_count; ++i) {
    Bytes bytes = seeds[static_cast<std::size_t>(i % seeds.size())];
    for (std::uint64_t change = random.between(1, 6); change > 0; --change) mutate(bytes, seeds, random);
    run(bytes);
  }
  std::printf("%zu files and %llu mutations\n", seeds.size(), static_cast<unsigned long long>(mutation_count));
  return 0;
}

}  // namespace
}  // namespace bdelta::fuzz

int main(int argc, char** argv) {
  using namespace bdelta::fuzz;
  std::vector<std::string> places;
  std::uint64_t mutation_count = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--mutations" && i + 1 < argc) {
      mutation_count = std::strtoull(argv[++i], nullptr, 10);
    } else if (word == "--crash" && i + 1 < argc) {
      g_crash_file = argv[++i];
    } else {
      places.push_back(word);
    }
  }
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(number, save_and_die);
  return run_all(places, mutation_count);
}

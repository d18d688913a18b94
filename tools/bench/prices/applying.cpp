// What applying does to each byte of NEW whatever the patch is: OLD read and digested, NEW made, checked, digested and written.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/deciding/prices.hpp"
#include "bdelta/apply.hpp"
#include "bdelta/create.hpp"
#include "hash/sha256.hpp"
#include "prices.hpp"
#include "support/generate.hpp"

namespace bdelta::bench {
namespace {

void put(const std::filesystem::path& path, const Bytes& bytes) {
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// Files as those whose digests lists have.
double hashed_kib_ns() {
  constexpr std::size_t kFileBytes = 8 << 10, kBytes = 4 << 20;
  const Bytes bytes = test::random_bytes(kBytes, 2);
  unsigned sum = 0;  // keeps all of it alive
  const double ns = least_ns([&] {
    for (std::size_t at = 0; at < kBytes; at += kFileBytes) sum += sha256(ByteSpan(bytes).subspan(at, kFileBytes))[0];
  });
  expect(sum != 0, "digests");
  return ns * 1024 / static_cast<double>(kBytes);
}

// Nanoseconds to apply a patch between files of so many bytes.
double applying_ns(std::size_t size) {
  constexpr std::size_t kApart = std::size_t{1} << 20;
  const auto folder = std::filesystem::temp_directory_path() / ("bench_prices." + std::to_string(::getpid()));
  const auto old_file = folder / "old", new_file = folder / "new", patch = folder / "patch";
  std::filesystem::create_directory(folder);
  Bytes bytes = test::wordy_bytes(size, 1);
  put(old_file, bytes);
  for (std::size_t at = 0; at < bytes.size(); at += kApart) bytes[at] = '#';
  put(new_file, bytes);
  CreateOptions making;
  making.verify = false;
  expect(static_cast<bool>(create_file(old_file, new_file, patch, making)), "a patch");
  ApplyOptions options;
  options.files.sync = false;
  options.threads = 1;
  const double ns = least_cold_ns([&] { return std::filesystem::remove(new_file) && apply_file(old_file, new_file, patch, options); });
  std::filesystem::remove_all(folder);
  return ns;
}

}  // namespace

void measure_applying(Prices& prices) {
  constexpr std::size_t kFewBytes = std::size_t{4} << 10, kManyBytes = std::size_t{16} << 20;
  const double few_ns = applying_ns(kFewBytes);
  prices.push_back({"kPatchNs", static_cast<double>(kPatchNs), few_ns});
  prices.push_back({"kTargetKiBNs", static_cast<double>(kTargetKiBNs), (applying_ns(kManyBytes) - few_ns) * 1024 / static_cast<double>(kManyBytes - kFewBytes)});
  prices.push_back({"kHashedKiBNs", static_cast<double>(kHashedKiBNs), hashed_kib_ns()});
}

}  // namespace bdelta::bench

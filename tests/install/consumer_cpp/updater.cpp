// Applies a patch through readers and a writer of its own, which the library calls across its border; then by file.
// usage: updater OLD PATCH NEW
#include <bdelta/apply.hpp>
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

namespace {

using Buffer = std::vector<std::uint8_t>;

Buffer contents(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return Buffer(std::istreambuf_iterator<char>(file), {});
}

class Source final : public bdelta::RandomReader {
 public:
  explicit Source(const Buffer& bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t size() const noexcept override { return bytes_.size(); }
  bdelta::Status read_at(std::uint64_t pos, bdelta::MutableByteSpan out) override {
    if (pos > bytes_.size() || out.size() > bytes_.size() - pos) {
      return bdelta::Error{bdelta::ErrorCode::kInputTruncated, "beyond the end", pos};
    }
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(pos), out.size(), out.begin());
    return {};
  }

 private:
  const Buffer& bytes_;
};

class Patch final : public bdelta::SequentialReader {
 public:
  explicit Patch(const Buffer& bytes) : bytes_(bytes) {}
  bdelta::Result<std::size_t> read(bdelta::MutableByteSpan out) override {
    const std::size_t count = std::min(out.size(), bytes_.size() - at_);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), count, out.begin());
    at_ += count;
    return count;
  }

 private:
  const Buffer& bytes_;
  std::size_t at_ = 0;
};

class Target final : public bdelta::SequentialWriter {
 public:
  Buffer bytes;
  bdelta::Status write(bdelta::ByteSpan more) override {
    bytes.insert(bytes.end(), more.begin(), more.end());
    return {};
  }
  bdelta::Status finish() override { return {}; }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 1;
  const Buffer old_bytes = contents(argv[1]), patch_bytes = contents(argv[2]);
  Source source(old_bytes);
  Patch patch(patch_bytes);
  Target target;
  const auto streamed = bdelta::apply(source, patch, target, {});
  if (!streamed) {
    std::fprintf(stderr, "%s\n", bdelta::to_string(streamed.error()).c_str());
    return bdelta::exit_class(streamed.error().code);
  }
  const auto filed = bdelta::apply_file(argv[1], argv[3], argv[2], {});
  if (!filed) return bdelta::exit_class(filed.error().code);
  if (contents(argv[3]) != target.bytes) return 100;

  // A patch is no OLD: the wrong source has to be refused.
  const auto refused = bdelta::check_file(argv[2], argv[2], {});
  return !refused && bdelta::exit_class(refused.error().code) == 4 ? 0 : 101;
}

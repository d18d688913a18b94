// Results that become bytes objects.
#pragma once

#include <mutex>
#include <vector>

#include "bdelta/io.hpp"
#include "call.hpp"

namespace bdelta::python {

// A patch in memory. It is small beside NEW, so it may be copied at its end.
class MadePatch final : public SequentialWriter {
 public:
  Status write(ByteSpan bytes) override {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return {};
  }
  Status finish() override { return {}; }
  [[nodiscard]] const std::vector<std::uint8_t>& bytes() const noexcept { return bytes_; }

 private:
  std::vector<std::uint8_t> bytes_;
};

// NEW as a bytes object that is written in its place. It is asked for with the first write, so after OLD is proven and
// the limits hold.
class TargetBytes final : public PositionedWriter {
 public:
  explicit TargetBytes(Call& call) : call_(call) {}

  // The size that the patch promises. Before the first write.
  void expect(std::uint64_t size) noexcept { size_ = size; }

  Status write_at(std::uint64_t pos, ByteSpan bytes) override;
  Status finish() override { return {}; }

  // With the GIL, once the library has proven NEW.
  [[nodiscard]] nb::object take();

 private:
  Status claim();

  Call& call_;
  std::mutex mutex_;
  std::uint64_t size_ = 0;
  nb::object object_;
  std::uint8_t* room_ = nullptr;
};

// Reads a stream, and once more from its start after `rewind`: what was read before then is kept.
class AgainReader final : public SequentialReader {
 public:
  explicit AgainReader(SequentialReader& stream) : stream_(stream) {}

  Result<std::size_t> read(MutableByteSpan out) override;
  void rewind() noexcept { rewound_ = true; }

 private:
  SequentialReader& stream_;
  std::vector<std::uint8_t> kept_;
  std::size_t given_ = 0;  // of kept_, since it was rewound
  bool rewound_ = false;
};

}  // namespace bdelta::python

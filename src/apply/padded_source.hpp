// A source that goes on behind its end with zeros, for formats that copy from there.
#pragma once

#include <algorithm>

#include "base/try.hpp"
#include "bdelta/io.hpp"

namespace bdelta {

// Has no view, and as many bytes as positions may go to. Any number of threads may read.
class PaddedSource final : public RandomReader {
 public:
  // `source` must outlive the object.
  explicit PaddedSource(RandomReader& source) noexcept : source_(source) {}

  [[nodiscard]] std::uint64_t size() const noexcept override { return ~std::uint64_t{0} >> 1; }

  Status read_at(std::uint64_t pos, MutableByteSpan out) override {
    const std::uint64_t left_bytes = source_.size() - std::min(pos, source_.size());
    const MutableByteSpan inside = out.first(static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left_bytes)));
    if (!inside.empty()) BDELTA_TRY(source_.read_at(pos, inside));
    std::fill(out.begin() + static_cast<std::ptrdiff_t>(inside.size()), out.end(), std::uint8_t{0});
    return {};
  }

  Status check_unchanged() override { return source_.check_unchanged(); }

 private:
  RandomReader& source_;
};

}  // namespace bdelta

// How far an application has come when a step is done: shares of the time that a usual patch takes.
#pragma once

#include <cstdint>

#include "bdelta/inspect.hpp"

namespace bdelta {

class ApplyShares {
 public:
  // Parts of what is to be prepared for prediction, when the covers are mapped and when the fields of code are found.
  static constexpr double kMapped = 0.15;
  static constexpr double kFieldsFound = 0.8;

  // `hashes`: OLD's digest is taken, by one thread alone.
  ApplyShares(const PatchInfo& info, std::uint64_t source_bytes, bool hashes, unsigned threads) noexcept
      : window_ns_(1 + static_cast<double>(info.target_size.value_or(0)) * (info.predicted ? kPredictedByteNs : kPlainByteNs)) {
    const auto bytes = static_cast<double>(source_bytes);
    const double hash_ns = hashes ? bytes * kHashByteNs * threads : 0;
    hashed_ = hash_ns / (hash_ns + (info.predicted ? bytes * kPrepareByteNs : 0) + window_ns_);
  }

  // When OLD's digest is known.
  [[nodiscard]] double hashed() const noexcept { return hashed_; }

  // When windows can be executed; program_bytes is what OLD's images take of which fields are predicted.
  [[nodiscard]] double prepared(std::uint64_t program_bytes) const noexcept {
    const double prepare_ns = static_cast<double>(program_bytes) * kPrepareByteNs;
    return hashed_ + (1 - hashed_) * prepare_ns / (prepare_ns + window_ns_);
  }

 private:
  // Nanoseconds a byte. Measured with one thread on gcc's and LLVM's programs of 33 and 110 MB and on words of 56 MB.
  // OLD takes 0.1 to 0.2 from memory, and more from a disk. Programs take 4.1 to 4.7. NEW takes 3.3 to 8 with
  // prediction, 1 to 5.5 without.
  static constexpr double kHashByteNs = 0.2;
  static constexpr double kPrepareByteNs = 4.5;

  static constexpr double kPredictedByteNs = 5;
  static constexpr double kPlainByteNs = 2;

  double window_ns_;
  double hashed_;
};

}  // namespace bdelta

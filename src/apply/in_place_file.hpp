// A file or a device that is read, and then written where it stands.
#pragma once

#include <filesystem>
#include <memory>

#include "bdelta/files.hpp"
#include "io/counters.hpp"
#include "io/output_place.hpp"
#include "io/random_file.hpp"

namespace bdelta {

// The first bytes of another reader, which outlives it.
class FirstBytes final : public RandomReader {
 public:
  explicit FirstBytes(RandomReader& all) noexcept : all_(all), size_(all.size()) {}

  // At most as many as there are.
  void limit(std::uint64_t size) noexcept { size_ = size < all_.size() ? size : all_.size(); }

  [[nodiscard]] std::uint64_t size() const noexcept override { return size_; }
  [[nodiscard]] ByteSpan view() const noexcept override {
    return all_.view().empty() ? ByteSpan() : all_.view().first(static_cast<std::size_t>(size_));
  }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override { return all_.read_at(pos, out); }
  Status check_unchanged() override { return all_.check_unchanged(); }

 private:
  RandomReader& all_;
  std::uint64_t size_;
};

// One thread at a time, but for the reader. Locked against other processes as long as it lives.
class InPlaceFile {
 public:
  // Follows links. Errors: kInUse, kNotSeekable for what is neither file nor device, and those of opening.
  static Result<InPlaceFile> open(const std::filesystem::path& path);

  [[nodiscard]] const io::OutputPlace& place() const noexcept { return place_; }
  [[nodiscard]] const io::FileInfo& info() const noexcept { return info_; }
  [[nodiscard]] bool is_device() const noexcept { return info_.is_device; }

  // Of a file its size when it was opened, of a device all that it holds.
  [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

  // `counters` outlives the reader.
  Result<std::unique_ptr<RandomReader>> make_reader(const FileOptions& options, io::IoCounters* counters) const;

  // Space for what a file gets behind its end, without a change to it. kNoSpace; where the file system can't, nothing.
  Status claim_growth(std::uint64_t bytes) const;

  Status write_at(std::uint64_t pos, ByteSpan bytes, io::IoCounters* counters) const;
  Status resize(std::uint64_t bytes) const;
  Status sync() const;

 private:
  io::OutputPlace place_;
  io::FileHandle file_;
  io::FileInfo info_;
  std::uint64_t bytes_ = 0;
};

}  // namespace bdelta

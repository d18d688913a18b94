// Where OLD's view is kept: in memory, or in a nameless temporary file.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "io/memory_io.hpp"
#include "io/spool.hpp"

namespace bdelta {

// What there is for the last view of OLD.
struct ViewRoom {
  std::uint64_t memory_bytes = ~std::uint64_t{0};  // a larger view goes to a file
  std::uint64_t limit_bytes = 0;                   // of all memory, of which this is a part
  std::uint64_t needed_bytes = 0;                  // the limit with which any view would be there
  std::optional<std::filesystem::path> temp_dir;   // of the file; unset: the system's directory for temporary files
};

// Any number of threads may read what was stored, and none while it is.
class ViewStore final : public RandomReader {
 public:
  ViewStore(std::uint64_t view_bytes, const ViewRoom& room);

  // Of a view that is at hand, and outlives this object: what is added is held against it, and kSelfCheckFailed if it is other.
  explicit ViewStore(ByteSpan known) : limit_bytes_(0), needed_bytes_(0), known_(known) {}

  // The next bytes; view_bytes in all. kMemoryLimit, with the limit that would do, if no file can be made; else those of
  // writing it.
  Status add(ByteSpan bytes);

  [[nodiscard]] std::uint64_t size() const noexcept override { return spool_ ? spool_->size() : view().size(); }
  [[nodiscard]] ByteSpan view() const noexcept override { return known_.empty() ? ByteSpan(bytes_) : known_.first(known_bytes_); }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override;

 private:
  const std::uint64_t limit_bytes_, needed_bytes_;
  Bytes bytes_;
  const ByteSpan known_;         // instead
  std::size_t known_bytes_ = 0;  // of it, so far
  std::unique_ptr<io::Spool> spool_;  // instead
};

}  // namespace bdelta

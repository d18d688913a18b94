// Where a view of OLD is kept: in memory, or in a nameless temporary file.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "io/memory_io.hpp"
#include "io/spool.hpp"
#include "view/geometry.hpp"

namespace bdelta {

// What there is for views of OLD.
struct ViewRoom {
  std::uint64_t spare_bytes = ~std::uint64_t{0};  // of memory, beyond what the patch declares; what takes more goes to a file
  std::uint64_t limit_bytes = 0;                  // of all memory, of which this is a part
  std::uint64_t needed_bytes = 0;                 // the limit with which all views would be there
  std::optional<std::filesystem::path> temp_dir;   // of the file; unset: the system's directory for temporary files
};

// What the view with this number takes beyond what its patch declares for it, with that which is made of it next.
[[nodiscard]] std::uint64_t undeclared_bytes(const view::ViewPlans& plans, std::size_t index) noexcept;

// Any number of threads may read what was stored, and none while it is.
class ViewStore final : public RandomReader {
 public:
  ViewStore(const view::ViewPlans& plans, std::size_t index, const ViewRoom& room);

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

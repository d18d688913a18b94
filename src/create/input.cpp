#include "create/input.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <optional>
#include <string>

#include "base/checked.hpp"
#include "base/large_pages.hpp"
#include "base/try.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kReadBytes = std::uint64_t{2} << 20;  // by one call

// On the heap, not cleared.
Result<std::unique_ptr<std::uint8_t[]>> memory_for(std::uint64_t size) {
  if (!fits_size(size)) return Error{ErrorCode::kFileTooLarge, std::to_string(size) + " bytes do not fit memory"};
  std::unique_ptr<std::uint8_t[]> memory(new (std::nothrow) std::uint8_t[static_cast<std::size_t>(size)]);
  if (memory) {
    prefer_large_pages(memory.get(), static_cast<std::size_t>(size));  // it is filled at once, and page by page that takes long
    return memory;
  }
  return Error{.code = ErrorCode::kOutOfMemory,
               .detail = "for an input of " + std::to_string(size) + " bytes",
               .remedy = "let it be mapped"};
}

}  // namespace

Status read_pieces(RandomReader& reader, std::uint64_t pos, MutableByteSpan out, Watch* watch) {
  for (std::size_t done = 0; done < out.size(); done += kReadBytes) {
    const std::size_t length = std::min<std::size_t>(kReadBytes, out.size() - done);
    BDELTA_TRY(reader.read_at(pos + done, out.subspan(done, length)));
    if (watch) watch->advance(length);
  }
  return {};
}

Result<InputBytes> InputBytes::load(RandomReader& reader, WorkerPool& pool) {
  InputBytes input;
  input.view_ = reader.view();
  const std::uint64_t size = reader.size();
  if (size == 0 || !input.view_.empty()) return input;
  BDELTA_ASSIGN(input.owned_, memory_for(size));

  std::mutex mutex;
  std::optional<Error> failed;
  const auto part_count = static_cast<std::size_t>((size + kReadBytes - 1) / kReadBytes);
  pool.for_each(part_count, [&](std::size_t i) {
    const std::uint64_t pos = i * kReadBytes;
    const auto length = static_cast<std::size_t>(std::min(kReadBytes, size - pos));
    const Span span(pool.timeline(), PhaseId::kRead, i, length);
    Status status = reader.read_at(pos, {input.owned_.get() + pos, length});
    pool.advance(length);
    const std::lock_guard lock(mutex);
    if (!status && !failed) failed = std::move(status).error();
  });
  if (failed) return std::move(*failed);
  input.changeable_ = {input.owned_.get(), static_cast<std::size_t>(size)};
  input.view_ = input.changeable_;
  return input;
}

InputBytes InputBytes::over(MutableByteSpan bytes) noexcept {
  InputBytes input;
  input.changeable_ = bytes;
  input.view_ = bytes;
  return input;
}

Result<MutableByteSpan> InputBytes::edit(WorkerPool& pool) {
  is_edited_ = true;
  if (changeable_.empty() && !view_.empty()) {
    BDELTA_ASSIGN(auto copy, memory_for(view_.size()));
    const auto part_count = static_cast<std::size_t>((view_.size() + kReadBytes - 1) / kReadBytes);
    pool.for_each(part_count, [&](std::size_t i) {
      const auto begin = static_cast<std::size_t>(i * kReadBytes);
      const ByteSpan part = view_.subspan(begin, std::min<std::size_t>(kReadBytes, view_.size() - begin));
      std::copy(part.begin(), part.end(), copy.get() + begin);
    });
    owned_ = std::move(copy);  // not before it is whole, as the watch may end this
    changeable_ = {owned_.get(), view_.size()};
    view_ = changeable_;
  }
  return changeable_;
}

}  // namespace bdelta

#include "create/self_check.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "apply/apply_run.hpp"
#include "base/try.hpp"
#include "io/memory_io.hpp"

namespace bdelta {
namespace {

// The patch as its future reader will see it.
class JoinedReader final : public SequentialReader {
 public:
  JoinedReader(ByteSpan head, SequentialReader& body) : head_(head), body_(body) {}

  Result<std::size_t> read(MutableByteSpan out) override {
    const std::size_t count = std::min(out.size(), head_.size());
    std::copy_n(head_.begin(), count, out.begin());
    head_ = head_.subspan(count);
    if (count == out.size()) return count;
    BDELTA_ASSIGN(const std::size_t more, body_.read(out.subspan(count)));
    return count + more;
  }

 private:
  ByteSpan head_;
  SequentialReader& body_;
};

// Takes what would be written and compares it instead.
class Comparer final : public PositionedWriter {
 public:
  explicit Comparer(ByteSpan target) : target_(target) {}

  Status write_at(std::uint64_t pos, ByteSpan bytes) override {
    if (std::memcmp(target_.data() + pos, bytes.data(), bytes.size()) == 0) return {};
    return Error{ErrorCode::kSelfCheckFailed, "it rebuilds other bytes", pos};
  }
  Status finish() override { return {}; }

 private:
  ByteSpan target_;
};

}  // namespace

Status check_patch(ByteSpan source, ByteSpan target, ByteSpan head, const io::Spool& body, WorkerPool& pool) {
  io::MemoryReader source_reader(source);
  BDELTA_ASSIGN(const auto body_reader, body.open_reader());
  JoinedReader patch(head, *body_reader);
  ApplyOptions options;
  options.memory_limit_bytes = ~std::uint64_t{0} >> 1;
  ApplyRun run(source_reader, patch, options, pool);
  // The source's digest was taken from these very bytes; what is to be proven is the decoding.
  run.assume_source_verified();
  Comparer comparer(target);
  const auto apply = [&]() -> Status {
    BDELTA_TRY(run.read_header());
    BDELTA_TRY(run.verify_source());
    return run.write_target({&comparer, nullptr});
  };
  Status status = apply();
  if (status || exit_class(status.error().code) == 6 || status.error().code == ErrorCode::kCancelled) return status;
  return Error{ErrorCode::kSelfCheckFailed, to_string(status.error()) + "; an input may have changed, else please report this",
               status.error().offset};
}

}  // namespace bdelta

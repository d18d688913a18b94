#include "create/self_check.hpp"

#include <algorithm>
#include <cstring>
#include <string>

#include "apply/apply_run.hpp"
#include "base/try.hpp"

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

// Takes what would be written and compares it instead, from any thread.
class Comparer final : public PositionedWriter {
 public:
  explicit Comparer(RandomReader& target) : target_(target), view_(target.view()) {}

  Status write_at(std::uint64_t pos, ByteSpan bytes) override {
    if (!view_.empty()) return same(view_.subspan(static_cast<std::size_t>(pos), bytes.size()), bytes, pos);
    Bytes wanted(std::min(bytes.size(), kCompareBytes));
    for (std::size_t done = 0; done < bytes.size(); done += wanted.size()) {
      const MutableByteSpan piece = MutableByteSpan(wanted).first(std::min(wanted.size(), bytes.size() - done));
      BDELTA_TRY(target_.read_at(pos + done, piece));
      BDELTA_TRY(same(piece, bytes.subspan(done, piece.size()), pos + done));
    }
    return {};
  }
  Status finish() override { return {}; }

 private:
  static constexpr std::size_t kCompareBytes = 256 * 1024;  // read at a time

  static Status same(ByteSpan wanted, ByteSpan made, std::uint64_t pos) {
    if (std::memcmp(wanted.data(), made.data(), made.size()) == 0) return {};
    return Error{ErrorCode::kSelfCheckFailed, "other bytes", pos};
  }

  RandomReader& target_;
  const ByteSpan view_;
};

}  // namespace

Status check_patch(RandomReader& source, RandomReader& target, ByteSpan head, const io::Spool& body, WorkerPool& pool,
                   bool is_limited, const KnownViews* known, const std::function<Result<Digest128>(const view::TreePlan&)>& tree_digest) {
  BDELTA_ASSIGN(const auto body_reader, body.open_reader());
  JoinedReader patch(head, *body_reader);
  ApplyOptions options;
  options.memory_limit_bytes = ~std::uint64_t{0} >> 1;
  ApplyRun run(source, patch, options, pool);
  // The source's digest was taken from the same bytes just now; what is to be proven is the decoding.
  run.assume_source_verified();
  run.take_known_views(known);
  if (is_limited) run.rebuild_alone();
  Comparer comparer(target);
  TargetSink sink{&comparer, nullptr};
  if (tree_digest) {
    run.take_trees([](WorkerPool&) { return Digest128(); });
    sink.digest = [&]() -> Result<Digest128> {
      BDELTA_ASSIGN(const view::TreePlan* const plan, run.read_tree());
      return tree_digest(*plan);
    };
  }
  const auto apply = [&]() -> Status {
    BDELTA_TRY(run.read_header());
    BDELTA_TRY(run.verify_source());
    BDELTA_TRY(run.prepare());
    return run.write_target(sink);
  };
  Status status = apply();
  // What the patch is to blame for; all else (reading an input, want of memory, a callback) is told as what it is.
  const int error_class = status ? 0 : exit_class(status.error().code);
  if (error_class < 3 || error_class > 5) return status;
  Error error = std::move(status).error();
  if (error.code != ErrorCode::kSelfCheckFailed) {
    error.detail = std::string(error_message(error.code)) + (error.detail.empty() ? "" : ": ") + error.detail;
  }
  error.code = ErrorCode::kSelfCheckFailed;
  error.remedy = "an input may have changed, else please report this";
  return error;
}

}  // namespace bdelta

#include "fuzz/apply_check.hpp"

#include "fuzz/fuzz_input.hpp"
#include "fuzz/patch_fixer.hpp"
#include "io/memory_io.hpp"
#include "support/memory_writer.hpp"

namespace bdelta::fuzz {
namespace {

// As stdio gives it.
class PlainReader final : public RandomReader {
 public:
  explicit PlainReader(ByteSpan bytes) noexcept : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t size() const noexcept override { return bytes_.size(); }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override {
    require(pos <= bytes_.size() && out.size() <= bytes_.size() - pos, "reads of OLD stay inside");
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(pos), out.size(), out.begin());
    return {};
  }

 private:
  ByteSpan bytes_;
};

class BoundedWriter final : public PositionedWriter {
 public:
  explicit BoundedWriter(Bytes& to) noexcept : to_(to) {}
  Status write_at(std::uint64_t pos, ByteSpan bytes) override {
    const std::uint64_t most = hostile_options().output_limit_bytes;
    require(pos <= most && bytes.size() <= most - pos, "writes stay within the limit of the output");
    const std::size_t end = static_cast<std::size_t>(pos) + bytes.size();
    if (to_.size() < end) to_.resize(end);
    std::copy(bytes.begin(), bytes.end(), to_.begin() + static_cast<std::ptrdiff_t>(pos));
    return {};
  }
  Status finish() override { return {}; }

 private:
  Bytes& to_;
};

void judge(const Result<Report>& report, const Bytes* made, const std::optional<Bytes>& target) {
  if (!report) {
    require(report.error().code != ErrorCode::kInternal, "no patch is an internal error");
    if (target) std::fprintf(stderr, "%s\n", to_string(report.error()).c_str());
    require(!target, "a patch that can be decoded can be applied");
    return;
  }
  require(target.has_value(), "a patch that can't be decoded is an error");
  require(report->target_bytes == target->size(), "the report says how much was made");
  if (made != nullptr) require(*made == *target, "what was applied is what was decoded");
}

}  // namespace

void check_apply(ByteSpan source, ByteSpan patch, const std::optional<Bytes>& target) {
  const ApplyOptions options = hostile_options();
  {
    io::MemoryReader old(source);
    io::MemorySequentialReader reader(patch);
    Bytes made;
    BoundedWriter writer(made);
    judge(apply(old, reader, writer, options), &made, target);
  }
  {
    PlainReader old(source);
    io::MemorySequentialReader reader(patch);
    Bytes made;
    test::MemoryWriter writer(made, options.output_limit_bytes);
    judge(apply(old, reader, writer, options), &made, target);
  }
  io::MemoryReader old(source);
  io::MemorySequentialReader reader(patch);
  judge(check(old, reader, options), nullptr, target);
}

}  // namespace bdelta::fuzz

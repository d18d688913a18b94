#include "support/memory.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "bdelta/push.hpp"
#include "format/format.hpp"
#include "io/typed_reader.hpp"
#include "support/memory_writer.hpp"
#include "support/read_plan.hpp"
#include "support/sanitized.hpp"

namespace bdelta::test {

Status HiddenReader::read_at(std::uint64_t pos, MutableByteSpan out) {
  if (read_error) return *read_error;
  return io::MemoryReader(bytes_).read_at(pos, out);
}

Status BytesWriter::write_at(std::uint64_t pos, ByteSpan bytes) {
  const std::lock_guard lock(mutex_);
  const auto begin = static_cast<std::size_t>(pos);
  if (to_.size() < begin + bytes.size()) to_.resize(begin + bytes.size());
  std::copy(bytes.begin(), bytes.end(), to_.begin() + static_cast<std::ptrdiff_t>(begin));
  written_ += bytes.size();
  return {};
}

Status FailingWriter::write(ByteSpan bytes) {
  if (bytes.size() > left_) return Error{code_, "as the test wants it"};
  left_ -= bytes.size();
  return {};
}

Result<MadePatch> make_reported(ByteSpan source, ByteSpan target, const CreateOptions& options) {
  io::MemoryReader source_reader(source);
  io::MemoryReader target_reader(target);
  MadePatch made;
  MemoryWriter writer(made.bytes);
  BDELTA_ASSIGN(made.report, create(source_reader, target_reader, writer, options));
  EXPECT_EQ(made.bytes.size(), made.report.patch_bytes);
  return made;
}

Result<Bytes> make_patch(ByteSpan source, ByteSpan target, const CreateOptions& options) {
  BDELTA_ASSIGN(MadePatch made, make_reported(source, target, options));
  return std::move(made.bytes);
}

Result<Bytes> apply_patch(ByteSpan source, ByteSpan patch, Sink sink, const ApplyOptions& options) {
  io::MemoryReader source_reader(source);
  io::MemorySequentialReader patch_reader(patch);
  Bytes target;
  if (sink == Sink::kCheck) {
    auto report = check(source_reader, patch_reader, options);
    if (!report) return std::move(report).error();
    return target;
  }
  if (sink == Sink::kSequential) {
    MemoryWriter writer(target);
    auto report = apply(source_reader, patch_reader, writer, options);
    if (!report) return std::move(report).error();
    return target;
  }
  BytesWriter writer(target);
  auto report = apply(source_reader, patch_reader, writer, options);
  if (!report) return std::move(report).error();
  EXPECT_EQ(target.size(), writer.written()) << "holes or overlaps in a positioned target";
  return target;
}

namespace {

void expect_rebuilt_by(unsigned threads, ByteSpan source, ByteSpan patch, ByteSpan target) {
  ApplyOptions options;
  options.threads = threads;
  for (const Sink sink : kAllSinks) {
    const auto made = apply_patch(source, patch, sink, options);
    ASSERT_OK(made);
    if (sink != Sink::kCheck) {
      ASSERT_TRUE(same_bytes(target, *made)) << threads << " threads";
    }
  }
}

}  // namespace

void expect_rebuilt(ByteSpan source, ByteSpan patch, ByteSpan target) {
  const auto made = apply_patch(source, patch);
  ASSERT_OK(made);
  EXPECT_TRUE(same_bytes(target, *made));
}

void expect_rebuilt_everywhere(ByteSpan source, ByteSpan patch, ByteSpan target) {
  for (const unsigned threads : {1u, 2u, 7u}) {
    if (kSanitized && threads == 2) continue;
    if (kLooksForRaces && threads == 1) continue;
    expect_rebuilt_by(threads, source, patch, target);
  }
}

void expect_rebuilt_in_pieces(ByteSpan source, ByteSpan patch, ByteSpan target) {
  for (const std::size_t piece_bytes : {std::size_t{1}, std::size_t{300}, patch.size()}) {
    Bytes made;
    BytesWriter writer(made);
    io::MemoryReader reader(source);
    auto push = PushApply::open(reader, static_cast<PositionedWriter&>(writer), {});
    ASSERT_OK(push);
    for (std::size_t at = 0; at < patch.size(); at += piece_bytes) {
      ASSERT_OK((*push)->feed(patch.subspan(at, std::min(piece_bytes, patch.size() - at))));
    }
    ASSERT_OK((*push)->finish());
    EXPECT_TRUE(same_bytes(target, made));
  }
}

PatchInfo info_of(ByteSpan patch) {
  io::MemorySequentialReader reader(patch);
  auto info = inspect(reader);
  EXPECT_OK(info);
  return info ? std::move(*info) : PatchInfo{};
}

ApplyPlan whole_plan_of(ByteSpan patch) {
  io::MemorySequentialReader bytes(patch);
  io::TypedReader reader(bytes);
  const auto opened = open_patch(reader, std::uint64_t{1} << 30);
  EXPECT_OK(opened);
  if (!opened) return {};
  const auto plan = read_whole_plan(**opened);
  EXPECT_OK(plan);
  return plan ? **plan : ApplyPlan{};
}

PredictionPlan plan_of(ByteSpan patch) {
  const ApplyPlan plan = whole_plan_of(patch);
  EXPECT_TRUE(plan.prediction) << "there is no prediction";
  return plan.prediction.value_or(PredictionPlan{});
}

Fills fills_of(ByteSpan patch) { return whole_plan_of(patch).fills; }

bool has_fills(ByteSpan patch, FillShape shape) {
  const Fills fills = fills_of(patch);
  return std::any_of(fills.begin(), fills.end(), [&](const FillRule& rule) { return rule.kind.shape == shape; });
}

bool has_feature(ByteSpan patch, std::uint64_t feature) { return (info_of(patch).required_features & feature) != 0; }

void expect_round_trip(ByteSpan source, ByteSpan target, const CreateOptions& options) {
  const auto patch = make_patch(source, target, options);
  ASSERT_OK(patch);
  expect_rebuilt_by(1, source, *patch, target);
}

Bytes expect_same_patch_by_any_threads(ByteSpan source, ByteSpan target, int level) {
  auto one = make_patch(source, target, create_options(level, PatchFormat::kBdt2, 1));
  EXPECT_OK(one);
  if (!one) return {};
  for (const unsigned threads : {2u, 7u}) {
    if (kSanitized && threads == 2) continue;
    const auto many = make_patch(source, target, create_options(level, PatchFormat::kBdt2, threads));
    EXPECT_OK(many);
    if (!many) continue;
    EXPECT_TRUE(same_bytes(*one, *many)) << threads;
  }
  return std::move(*one);
}

CreateOptions create_options(int level, PatchFormat format, unsigned threads) {
  CreateOptions options;
  options.level = level;
  options.format = format;
  options.threads = threads;
  return options;
}

}  // namespace bdelta::test

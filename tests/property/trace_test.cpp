// Report and trace of real calls agree, whatever the threads, the sink and the outcome; and tracing changes no byte.
#include <set>

#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/memory_writer.hpp"
#include "support/trace.hpp"

namespace bdelta::test::trace_test {
namespace {

struct Pair {
  Bytes source;
  Bytes target;
};

// Several chunks, groups and windows; a long exact stretch, so that there are plain windows and slices of them.
const Pair& pair() {
  static const Pair made = [] {
    Bytes source = wordy_bytes(std::size_t{6} << 20, 1);
    append(source, random_bytes(std::size_t{12} << 20, 2));
    Bytes target = edited(source, {{Edit::kInsert, 1'000'000, 70'000, 0, 3},
                                   {Edit::kMove, 12'000'000, 900'000, 5'000'000, 0}});
    for (std::size_t i = 0; i < 7'000'000; i += 4001) ++target[i];
    return Pair{std::move(source), std::move(target)};
  }();
  return made;
}

std::uint64_t bytes_of_phase(const Report& report, const std::string& name) {
  for (const Phase& phase : report.phases) {
    if (phase.name == name) return phase.bytes;
  }
  ADD_FAILURE() << name << " is no phase";
  return 0;
}

std::uint64_t bytes_of_spans(const std::vector<TraceSpan>& spans, const std::string& name) {
  std::uint64_t bytes = 0;
  for (const TraceSpan& span : spans) bytes += span.name == name ? span.bytes : 0;
  return bytes;
}

std::set<std::uint64_t> indices_of(const std::vector<TraceSpan>& spans, const std::string& name) {
  std::set<std::uint64_t> indices;
  for (const TraceSpan& span : spans) {
    if (span.name == name && span.index != TraceSpan::kNone) indices.insert(span.index);
  }
  return indices;
}

std::set<std::uint64_t> all_below(std::uint64_t count) {
  std::set<std::uint64_t> indices;
  for (std::uint64_t i = 0; i < count; ++i) indices.insert(i);
  return indices;
}

struct Made {
  Bytes patch;
  Report report;
  std::vector<TraceSpan> spans;
};

Made traced_create(const CreateOptions& base) {
  Made made;
  RecordingSink sink;
  CreateOptions options = base;
  options.trace = &sink;
  HiddenReader source(pair().source);  // is read, a mapped one would not be
  HiddenReader target(pair().target);
  MemoryWriter writer(made.patch);
  auto report = create(source, target, writer, options);
  EXPECT_OK(report);
  if (report) made.report = std::move(*report);
  made.spans = std::move(sink.spans);
  return made;
}

class Trace : public ::testing::TestWithParam<unsigned> {};

TEST_P(Trace, OfCreateAgreesWithItsReport) {
  for (const int level : {1, 3}) {
    const CreateOptions options = create_options(level, PatchFormat::kBdt2, GetParam());
    const Made made = traced_create(options);
    expect_agreement(made.report, made.spans);
    const auto untraced = make_patch(pair().source, pair().target, options);
    ASSERT_OK(untraced);
    EXPECT_TRUE(same_bytes(*untraced, made.patch));

    const std::uint64_t target_bytes = pair().target.size();
    const std::uint64_t both_bytes = pair().source.size() + target_bytes;
    EXPECT_EQ(both_bytes, bytes_of_phase(made.report, "read"));
    EXPECT_EQ(both_bytes, bytes_of_phase(made.report, "hash"));
    EXPECT_EQ(target_bytes, bytes_of_phase(made.report, "compare"));
    EXPECT_EQ(target_bytes, bytes_of_phase(made.report, "scan"));
    EXPECT_EQ(target_bytes, bytes_of_phase(made.report, "encode"));
    EXPECT_EQ(target_bytes, bytes_of_phase(made.report, "verify"));
    EXPECT_EQ(made.patch.size(), bytes_of_phase(made.report, "write"));
    EXPECT_EQ(all_below((target_bytes + (8 << 20) - 1) / (8 << 20)), indices_of(made.spans, "scan"));
    EXPECT_EQ(all_below(made.report.window_count), indices_of(made.spans, "execute")) << "of the self-check";
    if (GetParam() == 1) {
      EXPECT_TRUE(indices_of(made.spans, "wait").empty());
    }
  }
}

TEST_P(Trace, OfVersion1AgreesWithItsReport) {
  const Made made = traced_create(create_options(1, PatchFormat::kBdt1, GetParam()));
  expect_agreement(made.report, made.spans);
}

TEST_P(Trace, OfApplyAgreesWithItsReport) {
  const auto patch = make_patch(pair().source, pair().target, create_options(1));
  ASSERT_OK(patch);
  for (const bool in_order : {true, false}) {
    RecordingSink sink;
    ApplyOptions options;
    options.threads = GetParam();
    options.trace = &sink;
    HiddenReader source(pair().source);
    io::MemorySequentialReader reader(*patch);
    Bytes target;
    MemoryWriter stream(target);
    BytesWriter file(target);
    const auto report = in_order ? apply(source, reader, stream, options) : apply(source, reader, file, options);
    ASSERT_OK(report);
    EXPECT_TRUE(same_bytes(pair().target, target));
    expect_agreement(*report, sink.spans);

    EXPECT_EQ(all_below(report->window_count), indices_of(sink.spans, "execute"));
    EXPECT_EQ(patch->size(), bytes_of_phase(*report, "read"));
    EXPECT_EQ(pair().source.size(), bytes_of_phase(*report, "hash"));
    EXPECT_EQ(pair().target.size(), bytes_of_phase(*report, "execute"));
    EXPECT_EQ(pair().target.size(), bytes_of_phase(*report, "write"));
    for (const Phase& phase : report->phases) {
      EXPECT_EQ(phase.bytes, bytes_of_spans(sink.spans, phase.name)) << phase.name;
    }
  }
}

TEST_P(Trace, OfAFailureEndsWhereTheWorkDid) {
  auto patch = make_patch(pair().source, pair().target, create_options(1));
  ASSERT_OK(patch);
  (*patch)[patch->size() / 2] ^= 0x10;
  RecordingSink sink;
  ApplyOptions options;
  options.threads = GetParam();
  options.trace = &sink;
  io::MemoryReader source(pair().source);
  io::MemorySequentialReader reader(*patch);
  ASSERT_FALSE(static_cast<bool>(check(source, reader, options)));
  expect_nested(sink.spans);
  EXPECT_FALSE(indices_of(sink.spans, "decode").empty());
}

INSTANTIATE_TEST_SUITE_P(Threads, Trace, ::testing::Values(1u, 3u));

}  // namespace
}  // namespace bdelta::test::trace_test

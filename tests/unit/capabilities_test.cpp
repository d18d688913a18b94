// What a reader may ask of who applies its patches, each with a reader that does.
#include "support/generate.hpp"
#include "support/memory_writer.hpp"
#include "support/toy_format.hpp"

namespace bdelta::test::capabilities_test {
namespace {

constexpr std::string_view kOld = "the quick brown fox";

std::string text_of(const Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

// By one thread and by several, into both kinds of targets.
void expect_makes(std::string_view expected, std::string_view patch) {
  for (const unsigned threads : {1u, 4u}) {
    for (const Sink sink : {Sink::kPositioned, Sink::kSequential}) {
      ApplyOptions options;
      options.threads = threads;
      const auto made = apply_toy(kOld, patch, options, sink);
      ASSERT_OK(made);
      EXPECT_EQ(expected, text_of(*made));
    }
  }
  for (const std::size_t piece_bytes : {std::size_t{1}, std::size_t{5}, patch.size()}) {
    const auto made = push_toy(kOld, patch, piece_bytes);
    ASSERT_OK(made);
    EXPECT_EQ(expected, text_of(*made));
  }
}

void expect_refused(ErrorCode code, std::string_view patch) {
  EXPECT_FAILS(code, apply_toy(kOld, patch));
  EXPECT_FAILS(code, push_toy(kOld, patch, 3));
}

TEST(ToyReader, NeedsNothing) {
  expect_makes("quick-fox", "toy-bare 9 0\n# note\ncopy 4 5\nwindow 5\ntext -\ncopy 16 3\nwindow 4\n");
  expect_makes("quick+quiCK+", "toy-bare 12 6\ncopy 4 5\ntext +\nwindow 6\ncopy_new 0 6\n"
                               "add 3 224\nadd 0 224\nwindow 6\n");
  expect_makes("", "toy-bare 0 0\n");
}

TEST(ToyReader, IsProvenToMakeNew) {
  expect_refused(ErrorCode::kPatchCorrupt, "toy-bare 9 0\ncopy 4 5\nwindow 5\n");
  expect_refused(ErrorCode::kPatchCorrupt, "toy-bare 4 0\ncopy 4 5\nwindow 5\n");
  expect_refused(ErrorCode::kPatchCorrupt, "toy-bare 5 0\ncopy 4 5\nwindow 4\n");
  expect_refused(ErrorCode::kPatchCorrupt, "toy-bare 5 0\ntext x\nwindow 18446744073709551615\ncopy 0 6\nwindow 6\n");
  expect_refused(ErrorCode::kOpOutOfRange, "toy-bare 5 0\ncopy 15 5\nwindow 5\n");
  expect_refused(ErrorCode::kOpOutOfRange, "toy-bare 5 0\ncopy -1 5\nwindow 5\n");
}

TEST(SourceWhileDecoding, IsThere) {
  expect_makes("QUICKfox", "toy-olds 8 0 19\nupper 4 5\ncopy 16 3\nwindow 8\n");
}

TEST(SourceWhileDecoding, IsProvenBefore) {
  expect_refused(ErrorCode::kWrongSourceSize, "toy-olds 5 0 20\nupper 400 5\nwindow 5\n");
  const Bytes old = bytes_of(kOld);
  HiddenReader broken(old);
  broken.read_error = Error{ErrorCode::kReadFailed, "as the test wants it"};
  EXPECT_FAILS(ErrorCode::kReadFailed, apply_toy(broken, "toy-olds 5 0\nupper 4 5\nwindow 5\n"));
}

TEST(SourceWhileDecoding, HasToBeDeclared) {
  EXPECT_FAILS(ErrorCode::kInternal, apply_toy(kOld, "toy-bare 5 0\nupper 4 5\nwindow 5\n"));
}

TEST(SourceWhileDecoding, IsMissedWhereThePatchIsCheckedAlone) {
  const auto olds = verify_toy("toy-olds 5 0\nupper 4 5\nwindow 5\n");
  EXPECT_FAILS(ErrorCode::kUnsupportedFeature, olds);
  EXPECT_NE(std::string::npos, to_string(olds.error()).find("format toy-olds")) << to_string(olds.error());
  EXPECT_OK(verify_toy("toy-bare 5 0\ncopy 4 5\nwindow 5\n"));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, verify_toy("toy-bare 5 0\nrun x 5\nwindow 5\n"));
  EXPECT_OK(verify_toy("toy-runs 5 0\nrun x 5\nwindow 5\n"));
}

TEST(ZerosBeyondSource, FillCopiesUp) {
  using namespace std::string_literals;
  expect_makes("fox\0\0"s, "toy-zero 5 0\ncopy 16 5\nwindow 5\n");
  expect_makes("\0\0\0"s, "toy-zero 3 0\ncopy 19 3\nwindow 3\n");
  expect_makes("\0A"s, "toy-zero 2 0\ncopy 9000000000000000000 2\nadd 1 65\nwindow 2\n");
}

TEST(ZerosBeyondSource, EndSomewhere) {
  expect_refused(ErrorCode::kOpOutOfRange, "toy-zero 5 0\ncopy -5 5\nwindow 5\n");
  expect_refused(ErrorCode::kOpOutOfRange, "toy-zero 5 0\ncopy 9223372036854775806 5\nwindow 5\n");
}

// Copies that go through the cache of blocks, and past it.
TEST(ZerosBeyondSource, OfASourceOfManyBlocks) {
  const Bytes old = random_bytes(200'000, 1);
  Bytes expected = old;
  expected.resize(400'000);
  Bytes small(expected.begin() + 199'000, expected.begin() + 201'000);
  append(expected, small);
  append(expected, small);
  const std::string_view patch = "toy-zero 404000 0\ncopy 0 400000\ncopy 199000 2000\ncopy 199000 2000\nwindow 404000\n";
  HiddenReader hidden(old);
  io::MemoryReader seen(old);
  for (RandomReader* reader : std::initializer_list<RandomReader*>{&hidden, &seen}) {
    const auto made = apply_toy(*reader, patch);
    ASSERT_OK(made);
    EXPECT_TRUE(same_bytes(expected, *made));
  }
}

TEST(TargetSizeAtEnd, IsWhatWindowsAddUpTo) {
  expect_makes("quick-fox", "toy-open ? 0\ncopy 4 5\nwindow 5\ntext -\ncopy 16 3\nwindow 4\n");
  expect_makes("", "toy-open ? 0\n");
  expect_makes("abcab", "toy-open ? 3\ntext abc\nwindow 3\ncopy_new 0 2\nwindow 2\n");
}

TEST(TargetSizeAtEnd, IsHeldAgainstTheLimitOfEachWindow) {
  constexpr std::string_view kPatch = "toy-open ? 0\ncopy 4 5\nwindow 5\ncopy 0 5\nwindow 5\n";
  ApplyOptions options;
  options.output_limit_bytes = 10;
  EXPECT_OK(apply_toy(kOld, kPatch, options));
  options.output_limit_bytes = 9;
  const auto made = apply_toy(kOld, kPatch, options);
  EXPECT_FAILS(ErrorCode::kOutputLimit, made);
  EXPECT_EQ(10u, made.error().needed_bytes);
}

TEST(TargetSizeAtEnd, HasToBeDeclared) {
  expect_refused(ErrorCode::kInternal, "toy-bare ? 0\ncopy 4 5\nwindow 5\n");
}

TEST(TargetSizeAtEnd, IsToldByProgressAtTheEnd) {
  std::vector<std::uint64_t> totals;
  ApplyOptions options;
  options.progress = [&](const Progress& now) {
    EXPECT_EQ(now.total, now.done);
    totals.push_back(now.total);
    return true;
  };
  EXPECT_OK(apply_toy(kOld, "toy-open ? 0\ncopy 4 5\nwindow 5\n", options));
  ASSERT_FALSE(totals.empty());
  EXPECT_EQ(5u, totals.back());
  totals.pop_back();
  EXPECT_EQ(std::vector<std::uint64_t>(totals.size(), 0), totals);
}

TEST(Windows, TakeNoMoreMemoryThanTheCallerAllows) {
  ApplyOptions options;
  options.window_limit_bytes = 1000;
  EXPECT_OK(apply_toy(kOld, "toy-runs 1000 0\nrun x 1000\nwindow 1000\n", options));
  EXPECT_FAILS(ErrorCode::kMemoryLimit, apply_toy(kOld, "toy-runs 1001 0\nrun x 1001\nwindow 1001\n", options));
}

TEST(Runs, RepeatAByte) {
  expect_makes("xxxxayyy", "toy-runs 8 0\nrun x 4\ntext a\nrun y 3\nwindow 8\n");
  const auto made = apply_toy(kOld, "toy-runs 300000 0\nrun x 300000\nwindow 300000\n");
  ASSERT_OK(made);
  EXPECT_TRUE(same_bytes(Bytes(300'000, 'x'), *made));
}

TEST(Runs, AreNoCopiedBytes) {
  expect_makes("xxqUick", "toy-runs 7 0\nrun x 2\ncopy 4 5\nadd 1 224\nwindow 7\n");
}

TEST(Runs, StayInsideNewAndTheirWindow) {
  expect_refused(ErrorCode::kPatchCorrupt, "toy-runs 5 0\nrun x 6\nwindow 6\n");
  expect_refused(ErrorCode::kPatchCorrupt, "toy-runs 5 0\nrun x 6\nwindow 5\n");
  expect_refused(ErrorCode::kPatchCorrupt, "toy-runs 5 0\nrun x 18446744073709551615\nrun x 6\nwindow 5\n");
  expect_refused(ErrorCode::kPatchCorrupt, "toy-runs 5 0\nrun x 0\nrun x 5\nwindow 5\n");
}

TEST(Runs, HaveToBeDeclared) {
  expect_refused(ErrorCode::kPatchCorrupt, "toy-laps 5 0\nrun x 5\nwindow 5\n");
}

TEST(Runs, NeedTheirByteAndNoModelledBytes) {
  const Capabilities runs{.runs = true};
  WindowDelta window;
  window.target_length = 5;
  window.ops = {{OpKind::kRun, 5, 0}};
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, validate_window(window, 0, runs));
  window.literals = bytes_of("x");
  EXPECT_OK(validate_window(window, 0, runs));
  window.literals = bytes_of("xxxxx");
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, validate_window(window, 0, runs));
  window.literals = bytes_of("x");
  window.modelled.emplace();
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, validate_window(window, 0, runs));
}

TEST(OverlappingCopies, RepeatWhatTheyHaveMade) {
  expect_makes("abcabcabca", "toy-laps 10 0\ntext abc\ncopy_new 0 7\nwindow 10\n");
  expect_makes("abbbbbbbb", "toy-laps 9 0\ntext ab\ncopy_new 1 7\nwindow 9\n");
  // From the window before, and from its last byte.
  expect_makes("abcbcbcbc", "toy-laps 9 2\ntext abc\nwindow 3\ncopy_new 1 6\nwindow 6\n");
  expect_makes("abcccccxcxcxc", "toy-laps 13 1\ntext abc\nwindow 3\ncopy_new 2 4\ntext x\ncopy_new 6 5\nwindow 10\n");
}

TEST(OverlappingCopies, TakeNoResidualOfTheirOwn) {
  expect_makes("abABabab", "toy-laps 8 0\ntext ab\ncopy_new 0 6\nadd 0 224\nadd 0 224\nwindow 8\n");
}

TEST(OverlappingCopies, BeginBeforeTheyAreMade) {
  expect_refused(ErrorCode::kOpOutOfRange, "toy-laps 5 0\ntext ab\ncopy_new 2 3\nwindow 5\n");
  expect_refused(ErrorCode::kOpOutOfRange, "toy-laps 5 0\ncopy_new 0 5\nwindow 5\n");
  expect_refused(ErrorCode::kOpOutOfRange, "toy-laps 5 0\ntext ab\ncopy_new -1 3\nwindow 5\n");
  expect_refused(ErrorCode::kOpOutOfRange, "toy-laps 6 1\ntext abc\nwindow 3\ncopy_new 1 3\nwindow 3\n");  // not kept
}

TEST(OverlappingCopies, HaveToBeDeclared) {
  expect_refused(ErrorCode::kOpOutOfRange, "toy-bare 10 0\ntext abc\ncopy_new 0 7\nwindow 10\n");
  expect_refused(ErrorCode::kOpOutOfRange, "toy-runs 10 0\ntext abc\ncopy_new 0 7\nwindow 10\n");
}

TEST(Parts, AreExecutedOneByOne) {
  constexpr std::string_view kPatch = "toy-part 9 0\n# a note\ncopy 4 5\nwindow 5\n# another\ntext -\ncopy 16 3\nwindow 4\n# end\n";
  expect_makes("quick-fox", kPatch);
  const Bytes old = bytes_of(kOld);
  const Bytes patch = bytes_of(kPatch);
  io::MemoryReader source(old);
  Bytes target;
  MemoryWriter writer(target);
  const PushOptions options;
  PushRun push(source, {nullptr, &writer}, options, kToyFormats);
  const std::size_t first_bytes = kPatch.find("# another");
  EXPECT_OK(push.feed(ByteSpan(patch).first(first_bytes)));
  EXPECT_EQ("quick", text_of(target));  // before the rest has come
  EXPECT_OK(push.feed(ByteSpan(patch).subspan(first_bytes)));
  EXPECT_OK(push.finish());
  EXPECT_EQ("quick-fox", text_of(target));
}

TEST(Parts, HaveToBeWhole) {
  constexpr std::string_view kPatch = "toy-part 9 0\ncopy 4 5\nwindow 5\ntext -\ncopy 16 3\nwindow 4\n";
  for (std::size_t size = 0; size < kPatch.size(); ++size) {
    const auto made = push_toy(kOld, kPatch.substr(0, size), 4);
    ASSERT_FALSE(static_cast<bool>(made)) << size;
    const ErrorCode code = made.error().code;
    const bool ends_with_window = size == kPatch.find("text");  // windows of all of NEW are missing
    const bool has_name = size >= kDetectBytes;
    EXPECT_EQ(ends_with_window || size == kPatch.find("copy") ? ErrorCode::kPatchCorrupt
              : has_name || size == 0                         ? ErrorCode::kPatchTruncated
                                                              : ErrorCode::kNotAPatch, code)
        << size << ' ' << to_string(made.error());
  }
}

TEST(Parts, ThatNobodyReadsAreProven) {
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, push_toy(kOld, "toy-part 5 0\n#a note\ncopy 4 5\nwindow 5\n", 100));
}

TEST(Parts, AreExpectedWhereAHeadIs) {
  PushOptions options;
  options.apply.expected_head_sha256 = sha256(bytes_of("toy-part 5 0\n"));
  EXPECT_FAILS(ErrorCode::kPatchDigest, push_toy(kOld, "toy-bare 5 0\ncopy 4 5\nwindow 5\n", 100, options));
  EXPECT_FAILS(ErrorCode::kPatchDigest, push_toy(kOld, "toy-part 6 0\ncopy 4 6\nwindow 6\n", 100, options));
  EXPECT_FAILS(ErrorCode::kPatchDigest, push_toy(kOld, "toy-part 5 0\ncopy 4 5\nwindow 5\n", 100, options));  // has no list
}

// A patch of all kinds of ops, and byte by byte what it makes.
class RandomPatch {
 public:
  explicit RandomPatch(unsigned seed) : random_(seed) {
    for (unsigned window = 0; window < 20; ++window) add_window();
  }

  [[nodiscard]] std::string text() const { return "toy-alls ? " + std::to_string(kHistoryBytes) + "\n" + ops_; }
  [[nodiscard]] const std::string& made() const noexcept { return made_; }

 private:
  static constexpr std::uint64_t kHistoryBytes = 50;

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }

  void add_window() {
    const std::size_t begin = made_.size();
    std::vector<std::size_t> copied;
    for (std::uint64_t count = 1 + below(10); count > 0; --count) add_op(begin, copied);
    std::size_t gap = 0;
    for (const std::size_t place : copied) {
      if (below(4) != 0) {
        ++gap;
        continue;
      }
      const auto value = static_cast<unsigned>(1 + below(255));
      made_[place] = static_cast<char>(made_[place] + static_cast<char>(value));
      ops_ += "add " + std::to_string(gap) + ' ' + std::to_string(value) + '\n';
      gap = 0;
    }
    ops_ += "window " + std::to_string(made_.size() - begin) + '\n';
  }

  // Bytes that a copy has changed are not copied again in the same window: there the residual comes last.
  void add_op(std::size_t window_begin, std::vector<std::size_t>& copied) {
    const std::uint64_t length = 1 + below(30);
    const std::size_t begin = made_.size();
    const std::size_t oldest = window_begin - std::min<std::size_t>(window_begin, kHistoryBytes);
    const std::string tail = ' ' + std::to_string(length) + '\n';
    const std::uint64_t kind = below(5);
    if (kind == 0) {
      const auto letter = static_cast<char>('a' + below(26));
      made_.append(length, letter);
      ops_ += std::string("run ") + letter + tail;
    } else if (kind == 1 && window_begin > oldest && copied.empty()) {
      const std::size_t from = oldest + below(begin - oldest);
      for (std::uint64_t i = 0; i < length; ++i) made_ += made_[from + i];
      ops_ += "copy_new " + std::to_string(from) + tail;
      for (std::size_t at = begin; at < made_.size(); ++at) copied.push_back(at);
    } else if (kind == 2) {
      const std::uint64_t from = below(kOld.size());
      const std::string text(kOld.substr(from, length));
      for (const char letter : text) made_ += static_cast<char>(std::toupper(letter));
      ops_ += "upper " + std::to_string(from) + ' ' + std::to_string(text.size()) + '\n';
    } else {
      const std::uint64_t from = below(2 * kOld.size());
      for (std::uint64_t i = from; i < from + length; ++i) made_ += i < kOld.size() ? kOld[i] : '\0';
      ops_ += "copy " + std::to_string(from) + tail;
      for (std::size_t at = begin; at < made_.size(); ++at) copied.push_back(at);
    }
  }

  std::mt19937 random_;
  std::string ops_;
  std::string made_;
};

TEST(AllCapabilities, GoTogether) {
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    const RandomPatch patch(seed);
    expect_makes(patch.made(), patch.text());
  }
}

}  // namespace
}  // namespace bdelta::test::capabilities_test

// Files that are updated in place: every file call fails in turn, the power fails at every moment, and a journal is torn at
// every byte. The file is OLD, or the next call makes it NEW; there is nothing else.
#include "bdelta/in_place.hpp"
#include "support/crash_disk.hpp"
#include "support/craft.hpp"
#include "support/faulty_ops.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"

namespace bdelta::test::in_place_fault_test {
namespace {

namespace fs = std::filesystem;

enum class Shape { kSame, kGrows, kShrinks };

std::string name_of(Shape shape) { return shape == Shape::kSame ? "Same" : shape == Shape::kGrows ? "Grows" : "Shrinks"; }

struct Pair {
  Bytes old_version, new_version, patch;

  explicit Pair(Shape shape) {
    old_version = wordy_bytes(20'000, 1);
    new_version = old_version;
    for (const std::size_t at : {100u, 700u, 1'300u, 2'000u, 12'300u, 12'900u, 13'500u, 14'000u}) new_version[at] ^= 1;  // sectors
    if (shape == Shape::kGrows) append(new_version, wordy_bytes(2'000, 2));
    if (shape == Shape::kShrinks) new_version.resize(17'000);
    patch = craft_patch(old_version, new_version, covers_of(old_version, new_version), {});
  }
};

class InPlaceFault : public ::testing::TestWithParam<Shape> {
 protected:
  InPlaceFault() {
    reset();
    put(elsewhere_ / "patch", pair_.patch);  // not on the disk that fails
  }

  void reset() const {
    for (const auto& entry : fs::directory_iterator(folder_.path())) fs::remove_all(entry.path());
    put(folder_ / "f", pair_.old_version);
  }

  [[nodiscard]] Status apply() const {
    auto report = apply_in_place(folder_ / "f", elsewhere_ / "patch", options_, {});
    return report ? Status() : Status(report.error());
  }

  // A run whose journal stays, as the file can't be synced.
  void interrupt() const {
    const io::FileOps table = faulty_ops();
    const io::ScopedFileOps scope(table);
    set_fault({"sync", 4, EIO, false, false, false});
    EXPECT_FAILS(ErrorCode::kUnfinished, apply());
    set_fault({});
  }

  [[nodiscard]] bool is_old() const { return get(folder_ / "f") == pair_.old_version; }

  // Nothing, or what is wrong with what is there once the next call has ended.
  [[nodiscard]] std::optional<std::string> wrong_after_next_call() const {
    const auto is_so = is_unfinished(folder_ / "f", {});
    if (!is_so) return to_string(is_so.error());
    if (!*is_so && !is_old() && get(folder_ / "f") != pair_.new_version) return "neither OLD nor NEW, and no journal";
    if (Status applied = apply(); !applied) return to_string(applied.error());
    if (get(folder_ / "f") != pair_.new_version) return "it is not NEW";
    return folder_.count() == 1 ? std::nullopt : std::optional<std::string>("something is left behind");
  }

  const Pair pair_{GetParam()};
  const Folder folder_{quick_directory()};
  const Folder elsewhere_{quick_directory()};
  ApplyOptions options_;
};

std::vector<std::string> all_calls() {
  std::vector<std::string> calls = faulty_calls();
  calls.insert(calls.end(), faulty_in_place_calls().begin(), faulty_in_place_calls().end());
  return calls;
}

TEST_P(InPlaceFault, EveryCallFailsInTurn) {
  for (const int error : {EIO, ENOSPC, EACCES}) {
    std::size_t failures = 0;
    for (const std::string& call : all_calls()) {
      for (int nth = 1;; ++nth) {
        ASSERT_LT(nth, 500) << call;
        SCOPED_TRACE(call + " fails " + std::to_string(nth) + ", errno " + std::to_string(error));
        reset();
        const std::ptrdiff_t descriptors = open_descriptors();
        Status status;
        {
          const io::FileOps table = faulty_ops();
          const io::ScopedFileOps scope(table);
          set_fault({call, nth, error, false, false, false});
          status = apply();
        }
        const bool hit = current_fault().hit;
        set_fault({});
        EXPECT_EQ(descriptors, open_descriptors());
        if (status) {
          EXPECT_TRUE(get(folder_ / "f") == pair_.new_version);
          EXPECT_EQ(1, folder_.count());
        } else {
          ++failures;
          EXPECT_FALSE(status.error().file.empty()) << to_string(status.error());
          EXPECT_EQ(2, exit_class(status.error().code)) << to_string(status.error());
          const auto is_so = is_unfinished(folder_ / "f", {});
          ASSERT_OK(is_so);
          EXPECT_EQ(status.error().code == ErrorCode::kUnfinished, *is_so) << to_string(status.error());
          EXPECT_TRUE(*is_so || call == "sync_directory" || is_old()) << to_string(status.error());
          const auto wrong = wrong_after_next_call();
          EXPECT_FALSE(wrong) << *wrong;
        }
        if (::testing::Test::HasFailure()) return;
        if (!hit) break;
      }
    }
    EXPECT_GT(failures, 15u);
  }
}

// So does what completes an interrupted update.
TEST_P(InPlaceFault, EveryCallFailsInTurnWhileItIsResumed) {
  interrupt();
  const Bytes half = get(folder_ / "f");
  const Bytes journal = get(folder_ / ".f.bdelta-journal");
  for (const std::string& call : all_calls()) {
    for (int nth = 1;; ++nth) {
      ASSERT_LT(nth, 500) << call;
      SCOPED_TRACE(call + " fails " + std::to_string(nth));
      put(folder_ / "f", half);
      put(folder_ / ".f.bdelta-journal", journal);
      Status status;
      {
        const io::FileOps table = faulty_ops();
        const io::ScopedFileOps scope(table);
        set_fault({call, nth, EIO, false, false, false});
        const auto report = resume_in_place(folder_ / "f", options_, {});
        if (!report) status = report.error();
      }
      const bool hit = current_fault().hit;
      set_fault({});
      EXPECT_TRUE(status || exit_class(status.error().code) == 2) << to_string(status.error());
      const auto wrong = wrong_after_next_call();
      EXPECT_FALSE(wrong) << *wrong;
      if (::testing::Test::HasFailure()) return;
      if (!hit) break;
    }
  }
}

TEST_P(InPlaceFault, InterruptionsAndShortCountsAreNotNoticed) {
  std::vector<std::string> calls = faulty_in_place_calls();
  for (const char* const call : {"open", "read_at", "write_at", "sync", "truncate", "info", "path_info", "link_info", "sync_directory"}) {
    calls.emplace_back(call);
  }
  for (const std::string& call : calls) {
    SCOPED_TRACE(call);
    reset();
    const io::FileOps table = faulty_ops();
    const io::ScopedFileOps scope(table);
    set_fault({call, 1, EINTR, true, false, false});
    EXPECT_OK(apply());
    set_fault({});
    EXPECT_TRUE(get(folder_ / "f") == pair_.new_version);
  }
}

TEST_P(InPlaceFault, ThePowerFailsAtEveryMoment) {
  std::vector<DiskImage> sampled;
  DiskRecord record;
  {
    const DiskRecorder recorder({folder_.path()});
    EXPECT_OK(apply());
    record = recorder.record();
  }
  std::size_t unfinished = 0, old = 0, count = 0;
  const CrashFindings findings = crash_disk_everywhere(record, [&](const DiskImage& image, bool at_the_end) {
    put_image(image, record.folders);
    if (at_the_end && get(folder_ / "f") != pair_.new_version) return std::optional<std::string>("success was told, and it is lost");
    const auto is_so = is_unfinished(folder_ / "f", {});
    unfinished += is_so && *is_so;
    old += is_old();
    if (is_so && *is_so && ++count % 40 == 1) sampled.push_back(image);
    return wrong_after_next_call();
  });
  EXPECT_FALSE(findings.violation) << *findings.violation;
  EXPECT_GT(findings.state_count, 500u);
  EXPECT_GT(unfinished, 150u);
  EXPECT_GT(old, 20u);

  // And once more while the next call is at it.
  ASSERT_FALSE(sampled.empty());
  for (const DiskImage& image : sampled) {
    put_image(image, record.folders);
    DiskRecord second;
    {
      const DiskRecorder recorder({folder_.path()});
      EXPECT_OK(resume_in_place(folder_ / "f", options_, {}));
      second = recorder.record();
    }
    const CrashFindings again = crash_disk_everywhere(second, [&](const DiskImage& state, bool) {
      put_image(state, second.folders);
      return wrong_after_next_call();
    });
    EXPECT_FALSE(again.violation) << *again.violation;
  }
}

TEST_P(InPlaceFault, AJournalIsTornAtEachByte) {
  interrupt();
  const Bytes journal = get(folder_ / ".f.bdelta-journal");
  ASSERT_GT(journal.size(), 8'000u);
  for (std::size_t length = 0; length < journal.size(); ++length) {
    reset();
    put(folder_ / ".f.bdelta-journal", ByteSpan(journal).first(length));
    EXPECT_OK(resume_in_place(folder_ / "f", options_, {}));
    ASSERT_TRUE(is_old() && folder_.count() == 1) << length;
    if (length % 64 != 0) continue;
    put(folder_ / ".f.bdelta-journal", ByteSpan(journal).first(length));
    const auto wrong = wrong_after_next_call();
    ASSERT_FALSE(wrong) << length << ": " << *wrong;
  }
  reset();
  put(folder_ / ".f.bdelta-journal", journal);
  EXPECT_OK(resume_in_place(folder_ / "f", options_, {}));
  EXPECT_TRUE(get(folder_ / "f") == pair_.new_version);
}

TEST_P(InPlaceFault, TheSimulatorNoticesWhatIsNotSynced) {
  for (const DiskRecorder::Faults faults : {DiskRecorder::Faults{.drop_syncs = true}, {.drop_directory_syncs = true}}) {
    reset();
    DiskRecord record;
    {
      const DiskRecorder recorder({folder_.path()}, faults);
      EXPECT_OK(apply());
      record = recorder.record();
    }
    const CrashFindings findings = crash_disk_everywhere(record, [&](const DiskImage& image, bool at_the_end) {
      put_image(image, record.folders);
      if (at_the_end && folder_.count() != 1) return std::optional<std::string>("the journal is still there");
      return wrong_after_next_call();
    });
    EXPECT_TRUE(findings.violation);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, InPlaceFault, ::testing::Values(Shape::kSame, Shape::kGrows, Shape::kShrinks),
                         [](const auto& each) { return name_of(each.param); });

}  // namespace
}  // namespace bdelta::test::in_place_fault_test

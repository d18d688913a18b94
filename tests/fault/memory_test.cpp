// Every allocation in turn fails: the answer is kOutOfMemory (or success, where nothing depended on it), never an
// exception across the public surface and never the end of the process. Allocations of C++ are counted; for those of
// the codecs see malloc_test.
#include <atomic>
#include <cstdlib>

#include "bdelta/in_place.hpp"
#include "support/archive.hpp"
#include "support/fail_each.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/memory.hpp"
#include "support/program_pair.hpp"
#include "support/replace_new.hpp"

namespace {

std::atomic<long> g_left{-1};  // allocations that still succeed; negative = all

bool refused() {
  if (g_left.load(std::memory_order_relaxed) < 0) return false;
  return g_left.fetch_sub(1) <= 0;
}

}  // namespace

namespace bdelta::test {

void* allocate(std::size_t size) noexcept {
  void* memory = refused() ? nullptr : std::malloc(size == 0 ? 1 : size);
  if (memory == nullptr) g_left = -1;  // one failure, so that the error can be reported
  return memory;
}

void release(void* memory) noexcept { std::free(memory); }

namespace {

class NullWriter final : public SequentialWriter {
 public:
  Status write(ByteSpan) override { return {}; }
  Status finish() override { return {}; }
};

ProgramPair words() {
  Bytes source = wordy_bytes(40'000, 1);
  Bytes target = edited(source, random_edits(8, source.size(), 900, 2));
  return {std::move(source), std::move(target)};
}

// Small streams and one that is shared out.
ProgramPair archives() {
  const auto archive_of = [](bool next) {
    std::vector<ZipMember> members;
    for (unsigned i = 0; i < 5; ++i) {
      Bytes text = wordy_bytes(i == 3 ? 4'200'000 : 2'000, i);
      if (next) text[100] ^= 1;
      members.push_back({.name = "file" + std::to_string(i), .content = std::move(text), .level = i == 3 ? 4 : 6});
    }
    return zip_of(members);
  };
  return {archive_of(false), archive_of(true)};
}

void create_with(unsigned threads, const ProgramPair& pair = words()) {
  const Bytes& source = pair.old_version;
  const Bytes& target = pair.new_version;
  const CreateOptions options = create_options(3, PatchFormat::kBdt2, threads);
  fail_each_allocation(g_left, [&] {
    io::MemoryReader source_reader(source);
    HiddenReader target_reader(target);
    NullWriter writer;
    return create(source_reader, target_reader, writer, options);
  });
}

void apply_with(unsigned threads, const ProgramPair& pair = words()) {
  const Bytes& source = pair.old_version;
  const Bytes& target = pair.new_version;
  const auto patch = make_patch(source, target, create_options(3));
  ASSERT_OK(patch);
  ApplyOptions options;
  options.threads = threads;
  fail_each_allocation(g_left, [&] {
    HiddenReader source_reader(source);
    io::MemorySequentialReader reader(*patch);
    NullWriter writer;
    return apply(source_reader, reader, writer, options);
  });
}

TEST(OutOfMemory, WhileCreating) { create_with(1); }
TEST(OutOfMemory, WhileApplying) { apply_with(1); }

// The file is OLD, or a journal completes it.
TEST(OutOfMemory, WhileUpdatingInPlace) {
  const ProgramPair pair = words();
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(3));
  ASSERT_OK(patch);
  const Folder folder(quick_directory());
  const std::filesystem::path file = folder / "f", patch_path = folder / "patch";
  put(patch_path, *patch);
  put(file, pair.old_version);
  ApplyOptions options;
  options.files.sync = false;
  std::size_t unfinished_count = 0;
  const auto work = [&]() -> Status {
    auto report = apply_in_place(file, patch_path, options, {});
    if (report) return {};
    const bool is_so = report.error().code == ErrorCode::kUnfinished;  // what came of an allocation behind the commit
    unfinished_count += is_so;
    return Error{is_so ? ErrorCode::kOutOfMemory : report.error().code, {}};
  };
  fail_each_allocation(g_left, work, [&](bool succeeded) {
    const auto resumed = resume_in_place(file, options, {});
    ASSERT_OK(resumed);
    const Bytes found = get(file);
    EXPECT_TRUE(found == pair.new_version || (!succeeded && found == pair.old_version));
    EXPECT_EQ(2, folder.count());
    put(file, pair.old_version);
  });
  EXPECT_GT(unfinished_count, 0u);
}

TEST(OutOfMemory, WhileCreatingForPrograms) { create_with(1, program_pair(11, 60)); }
TEST(OutOfMemory, WhileApplyingToPrograms) { apply_with(1, program_pair(11, 60)); }

// In processes of their own, because an exception in a worker ends the process; the process has to live to its end.
TEST(OutOfMemoryDeathTest, WhileCreatingWithWorkers) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((create_with(3), std::exit(0)), ::testing::ExitedWithCode(0), "");
}
TEST(OutOfMemoryDeathTest, WhileApplyingWithWorkers) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((apply_with(3), std::exit(0)), ::testing::ExitedWithCode(0), "");
}
TEST(OutOfMemoryDeathTest, WhileApplyingToArchivesWithWorkers) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((apply_with(3, archives()), std::exit(0)), ::testing::ExitedWithCode(0), "");
}
TEST(OutOfMemoryDeathTest, WhileCreatingForProgramsWithWorkers) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((create_with(3, program_pair(11, 60)), std::exit(0)), ::testing::ExitedWithCode(0), "");
}
TEST(OutOfMemoryDeathTest, WhileApplyingToProgramsWithWorkers) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT((apply_with(3, program_pair(11, 60)), std::exit(0)), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace bdelta::test

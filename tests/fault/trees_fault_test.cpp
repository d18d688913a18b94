// Every file call fails in turn while a patch is made from one directory to another, and while it is applied.
#include <map>

#include "bdelta/tree.hpp"
#include "support/faulty_ops.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"

namespace bdelta::test::trees_fault_test {
namespace {

namespace fs = std::filesystem;

// What a directory holds, links as what they lead to.
std::map<std::string, Bytes> contents(const fs::path& root) {
  std::map<std::string, Bytes> found;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string name = entry.path().lexically_relative(root).string();
    if (entry.is_symlink()) {
      const std::string target = fs::read_symlink(entry.path()).string();
      found[name] = Bytes(target.begin(), target.end());
    } else {
      found[name] = entry.is_directory() ? Bytes() : get(entry.path());
    }
  }
  return found;
}

class TreesFault : public ::testing::Test {
 protected:
  TreesFault() {
    const Bytes words = wordy_bytes(3000, 1);
    for (const char* const name : {"old", "new"}) fs::create_directories(folder_ / name / "d/e");
    for (const char* const name : {"old", "new"}) put(folder_ / name / "d/kept", words);
    put(folder_ / "old/d/changed", words);
    put(folder_ / "new/d/changed", edited(words, random_edits(3, words.size(), 100, 2)));
    put(folder_ / "new/d/e/added", wordy_bytes(500, 3));
    put(folder_ / "new/empty", Bytes());
    fs::create_symlink("d/kept", folder_ / "old/link");
    fs::create_symlink("d/changed", folder_ / "new/link");
    options_.exclude = {"*.log"};
    options_.times = true;
    EXPECT_OK(create("patch"));
    patch_ = get(folder_ / "patch");
  }

  Status create(const char* patch) const {
    auto report = create_tree(folder_ / "old", folder_ / "new", folder_ / patch, {}, options_);
    return report ? Status() : Status(report.error());
  }
  Status apply() const {
    auto report = apply_tree(folder_ / "old", folder_ / "made", folder_ / "patch", {});
    return report ? Status() : Status(report.error());
  }

  // What is beside OLD, NEW and the patch.
  [[nodiscard]] std::vector<std::string> others() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      const std::string name = entry.path().filename().string();
      if (name != "old" && name != "new" && name != "patch") names.push_back(name);
    }
    return names;
  }

  void expect_made() const {
    EXPECT_EQ(std::vector<std::string>{"made"}, others());
    EXPECT_TRUE(contents(folder_ / "new") == contents(folder_ / "made"));
  }

  // One run with each use of each call failing. `done` looks at what is there after success, and takes it away.
  template <class Work, class Done>
  void fail_each(const std::vector<std::string>& calls, int error, bool may_fail, Work work, Done done) {
    constexpr int kMostUses = 2000;  // far more than any call is made
    for (const std::string& call : calls) {
      for (int nth = 1;; ++nth) {
        ASSERT_LT(nth, kMostUses) << call;
        SCOPED_TRACE(call + " fails " + std::to_string(nth) + ", errno " + std::to_string(error));
        const std::ptrdiff_t descriptors = open_descriptors();
        const io::FileOps table = faulty_ops();
        Status status;
        {
          const io::ScopedFileOps scope(table);
          set_fault({call, nth, error, false, false, false});
          status = work();
        }
        const bool hit = current_fault().hit;
        set_fault({});
        EXPECT_EQ(descriptors, open_descriptors()) << "a descriptor leaks";
        if (status) {
          done();
        } else {
          EXPECT_TRUE(may_fail) << to_string(status.error());
          EXPECT_TRUE(exit_class(status.error().code) == 2 || exit_class(status.error().code) == 3) << to_string(status.error());
          EXPECT_FALSE(status.error().file.empty()) << to_string(status.error());
          if (call == "sync_directory") {  // whole and in place, but not durable
            fs::remove_all(folder_ / "made");
            fs::remove(folder_ / "again");
          }
          EXPECT_TRUE(others().empty()) << "something stays behind";
        }
        if (::testing::Test::HasFailure()) return;
        if (!hit) break;
      }
    }
  }

  static std::vector<std::string> all_calls() {
    std::vector<std::string> calls = faulty_calls();
    calls.insert(calls.end(), faulty_directory_calls().begin(), faulty_directory_calls().end());
    return calls;
  }

  const Folder folder_{quick_directory()};
  TreeOptions options_;
  Bytes patch_;
};

TEST_F(TreesFault, ApplyingLeavesNothingOrAll) {
  for (const int error : {EIO, ENOSPC, EACCES}) {
    fail_each(all_calls(), error, true, [&] { return apply(); },
              [&] {
                expect_made();
                fs::remove_all(folder_ / "made");
              });
  }
}

TEST_F(TreesFault, MakingLeavesNothingOrThePatch) {
  for (const int error : {EIO, ENOSPC, EACCES}) {
    fail_each(all_calls(), error, true, [&] { return create("again"); },
              [&] {
                EXPECT_TRUE(same_bytes(patch_, get(folder_ / "again")));
                fs::remove(folder_ / "again");
              });
  }
}

TEST_F(TreesFault, InterruptionsAreNotNoticed) {
  fail_each(faulty_directory_calls(), EINTR, false, [&] { return apply(); },
            [&] {
              expect_made();
              fs::remove_all(folder_ / "made");
            });
}

TEST_F(TreesFault, ShortCountsAreNotNoticed) {
  const io::FileOps table = faulty_ops();
  const io::ScopedFileOps scope(table);
  set_fault({"", 0, 0, true, false, false});
  EXPECT_OK(apply());
  set_fault({});
  expect_made();
}

// What the system can't do is done in another way.
TEST_F(TreesFault, KeptFilesAreCopiedWhereTheyCanNotBeCloned) {
  for (const char* const call : {"clone", "copy_range"}) {
    const io::FileOps table = faulty_ops();
    const io::ScopedFileOps scope(table);
    set_fault({call, 1, EXDEV, false, false, false, 100});
    EXPECT_OK(apply());
    EXPECT_TRUE(current_fault().hit || std::string(call) == "copy_range");  // a system that clones copies no range
    set_fault({});
    expect_made();
    fs::remove_all(folder_ / "made");
  }
}

}  // namespace
}  // namespace bdelta::test::trees_fault_test

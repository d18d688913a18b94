// The power fails at every moment of apply_file and create_file, in every state that the disk may be left in
// (support/crash_disk.hpp): under the name of the output stands what was there before or all of the new file, and once
// success was reported, the new file. The tests at the end leave out a step and show that this is noticed.
#include "bdelta/apply.hpp"
#include "bdelta/create.hpp"
#include "support/craft.hpp"
#include "support/crash_disk.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"

namespace bdelta::test::crash_test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kHoleBegin = 500, kHoleBytes = 4 * 4096;

struct Inputs {
  Bytes old_version = wordy_bytes(2600, 1);
  Bytes new_version = edited(old_version, {{Edit::kInsert, 700, 300, 0, 2}, {Edit::kOverwrite, 1900, 100, 0, 3}});
  Bytes patch;

  // With `hole_bytes` of zeros in the middle of both, which are a hole of OLD and become one of NEW.
  explicit Inputs(std::size_t hole_bytes) {
    old_version.insert(old_version.begin() + kHoleBegin, hole_bytes, 0);
    new_version.insert(new_version.begin() + kHoleBegin, hole_bytes, 0);
    Craft craft;  // several writes
    craft.window_bytes = 1000;
    craft.group_bytes = 2000;
    patch = craft_patch(old_version, new_version, covers_of(old_version, new_version), craft);
  }
};

const Inputs& inputs(bool holes = false) {
  static const Inputs made(0), with_holes(kHoleBytes);
  return holes ? with_holes : made;
}

enum class Before { kNothing, kOther, kOld, kLink };

struct Case {
  const char* name;
  bool creates = false;
  Before before = Before::kNothing;
  bool temp_dir = false;
  DiskRecorder::Faults faults = {};
  bool sync = true;
  unsigned threads = 1;
  int runs = 1;  // the last one syncs in any case
  bool holes = false;
};

class Crash {
 public:
  explicit Crash(const Case& wanted) : case_(wanted) {
    put_old(folder_ / "old");
    put(folder_ / (case_.creates ? "new" : "patch"), case_.creates ? given_.new_version : given_.patch);
    if (case_.before == Before::kOther || case_.before == Before::kLink) put(folder_ / "out", text("what was there"));
    if (case_.before == Before::kLink) fs::create_symlink("out", folder_ / "link");
  }

  // Runs, and lets the power fail everywhere; or at the end alone.
  CrashFindings examine(bool end_only = false) {
    const fs::path place = folder_ / (case_.before == Before::kOld ? "old" : "out");
    std::optional<Bytes> before;
    if (fs::exists(place)) before = get(place);
    const DiskRecorder recorder({folder_.path(), elsewhere_.path()}, case_.faults);
    for (int run = 1; run <= case_.runs; ++run) {
      const auto report = once(case_.sync || (case_.runs > 1 && run == case_.runs));
      EXPECT_OK(report);
    }
    const Bytes made = get(place);
    if (!case_.creates) {
      EXPECT_TRUE(same_bytes(given_.new_version, made));
    }
    const auto is_new = [&](const std::optional<Bytes>& found) { return found == made; };
    const auto old_or_new = [&](const std::optional<Bytes>& found) { return found == before || found == made; };
    EXPECT_FALSE(old_or_new(Bytes{1, 2, 3}));
    const auto anything = [](const std::optional<Bytes>&) { return true; };
    return crash_everywhere(recorder.record(), place, end_only ? Acceptable(anything) : Acceptable(old_or_new), is_new);
  }

 private:
  Result<Report> once(bool sync) {
    FileOptions files;
    files.sync = sync;
    files.overwrite = case_.before != Before::kNothing;
    if (case_.temp_dir) files.temp_dir = elsewhere_.path();
    if (case_.creates) {
      CreateOptions options = create_options(3, PatchFormat::kBdt2, case_.threads);
      options.files = files;
      return create_file(folder_ / "old", folder_ / "new", folder_ / "out", options);
    }
    ApplyOptions options;
    options.threads = case_.threads;
    options.files = files;
    const char* const name = case_.before == Before::kLink ? "link" : case_.before == Before::kOld ? "old" : "out";
    return apply_file(kept_old(), folder_ / name, folder_ / "patch", options);
  }

  void put_old(const fs::path& path) {
    const Bytes& old = given_.old_version;
    if (!case_.holes) return put(path, old);
    const auto behind = static_cast<std::ptrdiff_t>(kHoleBegin + kHoleBytes);
    put_sparse(path, old.size(), {{0, Bytes(old.begin(), old.begin() + kHoleBegin)},
                                  {kHoleBegin + kHoleBytes, Bytes(old.begin() + behind, old.end())}});
  }

  // A second run finds NEW in the place of OLD: it needs OLD still, from elsewhere.
  fs::path kept_old() {
    if (case_.runs == 1 || case_.before != Before::kOld) return folder_ / "old";
    put_old(aside_ / "old");
    return aside_ / "old";
  }

  const Case& case_;
  const Inputs& given_ = inputs(case_.holes);
  Folder folder_{quick_directory()};
  Folder elsewhere_{quick_directory()};
  Folder aside_{quick_directory()};
};

constexpr DiskRecorder::Faults kOtherFileSystem{false, false, true};

const Case kCases[] = {
    {"apply, new file", false, Before::kNothing},
    {"apply, replaces", false, Before::kOther},
    {"apply, through a link", false, Before::kLink},
    {"apply, in place", false, Before::kOld},
    {"apply, in place, threads", false, Before::kOld, false, {}, true, 3},
    {"apply, in place, temporary directory", false, Before::kOld, true},
    {"apply, in place, temporary directory on another file system", false, Before::kOld, true, kOtherFileSystem},
    {"apply, new file, temporary directory on another file system", false, Before::kNothing, true, kOtherFileSystem},
    {"apply with holes, new file", false, Before::kNothing, false, {}, true, 1, 1, true},
    {"apply with holes, in place, temporary directory on another file system", false, Before::kOld, true, kOtherFileSystem, true,
     1, 1, true},
    {"create", true, Before::kNothing},
    {"create, replaces", true, Before::kOther},
    {"create, temporary directory on another file system", true, Before::kOther, true, kOtherFileSystem},
};

TEST(Crash, LeavesTheOldFileOrTheNewOne) {
  for (const Case& each : kCases) {
    SCOPED_TRACE(each.name);
    const CrashFindings findings = Crash(each).examine();
    EXPECT_FALSE(findings.violation) << *findings.violation;
    EXPECT_GE(findings.state_count, 8u);
  }
}

// NEW stands in its place but the run that put it there did not sync. Who runs again is told that it is up to date,
// which has to be as durable as any other success. Between the runs anything may be lost, so only the end is judged.
TEST(Crash, UpToDateIsDurableToo) {
  for (const Before before : {Before::kNothing, Before::kOld, Before::kLink}) {
    const Case once{"once, without sync", false, before, false, {}, false, 1, 1};
    EXPECT_TRUE(Crash(once).examine(true).violation);
    const Case twice{"and again, with sync", false, before, false, {}, false, 1, 2};
    const CrashFindings findings = Crash(twice).examine(true);
    EXPECT_FALSE(findings.violation) << *findings.violation;
  }
}

TEST(Crash, AfterAFailureTheOldFileIsThere) {
  Bytes bad = inputs().patch;
  bad[bad.size() - 20] ^= 1;
  const Folder folder(quick_directory());
  put(folder / "old", inputs().old_version);
  put(folder / "patch", bad);
  const DiskRecorder recorder({folder.path()});
  ApplyOptions options;
  options.files.overwrite = true;
  EXPECT_FALSE(static_cast<bool>(apply_file(folder / "old", folder / "old", folder / "patch", options)));
  EXPECT_GT(recorder.record().events.size(), 3u) << "it failed after it had begun to write";
  const auto is_old = [](const std::optional<Bytes>& found) { return found == inputs().old_version; };
  const CrashFindings findings = crash_everywhere(recorder.record(), folder / "old", is_old, is_old);
  EXPECT_FALSE(findings.violation) << *findings.violation;
}

// --- the simulator finds what is wrong ---

TEST(CrashSimulator, NoticesThatFilesAreNotSynced) {
  for (Case each : kCases) {
    SCOPED_TRACE(each.name);
    each.faults.drop_syncs = true;
    EXPECT_TRUE(Crash(each).examine().violation);
  }
}

TEST(CrashSimulator, NoticesThatTheDirectoryIsNotSynced) {
  for (Case each : kCases) {
    SCOPED_TRACE(each.name);
    each.faults.drop_directory_syncs = true;
    EXPECT_TRUE(Crash(each).examine().violation) << "success was reported, and the name may be lost";
  }
}

TEST(CrashSimulator, NoticesNoSync) {
  for (Case each : kCases) {
    SCOPED_TRACE(each.name);
    each.sync = false;
    EXPECT_TRUE(Crash(each).examine().violation) << "--no-sync is not safe against a crash of the system";
  }
}

TEST(CrashSimulator, NoticesAnOutputWrittenInItsPlace) {
  const Folder folder(quick_directory());
  put(folder / "f", Bytes(2000, 1));
  const DiskRecorder recorder({folder.path()});
  const io::FileOps& ops = io::file_ops();
  const Bytes made(2000, 2);
  const int fd = ops.open((folder / "g").c_str(), io::OpenKind::kCreateNew, 0600);
  ASSERT_EQ(2000, ops.write_at(fd, made.data(), made.size(), 0));
  EXPECT_EQ(0, ops.sync(fd));
  EXPECT_EQ(0, ops.close(fd));
  EXPECT_EQ(0, ops.remove((folder / "f").c_str()));  // deletes, then renames
  EXPECT_EQ(0, ops.rename((folder / "g").c_str(), (folder / "f").c_str()));
  EXPECT_EQ(0, ops.sync_directory(folder.path().c_str()));
  const auto old_or_new = [&](const std::optional<Bytes>& found) { return found == Bytes(2000, 1) || found == made; };
  const CrashFindings findings = crash_everywhere(recorder.record(), folder / "f", old_or_new, old_or_new);
  ASSERT_TRUE(findings.violation);
  EXPECT_NE(std::string::npos, findings.violation->find("is empty")) << *findings.violation;
}

}  // namespace
}  // namespace bdelta::test::crash_test

// apply_file and create_file while every file call in turn fails at its n-th use, for n = 1, 2, … until it is not used
// that often. Each run ends with the right output or with an error that says what failed; after an error OLD is whole,
// the place of the output is as it was, and no temporary file is left.
#include <cerrno>
#include <map>

#include "bdelta/apply.hpp"
#include "bdelta/create.hpp"
#include "io/file_ops.hpp"
#include "support/craft.hpp"
#include "support/faulty_ops.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/program_pair.hpp"

namespace bdelta::test::files_fault_test {
namespace {

namespace fs = std::filesystem;

enum class Kind { kWindows, kBdt1, kProgram, kHoles };

struct Inputs {
  Bytes old_version;
  Bytes new_version;
  Bytes patch;
};

// Of OLD of kHoles; in NEW the zeros are elsewhere.
constexpr std::size_t kHoleBegin = 4096, kHoleEnd = 5 * 4096;

Inputs make_inputs(Kind kind) {
  Inputs made;
  if (kind == Kind::kProgram) {
    ProgramPair pair = program_pair(11, 30);
    made = {std::move(pair.old_version), std::move(pair.new_version), {}};
    auto patch = make_patch(made.old_version, made.new_version, create_options(6));
    EXPECT_OK(patch);
    made.patch = std::move(*patch);
    return made;
  }
  made.old_version = wordy_bytes(kind == Kind::kHoles ? 6 * 4096 : 6000, 1);
  if (kind == Kind::kHoles) std::fill_n(made.old_version.begin() + kHoleBegin, kHoleEnd - kHoleBegin, std::uint8_t{0});
  made.new_version = edited(made.old_version, random_edits(6, 6000, 400, 2));
  if (kind == Kind::kBdt1) {
    auto patch = make_patch(made.old_version, made.new_version, create_options(3, PatchFormat::kBdt1));
    EXPECT_OK(patch);
    made.patch = std::move(*patch);
    return made;
  }
  Craft craft;  // several windows and groups, so that there is more than one write
  craft.window_bytes = made.old_version.size() / 6;
  craft.group_bytes = made.old_version.size() / 2;
  made.patch = craft_patch(made.old_version, made.new_version, covers_of(made.old_version, made.new_version), craft);
  return made;
}

const Inputs& inputs(Kind kind) {
  static const Inputs all[] = {make_inputs(Kind::kWindows), make_inputs(Kind::kBdt1), make_inputs(Kind::kProgram),
                               make_inputs(Kind::kHoles)};
  return all[static_cast<std::size_t>(kind)];
}

// What is there before the run under the name of the output.
enum class Before { kNothing, kOther, kOld, kLink };

struct Use {
  const char* name;
  bool creates;  // a patch; else applies one
  Kind kind;
  IoMode mode;
  Before before;
  bool temp_dir = false;
  unsigned threads = 1;
  int level = 3;
  bool stream = false;  // NEW comes through a pipe
};

const Use kUses[] = {
    {"apply, new file, mapped", false, Kind::kWindows, IoMode::kMmap, Before::kNothing},
    {"apply, new file", false, Kind::kWindows, IoMode::kStdio, Before::kNothing},
    {"apply, replaces", false, Kind::kWindows, IoMode::kStdio, Before::kOther},
    {"apply, replaces through a link", false, Kind::kWindows, IoMode::kStdio, Before::kLink},
    {"apply, in place", false, Kind::kWindows, IoMode::kStdio, Before::kOld},
    {"apply, in place, mapped", false, Kind::kWindows, IoMode::kMmap, Before::kOld},
    {"apply, in place, temporary directory", false, Kind::kWindows, IoMode::kStdio, Before::kOld, true},
    {"apply, in place, threads", false, Kind::kWindows, IoMode::kStdio, Before::kOld, false, 3},
    {"apply bdt1, in place", false, Kind::kBdt1, IoMode::kStdio, Before::kOld},
    {"apply bdt1, new file, mapped", false, Kind::kBdt1, IoMode::kMmap, Before::kNothing},
    {"apply to a program, in place", false, Kind::kProgram, IoMode::kStdio, Before::kOld},
    {"apply to a program, mapped", false, Kind::kProgram, IoMode::kMmap, Before::kNothing},
    {"apply with holes, new file", false, Kind::kHoles, IoMode::kStdio, Before::kNothing},
    {"apply with holes, in place, temporary directory", false, Kind::kHoles, IoMode::kStdio, Before::kOld, true},
    {"create", true, Kind::kWindows, IoMode::kStdio, Before::kNothing},
    {"create, mapped, replaces", true, Kind::kWindows, IoMode::kMmap, Before::kOther},
    {"create, streamed", true, Kind::kWindows, IoMode::kStdio, Before::kNothing, false, 1, 3, true},
    {"create, streamed, mapped", true, Kind::kWindows, IoMode::kMmap, Before::kOther, true, 1, 3, true},
    {"create bdt1", true, Kind::kBdt1, IoMode::kStdio, Before::kOther},
    {"create for a program", true, Kind::kProgram, IoMode::kStdio, Before::kNothing, false, 1, 6},
    {"create for a program, mapped", true, Kind::kProgram, IoMode::kMmap, Before::kOther, false, 1, 6},
};

// The files of one run and what they held before.
class Stage {
 public:
  explicit Stage(const Use& use) : use_(use), given_(inputs(use.kind)) {
    put_old();
    put(folder_ / (use.creates ? "new" : "patch"), use.creates ? given_.new_version : given_.patch);
    if (use.before == Before::kOther || use.before == Before::kLink) put(folder_ / "out", text("what was there"));
    if (use.before == Before::kLink) fs::create_symlink("out", folder_ / "link");
    before_ = contents();
  }

  Result<Report> run() const {
    FileOptions files;
    files.mode = use_.mode;
    files.overwrite = use_.before != Before::kNothing;
    if (use_.temp_dir) files.temp_dir = elsewhere_.path();
    if (use_.creates) {
      CreateOptions options = create_options(
          use_.level, use_.kind == Kind::kBdt1 ? PatchFormat::kBdt1 : PatchFormat::kBdt2, use_.threads);
      options.files = files;
      options.temp_dir = elsewhere_.path();
      const std::unique_ptr<FullPipe> pipe(use_.stream ? new FullPipe(given_.new_version) : nullptr);
      return create_file(folder_ / "old", pipe ? pipe->name() : folder_ / "new", folder_ / "out", options);
    }
    ApplyOptions options;
    options.threads = use_.threads;
    options.files = files;
    const char* const named = use_.before == Before::kLink ? "link" : place();
    return apply_file(folder_ / "old", folder_ / named, folder_ / "patch", options);
  }

  // The output is right, and everything else as it was.
  void expect_done() const {
    std::map<fs::path, Bytes> now = contents();
    const Bytes made = now[place()];
    if (use_.creates) {
      const auto rebuilt = apply_patch(given_.old_version, made);
      ASSERT_OK(rebuilt);
      EXPECT_TRUE(same_bytes(given_.new_version, *rebuilt));
    } else {
      EXPECT_TRUE(same_bytes(given_.new_version, made));
    }
    std::map<fs::path, Bytes> wanted = before_;
    wanted[place()] = made;
    EXPECT_TRUE(now == wanted) << "another file changed, or a temporary one stays behind";
    EXPECT_EQ(0, elsewhere_.count());
  }

  void expect_untouched() const {
    EXPECT_TRUE(contents() == before_) << "a file changed, or a temporary one stays behind";
    EXPECT_EQ(0, elsewhere_.count());
  }

 private:
  void put_old() const {
    const Bytes& old = given_.old_version;
    if (use_.kind != Kind::kHoles) return put(folder_ / "old", old);
    put_sparse(folder_ / "old", old.size(), {{0, Bytes(old.begin(), old.begin() + kHoleBegin)},
                                             {kHoleEnd, Bytes(old.begin() + kHoleEnd, old.end())}});
  }

  [[nodiscard]] const char* place() const { return use_.before == Before::kOld ? "old" : "out"; }

  [[nodiscard]] std::map<fs::path, Bytes> contents() const {
    std::map<fs::path, Bytes> found;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
      const bool is_link = entry.is_symlink();
      found[entry.path().filename()] = is_link ? bytes_of(fs::read_symlink(entry).string()) : get(entry.path());
    }
    return found;
  }

  const Use& use_;
  const Inputs& given_;
  Folder folder_{quick_directory()};
  Folder elsewhere_{quick_directory()};
  std::map<fs::path, Bytes> before_;
};

// One run with `fault`; false when the call was not made that often.
bool survives(const Use& use, const FaultPlan& fault, bool may_fail) {
  const Stage stage(use);
  const std::ptrdiff_t descriptors = open_descriptors();
  const io::FileOps table = faulty_ops();
  const auto report = [&] {
    const io::ScopedFileOps scope(table);
    set_fault(fault);
    return stage.run();
  }();
  const bool hit = current_fault().hit;
  set_fault({});
  EXPECT_EQ(descriptors, open_descriptors()) << "a descriptor leaks";
  if (report) {
    stage.expect_done();
    return hit;
  }
  EXPECT_TRUE(may_fail) << to_string(report.error());
  EXPECT_EQ(2, exit_class(report.error().code)) << to_string(report.error());
  EXPECT_FALSE(report.error().file.empty()) << to_string(report.error());
  // The name was not made durable: the output is whole and in place, and the error says so.
  const bool published = fault.call == "sync_directory";
  published ? stage.expect_done() : stage.expect_untouched();
  return hit;
}

constexpr int kMostUses = 2000;  // far more than any call is made

void fail_each_use(const Use& use, int error, const std::vector<std::string>& calls, bool may_fail) {
  for (const std::string& call : calls) {
    int nth = 1;
    for (; nth < kMostUses; ++nth) {
      SCOPED_TRACE(std::string(use.name) + ": " + call + " fails " + std::to_string(nth) + ", errno " +
                   std::to_string(error));
      if (!survives(use, {call, nth, error, false, false, false}, may_fail)) break;
      if (::testing::Test::HasFailure()) return;
    }
    ASSERT_LT(nth, kMostUses) << call;
  }
}

class FilesFault : public ::testing::TestWithParam<std::size_t> {
 protected:
  const Use& use = kUses[GetParam()];
};

TEST_P(FilesFault, EveryCallFailsAtEveryUse) {
  for (const int error : {EIO, ENOSPC, EACCES}) fail_each_use(use, error, faulty_calls(), true);
}

TEST_P(FilesFault, InterruptionsAreNotNoticed) {
  std::vector<std::string> calls;
  for (const std::string& call : faulty_calls()) {
    // Those that no system interrupts; and stdio where it writes by calls of its own (see io_fault_test).
    if (call == "map" || call == "open_stream" || call == "set_buffer") continue;
    if (use.creates && (call == "write_stream" || call == "flush_stream")) continue;
    calls.push_back(call);
  }
  fail_each_use(use, EINTR, calls, false);
}

TEST_P(FilesFault, ShortCountsAreNotNoticed) {
  survives(use, {"", 0, 0, true, false, false}, false);
}

INSTANTIATE_TEST_SUITE_P(Uses, FilesFault, ::testing::Range<std::size_t>(0, std::size(kUses)));

}  // namespace
}  // namespace bdelta::test::files_fault_test

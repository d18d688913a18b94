// A directory is updated in its place, and what can go wrong does: each call fails in turn; the process ends at each call; the
// power fails at each call, and of what was not synced anything may be lost. Then whoever comes next makes OLD or NEW of it.
#include <algorithm>
#include <cctype>
#include <cerrno>
#include <map>
#include <tuple>

#include "apply/journal.hpp"
#include "apply/tree_update.hpp"
#include "bdelta/push.hpp"
#include "bdelta/tree.hpp"
#include "support/faulty_ops.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"

namespace bdelta::test::tree_update_test {
namespace {

namespace fs = std::filesystem;

using Entry = std::tuple<fs::file_type, fs::perms, Bytes>;
using Tree = std::map<std::string, Entry>;

// What a directory holds; permissions of links don't count.
Tree tree_of(const fs::path& root) {
  Tree found;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string name = entry.path().lexically_relative(root).string();
    if (entry.is_symlink()) {
      const std::string target = fs::read_symlink(entry.path()).string();
      found[name] = {fs::file_type::symlink, fs::perms::none, Bytes(target.begin(), target.end())};
    } else {
      found[name] = {entry.status().type(), entry.status().permissions(), entry.is_directory() ? Bytes() : get(entry.path())};
    }
  }
  return found;
}

void copy_tree(const fs::path& from, const fs::path& to) {
  fs::remove_all(to);
  fs::copy(from, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
}

// The calls that change what is on the disk, in the order that they are made. From the `end` on none does any more, as if the
// process had been killed. Moves since the last sync are listed, as a loss of power may undo each of them.
struct Disk {
  int changes = 0;
  int end = 0;           // 0: never
  int failing_move = 0;  // this use of move_at fails
  int moves = 0;
  int dropped_sync = 0;  // this use of sync_all does nothing
  int syncs = 0;
  fs::path root;    // of the directory that is updated
  fs::path synced;  // its copy as of the last sync; empty: none is made
  std::vector<std::pair<fs::path, fs::path>> unsynced;
};
Disk disk;

bool is_over() {
  if (disk.end == 0) return false;
  if (disk.changes >= disk.end) return errno = EIO, true;
  ++disk.changes;
  return false;
}

fs::path path_at(int directory, const char* name) {
  return fs::read_symlink("/proc/self/fd/" + std::to_string(directory)).lexically_relative(disk.root) / name;
}

const io::FileOps& real_ops() { return io::system_ops(); }

io::FileOps recording_ops() {
  io::FileOps table = real_ops();
  table.move_at = [](int from, const char* from_name, int to, const char* to_name) {
    if (++disk.moves == disk.failing_move) return errno = EBUSY, -1;
    if (is_over()) return -1;
    const fs::path from_path = path_at(from, from_name), to_path = path_at(to, to_name);
    const int result = real_ops().move_at(from, from_name, to, to_name);
    if (result == 0) disk.unsynced.emplace_back(from_path, to_path);
    return result;
  };
  table.open_at = [](int directory, const char* name, io::OpenAtKind kind, std::uint32_t mode) {
    if (kind == io::OpenAtKind::kCreateNew && is_over()) return -1;
    return real_ops().open_at(directory, name, kind, mode);
  };
  table.write_at = [](int fd, const void* from, std::size_t size, std::uint64_t pos) {
    return is_over() ? std::ptrdiff_t{-1} : real_ops().write_at(fd, from, size, pos);
  };
  table.make_directory_at = [](int directory, const char* name, std::uint32_t mode) {
    return is_over() ? -1 : real_ops().make_directory_at(directory, name, mode);
  };
  table.make_link_at = [](int directory, const char* name, const char* target) {
    return is_over() ? -1 : real_ops().make_link_at(directory, name, target);
  };
  table.remove_at = [](int directory, const char* name, bool is_directory) {
    return is_over() ? -1 : real_ops().remove_at(directory, name, is_directory);
  };
  table.remove_tree = [](const char* path) { return is_over() ? -1 : real_ops().remove_tree(path); };
  table.set_mode = [](int fd, std::uint32_t mode) { return is_over() ? -1 : real_ops().set_mode(fd, mode); };
  table.sync_all = [](int) {
    if (is_over()) return -1;
    if (++disk.syncs == disk.dropped_sync) return 0;
    if (!disk.synced.empty()) copy_tree(disk.root, disk.synced);
    disk.unsynced.clear();
    return 0;
  };
  return table;
}

class TreeUpdateFault : public ::testing::Test {
 protected:
  TreeUpdateFault() {
    const Bytes words = wordy_bytes(800, 1);
    for (const char* const name : {"old", "new"}) {
      fs::create_directories(folder_ / name / "d/e");
      put(folder_ / name / "d/kept", words);
      put(folder_ / name / "empty", Bytes());
    }
    put(folder_ / "old/d/changed", words);
    put(folder_ / "new/d/changed", edited(words, random_edits(3, words.size(), 40, 2)));
    put(folder_ / "new/d/e/added", wordy_bytes(50, 3));
    put(folder_ / "old/goes", text("goes"));
    fs::create_directories(folder_ / "old/was_directory/in");
    put(folder_ / "old/was_directory/in/file", text("1"));
    put(folder_ / "new/was_directory", text("2"));
    put(folder_ / "old/was_file", text("3"));
    fs::create_directories(folder_ / "new/was_file/in");
    put(folder_ / "new/was_file/in/file", text("4"));
    fs::create_symlink("d/kept", folder_ / "old/link");
    fs::create_symlink("d/changed", folder_ / "new/link");
    fs::create_directory(folder_ / "new/closed");
    fs::permissions(folder_ / "new/closed", fs::perms::owner_read | fs::perms::owner_exec);
    fs::permissions(folder_ / "new/d/kept", fs::perms::owner_exec, fs::perm_options::add);
    EXPECT_OK(create_tree(folder_ / "old", folder_ / "new", folder_ / "patch", {}, {}));
    old_ = tree_of(folder_ / "old");
    new_ = tree_of(folder_ / "new");
    begin();
  }
  ~TreeUpdateFault() override { disk = {}; }

  [[nodiscard]] fs::path directory() const { return folder_ / "dir"; }

  // The update has begun when the process ends.
  void end_behind_the_first_move() const {
    const io::FileOps table = recording_ops();
    for (int end = 1; disk.unsynced.empty(); ++end) {
      begin();
      disk.end = end;
      const io::ScopedFileOps scope(table);
      (void)apply();
    }
  }

  void begin() const {
    copy_tree(folder_ / "old", directory());
    disk = {};
    disk.root = directory();
  }

  [[nodiscard]] Status apply() const {
    auto report = pushes_ ? push(directory(), directory(), 50) : apply_tree(directory(), directory(), folder_ / "patch", {});
    return report ? Status() : Status(report.error());
  }

  // In pieces of this size; `then` is asked between them.
  static Result<Report> feed(PushApply& push, ByteSpan patch, std::size_t piece_bytes, const std::function<void()>& then = {}) {
    while (!patch.empty()) {
      const ByteSpan piece = patch.first(std::min(piece_bytes, patch.size()));
      if (Status fed = push.feed(piece); !fed) return fed.error();
      patch = patch.subspan(piece.size());
      if (then) then();
    }
    return push.finish();
  }
  [[nodiscard]] Result<Report> push(const fs::path& source, const fs::path& target, std::size_t piece_bytes) const {
    auto push = PushApply::open_tree(source, target, {});
    if (!push) return push.error();
    return feed(**push, get(folder_ / "patch"), piece_bytes);
  }

  // What the directory holds besides what an update of it works in.
  [[nodiscard]] Tree seen() const {
    Tree found = tree_of(directory());
    std::erase_if(found, [](const auto& entry) { return entry.first.starts_with(".bdelta"); });
    return found;
  }

  [[nodiscard]] bool is_old(const fs::path& path) const { return tree_of(path) == old_; }
  [[nodiscard]] bool is_new(const fs::path& path) const { return tree_of(path) == new_; }

  // What the next call makes of it; empty if that is right.
  [[nodiscard]] std::string problem_of(const fs::path& path, bool may_be_old = true) const {
    const auto done = resume_tree(path, {});
    if (!done) return to_string(done.error());
    if (!is_new(path) && !(may_be_old && is_old(path))) return "it is neither OLD nor NEW";
    const auto state = tree_state(path);
    return state && *state == TreeState::kWhole ? "" : "something is left";
  }
  void expect_whole(const fs::path& path, bool may_be_old = true) const { EXPECT_EQ("", problem_of(path, may_be_old)); }

  // The power fails now: any of the unsynced moves may be lost. The first problem that this makes.
  [[nodiscard]] std::string lose_moves() const {
    const auto moves = disk.unsynced;
    std::vector<std::vector<bool>> choices;
    for (std::size_t i = 0; i <= moves.size(); ++i) {
      choices.emplace_back(moves.size(), true);
      if (i < moves.size()) choices.back()[i] = false;
      choices.emplace_back(moves.size(), false);
      if (i < moves.size()) choices.back()[i] = true;
    }
    Random random(moves.size());
    for (int i = 0; i < 10; ++i) {
      choices.emplace_back(moves.size());
      for (std::size_t at = 0; at < moves.size(); ++at) choices.back()[at] = random.below(2) != 0;
    }
    const fs::path state = folder_ / "state";
    for (const std::vector<bool>& is_done : choices) {
      copy_tree(disk.synced, state);
      for (std::size_t i = 0; i < moves.size(); ++i) {
        if (!is_done[i] || !fs::exists(fs::symlink_status(state / moves[i].first))) continue;
        if (!fs::exists(fs::symlink_status((state / moves[i].second).parent_path()))) continue;
        fs::rename(state / moves[i].first, state / moves[i].second);
      }
      if (std::string problem = problem_of(state); !problem.empty()) return problem;
    }
    return "";
  }

  // Ends the process at each change. failing_move: one that makes it take back; dropped_sync: one that is not done.
  template <class Then>
  void end_at_each_change(int failing_move, int dropped_sync, Then then) {
    const io::FileOps table = recording_ops();
    for (int end = 1;; ++end) {
      SCOPED_TRACE("the end is at change " + std::to_string(end) + ", move " + std::to_string(failing_move) + " fails");
      ASSERT_LT(end, 500);
      begin();
      disk.end = end;
      disk.failing_move = failing_move;
      disk.dropped_sync = dropped_sync;
      disk.synced = folder_ / "synced";
      copy_tree(directory(), disk.synced);
      {
        const io::ScopedFileOps scope(table);
        (void)apply();
      }
      const bool is_done = disk.changes < end;
      then();
      if (HasFailure()) return;
      if (is_done) return;
    }
  }

  const Folder folder_{quick_directory()};
  Tree old_, new_;
  bool pushes_ = false;
};

TEST_F(TreeUpdateFault, APushIsStagedUntilItsEnd) {
  for (const std::size_t piece_bytes : {1u, 60u, 1'000'000u}) {
    SCOPED_TRACE(piece_bytes);
    begin();
    auto push = PushApply::open_tree(directory(), directory(), {});
    ASSERT_OK(push);
    EXPECT_FAILS(ErrorCode::kInUse, PushApply::open_tree(directory(), directory(), {}));
    const auto report = feed(**push, get(folder_ / "patch"), piece_bytes, [&] { EXPECT_TRUE(seen() == old_); });
    ASSERT_OK(report);
    EXPECT_TRUE(report->verified && !report->up_to_date);
    EXPECT_EQ(fs::file_size(folder_ / "patch"), report->patch_bytes);
    EXPECT_TRUE(is_new(directory()));
    EXPECT_FAILS(ErrorCode::kUsage, (*push)->finish());
    push->reset();
    const auto again = this->push(directory(), directory(), piece_bytes);  // what is fed is passed over
    ASSERT_OK(again);
    EXPECT_TRUE(again->up_to_date);

    const fs::path made = folder_ / "made";
    auto beside = PushApply::open_tree(folder_ / "old", made, {});
    ASSERT_OK(beside);
    EXPECT_OK(feed(**beside, get(folder_ / "patch"), piece_bytes, [&] { EXPECT_FALSE(fs::exists(made)); }));
    EXPECT_TRUE(is_new(made));
    EXPECT_FAILS(ErrorCode::kOutputExists, PushApply::open_tree(folder_ / "old", made, {}));
    fs::remove_all(made);
  }
}

TEST_F(TreeUpdateFault, APushThatFailsOrIsLeftLeavesNothing) {
  const Bytes patch = get(folder_ / "patch");
  const auto names = [&] {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(folder_ / "")) found.push_back(entry.path().filename().string());
    std::sort(found.begin(), found.end());
    return found;
  };
  const auto before = names();
  for (const bool in_place : {true, false}) {
    const fs::path source = in_place ? directory() : folder_ / "old", target = in_place ? directory() : folder_ / "made";
    for (std::size_t size = 0; size < patch.size(); size += 1 + patch.size() / 40) {
      SCOPED_TRACE(size);
      auto left = PushApply::open_tree(source, target, {});
      ASSERT_OK(left);
      EXPECT_OK((*left)->feed(ByteSpan(patch).first(size)));
      left->reset();
      auto cut = PushApply::open_tree(source, target, {});
      ASSERT_OK(cut);
      EXPECT_FAILS(ErrorCode::kPatchTruncated, feed(**cut, ByteSpan(patch).first(size), 100));
      cut->reset();
      Bytes damaged = patch;
      damaged[size] ^= 0x20;
      auto wrong = PushApply::open_tree(source, target, {});
      ASSERT_OK(wrong);
      const auto refused = feed(**wrong, damaged, 100);
      ASSERT_FALSE(refused);
      EXPECT_FAILS(refused.error().code, (*wrong)->finish());
      wrong->reset();
      EXPECT_TRUE(is_old(directory()));
      EXPECT_EQ(before, names());
      if (HasFailure()) return;
    }
  }
}

TEST_F(TreeUpdateFault, WrongPushesAreRefused) {
  EXPECT_FAILS(ErrorCode::kNotFound, PushApply::open_tree(folder_ / "absent", folder_ / "made", {}));
  EXPECT_FAILS(ErrorCode::kNotADirectory, PushApply::open_tree(folder_ / "patch", folder_ / "made", {}));
  EXPECT_FAILS(ErrorCode::kUsage, PushApply::open_tree(folder_ / "old", folder_ / "old/made", {}));
  PushOptions options;
  options.apply.target_mode = 0644;
  EXPECT_FAILS(ErrorCode::kUsage, PushApply::open_tree(folder_ / "old", folder_ / "made", options));
  const auto wrong = push(folder_ / "new", folder_ / "made", 100);
  ASSERT_FALSE(wrong);
  EXPECT_EQ(4, exit_class(wrong.error().code));
  EXPECT_NE(std::string::npos, wrong.error().file.find("new")) << wrong.error().file;
  auto file = PushApply::open_file(folder_ / "patch", folder_ / "made", {});
  ASSERT_OK(file);
  EXPECT_FAILS(ErrorCode::kNotADirectory, feed(**file, get(folder_ / "patch"), 100));
  file->reset();
  EXPECT_OK(create_file(folder_ / "patch", folder_ / "old/goes", folder_ / "of files", {}));
  auto tree = PushApply::open_tree(folder_ / "old", folder_ / "made", {});
  ASSERT_OK(tree);
  EXPECT_FAILS(ErrorCode::kIsDirectory, feed(**tree, get(folder_ / "of files"), 100));
  EXPECT_FALSE(fs::exists(folder_ / "made"));
}

TEST_F(TreeUpdateFault, EachCallFails) {
  std::vector<std::string> calls = faulty_calls();
  calls.insert(calls.end(), faulty_directory_calls().begin(), faulty_directory_calls().end());
  calls.emplace_back("lock");
  for (const int error : {EIO, ENOSPC, EACCES, EINTR}) {
    for (const std::string& call : error == EINTR ? faulty_directory_calls() : calls) {
      for (int nth = 1;; ++nth) {
        SCOPED_TRACE(call + " fails " + std::to_string(nth) + ", errno " + std::to_string(error));
        ASSERT_LT(nth, 2000);
        begin();
        const std::ptrdiff_t descriptors = open_descriptors();
        const io::FileOps table = faulty_ops();
        Status status;
        {
          const io::ScopedFileOps scope(table);
          set_fault({call, nth, error, false, false, false});
          status = apply();
        }
        const bool hit = current_fault().hit;
        set_fault({});
        EXPECT_EQ(descriptors, open_descriptors()) << "a descriptor leaks";
        if (error == EINTR) EXPECT_OK(status);
        EXPECT_TRUE(status || !status.error().file.empty()) << to_string(status.error());
        if (status && (call == "set_mode" || call == "set_owner" || call == "copy_access" || call == "info")) {
          for (const char* const path : {"d/kept", "d/changed"}) {  // bits that can't be given are not missed
            fs::permissions(directory() / path, fs::status(folder_ / "new" / path).permissions());
          }
        }
        expect_whole(directory(), !status);
        if (HasFailure()) return;
        if (!hit) break;
      }
    }
  }
}

// Of several failures in a row the last ones meet the way back.
TEST_F(TreeUpdateFault, TheWayBackFails) {
  for (const char* const call : {"move_at", "sync_all", "write_at", "list", "info_at", "open_at"}) {
    for (int nth = 1;; ++nth) {
      SCOPED_TRACE(std::string(call) + " fails from " + std::to_string(nth) + " on");
      begin();
      const io::FileOps table = faulty_ops();
      Status status;
      {
        const io::ScopedFileOps scope(table);
        set_fault({call, nth, EIO, false, false, false, 1000});
        status = apply();
      }
      const bool hit = current_fault().hit;
      set_fault({});
      EXPECT_TRUE(hit || status);
      expect_whole(directory(), !status);
      if (HasFailure()) return;
      if (!hit) break;
    }
  }
}

TEST_F(TreeUpdateFault, AFailureTakesBackWhatWasDone) {
  const io::FileOps table = recording_ops();
  for (int failing = 1;; ++failing) {
    SCOPED_TRACE("move " + std::to_string(failing) + " fails");
    begin();
    disk.failing_move = failing;
    Status status;
    {
      const io::ScopedFileOps scope(table);
      status = apply();
    }
    if (status) break;
    EXPECT_NE(std::string::npos, status.error().remedy.find("the directory is as it was")) << to_string(status.error());
    EXPECT_TRUE(is_old(directory()));
  }
  EXPECT_TRUE(is_new(directory()));
}

#ifdef __linux__

TEST_F(TreeUpdateFault, TheProcessEnds) {
  for (const int failing : {0, 5, 12}) {
    end_at_each_change(failing, 0, [&] { expect_whole(directory()); });
  }
}

TEST_F(TreeUpdateFault, APushEnds) {
  pushes_ = true;
  for (const int failing : {0, 5, 12}) {
    end_at_each_change(failing, 0, [&] { expect_whole(directory()); });
  }
}

TEST_F(TreeUpdateFault, ThePowerFailsWhileAPatchIsPushed) {
  pushes_ = true;
  end_at_each_change(0, 0, [&] { EXPECT_EQ("", lose_moves()); });
}

// Another call of apply_tree does what resume_tree does, and goes on.
TEST_F(TreeUpdateFault, TheNextUpdateGoesOn) {
  end_at_each_change(0, 0, [&] {
    EXPECT_OK(apply());
    EXPECT_TRUE(is_new(directory()));
  });
}

// The callback is asked in front of the first step and behind the last one. Wherever it ends the work, the next call goes on.
TEST_F(TreeUpdateFault, ResumingIsToldAndCanBeEnded) {
  bool was_unfinished = false;
  for (const int failing : {0, 8}) {
    end_at_each_change(failing, 0, [&] {
      const auto state = tree_state(directory());
      ASSERT_OK(state);
      if (*state != TreeState::kUnfinished && *state != TreeState::kTakingBack) return;
      was_unfinished = true;
      std::vector<Progress> told;
      ApplyOptions options;
      options.progress = [&](const Progress& now) {
        told.push_back(now);
        return false;
      };
      EXPECT_FAILS(ErrorCode::kCancelled, resume_tree(directory(), options));
      EXPECT_EQ(1u, told.size());
      EXPECT_EQ(0u, told.front().done);
      EXPECT_GE(told.front().total, 10u);
      for (const bool ends : {true, false}) {
        told.clear();
        ApplyOptions again;
        again.progress = [&](const Progress& now) {
          told.push_back(now);
          return !ends || now.done < now.total;
        };
        const auto done = resume_tree(directory(), again);
        ASSERT_GE(told.size(), 2u);
        EXPECT_EQ(told.back().total, told.back().done);
        EXPECT_STREQ("finish", told.back().phase);
        if (ends) {
          EXPECT_FAILS(ErrorCode::kCancelled, done);
          EXPECT_EQ("resuming again goes on with it", done.error().remedy);
          EXPECT_OK(tree_state(directory()));
          EXPECT_EQ(*state, *tree_state(directory()));
        } else {
          EXPECT_OK(done);
          EXPECT_EQ(*state == TreeState::kUnfinished ? Resumed::kFinished : Resumed::kTakenBack, *done);
        }
      }
    });
  }
  EXPECT_TRUE(was_unfinished);
}

TEST_F(TreeUpdateFault, ThePowerFails) {
  for (const int failing : {0, 8, 14}) end_at_each_change(failing, 0, [&] { EXPECT_EQ("", lose_moves()); });
}

// The third sync of an update is that of its commit record; the fourth stands between what goes and what comes.
TEST_F(TreeUpdateFault, ASyncThatIsMissingIsNoticed) {
  for (const int dropped : {3, 4}) {
    std::string problem;
    end_at_each_change(0, dropped, [&] { problem = problem.empty() ? lose_moves() : problem; });
    EXPECT_NE("", problem) << dropped;
  }
}

// It fails once more while the next call completes the update.
TEST_F(TreeUpdateFault, ThePowerFailsTwice) {
  const io::FileOps table = recording_ops();
  for (const int failing : {0, 14}) {
    for (int first = 1; first < 200; first += 7) {
      for (int second = 1;; ++second) {
        SCOPED_TRACE("ends at " + std::to_string(first) + " and " + std::to_string(second));
        begin();
        disk.end = first;
        disk.failing_move = failing;
        {
          const io::ScopedFileOps scope(table);
          (void)apply();
        }
        disk = {};
        disk.end = second;
        disk.root = directory();
        disk.synced = folder_ / "synced";
        copy_tree(directory(), disk.synced);
        {
          const io::ScopedFileOps scope(table);
          (void)resume_tree(directory(), {});
        }
        EXPECT_EQ("", lose_moves());
        if (HasFailure()) return;
        if (disk.changes < second) break;
      }
    }
  }
}

// A journal of which any part is missing, up to the last mark.
TEST_F(TreeUpdateFault, TheJournalIsTorn) {
  const io::FileOps table = recording_ops();
  int end = 1;
  const fs::path journal = directory() / ".bdelta/journal";
  for (;; ++end) {  // to the last moment before the first move
    begin();
    disk.end = end;
    {
      const io::ScopedFileOps scope(table);
      (void)apply();
    }
    if (!disk.unsynced.empty()) break;
  }
  const Bytes whole = get(journal);
  const fs::path state = folder_ / "state";
  for (std::size_t size = 0; size < whole.size(); ++size) {
    SCOPED_TRACE(size);
    begin();
    disk.end = end - 1;
    {
      const io::ScopedFileOps scope(table);
      (void)apply();
    }
    ASSERT_TRUE(same_bytes(whole, get(journal)));
    fs::resize_file(journal, size);
    const auto done = resume_tree(directory(), {});
    ASSERT_OK(done);
    EXPECT_EQ(Resumed::kDiscarded, *done);
    EXPECT_TRUE(is_old(directory()));
  }
}

#endif

std::string in_small(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// The name in the directory that is the same but for its case, if there is one.
std::string folded(int directory, const char* name) {
  std::vector<std::string> names;
  if (real_ops().list(directory, names) != 0) return name;
  const auto same = [&](const std::string& other) { return in_small(other) == in_small(name); };
  const auto found = std::find_if(names.begin(), names.end(), same);
  return found == names.end() ? name : *found;
}

// A file system that takes names for the same in any case, but for moves, of which none may be made here.
io::FileOps folding_ops() {
  io::FileOps table = recording_ops();
  table.open_at = [](int directory, const char* name, io::OpenAtKind kind, std::uint32_t mode) {
    return real_ops().open_at(directory, folded(directory, name).c_str(), kind, mode);
  };
  table.info_at = [](int directory, const char* name, io::FileInfo& out) {
    return real_ops().info_at(directory, folded(directory, name).c_str(), out);
  };
  return table;
}

TEST_F(TreeUpdateFault, NamesThatAreOneToTheFileSystemAreRefused) {
  const auto refused = [&](const char* in_old, const char* in_new) {
    begin();
    if (in_old) put(directory() / in_old, text("1"));
    put(folder_ / "new" / in_new, text("2"));
    TreeOptions options;
    options.exclude = {"*.log"};
    CreateOptions create;
    create.files.overwrite = true;
    EXPECT_OK(create_tree(folder_ / "old", folder_ / "new", folder_ / "patch", create, options));
    const Tree before = tree_of(directory());
    const io::FileOps table = folding_ops();
    {
      const io::ScopedFileOps scope(table);
      EXPECT_FAILS(ErrorCode::kUnsafeName, apply());
    }
    EXPECT_EQ(0, disk.moves);
    EXPECT_TRUE(before == tree_of(directory()));
    fs::remove(folder_ / "new" / in_new);
  };
  refused(nullptr, "d/KEPT");
  refused("d/mine.log", "d/Mine.LOG");
  refused(nullptr, "d/e/ADDED");
}

// A journal whose entries are whole, and name what is not in the directory.
TEST_F(TreeUpdateFault, AForgedJournalStaysInside) {
  class Output final : public JournalOutput {
   public:
    Status write_at(std::uint64_t pos, ByteSpan bytes) override {
      EXPECT_EQ(content.size(), pos);
      append(content, bytes);
      return {};
    }
    Status sync() override { return {}; }
    Bytes content;
  };
  const auto forge = [&](const std::string& path, view::EntryKind kind) {
    begin();
    fs::create_directories(directory() / ".bdelta/new");
    fs::create_directories(directory() / ".bdelta/old");
    put(directory() / ".bdelta/new/1", text("forged"));
    fs::create_directory_symlink(folder_ / "outside", directory() / "way");
    Output output;
    JournalWriter journal(output);
    EXPECT_OK(journal.begin(JournalKind::kTree));
    for (const TreeStep::Kind step : {TreeStep::Kind::kRemove, TreeStep::Kind::kPlace}) {
      EXPECT_OK(journal.add(static_cast<std::uint8_t>(step), encode_step({step, kind, 1, 0644, path})));
    }
    EXPECT_OK(journal.mark(JournalMark::kCommit));
    put(directory() / ".bdelta/journal", output.content);
  };
  fs::create_directory(folder_ / "outside");
  put(folder_ / "outside/file", text("untouched"));
  const auto kind = view::EntryKind::kFile;
  for (const char* const path : {"../outside/file", "/tmp/x", "d/../../outside/file", ".bdelta/journal", "", "a//b", "x/"}) {
    SCOPED_TRACE(path);
    forge(path, kind);
    EXPECT_FAILS(ErrorCode::kWrongJournal, resume_tree(directory(), {}));
  }
  forge("d/kept", static_cast<view::EntryKind>('x'));
  EXPECT_FAILS(ErrorCode::kWrongJournal, resume_tree(directory(), {}));
  for (const char* const path : {"way/file", "way/other"}) {
    SCOPED_TRACE(path);
    forge(path, kind);
    EXPECT_FAILS(ErrorCode::kInputChanged, resume_tree(directory(), {}));
  }
  EXPECT_EQ(1, std::distance(fs::directory_iterator(folder_ / "outside"), fs::directory_iterator()));
  EXPECT_TRUE(same_bytes(text("untouched"), get(folder_ / "outside/file")));
}

#ifdef __linux__

// Somebody has tidied up what was to come.
TEST_F(TreeUpdateFault, WhatIsLostBringsTheOldBack) {
  end_behind_the_first_move();
  const auto lose = [&](const char* what) {
    for (const auto& entry : fs::directory_iterator(directory() / ".bdelta/new")) {
      if (what == nullptr || (entry.is_regular_file() && get(entry) == get(folder_ / what))) fs::remove_all(entry);
    }
  };
  lose(nullptr);
  EXPECT_FAILS(ErrorCode::kInputChanged, resume_tree(directory(), {}));
  EXPECT_TRUE(is_old(directory()));

  // One of it, and nothing of OLD has gone yet when taking back begins.
  begin();
  {
    disk.end = 1000;
    disk.failing_move = 1;
    io::FileOps failing = recording_ops();
    failing.move_at = [](int, const char*, int, const char*) { return disk.end = 1, errno = EBUSY, -1; };
    const io::ScopedFileOps scope(failing);
    EXPECT_FAILS(ErrorCode::kUnfinished, apply());
  }
  lose("new/d/changed");
  put(directory() / "was_directory/in/more", text("in the way"));  // so that it is taken back
  EXPECT_FAILS(ErrorCode::kInputChanged, resume_tree(directory(), {}));
  fs::remove(directory() / "was_directory/in/more");
  EXPECT_TRUE(is_old(directory()));
}

TEST_F(TreeUpdateFault, WhatCameMeanwhileBringsTheOldBack) {
  end_behind_the_first_move();
  put(directory() / "closed", text("in the way"));
  const auto resumed = resume_tree(directory(), {});
  EXPECT_FAILS(ErrorCode::kInputChanged, resumed);
  EXPECT_NE(std::string::npos, resumed.error().file.find("closed"));
  EXPECT_EQ(TreeState::kWhole, *tree_state(directory()));
  EXPECT_TRUE(same_bytes(text("in the way"), get(directory() / "closed")));
  fs::remove(directory() / "closed");
  EXPECT_TRUE(is_old(directory()));
}

#endif

TEST_F(TreeUpdateFault, AStrangeJournalIsLeftAlone) {
  fs::create_directory(directory() / ".bdelta");
  put(directory() / ".bdelta/journal", text("what somebody wrote"));
  const Tree before = tree_of(directory());
  for (int i = 0; i < 2; ++i) {
    EXPECT_FAILS(ErrorCode::kWrongJournal, resume_tree(directory(), {}));
    EXPECT_FAILS(ErrorCode::kWrongJournal, apply());
    EXPECT_FAILS(ErrorCode::kWrongJournal, tree_state(directory()));
    EXPECT_TRUE(before == tree_of(directory()));
  }
  fs::remove_all(directory() / ".bdelta");
  fs::create_symlink(folder_ / "new", directory() / ".bdelta");
  EXPECT_FAILS(ErrorCode::kWrongJournal, apply());
  EXPECT_TRUE(is_new(folder_ / "new"));
}

}  // namespace
}  // namespace bdelta::test::tree_update_test

// What the tests of updates of a directory share: the pair, the calls that are recorded and made to fail, and the ends of it.
#pragma once

#include <cerrno>
#include <map>
#include <tuple>

#include "bdelta/push.hpp"
#include "bdelta/tree.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"

namespace bdelta::test::tree_update_test {

namespace fs = std::filesystem;

using Entry = std::tuple<fs::file_type, fs::perms, Bytes>;
using Tree = std::map<std::string, Entry>;

// What a directory holds; permissions of links don't count.
inline Tree tree_of(const fs::path& root) {
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

inline void copy_tree(const fs::path& from, const fs::path& to) {
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
inline Disk disk;

inline bool is_over() {
  if (disk.end == 0) return false;
  if (disk.changes >= disk.end) return errno = EIO, true;
  ++disk.changes;
  return false;
}

inline fs::path path_at(int directory, const char* name) {
  return fs::read_symlink("/proc/self/fd/" + std::to_string(directory)).lexically_relative(disk.root) / name;
}

inline const io::FileOps& real_ops() { return io::system_ops(); }

inline io::FileOps recording_ops() {
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

}  // namespace bdelta::test::tree_update_test

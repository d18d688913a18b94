// A directory is updated in its place, and the process ends at each call; or the power fails at each call, and of what was not
// synced anything may be lost. Then whoever comes next makes OLD or NEW of it.
#include "fault/tree_update_faults.hpp"

namespace bdelta::test::tree_update_test {
namespace {

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
bool is_open_here(const fs::path& path) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc/self/fd")) {
    if (fs::read_symlink(entry.path(), ignored) == path) return true;
  }
  return false;
}

// Some file systems keep a file that is removed while it is open, under another name, until it is closed.
TEST_F(TreeUpdateFault, WhatIsRemovedIsClosed) {
  io::FileOps table = recording_ops();
  table.remove_at = [](int directory, const char* name, bool is_directory) {
    const bool stays = !is_directory && is_open_here(fs::read_symlink("/proc/self/fd/" + std::to_string(directory)) / name);
    return stays ? (errno = EBUSY, -1) : recording_ops().remove_at(directory, name, is_directory);
  };
  const auto apply_here = [&](int end, int failing_move) {
    begin();
    disk.end = end;
    disk.failing_move = failing_move;
    const io::ScopedFileOps scope(table);
    return apply();
  };
  EXPECT_OK(apply_here(0, 0));
  EXPECT_TRUE(is_new(directory()));
  EXPECT_FALSE(apply_here(0, 3));
  EXPECT_TRUE(is_old(directory()));
  bool was_discarded = false, was_finished = false;
  for (int end = 1; !was_finished; ++end) {
    ASSERT_LT(end, 500);
    (void)apply_here(end, 0);
    disk = {};
    disk.root = directory();
    const io::ScopedFileOps scope(table);
    const auto resumed = resume_tree(directory(), {});
    ASSERT_OK(resumed);
    was_discarded = was_discarded || *resumed == Resumed::kDiscarded;
    was_finished = *resumed == Resumed::kFinished;
    EXPECT_TRUE(was_finished ? is_new(directory()) : is_old(directory())) << end;
  }
  EXPECT_TRUE(was_discarded);
}

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

}  // namespace
}  // namespace bdelta::test::tree_update_test

// A directory is updated in its place, and what can go wrong does: each call fails in turn, and what is found is not what was
// left there. Then whoever comes next makes OLD or NEW of it.
#include "fault/tree_update_faults.hpp"

#include <algorithm>
#include <cctype>

#include "apply/journal.hpp"
#include "apply/tree_update.hpp"
#include "support/faulty_ops.hpp"

namespace bdelta::test::tree_update_test {
namespace {

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

std::string in_small(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// The name in the directory that is the same but for its case, if there is one.
std::string folded(int directory, const char* name) {
  std::vector<std::string> names;
  const io::FileHandle listed(real_ops(), real_ops().open_at(directory, ".", io::OpenAtKind::kDirectory, 0));
  if (real_ops().list(listed.fd(), names) != 0) return name;
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

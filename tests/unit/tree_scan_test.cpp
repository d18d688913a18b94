// Directories as they are found, and their streams.
#include "view/tree/tree_reader.hpp"

#include "support/generate.hpp"
#include "support/io_support.hpp"

namespace bdelta::test::tree_scan_test {
namespace {

class Scanning : public ::testing::Test {
 protected:
  Scanning() {
    std::filesystem::create_directory(folder_ / "d");
    put(folder_ / "d/file", Bytes(10, 1));
    put(folder_ / "other", Bytes(10, 2));
    tree_ = std::move(*view::ScannedTree::scan(folder_.path(), {}, nullptr, false));
    EXPECT_EQ(3u, tree_->manifest().entries().size());
    EXPECT_OK(tree_->check_unchanged());
  }

  Folder folder_;
  std::unique_ptr<view::ScannedTree> tree_;
};

TEST_F(Scanning, NoticesAFileThatChanges) {
  put(folder_ / "d/file", Bytes(11, 1));
  EXPECT_FAILS(ErrorCode::kInputChanged, tree_->check_unchanged());
  EXPECT_FAILS(ErrorCode::kInputChanged, tree_->open_file(1));
}

TEST_F(Scanning, NoticesANewEntry) {
  put(folder_ / "d/more", Bytes(1, 1));
  EXPECT_FAILS(ErrorCode::kInputChanged, tree_->check_unchanged());
}

TEST_F(Scanning, NoticesAnEntryThatGoes) {
  std::filesystem::remove(folder_ / "other");
  EXPECT_FAILS(ErrorCode::kInputChanged, tree_->check_unchanged());
}

// Whoever may write in OLD can't lead bpatch out of it.
TEST_F(Scanning, FollowsNoLinkThatTakesThePlaceOfADirectory) {
  const Folder outside;
  put(outside / "file", Bytes(10, 1));
  std::filesystem::rename(folder_ / "d", folder_ / "e");
  std::filesystem::create_directory_symlink(outside.path(), folder_ / "d");
  const auto directory = io::Directory::open(folder_.path());
  ASSERT_OK(directory);
  EXPECT_FAILS(ErrorCode::kInputChanged, (*directory)->open_entry("d/file", io::OpenAtKind::kRead));
  EXPECT_FAILS(ErrorCode::kInputChanged, (*directory)->open_entry("d", io::OpenAtKind::kRead));
  EXPECT_FAILS(ErrorCode::kInputChanged, tree_->check_unchanged());
}

TEST_F(Scanning, ReadsItsStreamFromAnyPlace) {
  view::TreeReader reader(*tree_);
  const std::uint64_t manifest_bytes = tree_->manifest().bytes().size();
  ASSERT_EQ(manifest_bytes + 20, reader.size());
  Bytes whole(static_cast<std::size_t>(reader.size()));
  ASSERT_OK(reader.read_at(0, whole));
  EXPECT_TRUE(same_bytes(tree_->manifest().bytes(), ByteSpan(whole).first(static_cast<std::size_t>(manifest_bytes))));
  for (std::size_t pos = 0; pos <= whole.size(); ++pos) {
    for (std::size_t size = 0; size <= whole.size() - pos; size += 3) {
      Bytes part(size);
      ASSERT_OK(reader.read_at(pos, part));
      ASSERT_TRUE(same_bytes(ByteSpan(whole).subspan(pos, size), part)) << pos << " " << size;
    }
  }
  EXPECT_FAILS(ErrorCode::kReadFailed, reader.read_at(reader.size(), MutableByteSpan(whole).first(1)));
}

// In the order of whole paths, whatever their directories are called.
TEST(ScannedTree, HasEntriesInTheOrderOfPaths) {
  const Folder folder;
  for (const char* const name : {"a", "a/b", "a/b/c", "a-b", "a-b/x", "a-b-", "ab", "A", "a/b.d"}) std::filesystem::create_directory(folder / name);
  for (const char* const name : {"a.c", "a/b/f", "a/b-f", "a/b0", "a-b/f", "a-b.f", "a-b/x-", "ab/f", "z", "A/f"}) put(folder / name, Bytes(3, 1));
  const auto tree = view::ScannedTree::scan(folder.path(), {}, nullptr, false);
  ASSERT_OK(tree);
  EXPECT_EQ(19u, (*tree)->manifest().entry_count());
  EXPECT_EQ(10u, (*tree)->manifest().file_count());
  EXPECT_OK((*tree)->check_unchanged());
}

// Places in it are counted from one in 32 entries, of which many may have no bytes.
TEST(ScannedTree, HasAStreamOfManyFiles) {
  const Folder folder;
  Bytes contents;
  std::vector<bool> is_left_out;
  for (unsigned i = 0; i < 200; ++i) {
    const Bytes bytes(i / 20 % 3 == 0 ? 0 : i % 7, static_cast<std::uint8_t>(i));
    put(folder / std::to_string(1000 + i), bytes);
    is_left_out.push_back(i % 10 == 3);
    if (!is_left_out.back()) append(contents, bytes);
  }
  const auto tree = view::ScannedTree::scan(folder.path(), {}, nullptr, false);
  ASSERT_OK(tree);
  view::TreeReader reader(**tree, &is_left_out);
  const std::size_t begin = (*tree)->manifest().size();
  ASSERT_EQ(begin + contents.size(), reader.size());
  for (std::size_t pos = 0; pos <= contents.size(); ++pos) {
    for (std::size_t size = 0; size <= contents.size() - pos; size += 13) {
      Bytes part(size);
      ASSERT_OK(reader.read_at(begin + pos, part));
      ASSERT_TRUE(same_bytes(ByteSpan(contents).subspan(pos, size), part)) << pos << " " << size;
    }
  }
}

TEST(ScannedTree, PassesNamesOverInTheOrderOfPaths) {
  const Folder folder;
  for (const char* const name : {"a", "a/x", "a-x", "b", "b/c", "b-"}) std::filesystem::create_directory(folder / name);
  for (const char* const name : {"a/x.o", "a/x/f.o", "a.o", "a-.o", "b/c/d.o", "b/c.o", "b-/e.o", "b/f"}) put(folder / name, Bytes(3, 1));
  const auto tree = view::ScannedTree::scan(folder.path(), {"*.o", "a/x"}, nullptr, false);
  ASSERT_OK(tree);
  const std::vector<std::string> expected = {"a-.o", "a.o", "a/x", "a/x.o", "b-/e.o", "b/c.o", "b/c/d.o"};
  EXPECT_EQ(expected, (*tree)->passed_over());
}

// More names than one call of the system gives. What is asked afterwards is in the directories that were listed, and in theirs.
TEST(Directory, NamesAllThatIsInADirectory) {
  const Folder folder(quick_directory());
  std::filesystem::create_directories(folder / "d/e");
  put(folder / "d/e/file", Bytes(7, 1));
  std::vector<std::string> expected;
  for (unsigned i = 0; i < 1000; ++i) {
    expected.push_back(std::to_string(1000 + i) + std::string(200, 'n'));
    put(folder.path() / "d" / expected.back(), {});
  }
  expected.emplace_back("e");
  const auto directory = io::Directory::open(folder.path());
  ASSERT_OK(directory);
  for (int turn = 0; turn < 2; ++turn) {
    EXPECT_EQ(std::vector<std::string>{"d"}, *(*directory)->names_in(""));
    EXPECT_EQ(expected, *(*directory)->names_in("d"));
    EXPECT_EQ(std::vector<std::string>{"file"}, *(*directory)->names_in("d/e"));
    EXPECT_EQ(7u, (*directory)->info("d/e/file")->size);
    EXPECT_TRUE((*directory)->info("d/e")->is_directory);
    EXPECT_EQ(0u, (*directory)->info("d/" + expected.front())->size);
  }
  EXPECT_FAILS(ErrorCode::kInputChanged, (*directory)->names_in("d/e/file"));
  EXPECT_FAILS(ErrorCode::kNotFound, (*directory)->names_in("d/f"));
}

}  // namespace
}  // namespace bdelta::test::tree_scan_test

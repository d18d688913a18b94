// Names, manifests and marks of trees, and what is refused of them.
#include "view/tree/manifest.hpp"
#include "view/tree/plan.hpp"

#include "apply/tree_splitter.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"

namespace bdelta::test::tree_test {
namespace {

using view::EntryKind;
using view::NameRules;
using view::TreeEntry;

bool is_good(std::string_view path, NameRules rules = NameRules::kAny) { return view::path_problem(path, rules) == nullptr; }

Bytes manifest_of(const std::vector<TreeEntry>& entries) {
  Bytes manifest;
  for (const TreeEntry& entry : entries) view::append_entry(manifest, entry);
  return manifest;
}

Result<view::Manifest> decoded(const std::vector<TreeEntry>& entries) {
  return view::Manifest::decode(manifest_of(entries), NameRules::kAny);
}

TreeEntry file(std::string_view path, std::uint64_t bytes = 1) { return {EntryKind::kFile, path, bytes, {}}; }
TreeEntry directory(std::string_view path) { return {EntryKind::kDirectory, path, 0, {}}; }
TreeEntry link(std::string_view path, std::string_view target) { return {EntryKind::kLink, path, 0, target}; }

TEST(TreeNames, LeadIntoTheTree) {
  for (const char* const good : {"a", "a/b", "...", "..a", "a..", "-", "a b", ".bdelta2", "x/.bdeltas", "\n", "\xff", "C:", "nul"}) {
    EXPECT_TRUE(is_good(good)) << good;
  }
  for (const char* const bad : {"", "/", "/a", "a/", "a//b", ".", "..", "a/..", "../a", "a/./b", ".bdelta", "a/.BDelta/b"}) {
    EXPECT_FALSE(is_good(bad)) << bad;
  }
  EXPECT_FALSE(is_good(std::string_view("a\0b", 3)));
}

TEST(TreeNames, HaveBounds) {
  const std::string part(view::kMostPartBytes, 'p');
  EXPECT_TRUE(is_good(part));
  EXPECT_FALSE(is_good(part + "p"));
  std::string path = "a";
  for (std::size_t i = 1; i < view::kMostParts; ++i) path += "/a";
  EXPECT_TRUE(is_good(path));
  EXPECT_FALSE(is_good(path + "/a"));
  std::string longest;
  for (int i = 0; i < 15; ++i) longest += part + "/";
  longest.append(100, 'a');
  longest += '/';
  longest.append(154, 'b');
  ASSERT_EQ(view::kMostPathBytes, longest.size());
  EXPECT_TRUE(is_good(longest));
  EXPECT_FALSE(is_good(longest + "b"));
}

TEST(TreeNames, OfWindowsAreThoseThatItHolds) {
  for (const char* const good : {"a/b", "com", "com10", "lpt", "nullo", "console", "a.nul", "\xc3\xa4", "com\xc2\xb4", "bdelta",
                                 "bdelta~", "bdelta~x", "bdelta~12", "abdelta~1"}) {
    EXPECT_TRUE(is_good(good, NameRules::kWindows)) << good;
  }
  for (const char* const bad : {"C:", "c:/x", "a\\b", "a:b", "a?", "a*", "a<b", "a>b", "a|b", "a\"", "a\n", "\x1f", "a.", "a ", "d./x",
                                "nul", "NUL.txt", "aux", "Con.a.b", "prn", "com1", "LPT9.x", "com0", "COM\xc2\xb9", "conin$", "nul .x",
                                "\xff", "\xc0\xaf", "\xed\xa0\x80", "bdelta~1", "BDELTA~9", "a/Bdelta~2/b", ".bdelta ", ".bdelta."}) {
    EXPECT_FALSE(is_good(bad, NameRules::kWindows)) << bad;
  }
}

TEST(TreeNames, OfLinksThatMayLeave) {
  for (const char* const inside : {"a", "./a", "a/b", "a//b", "..x"}) {
    EXPECT_FALSE(view::may_leave_tree("l", inside)) << inside;
  }
  EXPECT_FALSE(view::may_leave_tree("d/l", "../a"));
  EXPECT_FALSE(view::may_leave_tree("d/e/l", "../../a"));
  EXPECT_FALSE(view::may_leave_tree("d/e/l", ".././../a/b"));
  for (const char* const outside : {"", "/", "/a", "..", "../a", "a/..", "d/../a", "C:/x", "\\x", "a\\..\\b"}) {
    EXPECT_TRUE(view::may_leave_tree("l", outside)) << outside;
  }
  EXPECT_TRUE(view::may_leave_tree("d/l", "../../a"));
  EXPECT_TRUE(view::may_leave_tree("d/l", "../x/../a"));
}

TEST(TreeNames, FitPatterns) {
  for (const auto& [path, pattern] : std::initializer_list<std::pair<const char*, const char*>>{
           {"a.log", "*.log"}, {"d/a.log", "*.log"}, {"a", "?"}, {"abc", "a*c"}, {"abcbc", "a*bc"}, {"d/e", "d/e"}, {"d/e", "/d/e"},
           {"d", "/d"}, {"x/d", "x/d/"}, {"d/x.o", "d/*.o"}, {"abc", "***"}}) {
    EXPECT_TRUE(view::fits_pattern(path, pattern)) << path << " " << pattern;
  }
  for (const auto& [path, pattern] : std::initializer_list<std::pair<const char*, const char*>>{
           {"a.logs", "*.log"}, {"x/d", "/d"}, {"d/e/f", "d/*"}, {"d", "d/*"}, {"ab", "?"}, {"abd", "a*c"}, {"A", "a"}, {"a", "/"},
           {"a", ""}, {"d/x/y.o", "d/*.o"}}) {
    EXPECT_FALSE(view::fits_pattern(path, pattern)) << path << " " << pattern;
  }
}

TEST(TreeManifest, GivesWhatWasPutIn) {
  const auto manifest = decoded({directory("a"), file("a-b", 300), directory("a/b"), link("a/b/l", "../x"), file("b", 0)});
  ASSERT_OK(manifest);
  ASSERT_EQ(5u, manifest->entries().size());
  EXPECT_EQ("a-b", manifest->entries()[1].path);
  EXPECT_EQ(300u, manifest->entries()[1].bytes);
  EXPECT_EQ("../x", manifest->entries()[3].target);
  EXPECT_EQ(300u, manifest->file_bytes());
  EXPECT_EQ(2u, manifest->file_count());
  EXPECT_EQ(300u + manifest->bytes().size(), manifest->stream_bytes());
}

TEST(TreeManifest, IsAscendingAndHasADirectoryAboveEachEntry) {
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, decoded({file("b"), file("a")}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, decoded({file("a"), file("a")}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, decoded({file("a/b")}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, decoded({file("a"), file("a/b")}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, decoded({link("a", "b"), file("a/b")}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, decoded({directory("a"), file("a/b/c")}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, decoded({directory("a"), directory("b"), file("c/d")}));
  EXPECT_OK(decoded({directory("a"), directory("a-"), directory("a-/b"), file("a-/b-"), file("a-/b/c"), file("a-b"), file("a/b")}));
}

TEST(TreeManifest, FindsEntriesByPath) {
  const auto manifest = decoded({directory("a"), file("a-b", 300), directory("a/b"), link("a/b/l", "../x"), file("b", 0)});
  ASSERT_OK(manifest);
  for (std::uint32_t i = 0; i < 5; ++i) EXPECT_EQ(i, manifest->find(manifest->entry(i).path));
  for (const char* const path : {"", "a/", "a/b/", "a/b/k", "c"}) EXPECT_EQ(view::kNoEntry, manifest->find(path)) << path;
}

// Whatever two manifests have in common, what is shared reads as before, and takes less.
TEST(TreeManifest, ReadsTheSameOnceItIsShared) {
  std::vector<std::string> names;
  for (int i = 0; i < 400; ++i) names.push_back("file" + std::to_string(1000 + i));
  std::vector<TreeEntry> of_source, of_target;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i % 9 != 0) of_source.push_back(i % 50 == 1 ? link(names[i], "x") : file(names[i], 300));
    if (i % 70 != 0) of_target.push_back(i % 50 == 1 ? link(names[i], "x") : file(names[i], i % 11 == 0 ? 5 : 300));
  }
  std::vector<TreeEntry> longer = of_source;
  for (const char* const behind : {"g", "h"}) longer.push_back(file(behind));
  for (const std::vector<TreeEntry>& entries : {of_source, of_target, longer, std::vector<TreeEntry>{file("none")}, std::vector<TreeEntry>()}) {
    const auto source = decoded(of_source);
    auto shared = decoded(entries);
    ASSERT_OK(source);
    ASSERT_OK(shared);
    const Bytes before = manifest_of(entries);
    shared->share(*source, view::counterparts_of(*source, *shared));
    ASSERT_EQ(before.size(), shared->size());
    for (std::size_t i = 0; i < entries.size(); ++i) {
      ASSERT_EQ(entries[i].path, shared->entry(i).path);
      ASSERT_EQ(entries[i].bytes, shared->entry(i).bytes);
      ASSERT_EQ(entries[i].target, shared->entry(i).target);
      ASSERT_EQ(i, shared->find(entries[i].path));
    }
    for (std::size_t pos = 0; pos <= before.size(); pos += 7) {
      for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{40}, before.size() - pos}) {
        Bytes part(std::min(size, before.size() - pos));
        shared->read(pos, part);
        ASSERT_TRUE(same_bytes(ByteSpan(before).subspan(pos, part.size()), part)) << pos << " " << size;
      }
    }
    if (entries.size() > 100) {
      EXPECT_LT(shared->held_bytes(), before.size());
    }
  }
}

TEST(TreeManifest, HasSoundNamesTargetsAndSizes) {
  for (const char* const bad : {"", "..", "/a", "a/../b", ".bdelta"}) EXPECT_FAILS(ErrorCode::kUnsafeName, decoded({file(bad)}));
  EXPECT_FAILS(ErrorCode::kUnsafeName, decoded({link("l", "")}));
  EXPECT_FAILS(ErrorCode::kUnsafeName, decoded({link("l", std::string(view::kMostLinkBytes + 1, 'x'))}));
  EXPECT_OK(decoded({file("a", view::kMostTreeBytes)}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, decoded({file("a", view::kMostTreeBytes + 1)}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, decoded({file("a", view::kMostTreeBytes), file("b", 1)}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, decoded({{static_cast<EntryKind>('x'), "a", 0, {}}}));
}

TEST(TreeManifest, IsCutNowhereButBehindAnEntry) {
  const Bytes whole = manifest_of({directory("ab"), file("ab/c", 200), link("l", "ab")});
  int sound_count = 0;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    sound_count += view::Manifest::decode(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)), NameRules::kAny) ? 1 : 0;
  }
  EXPECT_EQ(3, sound_count);  // of no entries, of one and of two
}

TEST(TreeMarks, ComeBack) {
  std::vector<std::string> names;
  for (int i = 0; i < 300; ++i) names.push_back("f" + std::to_string(1000 + i));
  std::vector<TreeEntry> of_source, of_target;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i % 7 != 0) of_source.push_back(file(names[i], i % 5));
    of_target.push_back(i % 11 == 0 ? directory(names[i]) : file(names[i], i % 13 == 0 ? 99 : i % 5));
  }
  const auto source = decoded(of_source), target = decoded(of_target);
  ASSERT_OK(source);
  ASSERT_OK(target);
  const auto counterparts = view::counterparts_of(*source, *target);
  view::TreeMarks marks;
  marks.root_mode = 0711;
  for (std::size_t i = 0; i < names.size(); ++i) {
    marks.is_kept.push_back(view::may_be_kept(*source, target->entries()[i], counterparts[i]) && i % 9 != 0);
    marks.modes.push_back(i % 17 == 0 ? 0755 : i % 19 == 0 ? 0400 : 0644);
  }
  const Bytes code = view::encode_marks(*source, *target, counterparts, marks);
  const auto back = view::decode_marks(*source, *target, counterparts, code);
  ASSERT_OK(back);
  EXPECT_EQ(marks.is_kept, back->is_kept);
  EXPECT_EQ(marks.modes, back->modes);
  EXPECT_EQ(marks.root_mode, back->root_mode);
  Bytes longer = code;
  longer.insert(longer.end(), 9, 1);
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, view::decode_marks(*source, *target, counterparts, longer));
}

TEST(TreeMarks, OfFortyThousandFilesTakeLittle) {
  std::vector<std::string> names;
  for (int i = 0; i < 40'000; ++i) names.push_back("f" + std::to_string(100'000 + i));
  std::vector<TreeEntry> entries;
  for (const std::string& name : names) entries.push_back(file(name));
  const auto tree = decoded(entries);
  ASSERT_OK(tree);
  view::TreeMarks marks;
  marks.is_kept.assign(names.size(), true);
  marks.modes.assign(names.size(), 0644);
  for (std::size_t i = 50; i < names.size(); i += 100) marks.is_kept[i] = false;
  EXPECT_LT(view::encode_marks(*tree, *tree, view::counterparts_of(*tree, *tree), marks).size(), 600u);
}

TEST(TreeTimes, ComeBack) {
  const auto tree = decoded({file("a"), directory("b"), file("c")});
  ASSERT_OK(tree);
  const std::vector<std::int64_t> times = {INT64_MAX, 0, INT64_MIN};
  const Bytes bytes = view::encode_times(*tree, times);
  const auto back = view::decode_times(*tree, bytes);
  ASSERT_OK(back);
  EXPECT_EQ(times, *back);
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, view::decode_times(*tree, ByteSpan(bytes).first(bytes.size() - 1)));
}

// What a patch makes, against what it says of it.
class Splitting : public ::testing::Test {
 protected:
  Splitting() {
    put(old_ / "kept", Bytes{1, 2, 3});
    std::filesystem::create_symlink("/away", old_ / "known");
    scanned_ = std::move(*view::ScannedTree::scan(old_.path(), {}, nullptr, false));
    WorkerPool pool(1);
    digests_ = *scanned_->digests(pool);
  }

  Status split(const std::vector<TreeEntry>& entries, const std::vector<bool>& kept, bool outside_links = false) {
    Bytes stream = manifest_of(entries);
    const auto manifest = view::Manifest::decode(stream, NameRules::kAny);
    plan_.manifest_bytes = stream.size() + extra_.manifest_bytes;
    plan_.entry_count = entries.size() + extra_.entry_count;
    plan_.files.kept = 0 + extra_.files.kept;
    view::TreeMarks marks;
    marks.is_kept = kept;
    marks.modes.assign(entries.size(), 0644);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (kept[i]) ++plan_.files.kept;
      else stream.resize(stream.size() + entries[i].bytes, 7);
    }
    if (manifest) plan_.code = view::encode_marks(scanned_->manifest(), *manifest, view::counterparts_of(scanned_->manifest(), *manifest), marks);
    plan_.made_bytes = stream.size() + extra_.made_bytes;
    stream.resize(stream.size() + more_bytes_);
    const std::uint64_t target_bytes = manifest ? manifest->stream_bytes() + extra_target_bytes_ : stream.size();
    TreeSplitter splitter({*scanned_, digests_}, plan_, target_bytes, outside_links, nullptr);
    for (const std::uint8_t byte : stream) {
      if (Status taken = splitter.write({&byte, 1}); !taken) return taken;
    }
    const auto digest = splitter.digest();
    return digest ? Status() : Status(digest.error());
  }

  Folder old_;
  std::unique_ptr<view::ScannedTree> scanned_;
  std::vector<Digest128> digests_;
  view::TreePlan plan_;
  view::TreePlan extra_;  // what the record says more than there is
  std::uint64_t extra_target_bytes_ = 0;
  std::size_t more_bytes_ = 0;
};

TEST_F(Splitting, TakesWhatIsSound) {
  EXPECT_OK(split({}, {}));
  EXPECT_OK(split({file("a", 5), file("kept", 3), file("z", 0)}, {false, true, false}));
  EXPECT_OK(split({file("kept", 3)}, {false}));
}

TEST_F(Splitting, RefusesOtherSizesAndCountsThanTheRecords) {
  const std::vector<TreeEntry> entries = {file("a", 5), file("kept", 3)};
  const std::vector<bool> kept = {false, true};
  extra_target_bytes_ = 1;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, split(entries, kept));
  extra_target_bytes_ = 0;
  extra_.made_bytes = 1;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, split(entries, kept));
  extra_.made_bytes = 0;
  extra_.entry_count = 1;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, split(entries, kept));
  extra_.entry_count = 0;
  extra_.files.kept = 1;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, split(entries, kept));
  extra_.files.kept = 0;
  more_bytes_ = 1;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, split(entries, kept));
}

TEST_F(Splitting, RefusesLinksThatLeadOutUnlessOldHasThem) {
  EXPECT_FAILS(ErrorCode::kUnsafeName, split({link("l", "/away")}, {false}));
  EXPECT_OK(split({link("l", "/away")}, {false}, true));
  EXPECT_OK(split({link("known", "/away")}, {false}));
  EXPECT_FAILS(ErrorCode::kUnsafeName, split({link("known", "/away2")}, {false}));
}

TEST_F(Splitting, RefusesNamesBeforeAnythingElse) {
  EXPECT_FAILS(ErrorCode::kUnsafeName, split({file("../a", 1)}, {false}));
}

}  // namespace
}  // namespace bdelta::test::tree_test

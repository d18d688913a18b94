// Where the bytes of a patch go: shares add up, members of every container are found in every view, entries of directories are
// told with and without OLD, and what can't be read is refused.
#include "bdelta/members.hpp"

#include <map>
#include <numeric>

#include "bdelta/tree.hpp"
#include "support/archive.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/memory.hpp"
#include "support/tar.hpp"

namespace bdelta::test::members_test {
namespace {

namespace fs = std::filesystem;

std::uint64_t sum_of(const std::vector<NamedBytes>& kinds) {
  return std::accumulate(kinds.begin(), kinds.end(), std::uint64_t{0}, [](std::uint64_t sum, const NamedBytes& kind) { return sum + kind.bytes; });
}

// What any listing has to keep to.
void expect_sound(const PatchBytes& bytes) {
  EXPECT_EQ(bytes.patch_bytes, sum_of(bytes.kinds));
  std::uint64_t of_members = 0;
  for (std::size_t i = 0; i < bytes.members.size(); ++i) {
    const MemberBytes& member = bytes.members[i];
    SCOPED_TRACE(member.path);
    EXPECT_EQ(member.patch_bytes, sum_of(member.kinds));
    EXPECT_LE(member.copied_bytes, member.target_bytes);
    EXPECT_LE(member.changed_bytes, member.copied_bytes);
    EXPECT_TRUE(member.parent == MemberBytes::kNone ? i == 0 : member.parent < i);
    std::uint64_t of_sections = 0;
    for (const SectionBytes& section : member.sections) of_sections += section.patch_bytes;
    EXPECT_LE(of_sections, member.patch_bytes);
    of_members += member.patch_bytes;
  }
  EXPECT_LE(of_members, bytes.patch_bytes);
}

class Members : public ::testing::Test {
 protected:
  // A patch between two files, and what is in it with OLD and without. Both have the same kinds of bytes.
  PatchBytes shown(const Bytes& old_version, const Bytes& new_version, int level) {
    put(folder_ / "old", old_version);
    put(folder_ / "new", new_version);
    CreateOptions options;
    options.level = level;
    options.files.overwrite = true;
    options.files.sync = false;
    EXPECT_OK(create_file(folder_ / "old", folder_ / "new", folder_ / "patch", options));
    const auto alone = inspect_bytes(folder_ / "patch", {});
    EXPECT_OK(alone);
    if (alone) {
      expect_sound(*alone);
      EXPECT_TRUE(alone->members.empty());
      EXPECT_EQ(fs::file_size(folder_ / "patch"), alone->patch_bytes);
      EXPECT_FALSE(alone->entries);
    }
    auto bytes = inspect_members(folder_ / "old", folder_ / "patch", {});
    EXPECT_OK(bytes);
    if (!bytes || !alone) return {};
    expect_sound(*bytes);
    EXPECT_EQ(alone->patch_bytes, bytes->patch_bytes);
    const std::uint64_t target_bytes = std::accumulate(bytes->members.begin(), bytes->members.end(), std::uint64_t{0},
        [](std::uint64_t sum, const MemberBytes& member) { return sum + member.target_bytes; });
    if (!bytes->info.unpacked) {
      EXPECT_EQ(new_version.size(), target_bytes);
    }
    return std::move(*bytes);
  }

  static const MemberBytes& member(const PatchBytes& bytes, std::string_view path) {
    static const MemberBytes none;
    const auto found = std::find_if(bytes.members.begin(), bytes.members.end(), [&](const MemberBytes& one) { return one.path == path; });
    EXPECT_NE(bytes.members.end(), found) << path;
    return found == bytes.members.end() ? none : *found;
  }

  const Folder folder_{quick_directory()};
};

TEST_F(Members, SharesAddUp) {
  const Bytes words = wordy_bytes(60'000, 1);
  const TarPair tar = tar_pair(20, 3);
  const struct {
    const char* name;
    Bytes old_version, new_version;
  } pairs[] = {{"nothing", {}, {}},
               {"all goes", words, {}},
               {"all comes", {}, words},
               {"same", words, words},
               {"text", words, edited(words, random_edits(30, words.size(), 200, 2))},
               {"random", random_bytes(20'000, 1), random_bytes(30'000, 2)},
               {"tar", tar.old_version, tar.new_version},
               {"gzip", gzip_of(tar.old_version), gzip_of(tar.new_version)}};
  for (const auto& pair : pairs) {
    for (const int level : {1, 3, 6, 9}) {
      SCOPED_TRACE(std::string(pair.name) + ", level " + std::to_string(level));
      (void)shown(pair.old_version, pair.new_version, level);
    }
  }
}

// A zip in a gzipped tar: each is unpacked in a view of its own.
TEST_F(Members, AreFoundInEveryView) {
  const Bytes words = wordy_bytes(40'000, 1), others = wordy_bytes(30'000, 2);
  const Bytes changed = edited(words, {{Edit::kInsert, 20'000, 3'000, 0, 5}});
  const auto packed = [&](const Bytes& first, std::uint64_t time) {
    const Bytes zip = zip_of({{.name = "a", .content = first}, {.name = "b", .content = others}});
    return gzip_of(tar_of({{"folder/inner.zip", time, zip}, {"folder/plain", time, others}}));
  };
  for (const int level : {1, 6}) {
    const PatchBytes bytes = shown(packed(words, 1), packed(changed, 2), level);
    EXPECT_TRUE(bytes.info.unpacked);
    EXPECT_EQ("tar", member(bytes, "").format);
    EXPECT_EQ("zip", member(bytes, "folder/inner.zip").format);
    const MemberBytes& inner = member(bytes, "folder/inner.zip/a");
    EXPECT_EQ(changed.size(), inner.target_bytes);
    EXPECT_GE(inner.patch_bytes, 2'000u);
    EXPECT_EQ("folder/inner.zip/a", inner.source_path);
    EXPECT_TRUE(inner.source_has_path);
    EXPECT_EQ("folder/inner.zip", bytes.members[inner.parent].path);
    EXPECT_LT(member(bytes, "folder/inner.zip/b").patch_bytes, 50u);
    EXPECT_LT(member(bytes, "folder/plain").patch_bytes, 50u);
    EXPECT_TRUE(bytes.removed_paths.empty());
  }
}

TEST_F(Members, TellWhatComesAndGoes) {
  const Bytes one = wordy_bytes(5'000, 1), two = random_bytes(5'000, 2), three = random_bytes(5'000, 3);
  const PatchBytes bytes = shown(tar_of({{"same", 1, one}, {"gone", 1, two}}), tar_of({{"same", 1, one}, {"new", 1, three}}), 6);
  EXPECT_EQ((std::vector<std::string>{"gone"}), bytes.removed_paths);
  EXPECT_FALSE(member(bytes, "new").source_has_path);
  EXPECT_GE(member(bytes, "new").patch_bytes, 5'000u);
  EXPECT_EQ(0u, member(bytes, "new").copied_bytes);
  EXPECT_EQ(one.size(), member(bytes, "same").copied_bytes);
}

TEST_F(Members, RefuseWhatCannotBeRead) {
  const Bytes words = wordy_bytes(60'000, 1), next = edited(words, random_edits(30, words.size(), 200, 2));
  (void)shown(words, next, 3);
  const Bytes patch = get(folder_ / "patch");
  const auto refused = [&](const fs::path& source, const ApplyOptions& options = {}) {
    const auto bytes = inspect_members(source, folder_ / "patch", options);
    return bytes ? ErrorCode{} : bytes.error().code;
  };
  EXPECT_EQ(ErrorCode::kWrongSourceSize, refused(folder_ / "new"));
  EXPECT_EQ(ErrorCode::kNotFound, refused(folder_ / "absent"));
  EXPECT_EQ(ErrorCode::kNotADirectory == refused(folder_.path()) || ErrorCode::kIsDirectory == refused(folder_.path()), true);
  ApplyOptions options;
  options.output_limit_bytes = 10;
  EXPECT_EQ(ErrorCode::kOutputLimit, refused(folder_ / "old", options));
  options = {};
  options.expected_patch_sha256.emplace();
  EXPECT_EQ(ErrorCode::kPatchDigest, refused(folder_ / "old", options));
  EXPECT_FAILS(ErrorCode::kPatchDigest, inspect_bytes(folder_ / "patch", options));
  options = {};
  options.progress = [](const Progress&) { return false; };
  EXPECT_EQ(ErrorCode::kCancelled, refused(folder_ / "old", options));
  for (std::size_t size = 0; size < patch.size(); size += 1 + patch.size() / 50) {
    SCOPED_TRACE(size);
    put(folder_ / "patch", ByteSpan(patch).first(size));
    const auto cut = inspect_bytes(folder_ / "patch", {});
    ASSERT_FALSE(cut);
    EXPECT_EQ(3, exit_class(cut.error().code));
    EXPECT_NE(std::string::npos, cut.error().file.find("patch"));
    Bytes damaged = patch;
    damaged[size] ^= 0x10;
    put(folder_ / "patch", damaged);
    const auto wrong = inspect_bytes(folder_ / "patch", {});
    if (!wrong) {
      EXPECT_NE(ErrorCode::kInternal, wrong.error().code);
    }
    EXPECT_NE(ErrorCode::kInternal, refused(folder_ / "old"));
  }
}

using Changes = std::map<std::string, EntryChange>;

Changes changes_of(const PatchBytes& bytes) {
  Changes changes;
  for (const EntryBytes& entry : bytes.entries.value_or(std::vector<EntryBytes>())) changes[entry.path] = entry.change;
  return changes;
}

// Directories of files that stay, change, come, go and move, by chance.
class Entries : public Members {
 protected:
  void make(unsigned seed, unsigned file_count) {
    Random random(seed);
    for (const char* const root : {"trees/old", "trees/new"}) {
      fs::remove_all(folder_ / root);
      fs::create_directories(folder_ / root);
    }
    const auto write = [&](const char* root, const std::string& path, const Bytes& bytes) {
      fs::create_directories((folder_ / "trees" / root / path).parent_path());
      put(folder_ / "trees" / root / path, bytes);
    };
    wanted_.clear();
    for (unsigned i = 0; i < file_count; ++i) {
      const std::string path = "d" + std::to_string(random.below(5)) + "/file " + std::to_string(i);
      const Bytes bytes = wordy_bytes(random.between(1, 3'000), random.next());
      const std::uint64_t fate = random.below(8);
      if (fate != 0) write("old", path, bytes);
      if (fate == 0) wanted_[path] = EntryChange::kAdded;
      if (fate == 1) wanted_[path] = EntryChange::kRemoved;
      if (fate == 2) wanted_[path] = EntryChange::kChanged;
      if (fate == 2) write("new", path, edited(bytes, {{Edit::kInsert, bytes.size() / 2, 40, 0, i + 1}}));
      if (fate == 3) {
        write("new", "moved/" + std::to_string(i), bytes);
        wanted_["moved/" + std::to_string(i)] = EntryChange::kMoved;
        moved_[path] = "moved/" + std::to_string(i);
      }
      if (fate == 0 || fate > 3) write("new", path, bytes);
    }
    for (const char* const root : {"old", "new"}) {
      for (const auto& entry : fs::recursive_directory_iterator(folder_ / "trees" / root)) {
        const std::string path = entry.path().lexically_relative(folder_ / "trees" / root).string();
        const char* const other = root == std::string_view("old") ? "new" : "old";
        if (!entry.is_directory() || fs::exists(folder_ / "trees" / other / path)) continue;
        wanted_[path] = other == std::string_view("new") ? EntryChange::kRemoved : EntryChange::kAdded;
      }
    }
  }

  // Without OLD, whose digests of NEW are not known.
  [[nodiscard]] Changes wanted_alone() const {
    Changes wanted = wanted_;
    for (const auto& [from, to] : moved_) {
      if (wanted.count(to) == 0) continue;
      wanted[to] = EntryChange::kAdded;
      wanted[from] = EntryChange::kRemoved;
    }
    return wanted;
  }

  void create(int level, bool has_list) const {
    CreateOptions options;
    options.level = level;
    options.files.overwrite = true;
    options.files.sync = false;
    TreeOptions of_trees;
    of_trees.source_list = has_list;
    EXPECT_OK(create_tree(folder_ / "trees/old", folder_ / "trees/new", folder_ / "patch", options, of_trees));
  }

  Changes wanted_;
  std::map<std::string, std::string> moved_;
};

TEST_F(Entries, AreToldWithOldAndWithout) {
  for (const unsigned seed : {1u, 2u, 3u}) {
    for (const int level : {1, 3, 9}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", level " + std::to_string(level));
      moved_.clear();
      make(seed, 60);
      create(level, true);
      const auto bytes = inspect_members(folder_ / "trees/old", folder_ / "patch", {});
      ASSERT_OK(bytes);
      expect_sound(*bytes);
      EXPECT_EQ(wanted_, changes_of(*bytes));
      std::uint64_t cost = 0;
      for (const EntryBytes& entry : *bytes->entries) {
        cost += entry.patch_bytes.value();
        if (entry.change == EntryChange::kMoved) {
          EXPECT_EQ(entry.path, moved_[entry.source_path]);
        } else if (entry.change == EntryChange::kRemoved) {
          EXPECT_EQ(0u, entry.patch_bytes.value());
        }
      }
      EXPECT_LT(cost, bytes->patch_bytes);

      const auto alone = inspect_bytes(folder_ / "patch", {});
      ASSERT_OK(alone);
      expect_sound(*alone);
      if (level == 9 && !alone->entries) continue;  // names may be coded by models
      EXPECT_EQ(wanted_alone(), changes_of(*alone));
      std::uint64_t cost_alone = 0;
      for (const EntryBytes& entry : *alone->entries) {
        ASSERT_TRUE(entry.patch_bytes);
        cost_alone += *entry.patch_bytes;
      }
      EXPECT_LT(cost_alone, alone->patch_bytes);
      EXPECT_GT(2 * cost_alone, cost);
    }
  }
}

TEST_F(Entries, NeedAListOrOld) {
  make(4, 20);
  create(3, false);
  const auto alone = inspect_bytes(folder_ / "patch", {});
  ASSERT_OK(alone);
  EXPECT_FALSE(alone->entries);
  const auto bytes = inspect_members(folder_ / "trees/old", folder_ / "patch", {});
  ASSERT_OK(bytes);
  EXPECT_EQ(wanted_, changes_of(*bytes));
}

TEST_F(Entries, OfPackedFilesCostWhatOldTells) {
  const Bytes words = wordy_bytes(40'000, 1);
  for (const bool is_new : {false, true}) {
    const fs::path root = folder_ / (is_new ? "trees/new" : "trees/old");
    fs::create_directories(root);
    put(root / "x.gz", gzip_of(is_new ? edited(words, {{Edit::kInsert, 9'000, 500, 0, 7}}) : words));
    put(root / "y", is_new ? text("22") : text("1"));
  }
  create(6, true);
  const auto alone = inspect_bytes(folder_ / "patch", {});
  ASSERT_OK(alone);
  ASSERT_TRUE(alone->info.unpacked);
  EXPECT_EQ((Changes{{"x.gz", EntryChange::kChanged}, {"y", EntryChange::kChanged}}), changes_of(*alone));
  for (const EntryBytes& entry : *alone->entries) EXPECT_FALSE(entry.patch_bytes);
  const auto bytes = inspect_members(folder_ / "trees/old", folder_ / "patch", {});
  ASSERT_OK(bytes);
  ASSERT_EQ(2u, bytes->entries->size());
  EXPECT_GT(bytes->entries->front().patch_bytes.value(), 200u);
}

}  // namespace
}  // namespace bdelta::test::members_test

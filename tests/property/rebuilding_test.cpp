// Streams of NEW made by several threads: NEW is what one thread makes, whatever the archive holds, and so is the end of
// applying where a callback ends it.
#include "bdelta/push.hpp"
#include "deflate/zlib_stream.hpp"
#include "format/native/layout.hpp"
#include "support/archive.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"

namespace bdelta::test::rebuilding_test {
namespace {

Bytes changed(Bytes text) {
  if (text.size() < 100) return text;
  return edited(std::move(text), {{Edit::kOverwrite, text.size() / 10, 9, 0, 7}});
}

std::vector<ZipMember> next_version(std::vector<ZipMember> members) {
  for (ZipMember& member : members) {
    member.content = changed(std::move(member.content));
  }
  return members;
}

struct Pair {
  Bytes source;
  Bytes target;
};

Pair zips(const std::vector<ZipMember>& members) { return {zip_of(members), zip_of(next_version(members))}; }

// Sizes from none up, with fields in front of the streams and behind, and here and there a stored member.
Pair many_small() {
  std::vector<ZipMember> members;
  for (unsigned i = 0; i < 400; ++i) {
    ZipMember member{"file" + std::to_string(i), wordy_bytes(i % 7 == 0 ? i % 3 : 37 * i, i)};
    member.level = i % 11 == 5 ? 0 : static_cast<int>(1 + i % 9);
    member.descriptor = i % 3 == 0;
    members.push_back(std::move(member));
  }
  return zips(members);
}

// One stream each, with lazy and greedy search; too large to be collected.
Pair one_large(int level) {
  const Bytes text = wordy_bytes(6'000'000, 5);
  return {gzip_of(text, level), gzip_of(changed(text), level)};
}

Pair mixed() {
  std::vector<ZipMember> members;
  for (unsigned i = 0; i < 60; ++i) {
    members.push_back({"file" + std::to_string(i), wordy_bytes(i % 20 == 7 ? 5'000'000 : 30'000, i)});
  }
  members[3].content = random_bytes(3'000'000, 1);  // stored: more than the queue has room for
  members[3].level = 0;
  members[30].content = random_bytes(2'000'000, 2);
  return zips(members);
}

// Streams without bytes in a row, also at the ends.
Pair empty_streams() {
  std::vector<ZipMember> members(40);
  for (std::size_t i = 0; i < members.size(); ++i) {
    members[i].name = "file" + std::to_string(i);
    if (i % 13 == 6) members[i].content = wordy_bytes(50'000, i);
  }
  return zips(members);
}

Pair empty_members() {
  Pair pair;
  for (unsigned i = 0; i < 12; ++i) {
    const Bytes text = i % 4 == 1 ? wordy_bytes(40'000, i) : Bytes();
    append(pair.source, gzip_of(text));
    append(pair.target, gzip_of(changed(text)));
  }
  return pair;
}

Bytes patch_of(const Pair& pair) {
  CreateOptions options = create_options(1);
  options.unpack = Unpack::kAll;
  auto patch = make_patch(pair.source, pair.target, options);
  EXPECT_OK(patch);
  EXPECT_TRUE(has_feature(*patch, native::kFeatureView));
  return std::move(*patch);
}

void expect_same_by_any_threads(const Pair& pair) {
  const Bytes patch = patch_of(pair);
  expect_rebuilt_everywhere(pair.source, patch, pair.target);
  PushOptions options;
  options.apply.threads = 3;
  io::MemoryReader source(pair.source);
  Bytes made;
  BytesWriter writer(made);
  auto push = PushApply::open(source, static_cast<PositionedWriter&>(writer), options);
  ASSERT_OK(push);
  for (ByteSpan left = patch; !left.empty();) {
    const ByteSpan piece = left.first(std::min<std::size_t>(left.size(), 1000));
    ASSERT_OK((*push)->feed(piece));
    left = left.subspan(piece.size());
  }
  ASSERT_OK((*push)->finish());
  EXPECT_TRUE(same_bytes(pair.target, made));
}

TEST(Rebuilding, OfManySmallStreams) { expect_same_by_any_threads(many_small()); }
TEST(Rebuilding, OfALargeOne) { expect_same_by_any_threads(one_large(6)); }
TEST(Rebuilding, OfALargeOneThatIsNotSharedOut) { expect_same_by_any_threads(one_large(1)); }
TEST(Rebuilding, OfLargeAndSmallOnes) { expect_same_by_any_threads(mixed()); }
TEST(Rebuilding, OfStreamsWithoutBytes) {
  expect_same_by_any_threads(empty_streams());
  expect_same_by_any_threads(empty_members());
}

// Wherever it is: nothing is left behind, and the error is the callback's.
TEST(Rebuilding, EndsWhereACallbackSaysSo) {
  for (const Pair& pair : {many_small(), one_large(6)}) {
    const Bytes patch = patch_of(pair);
    for (const unsigned threads : {2u, 4u}) {
      for (unsigned most = 1; most < 60; most += 7) {
        SCOPED_TRACE(most);
        ApplyOptions options;
        options.threads = threads;
        unsigned calls = 0;
        bool is_told = false;
        options.progress = [&](const auto&...) {
          is_told = ++calls >= most;
          return !is_told;
        };
        const auto made = apply_patch(pair.source, patch, Sink::kPositioned, options);
        if (is_told) {
          EXPECT_FAILS(ErrorCode::kCancelled, made);
        } else {
          EXPECT_OK(made);
        }
      }
    }
  }
}

}  // namespace
}  // namespace bdelta::test::rebuilding_test

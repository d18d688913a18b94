// Pairs of archives, and what is asked of patches between them.
#pragma once

#include "format/native/layout.hpp"
#include "support/archive.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/views.hpp"

namespace bdelta::test::view_pairs {

inline constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

inline Bytes text_of(std::uint64_t seed, std::size_t size = 30'000) { return wordy_bytes(size, seed); }

// A few bytes in the first tenth are others, so that all of the stream is.
inline Bytes changed(Bytes text) {
  const std::size_t at = text.size() / 10;
  return edited(std::move(text), {{Edit::kOverwrite, at, 9, 0, 7}, {Edit::kInsert, at * 2, 5, 0, 8}});
}

inline CreateOptions packed_options(int level) {
  CreateOptions options = create_options(level);
  options.unpack = Unpack::kNone;
  return options;
}

inline bool has_view(ByteSpan patch) { return has_feature(patch, native::kFeatureView); }

// Makes a patch of views that is less than a quarter of the patch of the files, and applies it every way.
inline Bytes expect_unpacked(ByteSpan source, ByteSpan target, int level = 3) {
  const auto patch = make_patch(source, target, create_options(level));
  const auto packed = make_patch(source, target, packed_options(level));
  EXPECT_OK(patch);
  EXPECT_OK(packed);
  if (!patch || !packed) return {};
  EXPECT_TRUE(has_view(*patch));
  EXPECT_FALSE(has_view(*packed));
  EXPECT_LT(patch->size() * 4, packed->size());
  expect_rebuilt_everywhere(source, *patch, target);
  expect_rebuilt_in_pieces(source, *patch, target);
  return *patch;
}

// NEW comes back, whether there is a view or not.
inline void expect_held(ByteSpan source, ByteSpan target) {
  const auto patch = make_patch(source, target, create_options(3));
  ASSERT_OK(patch);
  expect_rebuilt(source, *patch, target);
}

// The same, and nothing is unpacked.
inline void expect_left_packed(ByteSpan source, ByteSpan target, const CreateOptions& options = create_options(3)) {
  const auto patch = make_patch(source, target, options);
  ASSERT_OK(patch);
  EXPECT_FALSE(has_view(*patch));
  expect_rebuilt(source, *patch, target);
}

// Within the memory that the patch declares all of NEW comes, as what is beyond it of OLD's views is in a file. Without one it
// takes `beyond_bytes` more, and no byte less.
inline void expect_views_in_files(ByteSpan source, ByteSpan patch, ByteSpan target, std::uint64_t beyond_bytes) {
  ApplyOptions options;
  options.memory_limit_bytes = info_of(patch).decoder_memory_bytes;
  for (const Sink sink : {Sink::kPositioned, Sink::kSequential}) {
    for (const unsigned threads : {1u, 3u}) {
      options.threads = threads;
      const auto made = apply_patch(source, patch, sink, options);
      ASSERT_OK(made);
      EXPECT_TRUE(same_bytes(target, *made));
    }
  }
  options.files.temp_dir = "/there is/no such/folder";
  const auto refused = apply_patch(source, patch, Sink::kPositioned, options);
  EXPECT_FAILS(ErrorCode::kMemoryLimit, refused);
  const std::uint64_t needed_bytes = options.memory_limit_bytes + info_of(patch).group_bytes + beyond_bytes;
  EXPECT_EQ(needed_bytes, refused.error().needed_bytes);
  options.memory_limit_bytes = needed_bytes - 1;
  EXPECT_FAILS(ErrorCode::kMemoryLimit, apply_patch(source, patch, Sink::kPositioned, options));
  options.memory_limit_bytes = needed_bytes;
  EXPECT_OK(apply_patch(source, patch, Sink::kPositioned, options));
}

inline std::vector<ZipMember> members_of(unsigned count) {
  std::vector<ZipMember> members;
  for (unsigned i = 0; i < count; ++i) members.push_back({"folder/file" + std::to_string(i), text_of(100 + i)});
  return members;
}

// All of them changed.
inline std::vector<ZipMember> next_version(std::vector<ZipMember> members) {
  for (ZipMember& member : members) member.content = changed(std::move(member.content));
  return members;
}

}  // namespace bdelta::test::view_pairs

// What options, limits, threads, readers and sinks make of patches of archives.
#include "property/view_pairs.hpp"
#include "hash/sha256.hpp"
#include "support/memory_writer.hpp"

namespace bdelta::test::view_options_test {
namespace {

using namespace view_pairs;

TEST(ViewOptions, ThreadsMakeNoDifference) {
  for (const int level : {1, 3, 6, 9}) {
    SCOPED_TRACE(level);
    std::vector<ZipMember> members = members_of(5);
    members.push_back({"large", text_of(77, 3'000'000), 1});
    members.push_back({"stored", text_of(78), 0});
    const Bytes patch = expect_same_patch_by_any_threads(zip_of(members), zip_of(next_version(members)), level);
    EXPECT_TRUE(has_view(patch));
  }
}

TEST(ViewOptions, ALimitOfMemory) {
  const Bytes text = text_of(1, 200'000);
  const Bytes source = gzip_of(text), target = gzip_of(changed(text));
  CreateOptions options = create_options(3);
  options.memory_limit_bytes = 64 * kMiB;
  const auto patch = make_patch(source, target, options);
  ASSERT_OK(patch);
  EXPECT_TRUE(has_view(*patch));
  ApplyOptions limited;
  limited.memory_limit_bytes = 64 * kMiB;
  EXPECT_OK(apply_patch(source, *patch, Sink::kPositioned, limited));
  // No room for the views of these.
  const Bytes zeros(9 * kMiB);
  expect_left_packed(gzip_of(zeros), gzip_of(changed(zeros)), options);
  const Bytes more(20 * kMiB);
  expect_left_packed(gzip_of(text), gzip_of(more), options);
  expect_held(gzip_of(more), gzip_of(text));
}

// With a lower limit the patch is no slower to apply, and no smaller; it keeps to the limit, or is the fastest.
TEST(ViewOptions, ALimitOfTheTimeToApply) {
  const Bytes source = zip_of(members_of(6)), target = zip_of(next_version(members_of(6)));
  for (const int level : {3, 9}) {
    SCOPED_TRACE(level);
    CreateOptions options = create_options(level);
    const auto free = make_reported(source, target, options);
    ASSERT_OK(free);
    EXPECT_TRUE(free->report.left_out.empty());
    const auto free_ns = static_cast<double>(free->report.nominal_apply_ns);
    Bytes before = free->bytes;
    std::uint64_t before_ns = free->report.nominal_apply_ns, fastest_ns = 0;
    for (const double share : level == 3 ? std::vector{1.01, 0.99, 0.5, 0.2, 0.0001} : std::vector{0.5, 0.0001}) {
      SCOPED_TRACE(share);
      options.max_apply_seconds = free_ns * share * 1e-9;
      const auto made = make_reported(source, target, options);
      ASSERT_OK(made);
      expect_rebuilt(source, made->bytes, target);
      EXPECT_TRUE(made->report.verified);
      EXPECT_LE(before.size(), made->bytes.size());
      EXPECT_GE(before_ns, made->report.nominal_apply_ns);
      EXPECT_EQ(share > 1, made->report.left_out.empty());
      EXPECT_EQ(share > 1, made->bytes == free->bytes);
      if (share < 1) {
        EXPECT_EQ(free_ns * 1e-9, made->report.left_out.front().needed_seconds);
      }
      const bool is_kept = static_cast<double>(made->report.nominal_apply_ns) <= free_ns * share;
      EXPECT_TRUE(is_kept || fastest_ns == 0 || fastest_ns == made->report.nominal_apply_ns);
      if (!is_kept) fastest_ns = made->report.nominal_apply_ns;
      if (share == 0.5) {
        options.threads = 3;
        const auto again = make_patch(source, target, options);
        options.threads = 1;
        ASSERT_OK(again);
        EXPECT_TRUE(same_bytes(made->bytes, *again));
      }
      before = made->bytes;
      before_ns = made->report.nominal_apply_ns;
    }
    EXPECT_FALSE(has_view(before));
  }
}

// What of OLD's view is beyond the memory that a patch declares is in a file, unless the limit has room for it.
TEST(ViewOptions, OldUnpackedMayBeInAFile) {
  Bytes text;
  while (text.size() < 24 * kMiB) append(text, text_of(text.size() / 1000, 90'000));
  const Bytes source = gzip_of(text, 1), target = gzip_of(changed(text), 1);
  const auto patch = make_patch(source, target, create_options(1));
  ASSERT_OK(patch);
  ASSERT_TRUE(has_view(*patch));
  ApplyOptions options;
  options.memory_limit_bytes = info_of(*patch).decoder_memory_bytes;
  ASSERT_GT(source.size() + 2 * text.size() + 27 * kMiB, options.memory_limit_bytes);  // there is no room for all of it
  expect_views_in_files(source, *patch, target, text.size() + 18 - 16 * kMiB);
  --options.memory_limit_bytes;
  EXPECT_FAILS(ErrorCode::kMemoryLimit, apply_patch(source, *patch, Sink::kPositioned, options));
}

TEST(ViewOptions, Version1KnowsNoViews) {
  const Bytes text = text_of(1);
  const Bytes source = gzip_of(text), target = gzip_of(changed(text));
  CreateOptions options = create_options(3, PatchFormat::kBdt1);
  const auto patch = make_patch(source, target, options);
  options.unpack = Unpack::kNone;
  const auto packed = make_patch(source, target, options);
  ASSERT_OK(patch);
  ASSERT_OK(packed);
  EXPECT_TRUE(same_bytes(*packed, *patch));
  expect_rebuilt(source, *patch, target);
}

TEST(ViewOptions, PartsAreProvenWhileTheyCome) {
  const Bytes source = zip_of(members_of(4)), target = zip_of(next_version(members_of(4)));
  CreateOptions options = create_options(6);
  options.group_digests = true;
  const auto made = make_reported(source, target, options);
  ASSERT_OK(made);
  EXPECT_TRUE(has_view(made->bytes));
  expect_rebuilt_everywhere(source, made->bytes, target);
  expect_rebuilt_in_pieces(source, made->bytes, target);
  ASSERT_TRUE(made->report.head_sha256.has_value());
  ApplyOptions expecting;
  expecting.expected_head_sha256 = made->report.head_sha256;
  const auto applied = apply_patch(source, made->bytes, Sink::kSequential, expecting);
  ASSERT_OK(applied);
  EXPECT_TRUE(same_bytes(target, *applied));
}

// The same patch as of files that are, and the same NEW.
void expect_same_unmapped(const Bytes& source, const Bytes& target) {
  HiddenReader hidden_source(source), hidden_target(target);
  Bytes patch;
  MemoryWriter writer(patch);
  ASSERT_OK(create(hidden_source, hidden_target, writer, create_options(3)));
  EXPECT_TRUE(has_view(patch));
  const auto mapped = make_patch(source, target, create_options(3));
  ASSERT_OK(mapped);
  EXPECT_TRUE(same_bytes(*mapped, patch));
  Bytes made;
  BytesWriter to(made);
  io::MemorySequentialReader from(patch);
  ASSERT_OK(apply(hidden_source, from, static_cast<PositionedWriter&>(to), {}));
  EXPECT_TRUE(same_bytes(target, made));
}

TEST(ViewOptions, FilesThatAreNotMapped) {
  const Bytes text = text_of(5), large = wordy_bytes(3'000'000, 8), image = random_bytes(1'200'000, 9);
  expect_same_unmapped(gzip_of(text), gzip_of(changed(text)));
  std::vector<ZipMember> members = members_of(12);
  members[3].content = large;
  members[4] = {"stored", random_bytes(1'500'000, 3), 0};
  members[7].descriptor = true;
  std::vector<ZipMember> next = next_version(members);
  expect_same_unmapped(zip_of(members), zip_of(next));
  for (const std::size_t chunk_bytes : {std::size_t{5000}, std::size_t{600'000}, std::size_t{3'000'000}}) {
    expect_same_unmapped(png_of(zlib_of(image, 1), chunk_bytes), png_of(zlib_of(changed(image), 1), chunk_bytes));
  }
}

// Reading OLD fails in turn at each call: the error is that of the reader.
TEST(ViewOptions, OldThatCantBeRead) {
  class Failing final : public RandomReader {
   public:
    Failing(ByteSpan bytes, unsigned calls) : bytes_(bytes), calls_(calls) {}
    [[nodiscard]] std::uint64_t size() const noexcept override { return bytes_.size(); }
    [[nodiscard]] ByteSpan view() const noexcept override { return {}; }
    Status read_at(std::uint64_t pos, MutableByteSpan out) override {
      if (calls_ == 0) return Error{ErrorCode::kReadFailed, "no more"};
      --calls_;
      std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(pos), out.size(), out.begin());
      return {};
    }

   private:
    const ByteSpan bytes_;
    unsigned calls_;
  };
  std::vector<ZipMember> members = members_of(6);
  members[2] = {"stored", random_bytes(1'500'000, 3), 0};
  members[4].content = random_bytes(900'000, 4);
  const Bytes source = zip_of(members), target = zip_of(next_version(members));
  const auto patch = make_patch(source, target, create_options(3));
  ASSERT_OK(patch);
  unsigned calls = 0;
  for (bool is_enough = false; !is_enough; ++calls) {
    Failing reader(source, calls);
    ApplyOptions options;
    options.threads = 1;
    Bytes made;
    BytesWriter to(made);
    io::MemorySequentialReader from(*patch);
    const auto applied = apply(reader, from, static_cast<PositionedWriter&>(to), options);
    is_enough = static_cast<bool>(applied);
    if (is_enough) break;
    EXPECT_EQ(ErrorCode::kReadFailed, applied.error().code) << calls;
  }
  EXPECT_GT(calls, 6u);
}

// Texts that are larger than what is held of one, with sizes in front, behind and nowhere.
TEST(ViewOptions, LargeTextsAreNotHeld) {
  Bytes part = random_bytes(2'000'000, 1), text;  // of which no window shows the repetitions
  for (std::uint8_t& letter : part) letter = letter < 250 ? static_cast<std::uint8_t>(letter % 100) : 'a';
  for (unsigned i = 0; i < 9; ++i) append(text, part);
  const Bytes next = edited(text, {{Edit::kOverwrite, 100, 20, 0, 1}, {Edit::kOverwrite, 17'900'000, 20, 0, 1}});
  const auto zipped = [](const Bytes& content, bool descriptor) {
    return zip_of({{.name = "small", .content = text_of(1)}, {.name = "large", .content = content, .level = 1, .descriptor = descriptor}});
  };
  for (const auto& [source, target] : {std::pair{gzip_of(text, 1), gzip_of(next, 1)}, {zipped(text, false), zipped(next, false)},
                                       {zipped(text, true), zipped(next, true)}, {zlib_of(text, 1), zlib_of(next, 1)}}) {
    const auto patch = make_patch(source, target, create_options(1));
    ASSERT_OK(patch);
    ASSERT_TRUE(has_view(*patch));
    EXPECT_LT(patch->size(), 3000u);
    HiddenReader hidden(source);  // in pieces; of mapped files the self-check has made NEW
    Bytes made;
    BytesWriter to(made);
    io::MemorySequentialReader from(*patch);
    ASSERT_OK(apply(hidden, from, static_cast<PositionedWriter&>(to), {}));
    EXPECT_TRUE(same_bytes(target, made));
  }
}

TEST(ViewOptions, AnotherOldIsRefused) {
  const Bytes text = text_of(6);
  Bytes source = gzip_of(text);
  const auto patch = make_patch(source, gzip_of(changed(text)), create_options(3));
  ASSERT_OK(patch);
  source[source.size() / 2] ^= 1;
  EXPECT_FAILS(ErrorCode::kWrongSourceDigest, apply_patch(source, *patch));
  source.push_back(0);
  EXPECT_FAILS(ErrorCode::kWrongSourceSize, apply_patch(source, *patch));
}

TEST(ViewOptions, WithoutASelfCheckItIsTheSamePatch) {
  const Bytes source = zip_of(members_of(3)), target = zip_of(next_version(members_of(3)));
  CreateOptions options = create_options(3);
  const auto checked = make_patch(source, target, options);
  options.verify = false;
  const auto unchecked = make_patch(source, target, options);
  ASSERT_OK(checked);
  ASSERT_OK(unchecked);
  EXPECT_TRUE(same_bytes(*checked, *unchecked));
}

}  // namespace
}  // namespace bdelta::test::view_options_test

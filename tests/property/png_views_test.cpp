// Images of PNG files: chunks are joined in one view, and unpacked in the next.
#include "create/find_pngs.hpp"
#include "property/view_pairs.hpp"
#include "view/png_chunks.hpp"

namespace bdelta::test::png_views_test {
namespace {

using namespace view_pairs;

Bytes image_of(bool next, std::size_t chunk_bytes, std::uint64_t seed = 1, int level = 9) {
  return png_of(zlib_of(next ? changed(text_of(seed)) : text_of(seed), level), chunk_bytes);
}

Bytes chunks_of(ByteSpan data, const std::vector<std::size_t>& sizes) {
  Bytes file;
  for (const std::size_t size : sizes) {
    append(file, png_chunk("IDAT", data.first(size)));
    data = data.subspan(size);
  }
  return file;
}

TEST(PngChunks, AreJoinedAndMadeAgain) {
  const Bytes data = random_bytes(1000, 1);
  const std::pair<std::vector<std::size_t>, std::size_t> cases[] = {
      {{1000}, 0}, {{300, 300, 300, 100}, 2}, {{500, 500}, 2}, {{1000, 0}, 2}, {{0, 1000}, 2}, {{1, 2, 997}, 3}, {{400, 300, 300}, 5}};
  for (const auto& [sizes, told_bytes] : cases) {
    const Bytes file = chunks_of(data, sizes);
    const auto joined = view::join_chunks(file, 0, 1000);
    ASSERT_TRUE(joined.has_value());
    EXPECT_EQ(data, joined->data);
    EXPECT_EQ(file.size(), joined->packed_bytes);
    Bytes told;
    view::ChunkSizes::encode(joined->sizes, told);
    EXPECT_EQ(told_bytes, told.size());
    for (const std::size_t step : {1u, 7u, 1000u}) {
      ByteCursor cursor(told);
      auto read = view::ChunkSizes::decode(cursor, {0, file.size(), data.size()});
      ASSERT_TRUE(read.has_value());
      Bytes made;
      view::ChunkWriter writer(std::move(*read), [&](ByteSpan bytes) -> Status {
        append(made, bytes);
        return {};
      });
      for (std::size_t pos = 0; pos < data.size(); pos += step) {
        EXPECT_OK(writer.write(ByteSpan(data).subspan(pos, std::min(step, data.size() - pos))));
      }
      EXPECT_OK(writer.finish());
      EXPECT_EQ(file, made);
    }
  }
}

TEST(PngChunks, ThatCantBe) {
  const auto decode = [](std::initializer_list<std::uint64_t> told, std::uint64_t packed_bytes, std::uint64_t raw_bytes) {
    Bytes bytes;
    for (const std::uint64_t number : told) append_varint(bytes, number);
    ByteCursor cursor(bytes);
    return view::ChunkSizes::decode(cursor, {0, packed_bytes, raw_bytes}).has_value();
  };
  EXPECT_TRUE(decode({}, 112, 100));
  EXPECT_TRUE(decode({50}, 124, 100));
  EXPECT_TRUE(decode({100}, 124, 100));
  EXPECT_TRUE(decode({0, 7, 93}, 136, 100));
  EXPECT_FALSE(decode({}, 100, 100));
  EXPECT_FALSE(decode({}, 111, 100));
  EXPECT_FALSE(decode({}, 90, 100));
  EXPECT_FALSE(decode({}, 124, 100));
  EXPECT_FALSE(decode({101}, 124, 100));
  EXPECT_FALSE(decode({0}, 124, 100));
  EXPECT_FALSE(decode({0, 7, 94}, 136, 100));
  EXPECT_FALSE(decode({51}, 136, 100));
  EXPECT_FALSE(decode({}, (std::uint64_t{1} << 31) + 12, std::uint64_t{1} << 31));
  EXPECT_TRUE(decode({}, (std::uint64_t{1} << 31) + 11, (std::uint64_t{1} << 31) - 1));
  EXPECT_FALSE(decode({1}, std::uint64_t{12} << 50, 5));  // more chunks than any data
}

TEST(PngChunks, EndWhereTheyDo) {
  const Bytes data = random_bytes(100, 1), file = chunks_of(data, {40, 60});
  for (std::size_t length = 0; length < file.size(); ++length) {
    const auto joined = view::join_chunks(ByteSpan(file).first(length), 0, 100);
    ASSERT_EQ(length >= 52, joined.has_value()) << length;
    if (joined) {
      EXPECT_EQ(1u, joined->sizes.size());
    }
  }
  EXPECT_FALSE(view::join_chunks(file, 0, 99).has_value());
  EXPECT_FALSE(view::join_chunks(file, 1, 100).has_value());
}

TEST(PngViews, OfOneImage) {
  for (const std::size_t chunk_bytes : {1'000'000u, 8192u, 100u}) {
    for (const int level : {1, 6, 9}) {
      const Bytes patch = expect_unpacked(image_of(false, chunk_bytes, 1, level), image_of(true, chunk_bytes, 1, level));
      const view::ViewPlans plans = view_plans_of(patch);
      ASSERT_EQ(2u, plans.size());
      EXPECT_EQ(view::StreamKind::kPngChunks, plans[0].kind);
      EXPECT_EQ(view::StreamKind::kDeflate, plans[1].kind);
    }
  }
}

TEST(PngViews, InsideOtherFiles) {
  const auto file_of = [](bool next) {
    Bytes file = random_bytes(5000, 1);
    append(file, image_of(next, 1000));
    append(file, random_bytes(100, 2));
    append(file, image_of(next, 100'000, 5));
    return file;
  };
  expect_unpacked(file_of(false), file_of(true));
  const auto archive_of = [&](bool next) {
    return zip_of({{"a.png", image_of(next, 3000, 2), 0}, {"b.png", image_of(next, 3000, 3)}, {"c", file_of(next)}, {"d", file_of(false)}});
  };
  const Bytes patch = expect_unpacked(gzip_of(archive_of(false)), gzip_of(archive_of(true)));
  const view::ViewPlans plans = view_plans_of(patch);
  ASSERT_EQ(4u, plans.size());  // gzip, zip, chunks, streams
  EXPECT_EQ(4u, plans[2].target_count);
  EXPECT_EQ(4u, plans[3].target_count);
}

TEST(PngViews, WithWrongChecksumsStayPacked) {
  const Bytes source = image_of(false, 3000), target = image_of(true, 3000);
  Bytes wrong = target;
  wrong[target.size() - 13] ^= 1;  // of the last chunk of data
  expect_left_packed(source, wrong);
  Bytes wrong_source = source;
  wrong_source[source.size() - 13] ^= 1;
  expect_unpacked(wrong_source, target);
  Bytes no_stream = png_of(random_bytes(9000, 1), 3000);
  expect_left_packed(source, no_stream);
}

// Each chunk holds the signature of a file that has all chunks behind it.
TEST(PngViews, AreNotLookedForWhereEachBeginsInAnother) {
  const Bytes signature = bytes_of(view::kPngSignature);
  Bytes inner = signature;
  append(inner, Bytes(4));  // the length of a chunk that ends where the one around it does
  append(inner, bytes_of("tEXt"));
  Bytes flood = signature;
  while (flood.size() < 400'000) append(flood, png_chunk("tEXt", inner));
  const auto made = make_reported(random_bytes(1000, 1), flood, create_options(3));
  ASSERT_OK(made);
  EXPECT_EQ(1u, made->report.unpack.unscanned.count);
  EXPECT_LT(flood.size() * 9 / 10, made->report.unpack.unscanned.bytes);
  const auto image = make_reported(image_of(false, 500), image_of(true, 500), create_options(3));
  ASSERT_OK(image);
  EXPECT_EQ(1u, image->report.unpack.unpacked.count);
  EXPECT_EQ(0u, image->report.unpack.unscanned.count);
}

// Image data that turns out to be no stream takes work, and of that there is as much as the data is worth.
TEST(PngStreams, AreNotLookedForBehindMuchInVain) {
  constexpr std::size_t kTextBytes = 1 << 20;
  const auto found_behind = [&](int broken_count) {
    Bytes broken = zlib_of(Bytes(kTextBytes));
    broken.resize(broken.size() - 20);
    Bytes view;
    view::PackedStreams runs;
    const auto add = [&](const Bytes& run) {
      runs.push_back({view.size(), run.size(), run.size()});
      append(view, run);
    };
    for (int i = 0; i < broken_count; ++i) add(broken);
    add(zlib_of(wordy_bytes(5000, 1)));
    return find_png_streams(view, runs, kTextBytes).size();
  };
  EXPECT_EQ(1u, found_behind(0));
  EXPECT_EQ(0u, found_behind(3));
}

}  // namespace
}  // namespace bdelta::test::png_views_test

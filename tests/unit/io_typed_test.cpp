// The typed reader and the record writer: every width at every place of the buffer, every truncation.
#include <algorithm>

#include "base/byte_cursor.hpp"
#include "io/memory_io.hpp"
#include "io/typed_reader.hpp"
#include "io_study/record_writer.hpp"
#include "support/io_support.hpp"
#include "support/memory_writer.hpp"

namespace bdelta::test::io_typed_test {
namespace {

using io::MemorySequentialReader;
using study::RecordWriter;
using io::TypedReader;

// Fails with kReadFailed once `good` bytes were read.
class FailingReader final : public SequentialReader {
 public:
  FailingReader(ByteSpan bytes, std::size_t good) : rest_(bytes.first(good)) {}
  Result<std::size_t> read(MutableByteSpan out) override {
    if (out.size() > rest_.size()) return Error{ErrorCode::kReadFailed, "injected"};
    std::copy_n(rest_.begin(), out.size(), out.begin());
    rest_ = rest_.subspan(out.size());
    return out.size();
  }

 private:
  ByteSpan rest_;
};

const std::uint64_t kValues[] = {0, 1, 127, 128, 16383, 16384, 0xffffffff, std::uint64_t{1} << 63, ~std::uint64_t{0}};

TEST(IoTyped, EveryWidthAtEveryPlaceOfTheBuffer) {
  for (const std::size_t buffer : {16u, 17u, 31u, 64u}) {
    for (std::size_t shift = 0; shift < 80; ++shift) {
      Bytes bytes;
      MemoryWriter memory(bytes);
      RecordWriter writer(memory, buffer);
      const Bytes padding = pattern(shift);
      writer.put_bytes(padding);
      writer.put_u8(0xab);
      writer.put_le<std::uint16_t>(0x1234);
      writer.put_le<std::uint32_t>(0x12345678);
      writer.put_le<std::uint64_t>(0x123456789abcdef0);
      for (const std::uint64_t value : kValues) writer.put_varint(value);
      writer.put_svarint(-12345);
      EXPECT_OK(writer.flush());
      EXPECT_EQ(bytes.size(), writer.position());

      MemorySequentialReader source(bytes);
      TypedReader reader(source, buffer);
      Bytes found(shift);
      EXPECT_TRUE(reader.read_exact(found));
      EXPECT_EQ(padding, found);
      EXPECT_EQ(shift, reader.position());
      EXPECT_EQ(0xab, reader.u8());
      EXPECT_EQ(0x1234, reader.le<std::uint16_t>());
      EXPECT_EQ(0x12345678u, reader.le<std::uint32_t>());
      EXPECT_EQ(0x123456789abcdef0u, reader.le<std::uint64_t>());
      for (const std::uint64_t value : kValues) EXPECT_EQ(value, reader.varint());
      EXPECT_FALSE(reader.at_end());
      EXPECT_EQ(-12345, reader.svarint());
      EXPECT_TRUE(reader.at_end());
      EXPECT_EQ(bytes.size(), reader.position());
      EXPECT_OK(reader.status());
    }
  }
}

TEST(IoTyped, TruncationAtEveryByteIsSaidAndSticky) {
  Bytes bytes;
  MemoryWriter memory(bytes);
  RecordWriter writer(memory);
  writer.put_le<std::uint32_t>(7);
  writer.put_varint(~std::uint64_t{0});
  writer.put_le<std::uint64_t>(9);
  EXPECT_OK(writer.flush());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    MemorySequentialReader source(ByteSpan(bytes).first(size));
    TypedReader reader(source, 16);
    (void)reader.le<std::uint32_t>();
    (void)reader.varint();
    EXPECT_EQ(0u, reader.le<std::uint64_t>());
    EXPECT_EQ(ErrorCode::kPatchTruncated, reader.status().error().code) << size;
    EXPECT_EQ(size, reader.status().error().offset);
    EXPECT_EQ(0, reader.u8());
    EXPECT_TRUE(reader.at_end());
  }
}

TEST(IoTyped, ReadExactBeyondTheEnd) {
  const Bytes bytes = pattern(100);
  for (const std::size_t buffer : {16u, 64u, 1024u}) {
    MemorySequentialReader source(bytes);
    TypedReader reader(source, buffer);
    (void)reader.u8();
    Bytes out(100);
    EXPECT_FALSE(reader.read_exact(out));
    EXPECT_EQ(ErrorCode::kPatchTruncated, reader.status().error().code);
    EXPECT_FALSE(reader.read_exact(out));
    EXPECT_TRUE(reader.read_exact({}));
  }
}

TEST(IoTyped, AgreesWithTheCursorOnEveryShortInput) {
  const std::uint8_t alphabet[] = {0x00, 0x01, 0x7f, 0x80, 0x81, 0xff};
  for (unsigned code = 0; code < 6 * 6 * 6 * 6; ++code) {
    for (std::size_t lead = 0; lead <= 10; ++lead) {  // long forms: a run of continuation bytes first
      Bytes bytes(lead, 0x80);
      for (unsigned rest = code, i = 0; i < 4; ++i, rest /= 6) bytes.push_back(alphabet[rest % 6]);
      ByteCursor cursor(bytes);
      MemorySequentialReader source(bytes);
      TypedReader reader(source, 16);
      for (int i = 0; i < 5; ++i) ASSERT_EQ(cursor.varint(), reader.varint());
      ASSERT_EQ(cursor.ok(), reader.ok()) << code << ' ' << lead;
    }
  }
}

TEST(IoTyped, AMalformedVarintIsNoTruncation) {
  for (const Bytes& bytes : {Bytes{0x80, 0x00}, Bytes{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02}}) {
    MemorySequentialReader source(bytes);
    TypedReader reader(source);
    EXPECT_EQ(0u, reader.varint());
    EXPECT_EQ(ErrorCode::kPatchCorrupt, reader.status().error().code);
  }
}

TEST(IoTyped, AnErrorOfTheSourceIsNoTruncation) {
  const Bytes bytes = pattern(64);
  FailingReader source(bytes, 32);
  TypedReader reader(source, 16);
  Bytes out(32);
  EXPECT_TRUE(reader.read_exact(out));
  EXPECT_EQ(0, reader.u8());
  EXPECT_EQ(ErrorCode::kReadFailed, reader.status().error().code);
  EXPECT_EQ(32u, reader.position());
}

TEST(IoTyped, EnsureServesRecordsWithOneCheck) {
  const Bytes bytes = pattern(1000);
  MemorySequentialReader source(bytes);
  TypedReader reader(source, 64);
  Bytes found;
  while (reader.ensure(12)) {
    append(found, {reader.data(), 12});
    reader.consume(12);
  }
  while (!reader.at_end()) found.push_back(reader.u8());
  EXPECT_EQ(bytes, found);
  EXPECT_OK(reader.status());
}

TEST(IoRecord, KeepsTheFirstFailure) {
  Bytes bytes;
  MemoryWriter memory(bytes, 20);
  RecordWriter writer(memory, 16);
  for (int i = 0; i < 100; ++i) writer.put_u8(1);
  writer.put_bytes(pattern(50));
  EXPECT_FAILS(ErrorCode::kOutputLimit, writer.flush());
  EXPECT_EQ(16u, bytes.size());
  EXPECT_EQ(150u, writer.position());
}

}  // namespace
}  // namespace bdelta::test::io_typed_test

// Records of version 2 patches whose bodies are uncoded numbers.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "base/varint.hpp"
#include "format/native/envelope.hpp"
#include "io/memory_io.hpp"
#include "io/typed_reader.hpp"
#include "support/expect.hpp"

namespace bdelta::test {

// One whose body is numbers below 2^64; those below 128 stand for single bytes, too.
inline Bytes record_of_numbers(std::uint8_t tag, const std::vector<std::uint64_t>& numbers) {
  Bytes body;
  for (const std::uint64_t number : numbers) append_varint(body, number);
  return native::seal_record(static_cast<native::RecordTag>(tag), body);
}

// One of this many zeros.
inline Bytes empty_record(std::uint8_t tag, std::size_t body_bytes) {
  return native::seal_record(static_cast<native::RecordTag>(tag), Bytes(body_bytes));
}

// What `read(body, header)` makes of the body of a record, for a target of this size.
template <class Read>
auto read_body_of(ByteSpan record, std::uint64_t target_bytes, std::uint64_t memory_bytes, Read read) {
  const auto body = native::open_record(record);
  EXPECT_OK(body);
  io::MemorySequentialReader reader(body ? ByteSpan(*body) : ByteSpan());
  io::TypedReader patch(reader, io::TypedReader::kDefaultBufferBytes, ErrorCode::kPatchCorrupt);
  native::Header header;
  header.target_size = target_bytes;
  header.decoder_memory_bytes = memory_bytes;
  return read(patch, header);
}

}  // namespace bdelta::test

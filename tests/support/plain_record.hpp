// Records of version 2 patches that are a tag, a length and uncoded numbers.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "base/varint.hpp"
#include "format/native/layout.hpp"
#include "io/memory_io.hpp"
#include "io/typed_reader.hpp"

namespace bdelta::test {

// One whose body is numbers below 2^64; those below 128 stand for single bytes, too.
inline Bytes record_of_numbers(std::uint8_t tag, const std::vector<std::uint64_t>& numbers) {
  Bytes body;
  for (const std::uint64_t number : numbers) append_varint(body, number);
  Bytes record{tag};
  append_varint(record, body.size());
  append(record, body);
  return record;
}

// One of this many zeros.
inline Bytes empty_record(std::uint8_t tag, std::size_t body_bytes) {
  Bytes record{tag};
  append_varint(record, body_bytes);
  record.resize(record.size() + body_bytes);
  return record;
}

// What `read(patch, header)` makes of a record behind its tag, for a target of this size.
template <class Read>
auto read_behind_tag(ByteSpan record, std::uint64_t target_bytes, std::uint64_t memory_bytes, Read read) {
  io::MemorySequentialReader reader(record.subspan(1));
  io::TypedReader patch(reader);
  native::Header header;
  header.target_size = target_bytes;
  header.decoder_memory_bytes = memory_bytes;
  return read(patch, header);
}

}  // namespace bdelta::test

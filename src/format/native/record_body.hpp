// Records that are read whole, and what is said of those that are wrong.
#pragma once

#include "base/bytes.hpp"
#include "format/native/layout.hpp"
#include "io/typed_reader.hpp"

namespace bdelta::native {

// What is wrong with a record, by its name; truncation and errors of reading speak for themselves.
[[nodiscard]] Error corrupt_record(io::TypedReader& patch, const char* record, const char* what);
[[nodiscard]] Error misplaced_record(RecordTag tag, std::uint64_t body_pos);
[[nodiscard]] Error unknown_number(io::TypedReader& patch, const char* what, std::uint64_t number);

// The whole body of a record, of which nothing has been read. Errors: kPatchCorrupt for one of more than most_bytes.
Result<Bytes> read_record_body(io::TypedReader& body, const char* record, std::uint64_t most_bytes);

}  // namespace bdelta::native

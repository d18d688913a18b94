#include "format/native/record_body.hpp"

#include <string>

#include "base/varint.hpp"

namespace bdelta::native {

Error corrupt_record(io::TypedReader& patch, const char* record, const char* what) {
  Status status = patch.status();
  if (!status) return std::move(status).error();
  return {ErrorCode::kPatchCorrupt, std::string(record) + " " + what + "; fetch the patch again", patch.position()};
}

Error unknown_number(io::TypedReader& patch, const char* what, std::uint64_t number) {
  return {ErrorCode::kUnsupportedFeature,
          std::string(what) + " " + std::to_string(number) + "; a newer bpatch may know it", patch.position()};
}

Result<Bytes> read_record_body(io::TypedReader& patch, const char* record, std::uint64_t most_bytes) {
  const std::uint64_t length = patch.varint();
  if (!patch.ok() || length > most_bytes) return corrupt_record(patch, record, "is larger than it may be");
  Bytes body(static_cast<std::size_t>(length));
  if (!patch.read_exact(body)) return corrupt_record(patch, record, "can't be read");
  return body;
}

Bytes record_of_body(RecordTag tag, ByteSpan body) {
  Bytes record{static_cast<std::uint8_t>(tag)};
  append_varint(record, body.size());
  append(record, body);
  return record;
}

}  // namespace bdelta::native

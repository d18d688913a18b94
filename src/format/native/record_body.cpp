#include "format/native/record_body.hpp"

#include <string>

namespace bdelta::native {

Error corrupt_record(io::TypedReader& patch, const char* record, const char* what) {
  Status status = patch.status();
  if (!status) return std::move(status).error();
  return {ErrorCode::kPatchCorrupt, std::string(record) + " " + what + "; fetch the patch again", patch.position()};
}

Error misplaced_record(RecordTag tag, std::uint64_t body_pos) {
  return {ErrorCode::kPatchCorrupt, "record tag " + std::to_string(static_cast<unsigned>(tag)) + " has no place here", body_pos};
}

Error unknown_number(io::TypedReader& patch, const char* what, std::uint64_t number) {
  return {ErrorCode::kUnsupportedFeature,
          std::string(what) + " " + std::to_string(number) + "; a newer bpatch may know it", patch.position()};
}

Result<Bytes> read_record_body(io::TypedReader& body, const char* record, std::uint64_t most_bytes) {
  Bytes bytes;
  while (!body.at_end()) {
    if (body.available() > most_bytes - bytes.size()) return corrupt_record(body, record, "is larger than it may be");
    append(bytes, ByteSpan(body.data(), body.available()));
    body.consume(body.available());
  }
  if (!body.ok()) return corrupt_record(body, record, "can't be read");
  return bytes;
}

}  // namespace bdelta::native

#include "format/native/layout.hpp"

#include <bit>
#include <string>

#include "base/byte_cursor.hpp"

namespace bdelta::native {

Bytes encode_header(const Header& header) {
  Bytes fields;
  append_varint(fields, header.required_features);
  append_varint(fields, header.optional_features);
  append_varint(fields, header.source_size);
  append_varint(fields, header.target_size);
  append(fields, header.source_digest);
  append(fields, header.target_digest);
  append_varint(fields, header.window_bytes);
  append_varint(fields, header.group_bytes);
  append_varint(fields, header.decoder_memory_bytes);
  if ((header.required_features & kFeatureTargetCopies) != 0) append_varint(fields, header.history_bytes);

  Bytes bytes;
  bytes.reserve(fields.size() + kMaxVarintBytes + 16);
  append(bytes, kMagic);
  append_le(bytes, kVersion);
  bytes.push_back(kDraft);
  append_varint(bytes, fields.size());
  append(bytes, fields);
  append_le(bytes, xxh3_32(bytes));
  return bytes;
}

Result<Header> decode_header_fields(ByteSpan fields) {
  ByteCursor cursor(fields);
  Header header;
  header.required_features = cursor.varint();
  const std::uint64_t unknown = header.required_features & ~kKnownFeatures;
  if (cursor.ok() && unknown != 0) {
    return Error{ErrorCode::kUnsupportedFeature, "feature " + std::to_string(std::countr_zero(unknown)) +
                                                     "; a newer bpatch may know it"};
  }
  header.optional_features = cursor.varint();
  header.source_size = cursor.varint();
  header.target_size = cursor.varint();
  for (Digest128* digest : {&header.source_digest, &header.target_digest}) {
    const ByteSpan bytes = cursor.bytes(digest->size());
    std::copy(bytes.begin(), bytes.end(), digest->begin());
  }
  header.window_bytes = cursor.varint();
  header.group_bytes = cursor.varint();
  header.decoder_memory_bytes = cursor.varint();
  if ((header.required_features & kFeatureTargetCopies) != 0) header.history_bytes = cursor.varint();
  // Bytes left over belong to optional features of later versions.
  if (!cursor.ok()) return Error{ErrorCode::kPatchCorrupt, "its header ends inside a field"};
  return header;
}

}  // namespace bdelta::native

#include "format/native/head_reader.hpp"

#include <string>

#include "base/memory_limit.hpp"
#include "base/try.hpp"
#include "base/varint.hpp"
#include "format/native/framing.hpp"
#include "format/native/record_stream.hpp"

namespace bdelta::native {
namespace {

struct ReadHeader {
  Header header;
  Bytes bytes;  // from magic to checksum
};

// Proven undamaged. The fields follow the length behind the prefix.
Result<ReadHeader> read_header(io::TypedReader& patch) {
  Bytes head(kPrefixBytes);
  if (!patch.read_exact(head)) return patch.status().error();
  if (head[5] != kDraft) {
    return Error{ErrorCode::kUnsupportedVersion, "it is of draft " + std::to_string(head[5]) +
                                                     " of the format, this program knows draft " + std::to_string(kDraft) +
                                                     "; use the version that made it", 5};
  }
  const std::uint64_t length = patch.varint();
  BDELTA_TRY(patch.status());
  if (length > kMaxHeaderBytes) return Error{ErrorCode::kHeaderChecksum, "it declares an impossible length", kPrefixBytes};
  append_varint(head, length);
  const std::size_t fields_at = head.size();
  head.resize(fields_at + static_cast<std::size_t>(length));
  if (!patch.read_exact(MutableByteSpan(head).subspan(fields_at))) return patch.status().error();
  const std::uint32_t checksum = patch.le<std::uint32_t>();
  BDELTA_TRY(patch.status());
  if (checksum != xxh3_32(head)) {
    return Error{ErrorCode::kHeaderChecksum, "its checksum does not fit; fetch the patch again", patch.position() - 4};
  }
  BDELTA_ASSIGN(const Header header, decode_header_fields(ByteSpan(head).subspan(fields_at)));
  append_le(head, checksum);
  return ReadHeader{header, std::move(head)};
}

// Passes over the list of digests, of which the first byte is there, and takes digests of it. Who checks records by the list
// one by one has it from the framer.
Status read_digests(io::TypedReader& patch, const ReadHeader& header, std::uint64_t memory_limit_bytes, Head& head) {
  Sha256Hasher of_head;
  Sha256Hasher of_list;
  of_head.update(header.bytes);
  RecordStream list(patch, header.header, &of_head);
  BDELTA_TRY(list.open());
  const std::uint64_t bytes = list.body_end() - list.body_pos();
  if (bytes % sizeof(Sha256Digest) != 0) {
    return Error{ErrorCode::kPatchCorrupt, "its list of digests has an impossible size", list.body_pos()};
  }
  if (bytes > memory_limit_bytes) {
    return beyond_memory_limit("it declares a list of digests of " + std::to_string(bytes) + " bytes", memory_limit_bytes, bytes);
  }
  Bytes piece(4096);
  for (std::uint64_t left = bytes; left > 0;) {
    BDELTA_ASSIGN(const std::size_t count, list.read(piece));
    of_list.update(ByteSpan(piece).first(count));
    left -= count;
  }
  head.head_sha256 = of_head.finish();
  head.list_sha256 = of_list.finish();
  return {};
}

// What its fields have to do with each other and with the limit.
Status check_header(const Header& header, std::uint64_t memory_limit_bytes) {
  if (header.window_bytes > kMaxWindowBytes) {
    return Error{ErrorCode::kPatchCorrupt, "the header declares windows of " + std::to_string(header.window_bytes) + " bytes"};
  }
  if (header.decoder_memory_bytes > memory_limit_bytes) {
    return beyond_memory_limit("decoding takes " + std::to_string(header.decoder_memory_bytes) + " bytes", memory_limit_bytes,
                               header.decoder_memory_bytes);
  }
  if (header.history_bytes > header.decoder_memory_bytes) {
    return Error{ErrorCode::kPatchCorrupt, "the header declares more of NEW to be kept than memory for it"};
  }
  return {};
}

}  // namespace

Result<Head> read_head(io::TypedReader& patch, std::uint64_t memory_limit_bytes) {
  BDELTA_ASSIGN(const ReadHeader read, read_header(patch));
  BDELTA_TRY(check_header(read.header, memory_limit_bytes));
  Head head{read.header, std::nullopt, std::nullopt};
  if (patch.ensure(1) && *patch.data() == static_cast<std::uint8_t>(RecordTag::kDigests)) {
    BDELTA_TRY(read_digests(patch, read, memory_limit_bytes, head));
  }
  return head;
}

}  // namespace bdelta::native

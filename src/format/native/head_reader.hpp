// What a version 2 patch begins with: the header and, where there is one, the list of digests behind it.
#pragma once

#include <optional>

#include "format/native/layout.hpp"
#include "hash/sha256.hpp"
#include "io/typed_reader.hpp"

namespace bdelta::native {

struct Head {
  Header header;                            // undamaged; asks for no more memory than the limit
  std::optional<Sha256Digest> head_sha256;  // of all bytes of the head, if it has a list of digests
  std::optional<Sha256Digest> list_sha256;  // then of the digests in it, one behind the other
};

// Errors: kHeaderChecksum, kUnsupportedVersion, kUnsupportedFeature, kMemoryLimit, kPatchCorrupt, kPatchTruncated.
Result<Head> read_head(io::TypedReader& patch, std::uint64_t memory_limit_bytes);

}  // namespace bdelta::native

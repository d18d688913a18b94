// Whether the records of a patch are undamaged and what the header promises, as far as that shows without decoding them.
#pragma once

#include "format/native/head_reader.hpp"

namespace bdelta::native {

// `patch` stands behind the head and is read up to its end record, a piece at a time. Proves the checksums, the order of the
// records, that those are there which the header asks for, and the list of digests if there is one. Proves that covers add
// up to NEW's size, and groups to NEW's size or to that of its view. Errors: those of RecordStream::open, kPatchDigest.
Status check_records(io::TypedReader& patch, const Head& head);

}  // namespace bdelta::native

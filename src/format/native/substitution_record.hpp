// The record of substitutions, before everything that makes the target.
#pragma once

#include "codec/codec.hpp"
#include "delta/substitution_table.hpp"
#include "format/native/layout.hpp"
#include "io/typed_reader.hpp"

namespace bdelta::native {

// Substitutions as a patch has them.
struct CodedSubstitutions {
  SubstitutionTable table;
  Bytes record;                // with its tag
  std::uint64_t memory_bytes;  // what an applier takes for the record and the table, as the header has to declare it
};

// The ranks of the substitutions are best ascending by their bytes for long stretches.
Result<CodedSubstitutions> encode_substitutions(SubstitutionTable substitutions, const CodecSettings& codec);

// `patch` stands behind the tag. No two patterns are alike, and they take no more memory than the header declares.
// Errors: kPatchCorrupt, kUnsupportedFeature for a codec that is not known.
Result<SubstitutionTable> read_substitutions(io::TypedReader& patch, const Header& header);

}  // namespace bdelta::native

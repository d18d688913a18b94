// The record of the words that copies have others in place of, before everything that makes the target.
#pragma once

#include "codec/codec.hpp"
#include "delta/word_map.hpp"
#include "format/native/layout.hpp"
#include "io/typed_reader.hpp"

namespace bdelta::native {

// Words as a patch has them.
struct CodedWords {
  WordMap map;
  Bytes record;                // with its tag
  std::uint64_t memory_bytes;  // what an applier takes for the record and the map, as the header has to declare it
};

// The ranks of the words are best ascending by their bytes for long stretches.
Result<CodedWords> encode_words(WordMap words, const CodecSettings& codec);

// `patch` stands behind the tag. No two words are alike, and they take no more memory than the header declares. Errors:
// kPatchCorrupt, kUnsupportedFeature for a codec that is not known.
Result<WordMap> read_words(io::TypedReader& patch, const Header& header);

}  // namespace bdelta::native

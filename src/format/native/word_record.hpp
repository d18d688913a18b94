// The record of the words that copies have others in place of, before everything that makes the target.
#pragma once

#include "codec/codec.hpp"
#include "delta/word_map.hpp"
#include "format/native/layout.hpp"
#include "io/typed_reader.hpp"

namespace bdelta::native {

// With its tag. The ranks of the words are best ascending by their bytes for long stretches.
Result<Bytes> encode_words(const WordMap& words, const CodecSettings& codec);

// What an applier takes for the record and the map, as the header has to declare it.
[[nodiscard]] std::uint64_t word_memory_bytes(const WordMap& words, const CodecSettings& codec);

// `patch` stands behind the tag. No two words are alike, and they take no more memory than the header declares. Errors:
// kPatchCorrupt, kUnsupportedFeature for a codec that is not known.
Result<WordMap> read_words(io::TypedReader& patch, const Header& header);

}  // namespace bdelta::native

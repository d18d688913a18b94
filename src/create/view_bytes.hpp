// A view being put together: what stands around the streams of a file, and their texts.
#pragma once

#include <functional>
#include <optional>
#include <set>

#include "create/unpack_streams.hpp"
#include "create/view_parts.hpp"
#include "hash/xxh3.hpp"

namespace bdelta {

// A file, or a view that is the file of the next one, and what was found in it.
struct ViewedFile {
  ByteSpan bytes;
  FoundParts found;
};

// What is replaced of a file, and the descriptions of its directories.
struct DescribedFile {
  view::Replacements replaced;
  std::vector<Bytes> descriptions;
  std::vector<std::string> names;  // of archives, one for each directory
};

// Digests of the directories that were found.
[[nodiscard]] std::set<Digest128> entries_of(const ViewedFile& file);

// Directories that the other file has alike stay as they are: a copy costs nothing. So do those that overlap a stream.
[[nodiscard]] DescribedFile describe_file(const ViewedFile& file, view::PackedStreams streams, const std::set<Digest128>& alike);

// NEW's. Takes the texts out of the streams. Nothing if what applies would not find again what is told around them.
[[nodiscard]] std::optional<Bytes> make_target_view(ByteSpan file, std::vector<UnpackedStream>& streams, const DescribedFile& described,
                                                    view::StreamKind kind);

// OLD's, whose CRC-32s are taken for right. `put_text` appends the text of a stream, or as many bytes for it. room_bytes: behind
// it, for what is to be appended.
using PutText = std::function<void(std::size_t index, Bytes& view)>;
[[nodiscard]] Bytes make_source_view(ByteSpan file, const DescribedFile& described, view::StreamKind kind, std::uint64_t room_bytes,
                                     const PutText& put_text);

}  // namespace bdelta

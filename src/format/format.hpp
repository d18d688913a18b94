// The table of patch formats, and what is known of each before a patch is opened.
//
// A reader that needs more than literals and copies says so here. To apply a patch nobody decides by a format's name.
#pragma once

#include <memory>
#include <span>

#include "delta/capabilities.hpp"
#include "format/part_framer.hpp"
#include "format/patch_reader.hpp"

namespace bdelta {

// Bytes from which every format can be told.
inline constexpr std::size_t kDetectBytes = 8;

// A format has no maker of writers here. Who makes a patch of version 2 asks its writer what groups would cost, and chooses
// covers by that; one of version 1 lowers covers to exact ones. What both writers have in common is less than what they
// have not.
struct Format {
  const char* name;  // in reports, PatchInfo and messages
  bool (*detect)(ByteSpan first_bytes) noexcept;
  Capabilities capabilities;

  // Reads the header. `patch` must outlive the reader. memory_limit_bytes: what the reader and windows' history may hold
  // because the patch says so; more is kMemoryLimit.
  Result<std::unique_ptr<PatchReader>> (*open)(io::TypedReader& patch, std::uint64_t memory_limit_bytes);

  // limit_bytes: the most that a part may have that has to be held. Null: a patch has no parts, and is held as a whole where
  // it comes in pieces.
  std::unique_ptr<PartFramer> (*make_framer)(std::uint64_t limit_bytes);
};

using Formats = std::span<const Format>;

// Those of this program.
[[nodiscard]] Formats known_formats() noexcept;

// The format of a patch that begins so; kNotAPatch, kUnsupportedVersion or kPatchTruncated if it is none of these.
// first_bytes: kDetectBytes of them, fewer only if there are no more. The other takes nothing from `patch`.
Result<const Format*> recognise_format(ByteSpan first_bytes, Formats formats);
Result<const Format*> recognise_format(io::TypedReader& patch, Formats formats);

// Reads a patch to its end without a source and proves all that its own bytes can prove. True if checksums guard them; of a
// format without any, all windows are validated. kUnsupportedFeature for a format whose windows need the source.
Result<bool> verify_whole(PatchReader& reader, const Format& format);

}  // namespace bdelta

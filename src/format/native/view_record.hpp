// The record of a patch over views of its files (FORMAT.md, "View").
#pragma once

#include "codec/codec.hpp"
#include "format/native/layout.hpp"
#include "io/typed_reader.hpp"
#include "view/geometry.hpp"

namespace bdelta::native {

// What an applier holds of it, and for its views, beside what is said of prediction.
[[nodiscard]] std::uint64_t held_bytes(const view::ViewPlan& plan, std::uint64_t source_size) noexcept;

// The whole record.
Result<Bytes> encode_view(const view::ViewPlan& plan, const CodecSettings& codec);

// What stands in its body. Counts are bounded by what the geometry has room for, and all of it by the header's decoder memory.
// Errors: kPatchCorrupt, kUnsupportedFeature for a codec that is not known.
Result<view::ViewPlan> read_view(io::TypedReader& body, const Header& header);

}  // namespace bdelta::native

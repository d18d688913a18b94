// The record of a patch from one tree to another (FORMAT.md, "Trees").
#pragma once

#include "codec/codec.hpp"
#include "format/native/layout.hpp"
#include "io/typed_reader.hpp"
#include "view/tree/plan.hpp"

namespace bdelta::native {

// What an applier holds of it and of NEW's manifest.
[[nodiscard]] std::uint64_t held_bytes(const view::TreePlan& plan) noexcept;

// The whole record.
Result<Bytes> encode_tree(const view::TreePlan& plan, const CodecSettings& codec);

// What stands in its body. All of it is bounded by the header's decoder memory. Errors: kPatchCorrupt, kUnsupportedFeature.
Result<view::TreePlan> read_tree(io::TypedReader& body, const Header& header);

}  // namespace bdelta::native

// The global record: what prediction needs beside the covers, before the first window.
#pragma once

#include "format/native/group_writer.hpp"
#include "format/native/layout.hpp"
#include "format/prediction_plan.hpp"
#include "io/typed_reader.hpp"

namespace bdelta::native {

// With its tag. The covers of the plan are not in it: they stand in groups of kind kCovers behind it.
Result<Bytes> encode_global(const PredictionPlan& plan, const CodecSettings& codec);

// What its decoder takes beside the plan itself.
[[nodiscard]] std::uint64_t global_decoder_bytes(const PredictionPlan& plan, const CodecSettings& codec);

// `patch` stands behind the tag. Fills all of the plan but the covers. Errors: kPatchCorrupt, kUnsupportedFeature for a
// predictor or a codec that is not known.
Status read_global(io::TypedReader& patch, const Header& header, PredictionPlan& plan);

}  // namespace bdelta::native

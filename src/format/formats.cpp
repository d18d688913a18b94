// The table of patch formats. A format is added by a line here and a sub-room beside this file.
#include <algorithm>
#include <string>

#include "base/try.hpp"
#include "format/bdt1/reader.hpp"
#include "format/foreign_formats.hpp"
#include "format/format.hpp"
#include "format/native/framing.hpp"
#include "format/native/reader.hpp"

namespace bdelta {
namespace {

constexpr Format kFormats[] = {
    {"bdt2", native::detect, {}, native::open, native::make_framer},
    {"bdt1", bdt1::detect, {}, bdt1::open, nullptr},
};

Error unknown_format(ByteSpan first) {
  const bool ours = first.size() >= 5 && first[0] == 'B' && first[1] == 'D' && first[2] == 'T';
  if (ours) {
    return {ErrorCode::kUnsupportedVersion, "it is a BDT patch of version " +
                                                std::to_string(load_le<std::uint16_t>(first.data() + 3)) +
                                                "; this program knows 1 and 2"};
  }
  if (first.empty()) return {ErrorCode::kPatchTruncated, "it is empty"};
  if (const ForeignFormat* foreign = foreign_format(first)) {
    return {.code = ErrorCode::kNotAPatch, .detail = "it is " + std::string(foreign->name), .remedy = std::string(foreign->remedy)};
  }
  return {ErrorCode::kNotAPatch, "expected BDT", 0};
}

}  // namespace

Formats known_formats() noexcept { return kFormats; }

Result<const Format*> recognise_format(ByteSpan first_bytes, Formats formats) {
  for (const Format& format : formats) {
    if (format.detect(first_bytes)) return &format;
  }
  // A file cut off inside the magic is a truncated patch, not a foreign file.
  static constexpr std::uint8_t kMagic[] = {'B', 'D', 'T'};
  const std::size_t compared = std::min(first_bytes.size(), std::size(kMagic));
  if (compared > 0 && first_bytes.size() < 5 && std::equal(kMagic, kMagic + compared, first_bytes.begin())) {
    return Error{ErrorCode::kPatchTruncated, "it ends inside its first five bytes", first_bytes.size()};
  }
  return unknown_format(first_bytes);
}

Result<const Format*> recognise_format(io::TypedReader& patch, Formats formats) {
  (void)patch.ensure(kDetectBytes);
  BDELTA_TRY(patch.status());
  return recognise_format({patch.data(), std::min(patch.available(), kDetectBytes)}, formats);
}

void PatchReader::measure(PatchMeter&) {}

void PatchReader::use_source(RandomReader&) {}

Result<const ApplyPlan*> PatchReader::read_plan() {
  static const ApplyPlan kNone;
  return &kNone;
}

Result<const view::TreePlan*> PatchReader::read_tree() { return nullptr; }

Result<bool> PatchReader::verify() { return false; }

Result<bool> verify_whole(PatchReader& reader, const Format& format) {
  BDELTA_ASSIGN(const bool verified, reader.verify());
  if (verified) return true;
  if (format.capabilities.source_while_decoding) {
    return Error{ErrorCode::kUnsupportedFeature,
                 "a patch of format " + std::string(format.name) + " can be checked together with OLD alone"};
  }
  for (WindowDelta window;;) {
    BDELTA_ASSIGN(const bool more, reader.next(window));
    if (!more) return false;
    BDELTA_TRY(validate_window(window, reader.info().source_size.value_or(~std::uint64_t{0}),
                               format.capabilities));
  }
}

}  // namespace bdelta

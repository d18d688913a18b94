// The table of patch formats. A format is added by a line here and a sub-room beside this file.
#include <algorithm>
#include <string>

#include "base/memory_limit.hpp"
#include "base/try.hpp"
#include "format/bdt1/reader.hpp"
#include "format/foreign_formats.hpp"
#include "format/native/reader.hpp"
#include "format/patch_reader.hpp"

namespace bdelta {
namespace {

struct Format {
  const char* name;
  bool (*detect)(ByteSpan first_bytes) noexcept;
  Result<std::unique_ptr<PatchReader>> (*open)(io::TypedReader& patch, std::uint64_t memory_limit_bytes);
};

constexpr Format kFormats[] = {
    {"bdt2", native::detect, native::open},
    {"bdt1", bdt1::detect, bdt1::open},
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

const Format* find_format(ByteSpan first) noexcept {
  for (const Format& format : kFormats) {
    if (format.detect(first)) return &format;
  }
  return nullptr;
}

}  // namespace

Status recognise_patch(ByteSpan first_bytes) {
  if (find_format(first_bytes)) return {};
  // A file cut off inside the magic is a truncated patch, not a foreign file.
  static constexpr std::uint8_t kMagic[] = {'B', 'D', 'T'};
  const std::size_t compared = std::min(first_bytes.size(), std::size(kMagic));
  if (compared > 0 && first_bytes.size() < 5 && std::equal(kMagic, kMagic + compared, first_bytes.begin())) {
    return Error{ErrorCode::kPatchTruncated, "it ends inside its first five bytes", first_bytes.size()};
  }
  return unknown_format(first_bytes);
}

Result<bool> PatchReader::verify() {
  for (WindowDelta window;;) {
    BDELTA_ASSIGN(const bool more, next(window));
    if (!more) return false;
    BDELTA_TRY(validate_window(window, info().source_size.value_or(~std::uint64_t{0})));
  }
}

Result<std::unique_ptr<PatchReader>> open_patch(io::TypedReader& patch, std::uint64_t memory_limit_bytes) {
  (void)patch.ensure(kDetectBytes);
  if (Status status = patch.status(); !status) return std::move(status).error();
  const ByteSpan first{patch.data(), std::min(patch.available(), kDetectBytes)};
  BDELTA_TRY(recognise_patch(first));
  return find_format(first)->open(patch, reachable_limit(memory_limit_bytes));
}

}  // namespace bdelta

// What a file that is no patch of a known format begins like, to be named in the message that refuses it.
#pragma once

#include <algorithm>
#include <string_view>

#include "base/bytes.hpp"

namespace bdelta {

struct ForeignFormat {
  std::string_view magic;  // at most kDetectBytes of it
  std::string_view name;   // what such a file is
  std::string_view remedy;
};

inline constexpr std::string_view kApplyByOther = "apply it with the program that it is for";
inline constexpr std::string_view kUnpackFirst = "unpack it first, if a patch is inside";

// Of two that begin alike the longer stands first.
inline constexpr ForeignFormat kForeignFormats[] = {
    {"BSDIFF40", "a patch of bsdiff (BSDIFF40)", kApplyByOther},
    {"ENDSLEY/", "a patch of bsdiff (ENDSLEY/BSDIFF43)", kApplyByOther},
    {"BSDF2", "a patch of Android's bsdiff (BSDF2)", kApplyByOther},
    {"MBDIFF10", "a patch of Mozilla's updater (MBDIFF10)", kApplyByOther},
    {"\xd6\xc3\xc4", "a patch in VCDIFF, as xdelta3 and open-vcdiff make them", kApplyByOther},
    {"HDIFFSF", "a patch of HDiffPatch (HDIFFSF)", kApplyByOther},
    {"HDIFF13", "a patch of HDiffPatch (HDIFF13)", kApplyByOther},
    {"HDIFF19", "a patch of HDiffPatch for directories (HDIFF19)", kApplyByOther},
    {"HDIFF", "a patch of HDiffPatch", kApplyByOther},
    {"Zucc", "a patch of Zucchini", kApplyByOther},
    {"GFbFv1_0", "a patch of archive-patcher", kApplyByOther},
    {"rs\x02\x36", "a delta of librsync (rdiff)", kApplyByOther},
    {"diff ", "a text that diff made", kApplyByOther},
    {"--- ", "a text that diff made", kApplyByOther},
    {"\x28\xb5\x2f\xfd", "a zstd frame", "unpack it with zstd, by its patch-from if that made it"},
    {"\x1f\x8b", "data compressed by gzip", kUnpackFirst},
    {"\xfd" "7zXZ", "data compressed by xz", kUnpackFirst},
    {"BZh", "data compressed by bzip2", kUnpackFirst},
    {"PK\x03\x04", "a zip archive", kUnpackFirst},
};

// Null where nothing is known of such a file. first: its first bytes, as far as there are any.
[[nodiscard]] inline const ForeignFormat* foreign_format(ByteSpan first) noexcept {
  for (const ForeignFormat& format : kForeignFormats) {
    const bool begins = first.size() >= format.magic.size() &&
                        std::equal(format.magic.begin(), format.magic.end(), first.begin(),
                                   [](char expected, std::uint8_t found) { return static_cast<std::uint8_t>(expected) == found; });
    if (begins) return &format;
  }
  return nullptr;
}

}  // namespace bdelta

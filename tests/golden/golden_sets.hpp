// The frozen patches: one line each, for the test and for the generator.
#pragma once

namespace bdelta::test {

inline constexpr const char* kGoldenSets[] = {
    "bdt2-level1", "bdt2-level3", "bdt2-level6",  "bdt2-store",     "bdt2-zstd",      "bdt2-lzma",      "bdt2-plain",
    "bdt2-model",  "bdt2-mixed",  "bdt2-predicted", "bdt2-predicted-fast", "bdt2-modelled-literals",
    "bdt2-modelled-literals-many",
    "bdt2-modelled-misses", "bdt2-modelled-misses-many", "bdt2-modelled-misses-predicted", "bdt2-modelled-misses-lanes",
    "bdt2-substitutions", "bdt2-substitutions-modelled", "bdt2-substitutions-predicted", "bdt2-substitutions-covers",
    "bdt2-target", "bdt2-target-many", "bdt2-every-field", "bdt2-windows", "bdt2-windows-modelled",
    "bdt2-windows-mixed", "bdt2-windows-mixed-packed",
    "bdt2-arm-and-go", "bdt2-thumb", "bdt2-pe-exceptions", "bdt2-sorted-tables",
    "bdt2-image-choice", "bdt2-macho-tables", "bdt2-mixed-pages",
    "bdt2-positions", "bdt2-tracks",
    "bdt2-digests", "bdt2-fixed", "bdt2-signed", "bdt2-signed-covers", "bdt2-header-sums", "bdt2-header-sums-cut",
    "bdt2-file-digests", "bdt2-file-digests-cut", "bdt2-jar-digests-cut", "bdt2-view-jar",
    "bdt2-moved-numbers", "bdt2-moved-numbers-cut",
    "bdt2-view-go", "bdt2-view-gzip", "bdt2-view-kept", "bdt2-view-lent", "bdt2-view-members", "bdt2-view-nested", "bdt2-view-encoders", "bdt2-view-tar", "bdt2-view-zip",
    "bdt2-view-program", "bdt2-view-pieces", "bdt2-view-crc", "bdt2-view-fed",
    "bdt2-many",   "bdt2-same",   "bdt2-strange", "bdt2-empty-new", "bdt2-empty-old", "bdt2-empty-all",
    "bdt1-edited", "bdt1-back",   "bdt1-literal", "bdt1-empty-new"};

}  // namespace bdelta::test

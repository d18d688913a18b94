// What the programs' JSON has in common.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "bdelta/error.hpp"
#include "bdelta/report.hpp"

namespace bdelta::cli {

using Json = nlohmann::ordered_json;

// In one line, or with `indent` columns for each level in several; without an end of line. Bytes that are no UTF-8, which
// JSON can't hold, become U+FFFD.
[[nodiscard]] std::string dump(const Json& json, int indent = -1);

// A name. Where it is no UTF-8 its bytes are in `key`_hex besides, two digits each.
void put_name(Json& json, const std::string& key, const std::filesystem::path& name);

// Those that are known, as `prefix`xxh3_128 and `prefix`sha256.
void put_digests(Json& json, const std::string& prefix, const KnownDigests& digests);

// Of the program, and of the format that it writes: 0 would be a frozen one.
[[nodiscard]] const char* program_version() noexcept;
[[nodiscard]] int format_draft() noexcept;

// Of the libraries whose bytes are in patches, by name.
[[nodiscard]] Json codec_versions();

// The value of "error".
[[nodiscard]] Json error_object(const Error& error);

}  // namespace bdelta::cli

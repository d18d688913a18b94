#include "cli/json.hpp"

#include "codec/codec.hpp"
#include "hash/xxh3.hpp"

namespace bdelta::cli {

namespace {

// All that is said besides the message of the table.
std::string detail_of(const Error& error) {
  std::string text;
  const auto add = [&text](const char* before, const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : before) + part;
  };
  add("", error.file);
  add(": ", error.detail);
  add("; ", error.remedy);
  return text;
}

// In which what is no UTF-8 is left out.
std::string without_what_is_no_text(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::ignore); }

}  // namespace

std::string dump(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

void put_name(Json& json, const std::string& key, const std::filesystem::path& name) {
  const std::u8string text = name.u8string();
  const std::string bytes(text.begin(), text.end());
  json[key] = bytes;
  if (dump(json[key]) == without_what_is_no_text(json[key])) return;
  json[key + "_hex"] = to_hex({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

void put_digests(Json& json, const std::string& prefix, const KnownDigests& digests) {
  if (digests.xxh3_128) json[prefix + "xxh3_128"] = to_hex(*digests.xxh3_128);
  if (digests.sha256) json[prefix + "sha256"] = to_hex(*digests.sha256);
}

const char* program_version() noexcept { return BDELTA_VERSION; }

int format_draft() noexcept { return BDELTA_FORMAT_DRAFT; }

Json codec_versions() { return {{"zstd", zstd_version()}, {"liblzma", lzma_version()}}; }

Json error_object(const Error& error) {
  Json json{{"name", error_name(error.code)}, {"code", static_cast<int>(error.code)}, {"exit", exit_class(error.code)}};
  json["message"] = std::string(error_message(error.code));
  json["detail"] = detail_of(error);
  if (error.offset != Error::kNoOffset) json["offset"] = error.offset;
  if (error.needed_bytes != 0) json["needed_bytes"] = error.needed_bytes;
  return json;
}

}  // namespace bdelta::cli

#include "apply/source_proof.hpp"

#include <algorithm>
#include <string>

#include "base/bytes.hpp"
#include "base/try.hpp"
#include "io/file_error.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kHashPieceBytes = std::uint64_t{256} << 10;

std::string first_places(const DigestBytes& digest) { return to_hex(digest).substr(0, 16); }

}  // namespace

Result<Digest128> digest_of(RandomReader& reader, Watch* watch) {
  Xxh3Hasher hasher;
  const ByteSpan view = reader.view();
  Bytes buffer(view.empty() ? kHashPieceBytes : 0);
  for (std::uint64_t pos = 0; pos < reader.size(); pos += kHashPieceBytes) {
    const auto length = static_cast<std::size_t>(std::min(kHashPieceBytes, reader.size() - pos));
    if (view.empty()) {
      BDELTA_TRY(reader.read_at(pos, MutableByteSpan(buffer).first(length)));
      hasher.update(ByteSpan(buffer).first(length));
    } else {
      hasher.update(view.subspan(static_cast<std::size_t>(pos), length));
    }
    if (watch) BDELTA_TRY(watch->check(length));
  }
  return hasher.digest();
}

std::string expected_and_found(const Digest128& expected, const Digest128& found) {
  return "expected digest " + first_places(expected) + "…, found " + first_places(found) + "…";
}

Error wrong_source(const PatchInfo& info, std::uint64_t found_bytes, const std::optional<Digest128>& found) {
  const auto error = [](ErrorCode code, std::string detail) {
    return Error{.code = code, .detail = std::move(detail), .remedy = "give the version that the patch starts from"};
  };
  if (!found) {
    return error(ErrorCode::kWrongSourceSize, "expected " + std::to_string(*info.source_size) + " bytes, found " +
                                                  std::to_string(found_bytes));
  }
  return error(ErrorCode::kWrongSourceDigest, expected_and_found(*info.source_digest, *found));
}

Error name_file(Error error, const std::filesystem::path& source, const std::filesystem::path& patch) {
  const auto of_patch = [&] { return patch.empty() ? error : io::with_file(std::move(error), patch); };
  switch (exit_class(error.code)) {
    case 4: return io::with_file(std::move(error), source);
    case 2:
    case 3:
    case 5: return of_patch();
    case 6: return error.code == ErrorCode::kOutOfMemory ? error : of_patch();
    default: return error;
  }
}

}  // namespace bdelta

// Whether a file is the one that a patch speaks of, and what is said where it is another.
#pragma once

#include <filesystem>
#include <optional>

#include "bdelta/inspect.hpp"
#include "bdelta/io.hpp"
#include "hash/xxh3.hpp"
#include "parallel/watch.hpp"

namespace bdelta {

// XXH3-128 of a whole reader, in pieces, between which `watch` is looked at; it may be null.
Result<Digest128> digest_of(RandomReader& reader, Watch* watch);

// Of two digests that differ, the first places.
[[nodiscard]] std::string expected_and_found(const Digest128& expected, const Digest128& found);

// OLD is not what the patch was made from: it has another size if no digest was found.
[[nodiscard]] Error wrong_source(const PatchInfo& info, std::uint64_t found_bytes, const std::optional<Digest128>& found);

// What went wrong, with the file it concerns. Errors of the io room name theirs already. A patch without a path is a stream.
[[nodiscard]] Error name_file(Error error, const std::filesystem::path& source, const std::filesystem::path& patch);

}  // namespace bdelta

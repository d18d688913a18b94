// A made-up arm64 Mach-O program with a code signature: a list of the SHA-256 digests of its pages.
#pragma once

#include "base/bytes.hpp"
#include "delta/fills.hpp"

namespace bdelta::test {

inline constexpr std::size_t kSignedHeader = 272;       // bytes of header and load commands
inline constexpr std::size_t kSignedCode = 0x400;       // where the code begins
inline constexpr std::size_t kSignedCommand = 256;      // of the signature, among the load commands
inline constexpr std::size_t kSignedDirectory = 20;     // in the signature
inline constexpr std::size_t kSignedHashes = 20 + 96;   // in the signature

struct SignedProgram {
  Bytes bytes;
  FillRule digests;  // of one range, the program
  std::size_t signature_pos = 0;

  [[nodiscard]] std::uint64_t list_pos() const { return digests.ranges[0].place_pos; }
  [[nodiscard]] std::uint64_t list_bytes() const { return digests.place_bytes(digests.ranges[0]); }
};

// `code` is what the program is for; any bytes will do.
[[nodiscard]] SignedProgram signed_program(ByteSpan code, unsigned page_log = FillRule::kMinPageLog);

// Two versions whose pages all differ.
struct SignedPair {
  SignedProgram old_version;
  SignedProgram new_version;
};
[[nodiscard]] SignedPair signed_pair(std::size_t code_bytes, std::uint64_t seed,
                                     unsigned page_log = FillRule::kMinPageLog);

}  // namespace bdelta::test

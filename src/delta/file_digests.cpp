#include "delta/file_digests.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace bdelta {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

bool is_in_order(const FileDigests& digests, std::uint64_t target_size) {
  std::uint64_t end_before = 0;
  for (const FileDigest& digest : digests) {
    const bool is_sound = digest.data_bytes != 0 && digest.data_pos >= end_before && digest.data_pos <= target_size &&
                          digest.data_bytes <= target_size - digest.data_pos && digest.text_pos >= digest.data_end() &&
                          digest.text_pos <= target_size && FileDigest::kTextBytes <= target_size - digest.text_pos;
    if (!is_sound) return false;
    end_before = digest.data_end();
  }
  return true;
}

bool are_texts_apart(const FileDigests& digests) {
  std::uint64_t end_before = 0;
  for (const std::uint32_t index : by_text(digests)) {
    if (digests[index].text_pos < end_before) return false;
    end_before = digests[index].text_end();
  }
  return true;
}

}  // namespace

DigestText digest_text(const std::array<std::uint8_t, 32>& digest) noexcept {
  DigestText text{};
  std::uint32_t bits = 0;
  unsigned bit_count = 0;
  std::size_t next = 0;
  for (std::uint8_t& out : text) {
    if (bit_count < 6) {
      bits = bits << 8 | (next < digest.size() ? digest[next] : 0u);
      ++next;
      bit_count += 8;
    }
    bit_count -= 6;
    out = static_cast<std::uint8_t>(kAlphabet[bits >> bit_count & 63]);
  }
  return text;
}

std::vector<std::uint32_t> by_text(const FileDigests& digests) {
  std::vector<std::uint32_t> indices(digests.size());
  std::iota(indices.begin(), indices.end(), 0u);
  std::sort(indices.begin(), indices.end(), [&](std::uint32_t a, std::uint32_t b) {
    return digests[a].text_pos != digests[b].text_pos ? digests[a].text_pos < digests[b].text_pos : a < b;
  });
  return indices;
}

Status check_file_digests(const FileDigests& digests, std::uint64_t target_size) {
  if (digests.size() > kMostFileDigests) {
    return Error{ErrorCode::kPatchCorrupt, "it names more digests of files than a patch may have"};
  }
  if (!is_in_order(digests, target_size)) {
    return Error{ErrorCode::kPatchCorrupt, "a digest of a file is out of order or reaches beyond NEW"};
  }
  if (!are_texts_apart(digests)) return Error{ErrorCode::kPatchCorrupt, "two digests of files share bytes"};
  return {};
}

}  // namespace bdelta

#include "support/fills.hpp"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "hash/sha256.hpp"

namespace bdelta::test {
namespace {

using Block = MutableByteSpan;

// The blocks of a range that are headers: none that holds a place.
template <class Visit>
void for_each_header(Bytes& target, const Fills& fills, const FillRange& range, const Visit& visit) {
  for (std::uint64_t pos = range.pos; pos < range.end(); pos += kTarBlockBytes) {
    const Block block = Block(target).subspan(static_cast<std::size_t>(pos), kTarBlockBytes);
    bool is_header = std::equal(block.begin() + 257, block.begin() + 262, "ustar");
    for (const FillRule& rule : fills) {
      for (const FillRange& other : rule.ranges) {
        const bool is_apart = rule.place_end(other) <= pos || other.place_pos >= pos + kTarBlockBytes;
        is_header = is_header && (is_apart || rule.place_bytes(other) == 0);
      }
    }
    if (is_header) visit(block);
  }
}

std::string checksum_text(ByteSpan block, FillEncoding form) {
  unsigned sum = 8 * ' ';
  for (std::size_t i = 0; i < block.size(); ++i) sum += i < 148 || i >= 156 ? block[i] : 0u;
  char digits[16];
  std::snprintf(digits, sizeof digits, form == FillEncoding::kSevenNul ? "%07o" : "%06o", sum);
  std::string text = digits;
  if (form == FillEncoding::kSixSpaceNul) text += ' ';
  text += '\0';
  if (form == FillEncoding::kSixNulSpace) text += ' ';
  return text;
}

void fill_range(Bytes& target, const Fills& fills, const FillRule& rule, const FillRange& range) {
  if (rule.kind.shape == FillShape::kTarHeaders) {
    for_each_header(target, fills, range, [&](Block block) {
      const std::string text = checksum_text(block, rule.kind.encoding);
      std::copy(text.begin(), text.end(), block.begin() + 148);
    });
    return;
  }
  auto place = target.begin() + static_cast<std::ptrdiff_t>(range.place_pos);
  const std::uint64_t each_bytes = rule.kind.shape == FillShape::kPages ? std::uint64_t{1} << rule.page_log : range.bytes;
  for (std::uint64_t pos = range.pos; pos < range.end(); pos += each_bytes) {
    const auto length = static_cast<std::size_t>(std::min(each_bytes, range.end() - pos));
    const Sha256Digest digest = sha256(ByteSpan(target).subspan(static_cast<std::size_t>(pos), length));
    const std::string text = rule.kind.encoding == FillEncoding::kBase64 ? base64(digest) : base64url(digest);
    place = rule.kind.encoding == FillEncoding::kRaw ? std::copy(digest.begin(), digest.end(), place)
                                                     : std::copy(text.begin(), text.end(), place);
  }
}

// In all headers but the first the checksum of the one before.
void bend_checksums(Bytes& target, const Fills& fills, const FillRange& range) {
  std::optional<Bytes> before;
  for_each_header(target, fills, range, [&](Block block) {
    Bytes now(block.begin() + 148, block.begin() + 156);
    if (before) std::copy(before->begin(), before->end(), block.begin() + 148);
    before = std::move(now);
  });
}

}  // namespace

void fill_slowly(Bytes& target, const Fills& fills) {
  for (const FillRule& rule : fills) {
    for (const FillRange& range : rule.ranges) fill_range(target, fills, rule, range);
  }
}

Bytes before_fills(ByteSpan target, const Fills& fills) {
  Bytes bytes(target.begin(), target.end());
  for (const FillRule& rule : fills) {
    for (const FillRange& range : rule.ranges) {
      if (rule.kind.shape == FillShape::kTarHeaders) bend_checksums(bytes, fills, range);
      std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(range.place_pos), rule.place_bytes(range), std::uint8_t{'A'});
    }
  }
  return bytes;
}

std::string base64url(ByteSpan bytes) {
  std::string text = base64(bytes);
  text.erase(std::min(text.find('='), text.size()));
  std::replace(text.begin(), text.end(), '+', '-');
  std::replace(text.begin(), text.end(), '/', '_');
  return text;
}

std::string base64(ByteSpan bytes) {
  const std::string alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t bit = 0; bit < bytes.size() * 8; bit += 6) {
    unsigned six = 0;
    for (std::size_t at = bit; at < bit + 6; ++at) {
      six = six * 2 + (at < bytes.size() * 8 ? bytes[at / 8] >> (7 - at % 8) & 1u : 0u);
    }
    text += alphabet[six];
  }
  text.resize((text.size() + 3) / 4 * 4, '=');
  return text;
}

}  // namespace bdelta::test

// A header of the target is most likely copied from the header of the same file in the source. So the checksum that this
// one has goes in place of its own. Then the copy has no miss there, whatever else of the header has changed. Where the
// archive's outermost directory has a name of its own in each version, files are the same by what follows it. An entry
// that only tells more of the next one has the same partner as that. A header without a partner keeps its checksum,
// which an applier computes all the same.
#include "view/header_sums.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_map>

#include "view/tar_members.hpp"

namespace bdelta::view {
namespace {

constexpr std::uint64_t kLeastChanged = 4;        // of a range; fewer are not worth its bytes
constexpr std::uint64_t kLeastChangedOfAll = 8;   // likewise the record
constexpr std::size_t kMostRanges = 4096;
constexpr std::uint64_t kMostGapBytes = 1 << 22;   // between changed headers of a range; the rest is copied faster apart
constexpr std::size_t kMostOfNext = 4;            // headers in front of that of a file
constexpr std::uint64_t kPieceBlocks = 1 << 16;   // looked through by one task

ByteSpan block_at(ByteSpan view, std::uint64_t pos) {
  return view.subspan(static_cast<std::size_t>(pos), kTarBlockBytes);
}

// Where blocks that are headers stand, in order.
std::vector<std::uint64_t> find_headers(ByteSpan view, const ByteRange& archive, WorkerPool& pool) {
  const std::uint64_t block_count = (archive.end - archive.begin) / kTarBlockBytes;
  std::vector<std::vector<std::uint64_t>> found(static_cast<std::size_t>((block_count + kPieceBlocks - 1) / kPieceBlocks));
  pool.for_each(found.size(), [&](std::size_t piece) {
    const std::uint64_t end = std::min(block_count, (piece + 1) * kPieceBlocks);
    for (std::uint64_t block = piece * kPieceBlocks; block < end; ++block) {
      const std::uint64_t pos = archive.begin + block * kTarBlockBytes;
      if (is_tar_header(block_at(view, pos))) found[piece].push_back(pos);
    }
    pool.advance();
  });
  std::vector<std::uint64_t> headers;
  for (const auto& piece : found) headers.insert(headers.end(), piece.begin(), piece.end());
  return headers;
}

std::vector<std::uint64_t> find_headers(ByteSpan view, const ByteRanges& archives, WorkerPool& pool) {
  std::vector<std::uint64_t> headers;
  for (const ByteRange& archive : archives) {
    const std::vector<std::uint64_t> found = find_headers(view, archive, pool);
    headers.insert(headers.end(), found.begin(), found.end());
  }
  return headers;
}

TarChecksum sum_of(ByteSpan block) {
  TarChecksum sum;
  std::copy_n(block.begin() + kTarChecksumAt, sum.size(), sum.begin());
  return sum;
}

// In which the checksum is right, if it is.
std::optional<FillEncoding> form_of(ByteSpan block) {
  for (const FillKind& kind : kFillKinds) {
    if (kind.shape == FillShape::kTarHeaders && sum_of(block) == tar_checksum(block, kind.encoding)) return kind.encoding;
  }
  return std::nullopt;
}

// The header of the file that the `index`th one of these belongs to.
ByteSpan file_header(ByteSpan view, const std::vector<std::uint64_t>& headers, std::size_t index) {
  const std::size_t last = std::min(headers.size() - 1, index + kMostOfNext);
  while (index < last && is_tar_extension(block_at(view, headers[index]))) ++index;
  return block_at(view, headers[index]);
}

// What a header is known by, the surest first. First comes its kind with the file's name, whole or behind the outermost
// directory. Last comes what else it has that its kind and size tell.
std::array<std::string, 3> keys_of(ByteSpan header, ByteSpan of_file) {
  const std::string kind{tar_kind(header)};
  const std::string name = tar_name(of_file);
  const std::size_t slash = name.find('/');
  std::string inner = slash == std::string::npos ? std::string() : kind + "i" + name.substr(slash);
  std::string alike = is_tar_extension(header) ? kind + "s" + std::string(tar_size_text(header)) : std::string();
  return {kind + "n" + name, std::move(inner), std::move(alike)};
}

// The checksums of the files that share a key, in their order; the n-th of the target is taken for the n-th of the source.
struct Namesakes {
  std::vector<TarChecksum> sums;
  std::size_t next = 0;
};
using SumsByKey = std::unordered_map<std::string, Namesakes>;

SumsByKey sums_of(ByteSpan source, const ByteRanges& archives, WorkerPool& pool) {
  SumsByKey sums;
  const std::vector<std::uint64_t> headers = find_headers(source, archives, pool);
  for (std::size_t i = 0; i < headers.size(); ++i) {
    const ByteSpan header = block_at(source, headers[i]);
    for (std::string& key : keys_of(header, file_header(source, headers, i))) {
      if (!key.empty()) sums[std::move(key)].sums.push_back(sum_of(header));
    }
  }
  return sums;
}

// That of the header that is known by the surest of the keys. To be asked once for each header, in their order.
std::optional<TarChecksum> partner_sum(SumsByKey& sums, const std::array<std::string, 3>& keys) {
  std::optional<TarChecksum> partner;
  for (const std::string& key : keys) {
    const auto found = sums.find(key);
    if (found == sums.end()) continue;
    Namesakes& files = found->second;
    if (!partner) partner = files.sums[std::min(files.next, files.sums.size() - 1)];
    ++files.next;
  }
  return partner;
}

// Ranges under way, from headers in order.
class RangeBuilder {
 public:
  // other: what is to stand there instead; the same as now if nothing is gained.
  void add(std::uint64_t pos, FillEncoding form, const TarChecksum& now, const TarChecksum& other) {
    if (!others_.empty() && (form != form_ || pos - last_changed_ > kMostGapBytes)) end();
    if (other == now) return;  // filled in if the range goes on behind it
    if (others_.empty()) first_changed_ = pos;
    form_ = form;
    last_changed_ = pos;
    others_.push_back({pos + kTarChecksumAt, Bytes(other.begin(), other.end())});
  }

  // Behind the last header, or where one stands whose checksum is wrong.
  void end() {
    if (others_.size() >= kLeastChanged && range_count_ < kMostRanges) {
      add_range(found_.fills, tar_checksums(form_), 0, {first_changed_, last_changed_ + kTarBlockBytes - first_changed_, 0});
      found_.others.insert(found_.others.end(), others_.begin(), others_.end());
      ++range_count_;
    }
    others_.clear();
  }

  FoundFills take() { return std::move(found_); }

 private:
  FoundFills found_;
  std::size_t range_count_ = 0;
  FillEncoding form_ = FillEncoding::kSixNulSpace;
  std::uint64_t first_changed_ = 0;
  std::uint64_t last_changed_ = 0;
  std::vector<OtherBytes> others_;  // of the range, which there is only with these
};

}  // namespace

FoundFills find_header_sums(ByteSpan source, const ByteRanges& source_archives, ByteSpan target, const ByteRanges& target_archives,
                            WorkerPool& pool) {
  const std::vector<std::uint64_t> headers = find_headers(target, target_archives, pool);
  if (headers.size() < kLeastChangedOfAll) return {};
  const Step step(pool, PhaseId::kPredict, target.size());
  SumsByKey sums = sums_of(source, source_archives, pool);
  RangeBuilder ranges;
  auto archive = target_archives.begin();
  for (std::size_t i = 0; i < headers.size(); ++i) {
    for (; headers[i] >= archive->end; ++archive) ranges.end();
    const ByteSpan header = block_at(target, headers[i]);
    const std::optional<FillEncoding> form = form_of(header);
    const TarChecksum now = sum_of(header);
    const auto partner = partner_sum(sums, keys_of(header, file_header(target, headers, i)));
    if (form) {
      ranges.add(headers[i], *form, now, partner.value_or(now));
    } else {
      ranges.end();
    }
  }
  ranges.end();
  FoundFills found = ranges.take();
  return found.others.size() < kLeastChangedOfAll ? FoundFills() : found;
}

}  // namespace bdelta::view

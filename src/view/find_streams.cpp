#include "view/find_streams.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "delta/fills.hpp"
#include "view/gzip_head.hpp"
#include "view/png_chunks.hpp"
#include "view/zip_entries.hpp"
#include "view/zip_layout.hpp"

namespace bdelta::view {

Result<bool> may_be_archive(RandomReader& file) {
  Bytes held;
  const auto part = [&](std::uint64_t pos, std::uint64_t bytes) -> Result<ByteSpan> {
    const ByteSpan view = file.view();
    if (!view.empty()) return view.subspan(static_cast<std::size_t>(pos), static_cast<std::size_t>(bytes));
    held.resize(static_cast<std::size_t>(bytes));
    BDELTA_TRY(file.read_at(pos, held));
    return ByteSpan(held);
  };
  BDELTA_ASSIGN(const ByteSpan first, part(0, std::min<std::uint64_t>(file.size(), kTarBlockBytes)));
  if (first.size() >= std::size(kGzipMagic) && std::equal(std::begin(kGzipMagic), std::end(kGzipMagic), first.begin())) return true;
  if (is_png(first)) return true;
  if (first.size() == kTarBlockBytes && is_tar_header(first)) return true;
  const std::uint64_t end_bytes = std::min(file.size(), kZipEndBytes + kMostZipComment);
  BDELTA_ASSIGN(const ByteSpan end, part(file.size() - end_bytes, end_bytes));
  return find_zip_end(end).has_value();
}

bool is_unpackable(const ZipEntry& entry) noexcept {
  return !entry.is_encrypted && entry.method == kZipDeflated && entry.packed_bytes >= kLeastStreamBytes &&
         entry.raw_bytes / kMostRatio <= entry.packed_bytes;
}

std::vector<FoundStream> find_gzip_stream(ByteSpan file, std::uint64_t pos) {
  const std::uint64_t head_bytes = gzip_head_bytes(file, pos);
  if (head_bytes == 0) return {};
  return {{pos + head_bytes, 0, 0, {}}};
}

}  // namespace bdelta::view

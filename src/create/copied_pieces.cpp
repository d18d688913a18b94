#include "create/copied_pieces.hpp"

#include <atomic>
#include <cstring>

#include "base/deciding/prediction.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kUnitBytes = SubstitutionTable::kSpanUnitBytes;

CopiedPieces pieces_of(const CopiedBytes& all) {
  CopiedPieces pieces;
  for (const Cover& cover : all.covers) {
    for (std::uint64_t pos = cover.target_pos; pos < cover.target_end();) {
      const std::uint64_t unit = pos / kUnitBytes;
      const std::uint64_t end = std::min((unit + 1) * kUnitBytes, cover.target_end());
      pieces.push_back({all.copied(cover, pos, end), all.wanted(pos, end), unit, 0});
      pos = end;
    }
  }
  return pieces;
}

std::uint64_t bytes_of(const CopiedPieces& pieces) {
  std::uint64_t bytes = 0;
  for (const CopiedPiece& piece : pieces) bytes += piece.copied.size();
  return bytes;
}

}  // namespace

CopiedPieces changed_pieces(const CopiedBytes& all, std::uint64_t most_search, WorkerPool& pool) {
  CopiedPieces pieces = pieces_of(all);
  std::atomic<std::uint64_t> changed_bytes{0};
  for_each_piece(pieces, pool, [&](CopiedPiece& piece) {
    if (std::memcmp(piece.copied.data(), piece.wanted.data(), piece.copied.size()) == 0) {
      piece.copied = {};
    } else {
      piece.changed_bytes = count_differing(piece.copied, piece.wanted);
      changed_bytes.fetch_add(piece.changed_bytes, std::memory_order_relaxed);
    }
  });
  std::erase_if(pieces, [](const CopiedPiece& piece) { return piece.copied.empty(); });
  const std::uint64_t searched_bytes = bytes_of(pieces);
  if (searched_bytes > kFreeSearchBytes && searched_bytes / most_search > changed_bytes.load()) pieces.clear();
  return pieces;
}

PieceSample sample_of(const CopiedPieces& pieces, std::uint64_t most_bytes) {
  PieceSample sample;
  sample.ratio = static_cast<std::uint32_t>(1 + bytes_of(pieces) / most_bytes);
  for (std::size_t i = 0; i < pieces.size(); i += sample.ratio) sample.pieces.push_back(pieces[i]);
  return sample;
}

}  // namespace bdelta

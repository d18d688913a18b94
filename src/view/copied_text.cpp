#include "view/copied_text.hpp"

#include <algorithm>
#include <memory>

#include "view/file_window.hpp"
#include "view/view_positions.hpp"

namespace bdelta::view {
namespace {

constexpr std::uint64_t kLeastTextBytes = 2 * deflate::kWindowBytes;  // of a stream whose tokens may be taken
constexpr std::size_t kComparedBytes = std::size_t{64} << 10;  // that are compared at a time
constexpr std::size_t kMostCopies = std::size_t{64} << 10;     // that are remembered
constexpr std::size_t kLeastAlikeBytes = 64;                // between two places where bytes differ; fewer are of no use

}  // namespace

CopiedText::CopiedText(RandomReader& file, RandomReader& view, const PackedStreams& parts) : file_(file), view_(view) {
  ViewPositions positions(parts);
  for (const PackedStream& part : parts) {
    if (part.raw_bytes >= kLeastTextBytes) texts_.push_back({positions.at(part.file_pos), part.file_pos, part.raw_bytes});
  }
}

void CopiedText::tell(std::uint64_t pos, std::uint64_t from, std::uint64_t bytes) {
  const bool are_many = copies_.size() >= kMostCopies;
  if (are_many || next_ == copies_.size()) {  // those before next_ are of no use
    copies_.erase(copies_.begin(), copies_.begin() + static_cast<std::ptrdiff_t>(are_many ? std::max(next_, kMostCopies / 2) : next_));
    next_ = 0;
  }
  deflate::add_joined(copies_, {pos, bytes, 0, from, false});
}

void CopiedText::find(std::uint64_t pos, ByteSpan text, std::uint64_t stream_pos, const Taker& take) {
  const std::uint64_t end = pos + text.size();
  while (next_ < copies_.size() && copies_[next_].end() <= pos) ++next_;
  for (std::size_t i = next_; i < copies_.size() && copies_[i].pos < end; ++i) {
    const deflate::TextCopy& copy = copies_[i];
    const std::uint64_t begin = std::max(copy.pos, pos);
    const ByteSpan part = text.subspan(static_cast<std::size_t>(begin - pos), static_cast<std::size_t>(std::min(copy.end(), end) - begin));
    compare(begin, begin - copy.pos + copy.from, part, stream_pos, take);
  }
}

void CopiedText::compare(std::uint64_t pos, std::uint64_t from, ByteSpan text, std::uint64_t stream_pos, const Taker& take) {
  const std::uint64_t from_end = from + text.size();
  auto next = std::upper_bound(texts_.begin(), texts_.end(), from, [](std::uint64_t at, const Text& old) { return at < old.view_end(); });
  for (; next != texts_.end() && next->view_pos < from_end; ++next) {
    const std::uint64_t first = std::max(from, next->view_pos), last = std::min(from_end, next->view_end());
    const ByteSpan part = text.subspan(static_cast<std::size_t>(first - from), static_cast<std::size_t>(last - first));
    compare_within(pos + (first - from), first, part, stream_pos, [&](deflate::TextCopy alike) {
      alike.stream = static_cast<std::uint64_t>(next - texts_.begin());
      alike.to_end = alike.from + alike.bytes == next->view_end();
      alike.from -= next->view_pos;
      take(alike);
    });
  }
}

// Gives places of OLD's view.
void CopiedText::compare_within(std::uint64_t pos, std::uint64_t from, ByteSpan text, std::uint64_t stream_pos, const Taker& take) {
  for (std::size_t done = 0; done < text.size();) {
    const ByteSpan piece = text.subspan(done, std::min(kComparedBytes, text.size() - done));
    const ByteSpan old = old_view(from + done, piece.size());
    if (old.size() != piece.size()) return;
    for (std::size_t at = 0; at < piece.size(); ++at) {
      const std::size_t end = at + count_equal(piece.data() + at, old.data() + at, piece.size() - at);
      const bool is_inside = at != 0 && end != piece.size();
      if (end > at && !(is_inside && end - at < kLeastAlikeBytes)) take({pos + done + at - stream_pos, end - at, 0, from + done + at, false});
      at = end;
    }
    done += piece.size();
  }
}

// Nothing if it can't be read.
ByteSpan CopiedText::old_view(std::uint64_t pos, std::size_t bytes) {
  if (pos > view_.size() || bytes > view_.size() - pos) return {};
  if (!view_.view().empty()) return view_.view().subspan(static_cast<std::size_t>(pos), bytes);
  read_.resize(bytes);
  return view_.read_at(pos, read_) ? ByteSpan(read_) : ByteSpan();
}

deflate::PackedPieces CopiedText::open(std::uint64_t stream) const {
  const auto window = std::make_shared<FileWindow>(file_);
  const std::uint64_t begin = texts_[static_cast<std::size_t>(stream)].file_pos;
  return [window, begin](std::uint64_t pos) { return window->from(std::min(window->size(), begin + pos), deflate::kLeastPieceBytes); };
}

}  // namespace bdelta::view

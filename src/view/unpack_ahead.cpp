#include "view/unpack_ahead.hpp"

#include <algorithm>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "view/zip_layout.hpp"

namespace bdelta::view {

UnpackAhead::UnpackAhead(const FileWindow& file, const ViewPlan& plan, ByteCursor geometry, WorkerPool& pool)
    : file_(file), plan_(plan), geometry_(geometry), positions_(file_, plan, geometry_), pool_(pool),
      most_bytes_(kAheadThreadBytes * pool.thread_count()) {
  read_hints();
}

UnpackAhead::~UnpackAhead() {
  for (const Item& item : items_) pool_.wait_for(item.is_done);
}

// Entries as far as they are whole; of an archive with 64-bit fields those that need none. Most directories are in the order of the
// file, and of others nothing comes of it.
void UnpackAhead::read_hints() {
  const std::uint64_t last_bytes = std::min<std::uint64_t>(file_.size(), kZipEndBytes + kMostZipComment);
  const std::uint64_t last_pos = file_.size() - last_bytes;
  const ByteSpan last = file_.from(last_pos, static_cast<std::size_t>(last_bytes));
  std::size_t at = last.size() < kZipEndBytes ? 0 : last.size() - kZipEndBytes;
  while (at > 0 && zip_field<std::uint32_t>(last, at) != kZipEndMagic) --at;
  if (at == 0) return;
  const std::uint64_t end = last_pos + at, bytes = zip_field<std::uint32_t>(last, at + 12), begin = zip_field<std::uint32_t>(last, at + 16);
  if (bytes > end || begin > end - bytes) return;
  const std::uint64_t shift = end - bytes - begin;  // what stands in front of the archive
  for (std::uint64_t pos = end - bytes; end - pos >= kZipEntryBytes && hints_.size() < kMostStreams;) {
    const ByteSpan entry = file_.from(pos, kZipEntryBytes);
    if (entry.size() < kZipEntryBytes || zip_field<std::uint32_t>(entry, 0) != kZipEntryMagic) break;
    hints_.push_back({zip_field<std::uint32_t>(entry, 42) + shift, zip_field<std::uint32_t>(entry, 20), zip_field<std::uint32_t>(entry, 24)});
    const std::uint64_t entry_bytes = kZipEntryBytes + zip_field<std::uint16_t>(entry, 28) + zip_field<std::uint16_t>(entry, 30) +
                                      zip_field<std::uint16_t>(entry, 32);
    pos += std::min(entry_bytes, end - pos);
  }
}

// The one of the header in front.
const UnpackAhead::Hint* UnpackAhead::hint_of(std::uint64_t pos) const {
  const auto behind = std::lower_bound(hints_.begin(), hints_.end(), pos, [](const Hint& hint, std::uint64_t at) { return hint.header_pos < at; });
  return behind == hints_.begin() ? nullptr : &*std::prev(behind);
}

// The stream behind `end_`; false if none is, or nobody knows.
bool UnpackAhead::find_next() {
  if (count_ == plan_.source_count) return false;
  ZipDirectory directory;
  while (positions_.is_directory_next(count_)) {
    if (!positions_.next_directory(end_, directory)) return false;
    end_ = directory.file_end();
  }
  std::uint64_t pos = 0;
  if (!positions_.next_stream(end_, pos)) return false;
  const Hint* const hint = hint_of(pos);
  if (!hint || hint->packed_bytes > file_.size() - pos) return false;
  next_.emplace(Item{});
  next_->pos = pos;
  next_->room_bytes = std::min<std::uint64_t>(hint->raw_bytes, plan_.source_largest_bytes);
  end_ = pos + hint->packed_bytes;
  ++count_;
  return true;
}

// Large ones are left to the caller.
void UnpackAhead::go_on() {
  while (!has_ended_) {
    if (!next_ && !find_next()) {
      has_ended_ = true;
      return;
    }
    if (next_->room_bytes <= most_bytes_) {
      if (held_bytes_ + next_->room_bytes > most_bytes_) return;
      held_bytes_ += next_->room_bytes;
      Item& item = items_.emplace_back(std::move(*next_));
      try {
        pool_.submit([this, &item] { unpack(item); });
      } catch (...) {  // want of memory: nobody is to wait for it
        items_.pop_back();
        throw;
      }
    }
    next_.reset();
  }
}

// Without a text where it is not as the archive says.
void UnpackAhead::unpack(Item& item) {
  const Span span(pool_.timeline(), PhaseId::kUnpack);
  const Status status = guarded([&]() -> Status {
    FileWindow file(file_);
    const auto pieces = [&](std::uint64_t at) { return file.from(std::min(file.size(), item.pos + at), deflate::kLeastPieceBytes); };
    AheadText text;
    text.bytes.reserve(static_cast<std::size_t>(item.room_bytes));
    Bytes room;
    BDELTA_ASSIGN(text.sizes, deflate::inflate_into(pieces, item.room_bytes, room, [&](ByteSpan bytes) -> Status {
                    append(text.bytes, bytes);
                    return {};
                  }));
    if (file.status()) item.text = std::move(text);
    return {};
  });
  if (!status) item.text.reset();
  pool_.mark(item.is_done);
}

std::optional<AheadText> UnpackAhead::take(std::uint64_t pos, std::uint64_t most_bytes) {
  go_on();
  std::optional<AheadText> text;
  while (!items_.empty() && items_.front().pos <= pos) {
    Item& front = items_.front();
    pool_.wait_for(front.is_done);
    if (front.pos == pos && front.text && front.text->sizes.raw_bytes <= most_bytes) text = std::move(front.text);
    held_bytes_ -= front.room_bytes;
    items_.pop_front();
  }
  go_on();
  return text;
}

}  // namespace bdelta::view

#include "view/rebuilding_queue.hpp"

#include <algorithm>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "hash/adler32.hpp"
#include "hash/crc32.hpp"

namespace bdelta::view {
namespace {

constexpr std::uint64_t kQueueThreadBytes = std::uint64_t{4} << 20;      // for each thread
constexpr std::uint64_t kMostCollectedBytes = std::uint64_t{4} << 20;    // raw and packed, of a stream that one thread makes
constexpr std::uint64_t kMostCollectedTokens = std::uint64_t{256} << 10;  // of a block of it
constexpr std::uint64_t kItemBytes = 512;                                // of an item, without its bytes
constexpr std::size_t kPieceBytes = std::size_t{256} << 10;              // between two looks at the watch

// Whether a thread may make it alone, in bounded memory.
bool is_collected(const PackedStream& stream, const deflate::StreamRecipe& recipe) {
  if (stream.raw_bytes > kMostCollectedBytes || stream.packed_bytes > kMostCollectedBytes - stream.raw_bytes) return false;
  return std::none_of(recipe.deviations.begin(), recipe.deviations.end(),
                      [](const deflate::BlockDeviation& deviation) { return deviation.size > kMostCollectedTokens; });
}

}  // namespace

RebuildingQueue::RebuildingQueue(RebuildingWriter& writer, WorkerPool& pool)
    : writer_(writer), target_(writer.target()), pool_(pool), most_bytes_(pool.thread_count() * kQueueThreadBytes),
      parts_(target_.replaced.all()), positions_(parts_) {
  matchers_.reserve(pool.thread_count());
  begin_gap(0);
}

RebuildingQueue::~RebuildingQueue() {
  {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
  }
  pool_.wait();
}

// Of the view, behind `end` of a stream: up to the next one.
void RebuildingQueue::begin_gap(std::uint64_t end) {
  part_ = Part::kGap;
  const std::uint64_t begin = positions_.at(end);
  left_bytes_ = index_ < target_.streams().size() ? positions_.at(target_.streams()[index_].file_pos) - begin : 0;
}

Status RebuildingQueue::remember(Status status) {
  if (!status) error_ = status.error();
  return status;
}

Status RebuildingQueue::write(ByteSpan view) {
  if (error_) return *error_;
  return remember(guarded([&] { return take(view); }));
}

Status RebuildingQueue::take(ByteSpan view) {
  for (;;) {
    const bool is_behind_all = part_ == Part::kGap && index_ == target_.streams().size();
    const std::uint64_t most = is_behind_all ? view.size() : left_bytes_;
    const ByteSpan piece = view.first(static_cast<std::size_t>(std::min<std::uint64_t>(view.size(), most)));
    if (part_ == Part::kCollected) {
      collect(piece);
    } else if (!piece.empty()) {
      BDELTA_TRY(pass(piece));
    }
    view_pos_ += piece.size();
    if (is_behind_all) return {};
    left_bytes_ -= piece.size();
    view = view.subspan(piece.size());
    if (left_bytes_ > 0) return {};
    BDELTA_TRY(part_ == Part::kGap ? begin_part() : end_part());
  }
}

void RebuildingQueue::collect(ByteSpan view) {
  Item& item = items_.back();
  if (writer_.copied() && target_.recipes[index_].lends) {
    const auto take = [&item](const deflate::TextCopy& copy) { deflate::add_joined(item.copies, copy); };
    writer_.copied()->find(view_pos_, view, view_pos_ - item.view.size(), take);
  }
  append(item.view, view);
}

// Of a gap, or of a large stream: then the queue is empty.
Status RebuildingQueue::pass(ByteSpan view) {
  if (items_.empty()) return writer_.write(view);
  for (; !view.empty(); view = view.subspan(std::min(view.size(), kPieceBytes))) {
    const ByteSpan piece = view.first(std::min(view.size(), kPieceBytes));
    const bool has_room = items_.back().stream == kNoStream && items_.back().view.size() < kPieceBytes;
    Item& item = has_room ? items_.back() : add(kNoStream, kItemBytes);
    append(item.view, piece);
    item.memory_bytes += piece.size();
    queued_bytes_ += piece.size();
    BDELTA_TRY(put_done(most_bytes_));
    if (items_.empty()) return writer_.write(view.subspan(piece.size()));
  }
  return {};
}

RebuildingQueue::Item& RebuildingQueue::add(std::size_t stream, std::uint64_t memory_bytes) {
  Item& item = items_.emplace_back();
  item.stream = stream;
  item.memory_bytes = memory_bytes;
  item.is_done = stream == kNoStream;
  queued_bytes_ += memory_bytes;
  return item;
}

// A stream, behind the gap at hand.
Status RebuildingQueue::begin_part() {
  const PackedStream& stream = target_.streams()[index_];
  left_bytes_ = stream.raw_bytes;
  if (!is_collected(stream, target_.recipes[index_])) {
    part_ = Part::kLarge;
    return put_done(0);
  }
  part_ = Part::kCollected;
  const std::uint64_t memory_bytes = stream.raw_bytes + stream.packed_bytes + kItemBytes;
  BDELTA_TRY(put_done(most_bytes_ - std::min(most_bytes_, memory_bytes)));
  add(index_, memory_bytes).view.reserve(static_cast<std::size_t>(stream.raw_bytes));
  return {};
}

Status RebuildingQueue::end_part() {
  if (part_ == Part::kCollected) {
    Item& item = items_.back();
    pool_.submit([this, &item] { run(item); });
  }
  begin_gap(target_.streams()[index_++].file_end());
  return put_done(most_bytes_);
}

// Puts what is done at the front, and waits for it while there is more than most_bytes.
Status RebuildingQueue::put_done(std::uint64_t most_bytes) {
  while (!items_.empty()) {
    Item& front = items_.front();
    if (queued_bytes_ <= most_bytes && !pool_.is_marked(front.is_done)) break;
    pool_.wait_for(front.is_done);
    BDELTA_TRY(std::move(front.status));
    BDELTA_TRY(front.stream == kNoStream ? writer_.write(front.view)
                                         : writer_.put_stream(front.stream, front.packed, front.crc, front.adler));
    queued_bytes_ -= front.memory_bytes;
    items_.pop_front();
  }
  return {};
}

void RebuildingQueue::run(Item& item) {
  item.status = guarded([&] { return make(item, true); });
  pool_.mark(item.is_done);
}

// The stream, or as much of it as there is text for.
Status RebuildingQueue::make(Item& item, bool whole) {
  std::unique_ptr<deflate::MatcherSet> matchers;
  {
    const std::lock_guard lock(mutex_);
    if (stopped_) return {};
    if (!matchers_.empty()) {
      matchers = std::move(matchers_.back());
      matchers_.pop_back();
    }
  }
  if (!matchers) matchers = std::make_unique<deflate::MatcherSet>();
  const Span span(pool_.timeline(), PhaseId::kWrite);
  const PackedStream& stream = target_.streams()[item.stream];
  const auto take = [&](ByteSpan bytes) -> Status {
    append(item.packed, bytes);
    return {};
  };
  item.packed.reserve(static_cast<std::size_t>(stream.packed_bytes));
  deflate::Rebuilder rebuilder(*matchers, target_.recipes[item.stream], {stream.raw_bytes, stream.packed_bytes}, take, nullptr,
                               writer_.copied());
  for (const deflate::TextCopy& copy : item.copies) rebuilder.add_copy(copy);
  for (ByteSpan left = item.view; !left.empty();) {
    const ByteSpan piece = left.first(std::min(left.size(), kPieceBytes));
    BDELTA_TRY(rebuilder.write(piece));
    pool_.advance();
    left = left.subspan(piece.size());
  }
  if (!whole) return {};
  BDELTA_TRY(rebuilder.finish());
  if (stream.packed_bytes <= kMostCheckedBytes) {
    item.crc = crc32(item.view);
    item.adler = adler32(item.view);
  }
  Bytes().swap(item.view);
  const std::lock_guard lock(mutex_);
  matchers_.push_back(std::move(matchers));
  return {};
}

Status RebuildingQueue::settle(bool is_end) {
  if (error_) return *error_;
  return remember(guarded([&]() -> Status {
    if (part_ != Part::kCollected) return put_done(0);
    BDELTA_TRY(put_done(items_.back().memory_bytes));
    return is_end ? make(items_.back(), false) : Status();
  }));
}

Status RebuildingQueue::finish() {
  BDELTA_TRY(settle(true));
  return remember(guarded([&] { return writer_.finish(); }));
}

}  // namespace bdelta::view

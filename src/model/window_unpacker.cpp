#include "model/window_unpacker.hpp"

#include <algorithm>
#include <limits>

#include "base/byte_cursor.hpp"
#include "model/window_model.hpp"

namespace bdelta {

struct WindowUnpacker::State {
  State(const ModelScope& what, CodeFeed& feed) : scope(what), decoder(feed), model(what) {}

  ModelScope scope;
  RangeDecoder decoder;
  ModelScope window_scope;  // of the window at hand
  bool begun = false;
  mix::WindowModel model;
  mix::WindowNumbers numbers;  // of the window at hand; kept for its memory
};

WindowUnpacker::WindowUnpacker(const ModelScope& scope, CodeFeed& feed) : state_(std::make_unique<State>(scope, feed)) {
  static_assert(sizeof(State) + 64 * 1024 <= 768 * 1024, "model_memory_bytes counts on it");
}

WindowUnpacker::~WindowUnpacker() = default;

bool WindowUnpacker::ends_well() const noexcept {
  return state_->decoder.left() == 0 && (!state_->begun || state_->decoder.ends_well());
}

void WindowUnpacker::plain(const WindowRecord& record) {
  state_->model.plain(record.target_length, static_cast<std::uint64_t>(record.diagonal_change));
}

namespace {

using Op = mix::OpNumbers;
using Run = mix::RunNumbers;

// The numbers of a stream that is not in scope, each of them `less` by this; false if it holds more or less.
template <class Item, class Number>
bool read_given(const Bytes& stream, std::vector<Item>& items, Number Item::*member, unsigned less = 0) {
  // Numbers beyond 32 bits are beyond any window where 32 are kept, and so is what stands in their place.
  constexpr std::uint64_t kMost = sizeof(Number) < 8 ? std::numeric_limits<Number>::max() - 1 : ~std::uint64_t{0};
  ByteCursor cursor(stream);
  for (Item& item : items) item.*member = static_cast<Number>(std::min(cursor.varint(), kMost) + less);
  return cursor.ok() && cursor.available() == 0;
}

template <class Item, class Number>
void write_found(Bytes& stream, const std::vector<Item>& items, Number Item::*member, unsigned less = 0) {
  stream.clear();
  for (const Item& item : items) append_varint(stream, item.*member - less);
}

}  // namespace

bool WindowUnpacker::read_streams(StreamBytes& streams) {
  const ModelScope& scope = state_->window_scope;
  mix::WindowNumbers& numbers = state_->numbers;
  numbers.values.swap(streams[kResidualValues]);
  if (scope.has(kResidualValues)) numbers.values.clear();
  return (scope.has(kLiteralLengths) || read_given(streams[kLiteralLengths], numbers.ops, &Op::literal)) &&
         (scope.has(kCopyLengths) || read_given(streams[kCopyLengths], numbers.ops, &Op::length)) &&
         (scope.has(kDiagonals) || read_given(streams[kDiagonals], numbers.ops, &Op::jump)) &&
         (scope.has(kResidualGaps) || read_given(streams[kResidualGaps], numbers.runs, &Run::gap)) &&
         (scope.has(kResidualLengths) || read_given(streams[kResidualLengths], numbers.runs, &Run::length, 1));
}

void WindowUnpacker::write_streams(StreamBytes& streams) {
  const ModelScope& scope = state_->window_scope;
  mix::WindowNumbers& numbers = state_->numbers;
  if (scope.has(kLiteralLengths)) write_found(streams[kLiteralLengths], numbers.ops, &Op::literal);
  if (scope.has(kCopyLengths)) write_found(streams[kCopyLengths], numbers.ops, &Op::length);
  if (scope.has(kDiagonals)) write_found(streams[kDiagonals], numbers.ops, &Op::jump);
  if (scope.has(kResidualGaps)) write_found(streams[kResidualGaps], numbers.runs, &Run::gap);
  if (scope.has(kResidualLengths)) write_found(streams[kResidualLengths], numbers.runs, &Run::length, 1);
  numbers.values.swap(streams[kResidualValues]);
}

Status WindowUnpacker::unpack(WindowRecord& record, StreamBytes& streams) {
  State& state = *state_;
  if (!state.begun) state.decoder.begin();
  state.begun = true;
  state.window_scope = state.scope;
  if (record.predicted) state.window_scope.streams &= ~kOpStreams;
  mix::WindowNumbers& numbers = state.numbers;
  numbers.target_length = record.target_length;
  numbers.ops.assign(static_cast<std::size_t>(record.copy_count), {});
  numbers.runs.assign(static_cast<std::size_t>(record.run_count), {});
  if (!read_streams(streams) || !state.model.code_ops(state.decoder, numbers, record.predicted) ||
      !state.model.code_residual(state.decoder, numbers)) {
    return Error{ErrorCode::kPatchCorrupt, "a window has other numbers than its counts say, or some beyond its end"};
  }
  std::uint64_t copied_bytes = 0;
  for (const mix::OpNumbers& op : numbers.ops) copied_bytes += op.length;
  write_streams(streams);
  for (std::size_t i = 0; i <= kResidualValues; ++i) record.sizes[i] = streams[i].size();
  record.sizes[kLiterals] = record.target_length - copied_bytes;
  return {};
}

}  // namespace bdelta

#include "apply/range_digests.hpp"

namespace bdelta {
namespace {

std::size_t size_between(std::uint64_t begin, std::uint64_t end) noexcept { return static_cast<std::size_t>(end - begin); }

}  // namespace

RangeDigests::RangeDigests(const Fills& fills) {
  std::size_t result_count = 0;
  std::size_t result_bytes = 0;
  for (const FillRule& rule : fills) {
    if (!rule.has_places()) continue;
    for (const FillRange& range : rule.ranges) {
      const auto place_bytes = static_cast<std::size_t>(rule.place_bytes(range));
      inputs_.push_back({range, rule.kind.encoding, rule.input_bytes(range), rule.kind.result_bytes, result_count,
                         result_bytes, place_bytes});
      result_count += static_cast<std::size_t>(rule.result_count(range));
      result_bytes += place_bytes;
    }
  }
  results_.resize(result_bytes);
  is_known_.resize(result_count);
  for (Input& input : inputs_) by_pos_.push_back(&input);
  by_place_ = by_pos_;
  sort(by_pos_, [](const Input* a, const Input* b) { return a->range.pos < b->range.pos; });
  sort(by_place_, [](const Input* a, const Input* b) { return a->range.place_pos < b->range.place_pos; });
  std::uint64_t latest_end = 0;
  for (Input* const input : by_pos_) input->latest_end = latest_end = std::max(latest_end, input->range.end());
}

// One for all orders keeps the library small.
void RangeDigests::sort(std::vector<Input*>& inputs, Before before) {
  if (!std::is_sorted(inputs.begin(), inputs.end(), before)) std::sort(inputs.begin(), inputs.end(), before);
}

// The place that `pos` lies in, or the first one behind it.
std::vector<RangeDigests::Input*>::const_iterator RangeDigests::place_at(std::uint64_t pos) const noexcept {
  return std::partition_point(by_place_.begin(), by_place_.end(),
                              [&](const Input* input) { return input->place_end() <= pos; });
}

std::uint64_t RangeDigests::next_place(std::uint64_t begin, std::uint64_t end) const noexcept {
  const auto place = place_at(begin);
  return place == by_place_.end() ? end : std::clamp((*place)->range.place_pos, begin, end);
}

void RangeDigests::store(const Input& input, std::uint64_t result, const Sha256Digest& digest) noexcept {
  const auto index = static_cast<std::size_t>(result);
  write_digest(input.encoding, digest, results_.data() + input.results_at + index * input.result_bytes);
  is_known_[input.first_result + index] = 1;
}

// What is not known of the range.
void RangeDigests::hash_range(Input& input, std::uint64_t pos, ByteSpan bytes) {
  std::uint64_t at = std::max(pos, input.range.pos);
  const std::uint64_t end = std::min(pos + bytes.size(), input.range.end());
  while (at < end) {
    const std::uint64_t result = (at - input.range.pos) / input.each_bytes;
    const std::uint64_t whole_end = std::min(input.range.pos + (result + 1) * input.each_bytes, input.range.end());
    const std::uint64_t stop = std::min(whole_end, end);
    if (!is_known_[input.first_result + static_cast<std::size_t>(result)]) {
      if (!input.hasher) input.hasher = std::make_unique<Sha256Hasher>();
      input.hasher->update(bytes.subspan(size_between(pos, at), size_between(at, stop)));
      if (stop == whole_end) store(input, result, input.hasher->finish());
    }
    at = stop;
  }
}

void RangeDigests::hash(std::uint64_t pos, ByteSpan bytes) {
  const std::uint64_t end = pos + bytes.size();
  for (; next_input_ < by_pos_.size() && by_pos_[next_input_]->range.pos < end; ++next_input_) {
    active_.push_back(by_pos_[next_input_]);
  }
  for (Input* const input : active_) hash_range(*input, pos, bytes);
  std::erase_if(active_, [&](const Input* input) { return input->range.end() <= end; });
}

// As much of the place as there is of it.
void RangeDigests::write(const Input& input, std::uint64_t pos, MutableByteSpan bytes) const noexcept {
  const std::uint64_t begin = std::max(pos, input.range.place_pos);
  const std::uint64_t end = std::min(pos + bytes.size(), input.place_end());
  const std::uint8_t* const from = results_.data() + input.results_at + size_between(input.range.place_pos, begin);
  std::copy_n(from, size_between(begin, end), bytes.data() + size_between(pos, begin));
}

std::uint64_t RangeDigests::write(std::uint64_t pos, MutableByteSpan bytes) const noexcept {
  const Input& input = **place_at(pos);
  write(input, pos, bytes);
  return std::min(pos + bytes.size(), input.place_end());
}

void RangeDigests::fill(std::uint64_t pos, MutableByteSpan held) {
  const auto first = place_at(pos);
  const auto last = std::partition_point(first, by_place_.cend(), [&](const Input* input) {
    return input->range.place_pos < pos + held.size();
  });
  std::vector<Input*> inputs(first, last);
  sort(inputs, [](const Input* a, const Input* b) { return a < b; });  // as in inputs_
  for (Input* const input : inputs) {
    hash_range(*input, pos, held);
    write(*input, pos, held);
  }
}

}  // namespace bdelta

#include "apply/filler.hpp"

#include <algorithm>

#include "base/try.hpp"

namespace bdelta {
namespace {

// Of a window, for each range that is looked at early: keeps time to the window where many ranges overlap.
constexpr std::size_t kBytesPerLook = 64;

std::size_t size_of(std::uint64_t begin, std::uint64_t end) noexcept { return static_cast<std::size_t>(end - begin); }

}  // namespace

Filler::Filler(const Fills& fills) {
  std::size_t result_count = 0;
  std::size_t result_bytes = 0;
  for (const FillRule& rule : fills) {
    if (rule.has_places()) inputs_.reserve(inputs_.size() + rule.ranges.size());
    for (const FillRange& range : rule.ranges) {
      if (!rule.has_places()) {
        headers_.push_back({range.pos, range.end(), rule.kind.encoding});
        continue;
      }
      const auto place_bytes = static_cast<std::size_t>(rule.place_bytes(range));
      inputs_.push_back({range, rule.kind.encoding, rule.input_bytes(range), rule.kind.result_bytes, result_count,
                         result_bytes, place_bytes, 0});
      result_count += static_cast<std::size_t>(rule.result_count(range));
      result_bytes += place_bytes;
    }
  }
  results_.resize(result_bytes);
  is_known_.resize(result_count);
  const auto comes_before = [](const Input& a, const Input& b) { return a.range.pos < b.range.pos; };
  if (!std::is_sorted(inputs_.begin(), inputs_.end(), comes_before)) std::sort(inputs_.begin(), inputs_.end(), comes_before);
  std::sort(headers_.begin(), headers_.end(), [](const Headers& a, const Headers& b) { return a.begin < b.begin; });
  by_place_.reserve(inputs_.size());
  std::uint64_t latest_end = 0;
  for (Input& input : inputs_) {
    input.latest_end = latest_end = std::max(latest_end, input.range.end());
    by_place_.push_back(&input);
  }
  std::sort(by_place_.begin(), by_place_.end(),
            [](const Input* a, const Input* b) { return a->range.place_pos < b->range.place_pos; });
}

// The stretch with headers that `pos` lies in, or the first one behind it.
std::vector<Filler::Headers>::const_iterator Filler::headers_at(std::uint64_t pos) const noexcept {
  return std::partition_point(headers_.begin(), headers_.end(), [&](const Headers& headers) { return headers.end <= pos; });
}

// Likewise the place.
std::vector<const Filler::Input*>::const_iterator Filler::place_at(std::uint64_t pos) const noexcept {
  return std::partition_point(by_place_.begin(), by_place_.end(),
                              [&](const Input* input) { return input->place_end() <= pos; });
}

bool Filler::has_place(std::uint64_t begin, std::uint64_t end) const noexcept {
  const auto place = place_at(begin);
  return place != by_place_.end() && (*place)->range.place_pos < end;
}

bool Filler::fills(std::uint64_t pos, std::uint64_t length) const noexcept {
  const auto headers = headers_at(pos);
  return length != 0 && (has_place(pos, pos + length) || (headers != headers_.end() && headers->begin < pos + length));
}

// Whether nothing of a part of the window is filled in. A block that reaches out of the window may be a header.
bool Filler::is_final(std::uint64_t begin, std::uint64_t end, std::uint64_t pos, ByteSpan window) const noexcept {
  if (has_place(begin, end)) return false;
  for (auto headers = headers_at(begin); headers != headers_.end() && headers->begin < end; ++headers) {
    const std::uint64_t from = std::max(begin, headers->begin);
    std::uint64_t block = from - (from - headers->begin) % kTarBlockBytes;
    for (; block < std::min(end, headers->end); block += kTarBlockBytes) {
      if (block < pos || block + kTarBlockBytes > pos + window.size()) return false;
      if (is_tar_header(window.subspan(size_of(pos, block), kTarBlockBytes))) return false;
    }
  }
  return true;
}

void Filler::store(const Input& input, std::uint64_t result, const Sha256Digest& digest) noexcept {
  const auto index = static_cast<std::size_t>(result);
  write_digest(input.encoding, digest, results_.data() + input.results_at + index * input.result_bytes);
  is_known_[input.first_result + index] = 1;
}

void Filler::hash_early(std::uint64_t pos, ByteSpan bytes) {
  Sha256Hasher hasher;
  const std::uint64_t end = pos + bytes.size();
  auto input = std::partition_point(inputs_.begin(), inputs_.end(), [&](const Input& each) { return each.range.pos < end; });
  for (std::size_t looks = bytes.size() / kBytesPerLook; looks > 0 && input != inputs_.begin(); --looks) {
    if ((--input)->latest_end <= pos) return;
    const FillRange& range = input->range;
    std::uint64_t result = range.pos >= pos ? 0 : (pos - range.pos - 1) / input->each_bytes + 1;
    for (; range.pos + result * input->each_bytes < range.end(); ++result) {
      const std::uint64_t begin = range.pos + result * input->each_bytes;
      const std::uint64_t stop = std::min(begin + input->each_bytes, range.end());
      if (stop > end) break;
      if (!is_final(begin, stop, pos, bytes)) continue;
      hasher.update(bytes.subspan(size_of(pos, begin), size_of(begin, stop)));
      store(*input, result, hasher.finish());
    }
  }
}

// What is not known of the range.
void Filler::hash_range(Active& active, std::uint64_t pos, ByteSpan bytes) {
  const Input& input = *active.input;
  std::uint64_t at = std::max(pos, input.range.pos);
  const std::uint64_t end = std::min(pos + bytes.size(), input.range.end());
  while (at < end) {
    const std::uint64_t result = (at - input.range.pos) / input.each_bytes;
    const std::uint64_t whole_end = std::min(input.range.pos + (result + 1) * input.each_bytes, input.range.end());
    const std::uint64_t stop = std::min(whole_end, end);
    if (!is_known_[input.first_result + static_cast<std::size_t>(result)]) {
      if (!active.hasher) active.hasher = std::make_unique<Sha256Hasher>();
      active.hasher->update(bytes.subspan(size_of(pos, at), size_of(at, stop)));
      if (stop == whole_end) store(input, result, active.hasher->finish());
    }
    at = stop;
  }
}

void Filler::hash(std::uint64_t pos, ByteSpan bytes) {
  const std::uint64_t end = pos + bytes.size();
  for (; next_input_ < inputs_.size() && inputs_[next_input_].range.pos < end; ++next_input_) {
    active_.push_back({&inputs_[next_input_], nullptr});
  }
  for (Active& active : active_) hash_range(active, pos, bytes);
  std::erase_if(active_, [&](const Active& active) { return active.input->range.end() <= end; });
}

// All whole headers; gives where a block begins that the bytes end inside, else their end.
std::uint64_t Filler::fill_headers(std::uint64_t pos, MutableByteSpan bytes) const noexcept {
  const std::uint64_t end = pos + bytes.size();
  for (auto headers = headers_at(pos); headers != headers_.end() && headers->begin < end; ++headers) {
    // The bytes begin at a block, or outside of all stretches.
    for (std::uint64_t block = std::max(pos, headers->begin); block < std::min(end, headers->end); block += kTarBlockBytes) {
      if (block + kTarBlockBytes > end) return block;
      const MutableByteSpan header = bytes.subspan(size_of(pos, block), kTarBlockBytes);
      if (!is_tar_header(header) || has_place(block, block + kTarBlockBytes)) continue;
      const TarChecksum sum = tar_checksum(header, headers->form);
      std::copy(sum.begin(), sum.end(), header.begin() + kTarChecksumAt);
    }
  }
  return end;
}

// What is in front of a place is hashed before its result is asked for.
Status Filler::fill_places(std::uint64_t pos, MutableByteSpan bytes, const Pass& pass) {
  if (bytes.empty()) return {};
  const std::uint64_t end = pos + bytes.size();
  std::uint64_t hashed_end = pos;
  for (auto place = place_at(pos); place != by_place_.end() && (*place)->range.place_pos < end; ++place) {
    const Input& input = **place;
    const std::uint64_t begin = std::max(pos, input.range.place_pos);
    hash(hashed_end, bytes.subspan(size_of(pos, hashed_end), size_of(hashed_end, begin)));
    hashed_end = begin;
    const std::uint8_t* const from = results_.data() + input.results_at + size_of(input.range.place_pos, begin);
    std::copy_n(from, size_of(begin, std::min(end, input.place_end())), bytes.data() + size_of(pos, begin));
  }
  hash(hashed_end, bytes.subspan(size_of(pos, hashed_end)));
  return pass(pos, bytes);
}

Status Filler::fill(std::uint64_t pos, MutableByteSpan bytes, const Pass& pass) {
  if (!held_.empty()) {
    const std::uint64_t block = pos - held_.size();
    const std::size_t count = std::min<std::size_t>(bytes.size(), kTarBlockBytes - held_.size());
    append(held_, bytes.first(count));
    if (held_.size() < kTarBlockBytes) return {};
    fill_headers(block, held_);
    BDELTA_TRY(fill_places(block, held_, pass));
    held_.clear();
    pos += count;
    bytes = bytes.subspan(count);
  }
  const auto whole = size_of(pos, fill_headers(pos, bytes));
  append(held_, bytes.subspan(whole));
  return fill_places(pos, bytes.first(whole), pass);
}

}  // namespace bdelta

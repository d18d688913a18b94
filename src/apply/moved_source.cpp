#include "apply/moved_source.hpp"

#include <algorithm>
#include <array>

#include "base/try.hpp"
#include "exe/btf.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kListPieceBytes = std::size_t{1} << 20;  // of a list, between two looks at the watch

Error no_such_list(std::uint64_t pos) {
  return {ErrorCode::kPatchCorrupt, "OLD has no list of types where the patch names one, or another one", pos};
}

}  // namespace

Result<std::unique_ptr<MovedSource>> MovedSource::make(RandomReader& source, const MovedNumbers& numbers, Watch* watch) {
  std::unique_ptr<MovedSource> moved(new MovedSource(source));
  moved->bytes_.reserve(static_cast<std::size_t>(numbers.type_bytes));
  moved->lists_.reserve(numbers.lists.size());
  for (const NumberList& list : numbers.lists) {
    BDELTA_TRY(moved->add_list(list, numbers, watch));
    if (watch) BDELTA_TRY(watch->check());
  }
  if (moved->bytes_.size() != numbers.type_bytes) return no_such_list(numbers.lists.back().header_pos);
  return moved;
}

Status MovedSource::add_list(const NumberList& list, const MovedNumbers& numbers, Watch* watch) {
  const std::uint64_t header_pos = list.header_pos;
  std::array<std::uint8_t, exe::kBtfHeaderBytes> header{};
  if (header_pos > size() || size() - header_pos < header.size()) return no_such_list(header_pos);
  BDELTA_TRY(source_.read_at(header_pos, header));
  const std::optional<exe::BtfTypes> types = exe::read_btf_header(header, header_pos, size());
  if (!types || types->size_bytes > numbers.type_bytes - bytes_.size()) return no_such_list(header_pos);
  if (!lists_.empty() && types->pos < lists_.back().end) return no_such_list(header_pos);
  const std::size_t held_at = bytes_.size();
  bytes_.resize(held_at + static_cast<std::size_t>(types->size_bytes));
  const MutableByteSpan held = MutableByteSpan(bytes_).subspan(held_at);
  for (std::size_t done = 0; done < held.size(); done += kListPieceBytes) {
    BDELTA_TRY(source_.read_at(types->pos + done, held.subspan(done, std::min(kListPieceBytes, held.size() - done))));
    if (watch) BDELTA_TRY(watch->check());
  }
  if (!exe::move_btf_numbers(held, numbers.common, list.own, watch)) return no_such_list(header_pos);
  if (held.empty()) return {};
  lists_.push_back({types->pos, types->pos + types->size_bytes, held_at});
  return {};
}

Status MovedSource::read_at(std::uint64_t pos, MutableByteSpan out) {
  BDELTA_TRY(source_.read_at(pos, out));
  const std::uint64_t end = pos + out.size();
  auto list = std::upper_bound(lists_.begin(), lists_.end(), pos,
                               [](std::uint64_t at, const Held& some) { return at < some.end; });
  for (; list != lists_.end() && list->begin < end; ++list) {
    const std::uint64_t from = std::max(pos, list->begin);
    const std::uint64_t length = std::min(end, list->end) - from;
    const auto* const held = bytes_.data() + list->at + (from - list->begin);
    std::copy_n(held, length, out.begin() + static_cast<std::ptrdiff_t>(from - pos));
  }
  return {};
}

}  // namespace bdelta

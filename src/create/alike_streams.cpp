#include "create/alike_streams.hpp"

#include <algorithm>
#include <map>

#include "view/member_fields.hpp"

namespace bdelta {
namespace {

Digest128 digest_of(ByteSpan file, const view::FoundStream& stream) { return packed_digest(file, stream.file_pos, stream.packed_bytes); }

// With what stands in front of each: a header is the stream's own.
view::KeptRanges kept_ranges(const FoundStreams& streams, const std::vector<bool>& is_kept) {
  view::KeptRanges ranges;
  std::uint64_t end = 0;
  for (std::size_t i = 0; i < streams.size(); ++i) {
    const std::uint64_t stream_end = streams[i].file_pos + streams[i].packed_bytes;
    if (is_kept[i]) {
      const std::uint64_t begin = streams[i].file_pos - end <= view::kMostHeadBytes ? end : streams[i].file_pos;
      if (!ranges.empty() && ranges.back().file_end() == begin) ranges.back().bytes += stream_end - begin;
      else ranges.push_back({begin, stream_end - begin});
    }
    end = stream_end;
  }
  return ranges;
}

}  // namespace

Digest128 packed_digest(ByteSpan file, std::uint64_t pos, std::uint64_t bytes) {
  return xxh3_128(file.subspan(static_cast<std::size_t>(pos), static_cast<std::size_t>(bytes)));
}

AlikeStreams::AlikeStreams(ByteSpan source, const FoundStreams& of_source, ByteSpan target, FoundStreams& of_target,
                           UnpackReport::Streams& same) {
  std::set<Digest128> known;
  for (const view::FoundStream& stream : of_source) known.insert(digest_of(source, stream));
  std::erase_if(of_target, [&](const view::FoundStream& stream) {
    const Digest128 digest = digest_of(target, stream);
    const bool is_alike = known.count(digest) != 0;
    if (!is_alike) return false;
    digests_.insert(digest);
    same.add(stream.packed_bytes);
    return true;
  });
  for (const view::FoundStream& stream : of_target) {
    if (!stream.name.empty()) changed_.insert(stream.name);
  }
}

void AlikeStreams::leave_all_packed() {
  all_stay_ = true;
  changed_.clear();
}

ChosenStreams AlikeStreams::choose(ByteSpan source, FoundStreams of_source, const WantedTexts& wanted,
                                   const std::function<bool(std::uint64_t)>& is_forced) const {
  std::vector<bool> stays_packed(of_source.size()), is_kept(of_source.size());
  std::map<Digest128, std::vector<std::size_t>> by_digest;
  for (std::size_t i = 0; i < of_source.size(); ++i) {
    if (const Digest128 digest = digest_of(source, of_source[i]); may_stay_packed(digest)) by_digest[digest].push_back(i);
  }
  for (const auto& [digest, indexes] : by_digest) {
    for (const std::size_t i : indexes) {
      stays_packed[i] = changed_.count(of_source[i].name) == 0 && !(is_forced && is_forced(of_source[i].file_pos));
    }
    const auto is_packed = [&](std::size_t i) { return stays_packed[i]; };
    if (wanted.have(digest) && std::all_of(indexes.begin(), indexes.end(), is_packed)) stays_packed[indexes.front()] = false;
    if (are_in_target(digest) && std::none_of(indexes.begin(), indexes.end(), is_packed)) is_kept[indexes.front()] = true;
  }
  ChosenStreams chosen{{}, kept_ranges(of_source, is_kept)};
  for (std::size_t i = 0; i < of_source.size(); ++i) {
    if (!stays_packed[i]) chosen.unpacked.push_back(std::move(of_source[i]));
  }
  return chosen;
}

}  // namespace bdelta

// M's tables as zlib has them: hash chains.
//
// Every position goes into a bucket by the hash of the bytes at it. `heads_` has the latest position of each bucket,
// `links_` for each of the last 32 Ki positions the one before it in the same bucket. A search walks from the latest
// one back and takes the longest match that is found, of equally long ones the nearest. It gives up after `chain`
// candidates or where a match is `nice`.
//
// zlib moves its window while it works. Here the text stays where it is, and so it makes no difference how it came in.
// Positions are kept as 16 bits above `base_`, which moves on by 32 KiB now and then; what was at or below it is 0,
// which means none. A new stream does not clear the tables: it goes on with the next numbers, and all up to `oldest_`
// count as none.
//
// The walk waits for memory more than for anything else. So a candidate costs one load in the text, of the four bytes
// that end where a longer match would, and one of its link.
#pragma once

#include <algorithm>
#include <vector>

#include "view/deflate/hashes.hpp"
#include "view/deflate/window_tables.hpp"

namespace bdelta::deflate {

template <Hash kHash>
class ChainTables : public WindowTables {
 protected:
  static constexpr bool kIsGo = kHash == Hash::kGo;
  static constexpr unsigned kLeastLength = kIsGo ? 4 : kLeastMatch;  // of a match

  ChainTables() : heads_(make_table(std::size_t{1} << (kIsGo ? 17 : 16))), links_(make_table(kPlaces<kHash>)) {}

  void begin_text(std::uint64_t first, std::uint64_t pos) noexcept { start<kHash>(first, pos); }

  void set_parameters(const Parameters& parameters) {
    if (parameters.hash_bits != parameters_.hash_bits) {
      std::fill(heads_.begin(), heads_.end(), std::uint16_t{0});
      forget();
    }
    hash_.choose(parameters);
    set_window<kHash>(parameters);
  }

  // A match at `pos` that is longer than `best`, or 0.
  Token find(std::uint64_t pos, unsigned best) noexcept {
    if (end_ - pos < kLeastLength + parameters_.ng) return 0;
    if constexpr (kIsGo) best = std::max(best, kLeastLength - 1);
    insert_up_to(pos);
    slide_for(pos);
    const auto at = static_cast<std::uint32_t>(pos - base_);
    std::uint32_t candidate = link(at);
    if (inserted_ == pos) {
      candidate = insert(at, hash_(four_bytes<kHash>(pos)));
      ++inserted_;
    }
    if (candidate <= oldest_ || at - candidate > most_distance_) return 0;
    if constexpr (kHash == Hash::kThreeBytes) {
      if (parameters_.ng) return longest_rerooted(pos, at, candidate, best);
    }
    return longest_on_chain(pos, at, candidate, best, [this](std::uint32_t from) { return link(from); });
  }

  [[nodiscard]] std::uint32_t link(std::uint32_t at) const noexcept { return links_[place<kHash>(at)]; }

 protected:
  void slide(std::uint32_t by) noexcept {
    move_down(heads_.data(), std::size_t{1} << parameters_.hash_bits, by);
    move_down(links_.data(), links_.size(), by);
    move_base<kHash>(by);
  }
  void slide_for(std::uint64_t pos) noexcept {
    while (const std::uint32_t by = slides_by<kHash>(pos)) slide(by);
  }

  std::uint32_t insert(std::uint32_t at, std::uint32_t bucket) noexcept {
    const std::uint32_t before = heads_[bucket];
    links_[place<kHash>(at)] = static_cast<std::uint16_t>(before);
    heads_[bucket] = static_cast<std::uint16_t>(at);
    return before;
  }

  // All positions before `pos`, of which four bytes are before the end.
  void insert_up_to(std::uint64_t pos) noexcept {
    if constexpr (kIsGo) slide_for(pos);
    while (inserted_ < pos) {
      const std::uint64_t to = std::min(pos, base_ + kMostInserted<kHash>);
      const std::uint8_t* text = text_at(inserted_);
      auto at = static_cast<std::uint32_t>(inserted_ - base_);
      for (; inserted_ < to; ++inserted_, ++text, ++at) insert(at, hash_(load_le<std::uint32_t>(text)));
      if (to < pos) slide(kWindowBytes);
    }
  }

  // The search of zlib-ng's level 9, which has zlib's hash. A long match can't be longer than the text that each of its
  // three-byte pieces has in common with another place. So the chain to walk is that of the piece, `offset` bytes into
  // the match, whose latest place is the farthest back. Once a match is found, that is chosen anew.
  Token longest_rerooted(std::uint64_t pos, std::uint32_t at, std::uint32_t candidate, unsigned best) noexcept {
    const auto most = static_cast<unsigned>(std::min<std::uint64_t>(end_ - pos, kMostMatch));
    if (best >= most) return 0;
    const std::uint32_t lowest = at > most_distance_ ? std::max(at - most_distance_, oldest_) : oldest_;
    const std::uint8_t* here = text_at(pos);
    const auto latest = [&](unsigned offset) { return heads_[hash_(load_le<std::uint32_t>(here + offset))]; };
    unsigned chain = chain_for(best);
    std::uint32_t offset = 0;
    if (best >= kLeastMatch) {
      looked_at_ += best;
      for (unsigned i = 1; i + 2 <= best; ++i) {
        if (latest(i) >= candidate) continue;
        candidate = latest(i);
        offset = i;
      }
      if (candidate <= lowest + offset) return 0;
    }
    Token found = 0;
    while (candidate < at) {
      const std::uint32_t start = candidate - offset;
      const auto length = static_cast<unsigned>(count_equal(text_at(base_ + start), here, most));
      ++looked_at_;
      if (length > best) {
        best = length;
        found = match_token(length, at - start);
        if (length >= most || best >= parameters_.nice) return found;
        if (length > kLeastMatch && start + length < at) {
          looked_at_ += length;
          candidate = start;
          offset = 0;
          for (std::uint32_t i = 0; i + kLeastMatch <= length; ++i) {
            const std::uint32_t before = link(start + i);
            if (before >= candidate) continue;
            if (before <= lowest + i) return found;
            candidate = before;
            offset = i;
          }
          if (latest(length - 4) < candidate) {
            offset = length - 4;
            candidate = latest(offset);
            if (candidate <= lowest + offset) return found;
          }
          continue;
        }
      }
      if (--chain == 0) return found;
      candidate = link(candidate);
      if (candidate <= lowest + offset) return found;
    }
    return found;
  }

  HashFunction<kHash> hash_;
  std::vector<std::uint16_t> heads_;
  std::vector<std::uint16_t> links_;
};

}  // namespace bdelta::deflate

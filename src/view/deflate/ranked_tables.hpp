// M2: the same decisions as over hash chains, found with fewer steps where chains are long.
//
// A search for a match of six bytes or more need not see candidates that have three bytes alike. So each position is
// linked three times: in zlib's own bucket, and among those with the same hash of 4 and of 6 bytes. What zlib would not
// have come to must not be found, though: it gives up after `chain` candidates. Therefore each position has a rank, the
// count of positions that went into its zlib bucket so far. All candidates with three equal bytes are in that bucket;
// so the difference of ranks is how many steps zlib takes to get there. The count wraps at 16 bits; a window is less.
//
// The search goes from what would be the best down. Chain 6: the first candidate that has six bytes alike and may be
// seen, then longer ones. If there is none, chain 4: the first of five bytes, else the first of four. If there is none,
// zlib's own chain for three. Of equally long ones the nearest comes first on each chain, as it does for zlib; and a
// match that is nice ends the search at the same place. Where one may not be seen, none behind it may.
//
// On chain 6 ranks are looked at every fourth step only, as each look may miss the cache. Near the end of a text, and
// where short matches are nice already, zlib's own search is taken.
//
// With the hash of Chromium zlib's chain is one of four bytes, and takes the place of chain 4; a match of three is there
// only by the chance that its fourth byte falls into the same bucket. Go's chain is likewise one of four bytes.
#pragma once

#include <vector>

#include "view/deflate/hashes.hpp"
#include "view/deflate/window_tables.hpp"

namespace bdelta::deflate {

template <Hash kHash>
class RankedTables : public WindowTables {
 protected:
  static constexpr bool kIsGo = kHash == Hash::kGo;
  static constexpr unsigned kLeastLength = kIsGo ? 4 : kLeastMatch;  // of a match

  RankedTables() : heads_(std::size_t{1} << (kIsGo ? 17 : 16)), heads4_(make_table(kHasFour ? std::size_t{1} << kBits4 : 0)),
                   heads6_(make_table(std::size_t{1} << kBits6)), entries_(kPlaces<kHash>) {}

  void begin_text(std::uint64_t first, std::uint64_t pos) noexcept { start<kHash>(first, pos); }

  void set_parameters(const Parameters& parameters) {
    if (parameters.hash_bits != parameters_.hash_bits) {
      std::fill(heads_.begin(), heads_.end(), Bucket{});
      std::fill(heads4_.begin(), heads4_.end(), std::uint16_t{0});
      std::fill(heads6_.begin(), heads6_.end(), std::uint16_t{0});
      forget();
    }
    hash_.set_bits(parameters.hash_bits);
    set_window<kHash>(parameters);
  }

  // A match at `pos` that is longer than `best`, or 0.
  Token find(std::uint64_t pos, unsigned best) noexcept {
    if (end_ - pos < kLeastLength) return 0;
    if constexpr (kIsGo) best = std::max(best, kLeastLength - 1);
    insert_up_to(pos);
    slide_for(pos);
    const auto at = static_cast<std::uint32_t>(pos - base_);
    if (inserted_ == pos) {
      insert(at, text_at(pos), hash_(four_bytes<kHash>(pos)));
      ++inserted_;
    }
    const Entry entry = entry_of(at);
    if (entry.link <= oldest_ || at - entry.link > most_distance_) return 0;
    const auto most = static_cast<unsigned>(std::min<std::uint64_t>(end_ - pos, kMostMatch));
    if (best >= most) return 0;
    if (std::min<unsigned>(parameters_.nice, most) < kLeastNice) {
      return longest_on_chain(pos, at, entry.link, best, [this](std::uint32_t from) { return link(from); });
    }
    return search(pos, at, entry, best, most);
  }

  [[nodiscard]] std::uint32_t link(std::uint32_t at) const noexcept { return entry_of(at).link; }

 private:
  struct Entry {
    std::uint16_t link = 0;   // of zlib's chain
    std::uint16_t link4 = 0;  // of the chain by 4 bytes
    std::uint16_t link6 = 0;  // of that by 6
    std::uint16_t rank = 0;
  };
  struct Bucket {
    std::uint16_t head = 0;
    std::uint16_t count = 0;
  };

  static constexpr bool kHasFour = kHash == Hash::kThreeBytes;
  static constexpr unsigned kBits4 = 15;
  static constexpr unsigned kBits6 = 16;
  static constexpr unsigned kLeastNice = 8;
  static constexpr std::uint32_t kFarForThree = 4096;  // as in ruled_matcher.hpp: farther ones are none

  [[nodiscard]] const Entry& entry_of(std::uint32_t at) const noexcept { return entries_[place<kHash>(at)]; }

  void slide(std::uint32_t by) noexcept {
    static_assert(sizeof(Entry) == 8 && sizeof(Bucket) == 4);
    move_down(&heads_.data()->head, std::size_t{2} << parameters_.hash_bits, 0b10101010, by);
    if constexpr (kHasFour) move_down(heads4_.data(), heads4_.size(), 0, by);
    move_down(heads6_.data(), heads6_.size(), 0, by);
    move_down(&entries_.data()->link, 4 * entries_.size(), 0b10001000, by);
    move_base<kHash>(by);
  }
  void slide_for(std::uint64_t pos) noexcept {
    while (const std::uint32_t by = slides_by<kHash>(pos)) slide(by);
  }

  void insert(std::uint32_t at, const std::uint8_t* text, std::uint32_t bucket_number) noexcept {
    const std::uint64_t bytes = load_le<std::uint64_t>(text);
    Bucket& bucket = heads_[bucket_number];
    Entry entry;
    entry.link = bucket.head;
    entry.rank = ++bucket.count;
    bucket.head = static_cast<std::uint16_t>(at);
    if constexpr (kHasFour) {
      std::uint16_t& head4 = heads4_[static_cast<std::uint32_t>(bytes) * 2654435761u >> (32 - kBits4)];
      entry.link4 = head4;
      head4 = static_cast<std::uint16_t>(at);
    }
    std::uint16_t& head6 = heads6_[(bytes << 16) * 0x9E3779B185EBCA87u >> (64 - kBits6)];
    entry.link6 = head6;
    head6 = static_cast<std::uint16_t>(at);
    entries_[place<kHash>(at)] = entry;
  }

  void insert_up_to(std::uint64_t pos) noexcept {
    if constexpr (kIsGo) slide_for(pos);
    while (inserted_ < pos) {
      const std::uint64_t to = std::min(pos, base_ + kMostInserted<kHash>);
      const std::uint8_t* text = text_at(inserted_);
      auto at = static_cast<std::uint32_t>(inserted_ - base_);
      for (; inserted_ < to; ++inserted_, ++text, ++at) insert(at, text, hash_(load_le<std::uint32_t>(text)));
      if (to < pos) slide(kWindowBytes);
    }
  }

  Token search(std::uint64_t pos, std::uint32_t at, const Entry& entry, unsigned best, unsigned most) const noexcept {
    const unsigned nice = std::min<unsigned>(parameters_.nice, most);
    const unsigned chain = chain_for(best);
    const std::uint32_t limit = at > too_far_ ? at - too_far_ : 0;
    const std::uint32_t lowest = std::max(oldest_ + 1, limit + (kIsGo ? 1 : 0));
    const std::uint8_t* here = text_at(pos);
    const std::uint8_t* text = text_;
    const std::uint64_t offset = base_ - text_pos_;
    const std::uint64_t head = load_le<std::uint64_t>(here);
    const auto steps_to = [&](std::uint32_t candidate) noexcept {
      return static_cast<std::uint16_t>(entry.rank - entry_of(candidate).rank);
    };
    // Of a candidate with three bytes alike. The first of all may be one byte farther.
    const auto is_seen = [&](std::uint32_t candidate) noexcept {
      const unsigned steps = steps_to(candidate);
      return steps <= chain && (candidate > limit || steps == 1);
    };

    Token found = 0;
    std::uint32_t candidate = entry.link6;
    if (best < 6) {
      for (; candidate >= lowest; candidate = entry_of(candidate).link6) {
        if ((load_le<std::uint64_t>(text + (offset + candidate)) ^ head) << 16 != 0) continue;
        if (!is_seen(candidate)) break;
        best = static_cast<unsigned>(count_equal(text + (offset + candidate), here, most));
        found = match_token(best, at - candidate);
        if (best >= nice) return found;
        candidate = entry_of(candidate).link6;
        break;
      }
      if (!found) return search_short(at, entry, best, head, chain, limit, lowest);
    }
    for (;;) {
      const std::uint32_t tail = load_le<std::uint32_t>(here + best - 3);
      const std::uint64_t tail_offset = offset + best - 3;
      for (unsigned hops = 1;; ++hops) {
        if (candidate < lowest) return found;
        if (load_le<std::uint32_t>(text + (tail_offset + candidate)) == tail) break;
        if (hops % 4 == 0 && steps_to(candidate) > chain &&
            load_le<std::uint32_t>(text + (offset + candidate)) == static_cast<std::uint32_t>(head)) {
          return found;
        }
        candidate = entry_of(candidate).link6;
      }
      const auto length = static_cast<unsigned>(count_equal(text + (offset + candidate), here, most));
      if (length > best) {
        if (!is_seen(candidate)) return found;
        best = length;
        found = match_token(length, at - candidate);
        if (length >= nice) return found;
      }
      candidate = entry_of(candidate).link6;
    }
  }

  // Where there is none of six bytes or more.
  Token search_short(std::uint32_t at, const Entry& entry, unsigned best, std::uint64_t head, unsigned chain,
                     std::uint32_t limit, std::uint32_t lowest) const noexcept {
    if (best >= 5) return 0;
    const std::uint8_t* text = text_;
    const std::uint64_t offset = base_ - text_pos_;
    const auto four = static_cast<std::uint32_t>(head);
    const auto fifth = static_cast<std::uint8_t>(head >> 32);
    Token found = 0;
    if constexpr (kHasFour) {
      for (std::uint32_t c = entry.link4; c >= lowest; c = entry_of(c).link4) {
        if (load_le<std::uint32_t>(text + (offset + c)) != four) continue;
        const unsigned steps = static_cast<std::uint16_t>(entry.rank - entry_of(c).rank);
        if (steps > chain || (c <= limit && steps != 1)) break;
        if (text[offset + c + 4] == fifth) return match_token(5, at - c);
        if (best < 4 && !found) found = match_token(4, at - c);
      }
      if (found || best >= kLeastMatch) return found;
      const std::uint32_t far = at > kFarForThree + 1 ? at - kFarForThree - 1 : 0;
      const std::uint32_t end = std::max({limit, oldest_, far});
      for (std::uint32_t c = entry.link;;) {
        if (load_le<std::uint32_t>(text + (offset + c)) << 8 == four << 8) return match_token(3, at - c);
        c = entry_of(c).link;
        if (c <= end || --chain == 0) return 0;
      }
    } else {
      const std::uint32_t end = std::max(limit, oldest_);
      Token three = 0;
      for (std::uint32_t c = entry.link;;) {
        const std::uint32_t there = load_le<std::uint32_t>(text + (offset + c));
        if (there == four) {
          if (text[offset + c + 4] == fifth) return match_token(5, at - c);
          if (best < 4 && !found) found = match_token(4, at - c);
        } else if (!kIsGo && there << 8 == four << 8 && !three) {
          three = match_token(3, at - c);
        }
        c = entry_of(c).link;
        if (c <= end || --chain == 0) break;
      }
      if (found) return found;
      return best < kLeastMatch ? three : 0;
    }
  }

  HashFunction<kHash> hash_;
  std::vector<Bucket> heads_;
  std::vector<std::uint16_t> heads4_;
  std::vector<std::uint16_t> heads6_;
  std::vector<Entry> entries_;
};

}  // namespace bdelta::deflate

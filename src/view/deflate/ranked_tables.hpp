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
// With the hash of Chromium zlib's chain is one of four bytes, and takes the place of chain 4. A match of three is there
// only by the chance that its fourth byte falls into the same bucket. Go's chain is likewise one of four bytes.
//
// Where chains are short, the two others cost more than they save. So now and then a sample of zlib's chains is walked. While
// these are short, they alone are kept and searched.
#pragma once

#include <utility>

#include "view/deflate/chain_tables.hpp"

namespace bdelta::deflate {

template <Hash kHash>
class RankedTables : public ChainTables<kHash> {
 protected:
  using Chains = ChainTables<kHash>;
  using Chains::base_, Chains::end_, Chains::first_, Chains::hash_, Chains::inserted_, Chains::looked_at_, Chains::most_distance_,
      Chains::oldest_, Chains::parameters_, Chains::text_, Chains::text_pos_, Chains::too_far_;
  using Chains::kIsGo, Chains::kLeastLength, Chains::link;

  RankedTables() : counts_(Chains::make_table(std::size_t{1} << (kIsGo ? 17 : 16))),
                   heads4_(Chains::make_table(kHasFour ? std::size_t{1} << kBits4 : 0)),
                   heads6_(Chains::make_table(std::size_t{1} << kBits6)),
                   links4_(Chains::make_table(kHasFour ? kPlaces : 0)), links6_(Chains::make_table(kPlaces)),
                   ranks_(Chains::make_table(kPlaces)) {}

  void begin_text(std::uint64_t first, std::uint64_t pos) noexcept {
    Chains::begin_text(first, pos);
    next_look_ = pos;
    end_at_look_ = 0;
    if (!std::exchange(is_ranked_, true)) clear();
  }

  void set_parameters(const Parameters& parameters) {
    if (parameters.hash_bits != parameters_.hash_bits) clear();
    Chains::set_parameters(parameters);
  }

  // A match at `pos` that is longer than `best`, or 0.
  Token find(std::uint64_t pos, unsigned best) noexcept {
    if (pos >= next_look_) look(pos);
    if (!is_ranked_) return Chains::find(pos, best);
    if (end_ - pos < kLeastLength) return 0;
    if constexpr (kIsGo) best = std::max(best, kLeastLength - 1);
    insert_up_to(pos);
    slide_for(pos);
    const auto at = static_cast<std::uint32_t>(pos - base_);
    if (inserted_ == pos) {
      insert(at, this->text_at(pos), hash_(this->template four_bytes<kHash>(pos)));
      ++inserted_;
    }
    const std::uint32_t candidate = link(at);
    if (candidate <= oldest_ || at - candidate > most_distance_) return 0;
    const auto most = static_cast<unsigned>(std::min<std::uint64_t>(end_ - pos, kMostMatch));
    if (best >= most) return 0;
    if (std::min<unsigned>(parameters_.nice, most) < kLeastNice) {
      return this->longest_on_chain(pos, at, candidate, best, [this](std::uint32_t from) { return link(from); });
    }
    unsigned looked_at = 0;
    const Token found = search(pos, at, best, most, looked_at);
    looked_at_ += looked_at;
    return found;
  }

 private:
  static constexpr bool kHasFour = kHash == Hash::kThreeBytes;
  static constexpr unsigned kBits4 = 15;
  static constexpr unsigned kBits6 = 16;
  static constexpr unsigned kLeastNice = 8;
  static constexpr std::uint32_t kFarForThree = 4096;  // as in ruled_matcher.hpp: farther ones are none
  static constexpr std::uint32_t kPlaces = Chains::template kPlaces<kHash>;

  static constexpr std::uint64_t kBytesToLook = kWindowBytes;  // from one look to the next
  static constexpr std::uint32_t kBytesToSample = 509;
  static constexpr unsigned kMostSteps = 64;   // that are counted of a chain
  static constexpr unsigned kShortSteps = 12;  // chains with fewer in the mean are walked faster than links are made

  [[nodiscard]] std::uint32_t link4(std::uint32_t at) const noexcept { return links4_[this->template place<kHash>(at)]; }
  [[nodiscard]] std::uint32_t link6(std::uint32_t at) const noexcept { return links6_[this->template place<kHash>(at)]; }
  [[nodiscard]] std::uint16_t rank(std::uint32_t at) const noexcept { return ranks_[this->template place<kHash>(at)]; }

  void clear() noexcept {
    for (auto* table : {&counts_, &heads4_, &heads6_}) std::fill(table->begin(), table->end(), std::uint16_t{0});
  }

  // Chooses between M and M2 for what follows; where no text is known before nothing is. Around a joint not all positions
  // are in the tables with the bytes that are there; so the choice waits until that is behind the window.
  void look(std::uint64_t pos) noexcept {
    next_look_ = pos + kBytesToLook;
    const bool begins_behind_text = end_at_look_ == 0 && pos - first_ >= kWindowBytes / 2;
    if (std::exchange(end_at_look_, end_) != end_ && !begins_behind_text) return;
    if (begins_behind_text) {
      is_ranked_ = false;
      Chains::insert_up_to(pos);
    }
    const bool was_ranked = is_ranked_;
    is_ranked_ = !has_short_chains();
    if (!is_ranked_ || was_ranked) return;
    clear();
    const auto at = static_cast<std::uint32_t>(pos - base_);
    const std::uint32_t begin = std::max(oldest_ + 1, at > kWindowBytes ? at - kWindowBytes : 0);
    for (std::uint32_t i = begin; i < inserted_ - base_; ++i) {
      const std::uint8_t* text = this->text_at(base_ + i);
      insert_ranked(i, text, hash_(load_le<std::uint32_t>(text)));
    }
  }

  [[nodiscard]] bool has_short_chains() const noexcept {
    const auto end = static_cast<std::uint32_t>(inserted_ - base_);
    unsigned steps = 0, samples = 0;
    for (std::uint32_t at = end - 1; at > oldest_ && end - at < kWindowBytes / 2; at -= std::min(at, kBytesToSample)) {
      ++samples;
      std::uint32_t next = link(at);
      for (unsigned i = 0; i < kMostSteps && next > oldest_ && at - next <= most_distance_; ++i, next = link(next)) ++steps;
    }
    return steps < samples * kShortSteps;
  }

  void slide(std::uint32_t by) noexcept {
    if constexpr (kHasFour) {
      Chains::move_down(heads4_.data(), heads4_.size(), by);
      Chains::move_down(links4_.data(), links4_.size(), by);
    }
    Chains::move_down(heads6_.data(), heads6_.size(), by);
    Chains::move_down(links6_.data(), links6_.size(), by);
    Chains::slide(by);
  }
  void slide_for(std::uint64_t pos) noexcept {
    while (const std::uint32_t by = this->template slides_by<kHash>(pos)) slide(by);
  }

  void insert(std::uint32_t at, const std::uint8_t* text, std::uint32_t bucket) noexcept {
    Chains::insert(at, bucket);
    insert_ranked(at, text, bucket);
  }

  void insert_ranked(std::uint32_t at, const std::uint8_t* text, std::uint32_t bucket) noexcept {
    const std::uint64_t bytes = load_le<std::uint64_t>(text);
    const std::uint32_t place = this->template place<kHash>(at);
    ranks_[place] = ++counts_[bucket];
    if constexpr (kHasFour) {
      std::uint16_t& head4 = heads4_[static_cast<std::uint32_t>(bytes) * 2654435761u >> (32 - kBits4)];
      links4_[place] = head4;
      head4 = static_cast<std::uint16_t>(at);
    }
    std::uint16_t& head6 = heads6_[(bytes << 16) * 0x9E3779B185EBCA87u >> (64 - kBits6)];
    links6_[place] = head6;
    // Three bytes before the end of a text Chromium takes a position for another than it is. It is not found by its bytes.
    if (kHash == Hash::kFourBytes && bucket != hash_(static_cast<std::uint32_t>(bytes))) return;
    head6 = static_cast<std::uint16_t>(at);
  }

  void insert_up_to(std::uint64_t pos) noexcept {
    if constexpr (kIsGo) slide_for(pos);
    while (inserted_ < pos) {
      const std::uint64_t to = std::min(pos, base_ + Chains::template kMostInserted<kHash>);
      const std::uint8_t* text = this->text_at(inserted_);
      auto at = static_cast<std::uint32_t>(inserted_ - base_);
      for (; inserted_ < to; ++inserted_, ++text, ++at) insert(at, text, hash_(load_le<std::uint32_t>(text)));
      if (to < pos) slide(kWindowBytes);
    }
  }

  Token search(std::uint64_t pos, std::uint32_t at, unsigned best, unsigned most, unsigned& looked_at) const noexcept {
    const unsigned nice = std::min<unsigned>(parameters_.nice, most);
    const unsigned chain = this->chain_for(best);
    const std::uint32_t limit = at > too_far_ ? at - too_far_ : 0;
    const std::uint32_t lowest = std::max(oldest_ + 1, limit + (kIsGo ? 1 : 0));
    const std::uint8_t* here = this->text_at(pos);
    const std::uint8_t* text = text_;
    const std::uint64_t offset = base_ - text_pos_;
    const std::uint64_t head = load_le<std::uint64_t>(here);
    const std::uint16_t own_rank = rank(at);
    const auto steps_to = [&](std::uint32_t candidate) noexcept {
      return static_cast<std::uint16_t>(own_rank - rank(candidate));
    };
    // Of a candidate with three bytes alike. The first of all may be one byte farther.
    const auto is_seen = [&](std::uint32_t candidate) noexcept {
      const unsigned steps = steps_to(candidate);
      return steps <= chain && (candidate > limit || steps == 1);
    };

    Token found = 0;
    std::uint32_t candidate = link6(at);
    if (best < 6) {
      for (; candidate >= lowest; candidate = link6(candidate), ++looked_at) {
        if ((load_le<std::uint64_t>(text + (offset + candidate)) ^ head) << 16 != 0) continue;
        if (!is_seen(candidate)) break;
        best = static_cast<unsigned>(count_equal(text + (offset + candidate), here, most));
        found = match_token(best, at - candidate);
        if (best >= nice) return found;
        candidate = link6(candidate);
        break;
      }
      if (!found) return search_short(at, best, head, chain, limit, lowest, looked_at);
    }
    for (;;) {
      const std::uint32_t tail = load_le<std::uint32_t>(here + best - 3);
      const std::uint64_t tail_offset = offset + best - 3;
      for (unsigned looked_count = 1;; ++looked_count) {
        ++looked_at;
        if (candidate < lowest) return found;
        if (load_le<std::uint32_t>(text + (tail_offset + candidate)) == tail) break;
        if (looked_count % 4 == 0 && steps_to(candidate) > chain &&
            load_le<std::uint32_t>(text + (offset + candidate)) == static_cast<std::uint32_t>(head)) {
          return found;
        }
        candidate = link6(candidate);
      }
      const auto length = static_cast<unsigned>(count_equal(text + (offset + candidate), here, most));
      if (length > best) {
        if (!is_seen(candidate)) return found;
        best = length;
        found = match_token(length, at - candidate);
        if (length >= nice) return found;
      }
      candidate = link6(candidate);
    }
  }

  // Where there is none of six bytes or more.
  Token search_short(std::uint32_t at, unsigned best, std::uint64_t head, unsigned chain,
                     std::uint32_t limit, std::uint32_t lowest, unsigned& looked_at) const noexcept {
    if (best >= 5) return 0;
    const std::uint8_t* text = text_;
    const std::uint64_t offset = base_ - text_pos_;
    const auto four = static_cast<std::uint32_t>(head);
    const auto fifth = static_cast<std::uint8_t>(head >> 32);
    Token found = 0;
    if constexpr (kHasFour) {
      for (std::uint32_t c = link4(at); c >= lowest; c = link4(c), ++looked_at) {
        if (load_le<std::uint32_t>(text + (offset + c)) != four) continue;
        const unsigned steps = static_cast<std::uint16_t>(rank(at) - rank(c));
        if (steps > chain || (c <= limit && steps != 1)) break;
        if (text[offset + c + 4] == fifth) return match_token(5, at - c);
        if (best < 4 && !found) found = match_token(4, at - c);
      }
      if (found || best >= kLeastMatch) return found;
      const std::uint32_t far = at > kFarForThree + 1 ? at - kFarForThree - 1 : 0;
      const std::uint32_t end = std::max({limit, oldest_, far});
      for (std::uint32_t c = link(at);;) {
        ++looked_at;
        if (load_le<std::uint32_t>(text + (offset + c)) << 8 == four << 8) return match_token(3, at - c);
        c = link(c);
        if (c <= end || --chain == 0) return 0;
      }
    } else {
      const std::uint32_t end = std::max(limit, oldest_);
      Token three = 0;
      for (std::uint32_t c = link(at);;) {
        ++looked_at;
        const std::uint32_t there = load_le<std::uint32_t>(text + (offset + c));
        if (there == four) {
          if (text[offset + c + 4] == fifth) return match_token(5, at - c);
          if (best < 4 && !found) found = match_token(4, at - c);
        } else if (!kIsGo && there << 8 == four << 8 && !three) {
          three = match_token(3, at - c);
        }
        c = link(c);
        if (c <= end || --chain == 0) break;
      }
      if (found) return found;
      return best < kLeastMatch ? three : 0;
    }
  }

  std::vector<std::uint16_t> counts_;           // of what went into each bucket
  std::vector<std::uint16_t> heads4_, heads6_;  // as heads_ by 4 and 6 bytes
  std::vector<std::uint16_t> links4_, links6_;  // as links_
  std::vector<std::uint16_t> ranks_;            // counts_ of its bucket at each position
  std::uint64_t next_look_ = 0;
  std::uint64_t end_at_look_ = 0;  // what end_ was
  bool is_ranked_ = true;  // else all of these are stale
};

}  // namespace bdelta::deflate

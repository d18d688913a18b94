// The description of a stream as bits, for both directions. What is read is held to bounds as it comes.
#pragma once

#include "base/varint.hpp"
#include "view/deflate/bit_coder.hpp"
#include "view/deflate/recipe.hpp"

namespace bdelta::deflate {

// What is known of a stream before its description is read.
struct StreamSizes {
  std::uint64_t raw_bytes = 0;
  std::uint64_t packed_bytes = 0;
};

// One for all streams of a recipe, which share what it has learnt.
template <class Coder>
class RecipeModels {
 public:
  explicit RecipeModels(Coder& coder) : coder_(coder) {}

  // Codes `recipe` but for the bytes of its lockstep code. False if what was read can't be; it is to be given up then.
  [[nodiscard]] bool code(StreamRecipe& recipe, const StreamSizes& sizes, std::uint64_t& lockstep_bytes) {
    if (!code_shape(recipe, sizes, lockstep_bytes)) return false;
    recipe.lends = may_lend(recipe, sizes.raw_bytes) && flag(lends_, recipe.lends);
    return true;
  }

 private:
  bool code_shape(StreamRecipe& recipe, const StreamSizes& sizes, std::uint64_t& lockstep_bytes) {
    const bool plain = recipe.joints.empty() && !recipe.dense && recipe.corrections.empty() && recipe.deviations.empty();
    const bool same = recipe.parameters == last_;
    if (flag(plain_, plain && same)) {
      if constexpr (Coder::kDecoding) recipe.parameters = last_;
      lockstep_bytes = 0;
      return true;
    }
    if (!code_parameters(recipe.parameters)) return false;
    if (!code_joints(recipe, sizes)) return false;
    recipe.dense = flag(dense_, recipe.dense);
    if (!recipe.dense && !code_corrections(recipe, sizes)) return false;
    if (!code_deviations(recipe, sizes)) return false;
    lockstep_bytes = recipe.needs_lockstep() ? lockstep_size_.code(coder_, lockstep_bytes) : 0;
    return true;
  }

  bool flag(BitModel& model, bool value) { return coder_.bit(model, value ? 1 : 0) != 0; }

  // Each number as that of the stream before, or itself.
  bool code_parameters(Parameters& p) {
    Parameters next;
    unsigned index = 0;
    std::uint64_t most = 0;
    const auto number = [&]<class T>(T value, T last, std::uint64_t limit) {
      if (!flag(same_parameter_, value == last)) {
        const std::uint64_t coded = parameter_[index < 8 ? 0u : 1u].code(coder_, static_cast<std::uint64_t>(value));
        most = coded > limit ? ~std::uint64_t{0} : most;
        last = static_cast<T>(coded);
      }
      ++index;
      return last;
    };
    next.search = number(p.search, last_.search, 255);
    next.hash = number(p.hash, last_.hash, 255);
    next.hash_bits = number(p.hash_bits, last_.hash_bits, 255);
    next.window_bits = number(p.window_bits, last_.window_bits, 255);
    next.filtered = number(p.filtered, last_.filtered, 255);
    next.block_end = number(p.block_end, last_.block_end, 255);
    next.ng = number(p.ng, last_.ng, 255);
    next.good = number(p.good, last_.good, 65535);
    next.lazy = number(p.lazy, last_.lazy, 65535);
    next.nice = number(p.nice, last_.nice, 65535);
    next.chain = number(p.chain, last_.chain, 65535);
    next.block_tokens = number(p.block_tokens, last_.block_tokens, 0xffffffff);
    next.feed_bytes = number(p.feed_bytes, last_.feed_bytes, 0xffffffff);
    if (most != 0 || !valid(next)) return false;
    p = last_ = next;
    return true;
  }

  // Takes `count` from what a recipe may hold.
  [[nodiscard]] bool afford(std::uint64_t count, std::uint64_t most) {
    if (count > most || count > left_) return false;
    left_ -= count;
    return true;
  }

  bool code_joints(StreamRecipe& recipe, const StreamSizes& sizes) {
    const std::uint64_t count = joint_count_.code(coder_, recipe.joints.size());
    if (!afford(count, most_blocks(sizes.packed_bytes))) return false;
    std::uint64_t pos = 0;
    std::uint64_t gap = 0;
    Joint joint;
    for (std::uint64_t i = 0; i < count; ++i) {
      Joint next = joint;
      if constexpr (!Coder::kDecoding) next = recipe.joints[i];
      const auto longer = static_cast<std::int64_t>(next.raw_pos - pos - gap);
      gap += static_cast<std::uint64_t>(unzigzag(joint_gap_.code(coder_, zigzag(longer))));
      if (gap == 0 || gap > sizes.raw_bytes - pos) return false;
      pos += gap;
      if (!flag(same_joint_, next.kind == joint.kind && next.marker == joint.marker)) {
        const std::uint64_t kind = joint_kind_.code(coder_, static_cast<std::uint64_t>(next.kind));
        const std::uint64_t marker = joint_marker_.code(coder_, static_cast<std::uint64_t>(next.marker));
        if (kind > 2 || marker > 3) return false;
        next.kind = static_cast<JointKind>(kind);
        next.marker = static_cast<JointMarker>(marker);
      }
      next.raw_pos = pos;
      joint = next;
      if constexpr (Coder::kDecoding) recipe.joints.push_back(joint);
    }
    return true;
  }

  bool code_corrections(StreamRecipe& recipe, const StreamSizes& sizes) {
    const std::uint64_t count = correction_count_.code(coder_, recipe.corrections.size());
    if (!afford(count, most_corrections(sizes.raw_bytes))) return false;
    std::uint64_t pos = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      Correction next;
      if constexpr (!Coder::kDecoding) next = recipe.corrections[i];
      const std::uint64_t gap = correction_gap_.code(coder_, next.raw_pos - pos);
      if (gap >= sizes.raw_bytes - pos) return false;
      pos += gap;
      const std::uint64_t left = sizes.raw_bytes - pos;
      const unsigned length = is_match(next.token) ? length_of(next.token) - 2 : 0;
      const std::uint64_t coded = correction_length_.code(coder_, length);
      if (coded > kMostMatch - 2 || (coded != 0 && coded + 2 > left)) return false;
      std::uint64_t distance = 0;
      if (coded != 0) distance = 1 + coder_.plain(15, distance_of(next.token) - 1);
      if (distance > pos) return false;
      next = {pos, coded == 0 ? Token{0} : match_token(static_cast<unsigned>(coded + 2), static_cast<std::uint32_t>(distance))};
      if constexpr (Coder::kDecoding) recipe.corrections.push_back(next);
    }
    return true;
  }

  bool code_deviations(StreamRecipe& recipe, const StreamSizes& sizes) {
    const std::uint64_t count = deviation_count_.code(coder_, recipe.deviations.size());
    if (!afford(count, most_blocks(sizes.packed_bytes))) return false;
    for (std::uint64_t i = 0; i < count; ++i) {
      BlockDeviation next;
      if constexpr (!Coder::kDecoding) next = recipe.deviations[i];
      if (!code_deviation(next, sizes, joins_pieces(recipe.parameters))) return false;
      if constexpr (Coder::kDecoding) recipe.deviations.push_back(next);
    }
    return true;
  }

  bool code_deviation(BlockDeviation& next, const StreamSizes& sizes, bool joins) {
    using Size = BlockDeviation::Size;
    next.blocks_before = deviation_gap_.code(coder_, next.blocks_before);
    if (next.blocks_before > most_blocks(sizes.packed_bytes)) return false;
    const bool stored = flag(deviation_stored_, next.type == BlockType::kStored);
    const bool fixed = !stored && flag(deviation_fixed_, next.type == BlockType::kFixed);
    next.type = stored ? BlockType::kStored : fixed ? BlockType::kFixed : BlockType::kDynamic;
    const bool has_size = flag(deviation_sized_[stored ? 1 : 0], next.size_is != Size::kByRule);
    next.size_is = !has_size ? Size::kByRule : stored ? Size::kRawBytes : Size::kTokens;
    if (has_size) next.size = deviation_size_[stored ? 1 : 0].code(coder_, next.size);
    if (next.size > sizes.raw_bytes || next.size > (stored ? kMostStoredBytes : kMostTokensOfBlock)) return false;
    next.last = flag(deviation_last_, next.last);
    next.joined = joins && !stored && !fixed && !next.last && flag(deviation_joined_, next.joined);
    next.own_tree = !stored && !fixed && !next.joined && flag(deviation_tree_, next.own_tree);
    return true;
  }

  Coder& coder_;
  Parameters last_;  // zlib's level 6 before the first stream
  std::uint64_t left_ = kMostDeviations;
  BitModel plain_, dense_, same_parameter_, same_joint_, lends_;
  BitModel deviation_stored_, deviation_fixed_, deviation_last_, deviation_tree_, deviation_joined_;
  std::array<BitModel, 2> deviation_sized_;
  std::array<NumberModel, 2> parameter_, deviation_size_;
  NumberModel joint_count_, joint_gap_, joint_kind_, joint_marker_;
  NumberModel correction_count_, correction_gap_, correction_length_;
  NumberModel deviation_count_, deviation_gap_, lockstep_size_;
};

}  // namespace bdelta::deflate

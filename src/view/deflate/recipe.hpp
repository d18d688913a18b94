// A recipe: what has to be known of deflate streams, beside what they decompress to, to make them again bit by bit.
//
// A stream is described by parameters of M (matcher.hpp) and by where it is not what M makes with these. A recipe holds
// the descriptions of all streams of a file, one after the other. DEFLATE.md has its syntax.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "view/deflate/alphabet.hpp"
#include "view/deflate/matcher.hpp"
#include "view/deflate/parameters.hpp"

namespace bdelta::deflate {

// Empty blocks that are not the last, right at a joint.
enum class JointMarker : std::uint8_t {
  kNone = 0,
  kStored = 1,  // one, stored: zlib's sync flush
  kFixed = 2,   // one with fixed trees: zlib's partial flush
  kAlign = 3,   // as pigz has it: stored if the number of bits so far is odd, else fixed ones until it is a whole byte
};

// A place where blocks end, matches end, and M may forget.
struct Joint {
  std::uint64_t raw_pos = 0;
  JointKind kind = JointKind::kContinue;
  JointMarker marker = JointMarker::kNone;

  bool operator==(const Joint&) const = default;
};

// The stream has this token where M has another one.
struct Correction {
  std::uint64_t raw_pos = 0;
  Token token = 0;  // of a literal 0, whatever the byte is

  bool operator==(const Correction&) const = default;
};

// A block that is not what the rule makes of its tokens.
struct BlockDeviation {
  enum class Size : std::uint8_t { kByRule, kTokens, kRawBytes };  // kRawBytes: of a stored block

  std::uint64_t blocks_before = 0;  // by rule, since the deviation before; markers of joints do not count
  BlockType type = BlockType::kDynamic;
  Size size_is = Size::kByRule;
  std::uint64_t size = 0;
  bool last = false;
  bool own_tree = false;            // of a dynamic block: its tree stands in the lockstep code
  bool joined = false;              // a piece that goes on with the trees of the piece before

  bool operator==(const BlockDeviation&) const = default;
};

struct StreamRecipe {
  Parameters parameters;
  std::vector<Joint> joints;             // rising
  bool dense = false;                    // each token stands in the lockstep code
  std::vector<Correction> corrections;   // rising; none if dense
  std::vector<BlockDeviation> deviations;
  Bytes lockstep;                        // what can only be decoded beside the text: tokens, trees
  bool lends = false;                    // tokens of OLD's streams may be taken; see lent_tokens.hpp

  [[nodiscard]] bool needs_lockstep() const noexcept {
    if (dense) return true;
    for (const BlockDeviation& deviation : deviations) {
      if (deviation.own_tree) return true;
    }
    return false;
  }

  bool operator==(const StreamRecipe&) const = default;
};

// What a reader takes at most, and so a writer gives: of joints, corrections and deviations in all of a recipe.
inline constexpr std::uint64_t kMostDeviations = std::uint64_t{4} << 20;
// Tokens of a block, all of which are kept until its trees are known.
inline constexpr std::uint64_t kMostTokensOfBlock = std::uint64_t{4} << 20;

// Corrections one by one pay up to so many; raw_bytes is of the stream.
[[nodiscard]] constexpr std::uint64_t most_corrections(std::uint64_t raw_bytes) noexcept { return 64 + raw_bytes / 400; }

// Whether tokens of another stream could be M's. raw_bytes is of the stream.
[[nodiscard]] inline bool may_lend(const StreamRecipe& recipe, std::uint64_t raw_bytes) noexcept {
  constexpr std::uint64_t kLeastBytes = 2 * kWindowBytes;
  return raw_bytes >= kLeastBytes && recipe.parameters.search == Search::kLazy && recipe.parameters.hash != Hash::kGo && !recipe.dense &&
         recipe.joints.empty();
}

// No block has fewer than ten bits.
[[nodiscard]] constexpr std::uint64_t most_blocks(std::uint64_t packed_bytes) noexcept { return packed_bytes * 8 / 10 + 1; }

}  // namespace bdelta::deflate

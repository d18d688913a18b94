// Nothing is searched for: the tokens of both streams are decoded side by side, from where what is copied is long enough on,
// and compared. So it costs little beside making a stream once, and says what is so, whatever encoders made the two. It is the
// proof, too: that M finds all other tokens, analysing the stream has shown.
//
// A stored block of NEW says no tokens, but where blocks end depends on them; so they are searched for.
//
// An applier may have less of a copy, or in parts. It begins behind a place then where both streams had a match that ended, and
// from there on all was compared.
#include "create/lend_tokens.hpp"

#include <algorithm>
#include <optional>

#include "base/deciding/archives.hpp"
#include "base/deciding/prices.hpp"
#include "create/stream_tokens.hpp"
#include "view/copied_text.hpp"
#include "view/deflate/recipe_reader.hpp"
#include "view/deflate/recipe_writer.hpp"
#include "view/recipe_memory.hpp"
#include "view/view_positions.hpp"

namespace bdelta {
namespace {

using deflate::TextCopy;
using deflate::Token;
using deflate::TokenCursor;

// Tokens of one stream of NEW, beside those of OLD.
class TokenProof {
 public:
  TokenProof(StreamTokens& new_tokens, std::uint64_t raw_bytes, const view::CopiedText& old)
      : new_tokens_(new_tokens), old_(old), raw_bytes_(raw_bytes), left_work_bytes_(kLentWorkRatio * raw_bytes) {}

  // Whether all tokens that may be taken are NEW's.
  bool holds(const TextCopy& copy) {
    const std::uint64_t limit = copy.limit(raw_bytes_), first = copy.first_pos();
    // Covers that are close reach into each other.
    if (first >= limit || (copy.pos == last_.pos && copy.from == last_.from && copy.end() <= last_.end())) return true;
    last_ = copy;
    if (!old_tokens_ || stream_ != copy.stream) {
      old_tokens_.emplace(old_.open(copy.stream));
      stream_ = copy.stream;
    }
    const std::uint64_t work_bytes = old_tokens_->bytes_to(first - copy.pos + copy.from) + (limit - first);
    if (work_bytes > left_work_bytes_) return false;
    left_work_bytes_ -= work_bytes;
    for (std::uint64_t pos = first; find_common(copy, pos, limit);) {
      if (!compare(pos, limit)) return false;
    }
    return !new_tokens_.has_failed();
  }

  [[nodiscard]] std::uint64_t lent_bytes() const noexcept { return lent_bytes_; }

 private:
  static constexpr std::size_t kPieceTokens = 1024;  // that are compared at a time

  // The next place from pos on where both have a match that ends; false if there is none.
  bool find_common(const TextCopy& copy, std::uint64_t& pos, std::uint64_t limit) {
    while (pos < limit && new_tokens_.move_to(pos) && old_tokens_->move_to(new_tokens_.pos() - copy.pos + copy.from)) {
      const std::uint64_t at = old_tokens_->pos() - copy.from + copy.pos;
      const bool is_common = at == new_tokens_.pos() && new_tokens_.is_behind_match() && old_tokens_->is_behind_match();
      pos = at;
      if (is_common || (at == 0 && copy.from == 0)) return pos < limit;
      if (at == new_tokens_.pos()) ++pos;
    }
    return false;
  }

  // From there on, up to the limit or to where OLD's stream says no tokens.
  bool compare(std::uint64_t& pos, std::uint64_t limit) {
    Token of_old[kPieceTokens], of_new[kPieceTokens];
    while (pos < limit) {
      const std::size_t count = old_tokens_->read(of_old, kPieceTokens, ~std::uint64_t{0}).count;
      if (count == 0) {
        ++pos;
        return true;
      }
      const std::size_t new_count = new_tokens_.read(of_new, count, limit);
      for (std::size_t i = 0; i < count && pos < limit; ++i) {
        if (i == new_count || of_old[i] != of_new[i]) return false;
        pos += deflate::length_of(of_old[i]);
        lent_bytes_ += deflate::length_of(of_old[i]);
      }
    }
    return true;
  }

  StreamTokens& new_tokens_;
  const view::CopiedText& old_;
  const std::uint64_t raw_bytes_;
  std::uint64_t left_work_bytes_;
  std::optional<TokenCursor> old_tokens_;
  std::uint64_t stream_ = 0;
  TextCopy last_;
  std::uint64_t lent_bytes_ = 0;
};

ByteSpan part_of(ByteSpan bytes, std::uint64_t pos, std::uint64_t count) {
  return bytes.subspan(static_cast<std::size_t>(pos), static_cast<std::size_t>(count));
}

class TokenLending {
 public:
  TokenLending(const FileViews& views, const Covers& covers)
      : views_(views), covers_(covers), source_(views.source_bytes()), source_view_(views.source_view_span()),
        copied_(source_, source_view_, views.source_replaced().all()) {}

  // Of the stream whose text begins at text_pos of NEW's view: of how much of it tokens may be taken; nothing if they may not.
  std::optional<std::uint64_t> lent_bytes(const view::PackedStream& stream, const deflate::StreamRecipe& recipe, std::uint64_t text_pos) {
    const ByteSpan packed = part_of(views_.target_bytes(), stream.file_pos, stream.packed_bytes);
    StreamTokens tokens(packed, part_of(views_.target_view_span(), text_pos, stream.raw_bytes), recipe, matchers_);
    TokenProof proof(tokens, stream.raw_bytes, copied_);
    const std::uint64_t text_end = text_pos + stream.raw_bytes;
    for (auto cover = cover_from(covers_, text_pos); cover != covers_.end() && cover->target_pos < text_end; ++cover) {
      for (const TextCopy& copy : copies_of(*cover, text_pos, text_end)) {
        if (!proof.holds(copy)) return std::nullopt;
      }
    }
    return proof.lent_bytes();
  }

 private:
  // What is alike in the cover and next to it.
  std::vector<TextCopy> copies_of(const Cover& cover, std::uint64_t text_pos, std::uint64_t text_end) {
    const std::uint64_t before = std::min({kBesideLentBytes, cover.source_pos, cover.target_pos});
    const std::uint64_t shift = cover.source_pos - cover.target_pos;  // modulo 2^64
    const std::uint64_t begin = std::max(cover.target_pos - before, text_pos);
    const std::uint64_t most = source_view_.size() - std::min(source_view_.size(), begin + shift);
    const std::uint64_t end = std::min({cover.target_end() + kBesideLentBytes, text_end, begin + most});
    std::vector<TextCopy> copies;
    if (begin >= end) return copies;
    const ByteSpan text = part_of(views_.target_view_span(), begin, end - begin);
    copied_.compare(begin, begin + shift, text, text_pos, [&](const TextCopy& copy) { deflate::add_joined(copies, copy); });
    return copies;
  }

  const FileViews& views_;
  const Covers& covers_;
  io::MemoryReader source_;
  io::MemoryReader source_view_;
  view::CopiedText copied_;
  deflate::MatcherSet matchers_;
};

// With what a reader takes of memory for them.
struct Recipes {
  std::vector<deflate::StreamRecipe> of;
  std::uint64_t held_bytes = 0;
};

Recipes read_recipes(ByteSpan bytes, const view::PackedStreams& streams) {
  Recipes recipes;
  auto reader = deflate::RecipeReader::open(bytes);
  for (const view::PackedStream& stream : streams) {
    auto recipe = reader ? reader->next({stream.raw_bytes, stream.packed_bytes}) : reader.error();
    if (!recipe) return {};
    recipes.held_bytes += view::held_bytes(*recipe);
    recipes.of.push_back(std::move(*recipe));
  }
  return recipes;
}

// Of what making a stream takes, where tokens are taken for `lent_bytes` of its text: OLD's stream is inflated for them.
std::uint64_t saved_ns_of(std::uint64_t stream_ns, std::uint64_t raw_bytes, std::uint64_t lent_bytes) {
  const std::uint64_t search_ns = lent_bytes / 1024 * (stream_ns / (raw_bytes / 1024 + 1));
  return search_ns - std::min(search_ns, lent_bytes * kUnpackNs);
}

}  // namespace

std::uint64_t lend_tokens(const FileViews& views, const Covers& covers, view::ViewPlans& plans) {
  if (plans.size() != 1 || plans[0].kind != view::StreamKind::kDeflate || covers.empty()) return 0;
  const view::Replacements& replaced = views.target_replaced();
  Recipes recipes = read_recipes(plans[0].recipe, replaced.streams);
  if (recipes.of.empty()) return 0;
  TokenLending lending(views, covers);
  const view::PackedStreams parts = replaced.all();
  view::ViewPositions positions(parts);
  deflate::RecipeWriter writer;
  std::uint64_t saved_ns = 0;
  for (std::size_t i = 0; i < recipes.of.size(); ++i) {
    const view::PackedStream& stream = replaced.streams[i];
    const std::uint64_t text_pos = positions.at(stream.file_pos);
    const auto bytes = may_lend(recipes.of[i], stream.raw_bytes) ? lending.lent_bytes(stream, recipes.of[i], text_pos) : std::nullopt;
    recipes.of[i].lends = bytes.has_value();  // also where there are none, as a bit that is always the same costs nothing
    if (bytes) saved_ns += saved_ns_of(views.rebuilding_ns()[i], stream.raw_bytes, *bytes);
    if (!writer.add(recipes.of[i], {stream.raw_bytes, stream.packed_bytes})) return 0;
  }
  Bytes recipe = writer.finish();
  if (saved_ns == 0 || recipes.held_bytes > view::most_held_bytes(recipe.size())) return 0;
  if (read_recipes(recipe, replaced.streams).of != recipes.of) return 0;  // the streams are not made once more for this recipe
  plans[0].recipe = std::move(recipe);
  return saved_ns;
}

}  // namespace bdelta

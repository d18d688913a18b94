// Making a deflate stream again, from its text and its recipe.
//
//   MatcherSet matchers;                       // one for a thread, used for one stream after the other
//   Rebuilder rebuilder(matchers, recipe, {raw_bytes, packed_bytes}, [&](ByteSpan packed) { return out.write(packed); });
//   for (ByteSpan piece : text) BDELTA_TRY(rebuilder.write(piece));
//   BDELTA_TRY(rebuilder.finish());
//
// The stream is the same whatever pieces its text comes in. Memory: up to 1.6 MiB, and 4 bytes for each token of a block of
// the size that the recipe says (at most kMostTokensOfBlock). A lender takes 0.4 MiB more, and what its pieces take. A large
// stream that several threads share takes some 10 MiB more for each of them. Work: at most 4,096 candidates for a byte of text.
//
// Errors: kPatchCorrupt if the recipe does not fit the text or the stream's size; those of the sink. After an error
// nothing more is to be called. Not thread-safe; several at a time need a MatcherSet each.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "bdelta/error.hpp"
#include "parallel/worker_pool.hpp"
#include "view/deflate/lent_tokens.hpp"
#include "view/deflate/recipe_models.hpp"

namespace bdelta::deflate {

class Rebuilder {
 public:
  // Takes packed bytes in order; they are valid for the call.
  using Sink = std::function<Status(ByteSpan)>;

  // matchers, recipe, pool and lender have to outlive it. pool: shares the work on a large stream out, if it is one that can
  // be. It takes up to 10 MiB for each thread then, and write() is not to be called from one of its tasks. Null: all is done
  // in the caller. lender: has the other streams that copies are of; null: tokens are taken of none. The stream is the same.
  Rebuilder(MatcherSet& matchers, const StreamRecipe& recipe, const StreamSizes& sizes, Sink sink, WorkerPool* pool = nullptr,
            const StreamLender* lender = nullptr);
  ~Rebuilder();
  Rebuilder(const Rebuilder&) = delete;
  Rebuilder& operator=(const Rebuilder&) = delete;

  // Some of the bytes that are written next are those of another stream's text. In the order of the text.
  void add_copy(const TextCopy& copy);

  // The next bytes of the text; sizes.raw_bytes in all.
  [[nodiscard]] Status write(ByteSpan raw);

  // After the last byte: gives what is left. The stream had sizes.packed_bytes then.
  [[nodiscard]] Status finish();

 private:
  class Work;
  std::unique_ptr<Work> work_;
};

}  // namespace bdelta::deflate

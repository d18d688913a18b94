// A deflate stream made again from all of its text at once.
#pragma once

#include "base/try.hpp"
#include "view/deflate/rebuild.hpp"

namespace bdelta::test {

inline Result<Bytes> rebuild(deflate::MatcherSet& matchers, const deflate::StreamRecipe& recipe, ByteSpan raw,
                             std::uint64_t packed_bytes, WorkerPool* pool = nullptr) {
  Bytes packed;
  const auto take = [&](ByteSpan bytes) -> Status {
    append(packed, bytes);
    return {};
  };
  deflate::Rebuilder rebuilder(matchers, recipe, {raw.size(), packed_bytes}, take, pool);
  BDELTA_TRY(rebuilder.write(raw));
  BDELTA_TRY(rebuilder.finish());
  return packed;
}

}  // namespace bdelta::test

// Learns the words of a pair that copies have others in place of (delta/word_map.hpp).
#pragma once

#include <optional>

#include "delta/cover.hpp"
#include "delta/word_map.hpp"
#include "format/native/writer.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// What copies give, and what they should. Owns nothing.
struct CopiedBytes {
  ByteSpan bytes;          // of the source, or of what prediction makes of it
  bool by_target = false;  // they stand at the positions of the target
  ByteSpan target;
  const Covers& covers;

  // What the cover copies to target[begin, end), and what stands there.
  [[nodiscard]] ByteSpan copied(const Cover& cover, std::uint64_t begin, std::uint64_t end) const {
    const std::uint64_t pos = by_target ? begin : cover.source_pos + (begin - cover.target_pos);
    return bytes.subspan(static_cast<std::size_t>(pos), static_cast<std::size_t>(end - begin));
  }
  [[nodiscard]] ByteSpan wanted(std::uint64_t begin, std::uint64_t end) const {
    return target.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  }
};

// None if they would not make the patch smaller, or if there is much to search: more than most_search bytes for each changed
// one. Depends on no thread count. Errors: those of the codecs.
Result<std::optional<WordMap>> learn_words(const CopiedBytes& copied, std::uint64_t most_search,
                                           const native::Writer& writer, WorkerPool& pool);

}  // namespace bdelta

// Where the view of NEW goes: what stands in it raw passes, what was unpacked is packed again.
//
// The streams come out bit by bit as they were (view/deflate). Memory: what a Rebuilder takes.
#pragma once

#include <memory>

#include "bdelta/io.hpp"
#include "hash/xxh3.hpp"
#include "view/deflate/rebuild.hpp"
#include "view/packed_streams.hpp"

namespace bdelta::view {

// One thread at a time. Errors: kPatchCorrupt if a recipe does not fit its stream, those of the writers.
class RebuildingWriter final : public SequentialWriter {
 public:
  // recipes: one for each stream. At most one of the writers is set; with none NEW is made, and only its digest kept. They
  // must outlive the object, which does not finish them. target_bytes: of NEW.
  RebuildingWriter(PackedStreams streams, std::vector<deflate::StreamRecipe> recipes, std::uint64_t target_bytes,
                   PositionedWriter* positioned, SequentialWriter* sequential);
  ~RebuildingWriter() override;

  // The next bytes of the view.
  Status write(ByteSpan view) override;

  // The view has ended: kPatchCorrupt unless NEW is whole.
  Status finish() override;

  [[nodiscard]] Digest128 digest() { return hasher_.digest(); }  // of NEW, after finish

 private:
  Status put(ByteSpan bytes);
  Status begin_stream();
  Status end_stream();
  [[nodiscard]] bool in_gap() const noexcept { return !rebuilder_; }

  const PackedStreams streams_;
  const std::vector<deflate::StreamRecipe> recipes_;
  const std::uint64_t target_bytes_;
  PositionedWriter* const positioned_;
  SequentialWriter* const sequential_;
  deflate::MatcherSet matchers_;
  std::unique_ptr<deflate::Rebuilder> rebuilder_;  // of the stream at hand; null between streams
  std::size_t index_ = 0;                          // of the stream at hand, or of the next one
  std::uint64_t left_bytes_ = 0;                   // of the view, up to the end of the stream or of the gap at hand
  std::uint64_t file_pos_ = 0;                     // where the next byte of NEW goes
  Xxh3Hasher hasher_;
};

}  // namespace bdelta::view

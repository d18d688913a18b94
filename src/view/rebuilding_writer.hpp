// Where the view of NEW goes: what stands in it raw passes, what was unpacked is packed again.
//
// The streams come out bit by bit as they were (view/deflate). Memory: what a Rebuilder takes.
//
// A part of the view begins with its first byte, and a stream without bytes when what is behind it begins. So a stream can
// come as it is to be, made elsewhere, where its first byte would be next.
#pragma once

#include <memory>

#include "bdelta/io.hpp"
#include "hash/xxh3.hpp"
#include "parallel/worker_pool.hpp"
#include "view/copied_text.hpp"
#include "view/deflate/rebuild.hpp"
#include "view/png_chunks.hpp"
#include "view/proven_stream.hpp"
#include "view/member_fields.hpp"
#include "view/zip_directory.hpp"

namespace bdelta::view {

// What NEW is made of, apart from its view.
struct TargetShape {
  StreamKind kind = StreamKind::kDeflate;
  std::uint64_t bytes = 0;  // of NEW
  Replacements replaced;
  std::vector<deflate::StreamRecipe> recipes;  // one for each stream, …
  std::vector<ChunkSizes> chunks;              // … or, of chunks, these
  std::vector<ProvenStream> proven;            // one for each, where none has to be made; else none

  [[nodiscard]] const PackedStreams& streams() const noexcept { return replaced.streams; }
};

// One thread at a time. Errors: kPatchCorrupt if a recipe does not fit its stream, those of the writers.
class RebuildingWriter final : public SequentialWriter {
 public:
  // At most one of the writers is set; with none NEW is made, and only its digest kept. They must outlive the object, which
  // does not finish them. pool: shares out the work on large streams, see Rebuilder; null: there is none. The watch is looked
  // at while streams are made; may be null.
  RebuildingWriter(TargetShape target, PositionedWriter* positioned, SequentialWriter* sequential, WorkerPool* pool,
                   Watch* watch);
  ~RebuildingWriter() override;

  // From now on takes tokens of OLD's streams. `copied` is told of copies before their bytes come, and outlives the object.
  void take_tokens(CopiedText& copied) noexcept { copied_ = &copied; }
  [[nodiscard]] CopiedText* copied() const noexcept { return copied_; }  // or null

  // The next bytes of the view.
  Status write(ByteSpan view) override;

  // The stream with this number, made elsewhere, in the place of its text: all of the view that is in front of it has been
  // written. crc, adler: of its text.
  Status put_stream(std::size_t index, ByteSpan packed, std::uint32_t crc, std::uint32_t adler);

  // The view has ended: kPatchCorrupt unless NEW is whole.
  Status finish() override;

  [[nodiscard]] const TargetShape& target() const noexcept { return target_; }
  [[nodiscard]] Digest128 digest() { return hasher_.digest(); }  // of NEW, after finish

 private:
  Status put(ByteSpan bytes);
  Status put_held(std::size_t gap_bytes);
  Status put_piece(ByteSpan view);
  Status rebuild(ByteSpan text);
  Status put_gap(ByteSpan view);
  Status begin_part();
  Status end_part();
  void find_place();
  Status begin_stream();
  Status end_stream();
  [[nodiscard]] bool is_directory_next() const noexcept;
  void begin_directory();
  Status end_directory();
  void begin_gap(std::uint64_t pos);

  enum class Part { kGap, kStream, kDirectory };

  const TargetShape target_;
  PositionedWriter* const positioned_;
  SequentialWriter* const sequential_;
  WorkerPool* const pool_;
  Watch* const watch_;
  CopiedText* copied_ = nullptr;
  deflate::MatcherSet matchers_;
  Part part_ = Part::kGap;                         // what is at hand
  std::unique_ptr<deflate::Rebuilder> rebuilder_;  // of the stream at hand, …
  std::optional<ChunkWriter> chunk_writer_;        // … or this, …
  std::optional<ProvenText> proven_text_;          // … or this
  std::size_t index_ = 0;                          // of the stream at hand, or of the next one
  std::size_t directory_ = 0;                      // likewise of directories
  HeadersAhead headers_;
  std::uint64_t gap_bytes_ = 0;                    // of the gap at hand
  FieldPlace place_;                               // of what follows from the stream at hand, or from the one before; in held_
  MemberFields fields_;                            // of that stream
  bool tells_crc_ = false;                         // the view has none of the stream at hand
  std::size_t held_gap_bytes_ = 0;                 // of held_, in front of the stream at hand
  Bytes held_;                                     // of the gap and of the stream behind it, or of the directory: not yet put
  std::uint64_t left_bytes_ = 0;                   // of the view, up to the end of what is at hand
  std::uint64_t file_pos_ = 0;                     // where the next byte of NEW goes
  std::uint64_t view_pos_ = 0;                     // where the next byte of the view stands
  Xxh3Hasher hasher_;
};

}  // namespace bdelta::view

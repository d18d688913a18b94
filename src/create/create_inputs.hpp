// The pair that a patch is made for, and what of it is at hand.
#pragma once

#include <memory>
#include <optional>

#include "create/gathered_source.hpp"
#include "create/group_outline.hpp"
#include "create/input.hpp"
#include "delta/file_pieces.hpp"

namespace bdelta {

class CreateWork;
struct CreateTask;

struct CreateInputs {
  RandomReader& source_reader;
  RandomReader& target_reader;
  InputBytes source;  // empty where it is gathered
  InputBytes target;  // empty where it is read by segments

  // Of the segment that is worked on:
  ByteRange segment{0, 0};
  FilePieces source_pieces{ByteSpan()};  // and behind it the target, where that may be copied as well
  FilePieces target_pieces{ByteSpan()};
  Bytes segment_bytes = {};  // empty where `target` holds them

  std::optional<GatheredSource> gathered = {};    // where the source is not whole
  std::vector<AlignedRange> member_ranges = {};  // of the target, that are members of both

  [[nodiscard]] std::uint64_t source_size() const noexcept { return source_reader.size(); }
  [[nodiscard]] std::uint64_t target_size() const noexcept { return target_reader.size(); }
  [[nodiscard]] std::uint64_t segment_size() const noexcept { return segment.end - segment.begin; }
  [[nodiscard]] bool is_one_segment() const noexcept { return segment_size() == target_size(); }

  // The likeliest ones of the segment in the source. Good while the ranges are.
  [[nodiscard]] Diagonals diagonals() const noexcept;

  // From now on covers may copy from the target behind the source; both are whole. Gives what they could copy from so far.
  FilePieces append_target();

  // Of positions that begin at 0 with the segment.
  void move_to_segment(Covers& covers) const noexcept;

  // Lets go of what no more segment needs.
  void forget_segment() noexcept;
};

// Reads those that are held as a whole.
Result<CreateInputs> load_inputs(const CreateTask& task, CreateWork& work);

// Of both files.
struct InputDigests {
  KnownDigests source;
  KnownDigests target;
  std::unique_ptr<FileHasher> target_hasher;  // that NEW goes through where its digests are not known

  // Once all segments were loaded.
  void finish_target() noexcept {
    if (target_hasher) target = target_hasher->finish();
  }
};

// Of all that is held as a whole, and not known already. A source that is not is looked at once for that, as a whole.
Result<InputDigests> digest_inputs(const CreateTask& task, CreateInputs& inputs, CreateWork& work);

// The parts that the target is made of, in order.
[[nodiscard]] ByteRanges segments_of(const CreateInputs& inputs, const Budget& budget);

// Brings one of them into the inputs, with what of the source it may be copied from.
Status load_segment(const ByteRange& segment, CreateInputs& inputs, CreateWork& work, InputDigests& digests);

}  // namespace bdelta

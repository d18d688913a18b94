#include "create/create_inputs.hpp"

#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "create/create_work.hpp"

namespace bdelta {
namespace {

// Takes in bytes that may have to come from a disk meanwhile.
void hash_watched(ByteSpan bytes, Watch& watch, FileHasher& hasher) {
  constexpr std::size_t kPieceBytes = 256 * 1024;
  while (!bytes.empty()) {
    const ByteSpan piece = bytes.first(std::min(kPieceBytes, bytes.size()));
    hasher.update(piece);
    watch.advance(piece.size());
    bytes = bytes.subspan(piece.size());
  }
}

// As far as the patch and the report need.
bool knows_target(const CreateOptions& options) {
  return options.known_target.xxh3_128 && (options.known_target.sha256 || !options.sha256_inputs);
}

Status load_target(CreateInputs& inputs, CreateWork& work, InputDigests& digests) {
  inputs.segment_bytes.resize(static_cast<std::size_t>(inputs.segment_size()));
  {
    const Step step(work.pool(), PhaseId::kRead, inputs.segment_size());
    BDELTA_TRY(read_pieces(inputs.target_reader, inputs.segment.begin, inputs.segment_bytes, &work.watch()));
  }
  if (digests.target_hasher) {
    const Step step(work.pool(), PhaseId::kHash, inputs.segment_size());
    hash_watched(inputs.segment_bytes, work.watch(), *digests.target_hasher);
  }
  inputs.target_pieces = FilePieces(inputs.segment_bytes, inputs.segment.begin);
  return {};
}

}  // namespace

Diagonals CreateInputs::diagonals() const noexcept {
  const auto begin = static_cast<std::int64_t>(segment.begin);
  const auto from_end = static_cast<std::int64_t>(source_size()) - static_cast<std::int64_t>(target_size());
  return {begin, begin + from_end, member_ranges};
}

FilePieces CreateInputs::append_target() {
  const ByteSpan source_bytes = source.bytes();
  return std::exchange(source_pieces, FilePieces({{0, source_bytes}, {source_bytes.size(), target.bytes()}}));
}

void CreateInputs::move_to_segment(Covers& covers) const noexcept {
  for (Cover& cover : covers) cover.target_pos += segment.begin;
}

void CreateInputs::forget_segment() noexcept {
  gathered.reset();
  Bytes().swap(segment_bytes);
}

Result<CreateInputs> load_inputs(const CreateTask& task, CreateWork& work) {
  const Step step(work.pool(), PhaseId::kRead);
  CreateInputs inputs{task.source, task.target, {}, {}};
  const Budget& budget = work.budget();
  const auto read_bytes = [](bool is_whole, RandomReader& reader) { return is_whole && reader.view().empty() ? reader.size() : 0; };
  const std::uint64_t bytes = read_bytes(budget.source_whole, task.source) + read_bytes(budget.target_whole, task.target);
  if (bytes != 0) {
    work.begin_step(WorkStep::kLoad);
    work.watch().begin_stage(1, bytes);
  }
  if (budget.source_whole) {
    BDELTA_ASSIGN(inputs.source, InputBytes::load(task.source, work.pool()));
  }
  if (budget.target_whole && task.views) {
    inputs.target = InputBytes::over(task.views->take_target_view());
  } else if (budget.target_whole) {
    BDELTA_ASSIGN(inputs.target, InputBytes::load(task.target, work.pool()));
  }
  return inputs;
}

Result<InputDigests> digest_inputs(const CreateTask& task, CreateInputs& inputs, CreateWork& work) {
  const Budget& budget = work.budget();
  InputDigests digests;
  FileHasher source_hasher(task.options.sha256_inputs);
  if (task.trees) {
    digests.target.xxh3_128 = task.trees->target_digest();
  } else if (knows_target(task.options)) {
    digests.target = task.options.known_target;
  } else {
    digests.target_hasher = std::make_unique<FileHasher>(task.options.sha256_inputs);
  }
  const bool hashes_target = budget.target_whole && digests.target_hasher != nullptr;
  work.watch().set_phase(PhaseId::kHash);
  work.begin_step(WorkStep::kDigest);
  work.watch().begin_stage(1, inputs.source_size() + (hashes_target ? inputs.target_size() : 0));
  work.pool().for_each(2, [&](std::size_t i) {
    if (!(i == 0 ? budget.source_whole && !task.trees : hashes_target)) return;
    ByteSpan bytes = (i == 0 ? inputs.source : inputs.target).bytes();
    if (task.views) bytes = i == 0 ? task.views->source_bytes() : task.views->target_bytes();
    const Span span(work.pool().timeline(), PhaseId::kHash, i, bytes.size());
    hash_watched(bytes, work.watch(), i == 0 ? source_hasher : *digests.target_hasher);
  });
  if (budget.source_whole) {
    inputs.source_pieces = FilePieces(inputs.source.bytes());
  } else {
    inputs.gathered.emplace(inputs.source_reader, budget, work.pool());
    BDELTA_TRY(inputs.gathered->survey(source_hasher));
  }
  digests.source = task.trees ? KnownDigests{task.trees->source_digest(), std::nullopt} : source_hasher.finish();
  return digests;
}

ByteRanges segments_of(const CreateInputs& inputs, const Budget& budget) {
  ByteRanges segments;
  for (std::uint64_t pos = 0; pos < inputs.target_size(); pos += budget.segment_bytes) {
    segments.push_back({pos, std::min(pos + budget.segment_bytes, inputs.target_size())});
  }
  return segments;
}

Status load_segment(const ByteRange& segment, CreateInputs& inputs, CreateWork& work, InputDigests& digests) {
  inputs.segment = segment;
  const std::uint64_t length = inputs.segment_size();
  const bool is_read = !work.budget().target_whole;
  work.estimate().set_segment(segment.begin, segment.end, is_read);
  work.begin_step(WorkStep::kFetch);
  work.watch().begin_stage(1, (is_read ? (digests.target_hasher ? 2 : 1) * length : 0) +
                                  (inputs.gathered ? length + work.budget().gathered_bytes : 0));
  if (is_read) {
    BDELTA_TRY(load_target(inputs, work, digests));
  } else {
    inputs.target_pieces = FilePieces(inputs.target.bytes());
  }
  if (!inputs.gathered) return {};
  const ByteSpan bytes = inputs.target_pieces.span(segment.begin, length);
  BDELTA_TRY(inputs.gathered->gather(bytes, segment.begin, inputs.target_size()));
  inputs.source_pieces = inputs.gathered->pieces();
  return {};
}

}  // namespace bdelta

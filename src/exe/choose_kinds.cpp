#include "exe/choose_kinds.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "exe/cover_pieces.hpp"

namespace bdelta::exe {
namespace {

void add(const KindCounts& from, KindCounts& to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i].field_count += from[i].field_count;
    to[i].right_count += from[i].right_count;
    to[i].plain_count += from[i].plain_count;
    to[i].predicted_misses += from[i].predicted_misses;
    to[i].plain_misses += from[i].plain_misses;
  }
}

}  // namespace

KindCounts count_kinds(const Program& source, const Images& images, ByteSpan target, const OwnerMap& map,
                       const LabelIndex& labels, WorkerPool& pool, std::uint64_t share) {
  struct Task {
    Predictor predictor;
    FieldCache fields;
    KindCounts& counts;
  };
  const CoverPieces pieces(map.covers());
  std::vector<KindCounts> counts(pieces.task_count());
  const auto make = [&](std::size_t task) {
    return Task{Predictor(source.images(), images, map, &labels), {}, counts[task]};
  };
  pieces.for_each(pool, make, [&](Task& task, const CoverPiece& piece) {
    const Cover& cover = map.covers()[piece.cover];
    if ((cover.target_pos + piece.begin) / CoverPieces::kMostPieceBytes % share != 0) return;
    const std::uint64_t begin = cover.source_pos + piece.begin;
    for (const Field& field : source.fields_from(begin, begin + piece.length, task.fields)) {
      const std::size_t size = field_bytes(field.form);
      if (field.pos + size > cover.source_end()) continue;
      const std::uint8_t* plain = source.file().data() + field.pos;
      const std::uint8_t* wanted = target.data() + map.moved(piece.cover, field.pos);
      std::array<std::uint8_t, 8> bytes{};
      std::memcpy(bytes.data(), plain, size);
      Prediction prediction;
      if (!task.predictor.stays(field, piece.cover) && task.predictor.predict(field, piece.cover, prediction)) {
        (void)write_field(bytes.data(), field, prediction.origin, prediction.target_address);
      }
      const std::uint64_t plain_misses = count_differing({plain, size}, {wanted, size});
      const std::uint64_t predicted_misses = count_differing({bytes.data(), size}, {wanted, size});
      KindCount& count = task.counts[static_cast<std::size_t>(field.kind)];
      ++count.field_count;
      count.right_count += predicted_misses == 0 ? 1 : 0;
      count.plain_count += plain_misses == 0 ? 1 : 0;
      count.predicted_misses += predicted_misses;
      count.plain_misses += plain_misses;
    }
  });
  KindCounts sum{};
  for (const KindCounts& some : counts) add(some, sum);
  return sum;
}

KindSet choose_kinds(const KindCounts& counts) {
  KindSet kinds = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i].predicted_misses < counts[i].plain_misses) kinds |= KindSet{1} << i;
  }
  return kinds;
}

LearnedPrediction learn_prediction(const Program& source, const Images& images, ByteSpan target, const OwnerMap& map,
                                   LabelUse use, WorkerPool& pool) {
  LearnedPrediction learned{learn_labels(source, images, target, map, kAllKinds, use, pool)};
  const KindCounts& counts = learned.counts = count_kinds(source, images, target, map, LabelIndex(learned.labels), pool);
  learned.kinds = choose_kinds(counts);
  const auto is_in_vain = [](const KindCount& count) { return count.predicted_misses > count.plain_misses; };
  if (std::any_of(counts.begin(), counts.end(), is_in_vain)) {
    learned.labels = learn_labels(source, images, target, map, learned.kinds, use, pool);
  }
  return learned;
}

}  // namespace bdelta::exe

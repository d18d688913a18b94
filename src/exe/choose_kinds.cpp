#include "exe/choose_kinds.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/deciding/prediction.hpp"
#include "exe/cover_pieces.hpp"
#include "parallel/free_list.hpp"

namespace bdelta::exe {
namespace {

void add(const KindCounts& from, std::uint64_t times, KindCounts& to) {
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i].field_count += times * from[i].field_count;
    to[i].right_count += times * from[i].right_count;
    to[i].plain_count += times * from[i].plain_count;
    to[i].predicted_misses += times * from[i].predicted_misses;
    to[i].plain_misses += times * from[i].plain_misses;
  }
}

struct Task {
  Predictor predictor;
  FreeList<FieldCache>::Lent fields;
  KindCounts& counts;
};

void count_field(const Field& field, const Program& source, ByteSpan target, const OwnerMap& map, std::uint32_t cover,
                 Task& task) {
  const std::size_t size = field_bytes(field.form);
  const std::uint8_t* plain = source.file().data() + field.pos;
  const std::uint8_t* wanted = target.data() + map.moved(cover, field.pos);
  std::array<std::uint8_t, 8> bytes{};
  std::memcpy(bytes.data(), plain, size);
  Prediction prediction;
  if (!task.predictor.stays(field, cover) && task.predictor.predict(field, cover, prediction)) {
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

}  // namespace

KindCounts count_kinds(const Program& source, const Images& images, ByteSpan target, const OwnerMap& map,
                       const LabelIndex& labels, WorkerPool& pool, std::uint64_t share) {
  const CoverPieces pieces(map.covers());
  std::vector<KindCounts> counts(pieces.task_count());
  FreeList<FieldCache> caches;
  const auto make = [&](std::size_t task) {
    return Task{Predictor(source.images(), images, map, &labels), caches.lend([] { return std::make_unique<FieldCache>(); }),
                counts[task]};
  };
  pieces.for_each(pool, make, [&](Task& task, const CoverPiece& piece) {
    const Cover& cover = map.covers()[piece.cover];
    const std::uint64_t end = cover.source_pos + piece.begin + piece.length;
    for (std::uint64_t begin = cover.source_pos + piece.begin; begin < end;) {
      const Program::Stretch stretch = source.stretch_at(begin);
      const std::uint64_t piece_number = begin / kTablePieceBytes;
      const std::uint64_t piece_end = stretch.code_block ? stretch.end_pos : (piece_number + 1) * kTablePieceBytes;
      const std::uint64_t next = std::min({end, stretch.end_pos, piece_end});
      if (stretch.code_block.value_or(piece_number) % share == share / 2) {
        for (const Field& field : source.fields_from(begin, next, *task.fields)) {
          if (field.pos + field_bytes(field.form) > cover.source_end()) continue;
          count_field(field, source, target, map, piece.cover, task);
        }
      }
      begin = next;
    }
  });
  KindCounts sum{};
  for (const KindCounts& some : counts) add(some, share, sum);
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

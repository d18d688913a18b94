#include "apply/predicted_copies.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "base/memory_limit.hpp"
#include "base/try.hpp"
#include "exe/image_choice.hpp"
#include "exe/image_table.hpp"
#include "exe/images.hpp"
#include "exe/rebuild_memory.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kReadBytes = std::uint64_t{1} << 20;

Status read_whole(RandomReader& source, std::uint64_t memory_limit_bytes, WorkerPool& pool, Bytes& bytes) {
  const std::uint64_t limit_bytes = reachable_limit(memory_limit_bytes);
  if (source.size() > limit_bytes) {
    Error error = beyond_memory_limit("predicting programs takes OLD as a whole, " + std::to_string(source.size()) + " bytes",
                                      limit_bytes, source.size());
    error.remedy += ", or let OLD be mapped";
    return error;
  }
  bytes.resize(static_cast<std::size_t>(source.size()));
  for (std::uint64_t pos = 0; pos < source.size(); pos += kReadBytes) {
    const std::uint64_t length = std::min(kReadBytes, source.size() - pos);
    BDELTA_TRY(source.read_at(pos, MutableByteSpan(bytes).subspan(static_cast<std::size_t>(pos),
                                                                  static_cast<std::size_t>(length))));
    pool.advance();
  }
  return {};
}

// Few bytes of a patch can say many covers and labels, so what the header declares has to cover these as they are held.
class Room {
 public:
  explicit Room(std::uint64_t bytes) : bytes_(bytes), left_bytes_(bytes) {}

  Status take(std::uint64_t bytes) {
    if (bytes > left_bytes_) {
      return Error{ErrorCode::kPatchCorrupt, "prediction needs " + std::to_string(bytes_ - left_bytes_ + bytes) +
                                                 " bytes, more than the " + std::to_string(bytes_) +
                                                 " that the header declares for it; fetch the patch again"};
    }
    left_bytes_ -= bytes;
    return {};
  }

  // How many there is room for that take so much.
  [[nodiscard]] std::size_t count_of(std::uint64_t bytes_each) const noexcept {
    return static_cast<std::size_t>(left_bytes_ / bytes_each);
  }

  [[nodiscard]] std::uint64_t left_bytes() const noexcept { return left_bytes_; }

 private:
  std::uint64_t bytes_;
  std::uint64_t left_bytes_;
};

// Progress through the preparation, once it is known how much there is to do.
class Stages {
 public:
  // `shares` may be null; nothing is told then.
  Stages(const ApplyShares* shares, std::span<const exe::Image> images, WorkerPool& pool)
      : watch_(shares ? pool.watch() : nullptr) {
    if (!watch_) return;
    std::uint64_t program_bytes = 0;
    for (const exe::Image& image : images) {
      program_bytes += image.size_bytes;
      for (const exe::Section& section : image.sections) {
        if (section.kind == exe::SectionKind::kCode) code_bytes_ += section.size_bytes;
      }
    }
    begin_ = shares->hashed();
    end_ = shares->prepared(program_bytes);
  }

  void begin(double goal, std::uint64_t unit_count = 0) const {
    if (watch_) watch_->begin_stage(begin_ + (end_ - begin_) * goal, unit_count);
  }
  [[nodiscard]] std::uint64_t code_bytes() const noexcept { return code_bytes_; }

 private:
  Watch* const watch_;
  std::uint64_t code_bytes_ = 0;
  double begin_ = 0;
  double end_ = 0;
};

// The images of OLD that the plan is about, and what it says of those of NEW.
struct OldImages {
  std::vector<exe::Image> images;
  ByteSpan table;
};

Result<OldImages> old_images_of(ByteSpan file, const PredictionPlan& plan) {
  BDELTA_ASSIGN(const exe::ImageChoice choice, exe::parse_image_choice(plan.images));
  OldImages old{exe::find_numbered_images(file, choice.numbers), ByteSpan(plan.images).subspan(choice.size_bytes)};
  if (old.images.size() == choice.numbers.size()) return old;
  return Error{ErrorCode::kPatchCorrupt, "choice of images: the patch is about number " +
                                             std::to_string(choice.numbers[old.images.size()]) +
                                             " of OLD, which has not as many; fetch the patch again"};
}

}  // namespace

Result<std::unique_ptr<PredictedCopies>> PredictedCopies::make(RandomReader& source, const PredictionPlan& plan,
                                                               const PatchInfo& info, std::uint64_t memory_limit_bytes,
                                                               WorkerPool& pool, const ApplyShares* shares) {
  if (const std::uint64_t unknown = plan.kinds & ~(exe::kAllKinds | exe::kAllTables); unknown != 0) {
    return Error{ErrorCode::kUnsupportedFeature, "fields of kind " +
                                                     std::to_string(std::countr_zero(unknown)) +
                                                     "; a newer bpatch may know it"};
  }
  std::unique_ptr<PredictedCopies> copies(new PredictedCopies);
  ByteSpan file = source.view();
  if (file.empty()) {
    BDELTA_TRY(read_whole(source, memory_limit_bytes, pool, copies->loaded_));
    file = copies->loaded_;
  }
  BDELTA_ASSIGN(OldImages old, old_images_of(file, plan));
  const Stages stages(shares, old.images, pool);
  stages.begin(ApplyShares::kMapped);
  const std::vector<exe::SortedTable> tables = exe::find_sorted_tables(file, old.images);
  Room room(std::min(plan.memory_bytes, info.decoder_memory_bytes));
  BDELTA_TRY(room.take(plan.images.size() + plan.labels.size() + plan.covers.size() * kBytesPerCover +
                       exe::rebuild_memory_bytes(old.images, tables, plan.kinds)));
  const std::size_t most_stretches = room.count_of(kBytesPerStretch);
  const exe::PlaceMap& map = copies->own_map_.emplace(plan.covers, pool.watch(), most_stretches);
  BDELTA_TRY(room.take((map.is_complete() ? map.stretch_count() : most_stretches + 1) * kBytesPerStretch));
  stages.begin(ApplyShares::kFieldsFound, stages.code_bytes());
  copies->program_.emplace(file, std::move(old.images), pool, room.left_bytes());
  stages.begin(1);
  const exe::Images& images = copies->program_->images();
  exe::ReadPageBreaks breaks;
  if ((plan.kinds & exe::set_of(exe::SortedTableKind::kMixedUnwindPages)) != 0) {
    BDELTA_ASSIGN(breaks, exe::parse_page_breaks(old.table));
    old.table = old.table.subspan(breaks.size_bytes);
  }
  BDELTA_ASSIGN(std::vector<exe::Image> found, exe::parse_image_table(old.table, images, info.target_size));
  copies->target_.emplace(std::move(found));
  BDELTA_ASSIGN(copies->labels_, exe::parse_labels(plan.labels, images.all.size(), room.count_of(kBytesPerLabel)));
  copies->covers_ = &plan.covers;
  copies->predictor_.emplace(*copies->program_, *copies->target_, *copies->own_map_, copies->labels_,
                             plan.kinds, tables, breaks.lists, pool.watch());
  return copies;
}

void PredictedCopies::predict(std::uint64_t target_pos, MutableByteSpan bytes, Cache& cache) const {
  const auto after = std::upper_bound(covers_->begin(), covers_->end(), target_pos,
                                      [](std::uint64_t pos, const Cover& cover) { return pos < cover.target_pos; });
  if (after == covers_->begin()) return;
  const auto cover = static_cast<std::size_t>(after - covers_->begin()) - 1;
  predictor_->predict(static_cast<std::uint32_t>(cover), target_pos - (*covers_)[cover].target_pos, bytes, cache);
}

}  // namespace bdelta

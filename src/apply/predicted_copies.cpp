#include "apply/predicted_copies.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include "base/memory_limit.hpp"
#include "base/try.hpp"
#include "exe/image_extents.hpp"
#include "exe/image_table.hpp"
#include "exe/images.hpp"
#include "exe/rebuild_memory.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kReadBytes = std::size_t{1} << 20;

// The images at their positions, with zeros for all else of the source.
Result<SparseBuffer> read_images(RandomReader& source, std::span<const exe::ImageExtent> extents,
                                 std::uint64_t memory_limit_bytes, WorkerPool& pool) {
  std::uint64_t image_bytes = 0;
  for (const exe::ImageExtent& extent : extents) image_bytes += extent.size_bytes;
  const std::uint64_t end = extents.empty() ? 0 : extents.back().pos + extents.back().size_bytes;
  const std::uint64_t limit_bytes = reachable_limit(memory_limit_bytes);
  if (image_bytes > limit_bytes || end > reachable_limit(~std::uint64_t{0})) {
    Error error = beyond_memory_limit("the programs of OLD take " + std::to_string(image_bytes) + " bytes", limit_bytes,
                                      image_bytes);
    error.remedy += ", or let OLD be mapped";
    return error;
  }
  SparseBuffer file(static_cast<std::size_t>(end));
  for (const exe::ImageExtent& extent : extents) {
    const MutableByteSpan image = file.span().subspan(static_cast<std::size_t>(extent.pos),
                                                      static_cast<std::size_t>(extent.size_bytes));
    for (std::size_t at = 0; at < image.size(); at += kReadBytes) {
      BDELTA_TRY(source.read_at(extent.pos + at, image.subspan(at, std::min(kReadBytes, image.size() - at))));
      pool.advance();
    }
  }
  return file;
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

Result<std::vector<exe::Image>> parse_images(ByteSpan file, std::span<const exe::ImageExtent> extents) {
  std::vector<exe::Image> images;
  std::size_t section_count = 0;
  for (const exe::ImageExtent& extent : extents) {
    std::optional<exe::Image> image = exe::parse_image(file, extent);
    if (!image) {
      return Error{ErrorCode::kPatchCorrupt, "programs of OLD: expected one of " + std::to_string(extent.size_bytes) +
                                                 " bytes at " + std::to_string(extent.pos) +
                                                 ", found none; fetch the patch again"};
    }
    section_count += image->sections.size();
    if (section_count > exe::kMostSectionsOfAll) {
      return Error{ErrorCode::kPatchCorrupt, "programs of OLD: they have more than " +
                                                 std::to_string(exe::kMostSectionsOfAll) +
                                                 " sections together; fetch the patch again"};
    }
    images.push_back(std::move(*image));
  }
  return images;
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
  Room room(std::min(plan.memory_bytes, info.decoder_memory_bytes));
  BDELTA_TRY(room.take(plan.images.size() + plan.labels.size() + plan.covers.size() * kBytesPerCover));
  BDELTA_ASSIGN(const exe::ImageExtents extents,
                exe::parse_image_extents(plan.images, source.size(), room.count_of(kBytesPerImage)));
  BDELTA_TRY(room.take(extents.all.size() * kBytesPerImage));
  ByteSpan table = ByteSpan(plan.images).subspan(extents.size_bytes);
  ByteSpan file = source.view();
  if (file.empty()) {
    BDELTA_ASSIGN(copies->loaded_, read_images(source, extents.all, memory_limit_bytes, pool));
    file = copies->loaded_.span();
  }
  BDELTA_ASSIGN(std::vector<exe::Image> old_images, parse_images(file, extents.all));
  const Stages stages(shares, old_images, pool);
  stages.begin(ApplyShares::kMapped);
  const std::vector<exe::SortedTable> tables = exe::find_sorted_tables(file, old_images);
  BDELTA_TRY(room.take(exe::rebuild_memory_bytes(old_images, tables, plan.kinds)));
  const std::size_t most_stretches = room.count_of(kBytesPerStretch);
  const exe::OwnerMap& map = copies->own_map_.emplace(plan.covers, pool.watch(), most_stretches);
  BDELTA_TRY(room.take((map.is_complete() ? map.stretch_count() : most_stretches + 1) * kBytesPerStretch));
  stages.begin(ApplyShares::kFieldsFound, stages.code_bytes());
  copies->program_.emplace(file, std::move(old_images), pool, room.left_bytes());
  stages.begin(1);
  const exe::Images& images = copies->program_->images();
  exe::ReadPageBreaks breaks;
  if ((plan.kinds & exe::set_of(exe::SortedTableKind::kMixedUnwindPages)) != 0) {
    BDELTA_ASSIGN(breaks, exe::parse_page_breaks(table));
    table = table.subspan(breaks.size_bytes);
  }
  BDELTA_ASSIGN(std::vector<exe::Image> new_images,
                exe::parse_image_table(table, images, *info.target_size, room.count_of(kBytesPerImage)));
  BDELTA_TRY(room.take(new_images.size() * kBytesPerImage));
  copies->target_.emplace(std::move(new_images));
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

// Predicting the fields of copied code: where the old one leads, seen through the covers, from where the new one lies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bdelta/io.hpp"
#include "exe/field.hpp"
#include "exe/field_codec.hpp"
#include "exe/image.hpp"
#include "exe/layout.hpp"
#include "exe/owner_map.hpp"
#include "exe/sorted_tables.hpp"

namespace bdelta::exe {

// The images of one file and where their addresses lie.
struct Images {
  explicit Images(std::vector<Image> found);

  // The image that holds the byte, or all.size().
  [[nodiscard]] std::size_t image_at(std::uint64_t pos) const noexcept;

  std::vector<Image> all;
  std::vector<ImageLayout> layouts;
};

// A correction: what the source has at `address` of `image`, the target has at `new_address` of the image that the
// reference is copied into.
struct Label {
  std::uint64_t address = 0;
  std::uint64_t new_address = 0;
  std::uint32_t image = 0;
  bool operator==(const Label&) const = default;
};

// The kinds of field that are predicted, a bit each, and behind these the kinds of sorted table that are rebuilt.
using KindSet = std::uint64_t;
inline constexpr std::size_t kFieldKindCount = static_cast<std::size_t>(FieldKind::kDebugAddress) + 1;
inline constexpr KindSet kAllKinds = (KindSet{1} << kFieldKindCount) - 1;
[[nodiscard]] constexpr bool has_kind(KindSet kinds, FieldKind kind) noexcept {
  return (kinds >> static_cast<unsigned>(kind) & 1) != 0;
}
inline constexpr KindSet kAllTables = ((KindSet{1} << kSortedTableKindCount) - 1) << kFieldKindCount;
[[nodiscard]] constexpr KindSet set_of(SortedTableKind kind) noexcept {
  return KindSet{1} << (kFieldKindCount + static_cast<unsigned>(kind));
}
// Of those with numbers that count from a place.
inline constexpr KindSet kTablesFromOwnPos = [] {
  KindSet kinds = 0;
  for (unsigned i = 0; i < kSortedTableKindCount; ++i) {
    const auto kind = static_cast<SortedTableKind>(i);
    if (counts_from_own_pos(kind)) kinds |= set_of(kind);
  }
  return kinds;
}();
[[nodiscard]] constexpr bool has_tables(KindSet kinds, SortedTableKind kind) noexcept { return (kinds & set_of(kind)) != 0; }

// What becomes of one field that a cover copies as a whole.
struct Prediction {
  std::size_t image = 0;              // of the target, where the new field lies
  FieldOrigin origin;                 // of the new field
  std::uint64_t target_address = 0;   // where it is thought to lead
};

// Labels by old address. Most addresses have none, so a bit map is asked first.
class LabelIndex {
 public:
  // `labels` ascend by image and address, and must outlive the index.
  explicit LabelIndex(std::span<const Label> labels);

  // The label, or nullptr.
  [[nodiscard]] const Label* find(std::uint32_t image, std::uint64_t address) const noexcept {
    const std::size_t bit = bit_of(image, address);
    return (bits_[bit / 64] >> (bit % 64) & 1) != 0 ? search(image, address) : nullptr;
  }
  [[nodiscard]] std::span<const Label> labels() const noexcept { return labels_; }

 private:
  [[nodiscard]] std::size_t bit_of(std::uint32_t image, std::uint64_t address) const noexcept {
    return static_cast<std::size_t>((address + image) * 0x9E3779B97F4A7C15u >> shift_);
  }
  [[nodiscard]] const Label* search(std::uint32_t image, std::uint64_t address) const noexcept;

  std::span<const Label> labels_;
  std::vector<std::uint64_t> bits_;
  unsigned shift_ = 0;
};

// Whether labels count for a field. A local branch follows its surroundings.
[[nodiscard]] constexpr bool takes_label(const Field& field) noexcept {
  return field.kind != FieldKind::kBranch && field.kind != FieldKind::kShortBranch;
}

// Whether the field counts from a base, to which labels apply too.
[[nodiscard]] constexpr bool is_offset(FieldForm form) noexcept {
  return form == FieldForm::kOffset32 || form == FieldForm::kOffset24;
}

// For one thread: it remembers where it looked last.
class Predictor {
 public:
  // All must outlive it. It has layouts of its own, as look-ups in them remember the one before. Without labels there are
  // no corrections.
  Predictor(const Images& source, const Images& target, const OwnerMap& map, const LabelIndex* labels)
      : source_(&source), target_(&target), source_layouts_(source.layouts), target_layouts_(target.layouts), map_(&map),
        labels_(labels) {}

  // Where the field will lie, without where it leads. False if that is in no image, or its base went nowhere.
  [[nodiscard]] bool place(const Field& field, std::uint32_t cover, Prediction& prediction) noexcept;

  // After `place`: where it leads as the covers have it. False if they don't tell.
  [[nodiscard]] bool map_target(const Field& field, std::uint32_t cover, Prediction& prediction) const noexcept;

  // Both, and labels. False if nothing is known: the field's bytes are then those of the source.
  [[nodiscard]] bool predict(const Field& field, std::uint32_t cover, Prediction& prediction) noexcept;

  // Where the byte at an address went that is in an image of the target then: what leads there from no cover of its own.
  [[nodiscard]] bool lead(std::uint32_t image, std::uint64_t address, std::size_t target_image,
                          std::uint64_t& new_address) const noexcept;

  // Quickly, for most of the branches: the prediction is known to be the source's bytes.
  [[nodiscard]] bool stays(const Field& field, std::uint32_t cover) noexcept;

 private:
  // A stretch of one cover that lies in one section of the source and in one of the target.
  struct Stretch {
    std::uint32_t cover = OwnerMap::kNoCover;
    std::uint64_t pos = 0;
    std::uint64_t size_bytes = 0;
    std::uint64_t address = 0;  // in the source
  };

  [[nodiscard]] bool map_file_pos(const Field& field, std::uint32_t cover, Prediction& prediction) const noexcept;
  [[nodiscard]] bool place_base(const Field& field, std::uint32_t cover, Prediction& prediction) const noexcept;
  void find_stretch(std::uint64_t pos, std::uint32_t cover) noexcept;
  [[nodiscard]] bool map_backed(const Field& field, std::uint32_t cover, std::uint64_t pos, std::size_t image,
                                std::uint64_t& address) const noexcept;
  [[nodiscard]] bool map_unbacked(const Section& section, std::uint64_t offset, std::size_t from, std::size_t to,
                                  std::uint64_t& address) const noexcept;
  [[nodiscard]] std::uint32_t cover_for(const Field& field, std::uint32_t cover, std::uint64_t pos) const noexcept;
  [[nodiscard]] std::uint32_t owner_near(std::uint64_t pos) const noexcept;
  [[nodiscard]] bool holds(std::uint32_t cover, std::uint64_t pos) const noexcept;

  const Images* source_;
  const Images* target_;
  std::vector<ImageLayout> source_layouts_;
  std::vector<ImageLayout> target_layouts_;
  const OwnerMap* map_;
  const LabelIndex* labels_;
  Stretch stretch_;
};

}  // namespace bdelta::exe

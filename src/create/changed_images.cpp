#include "create/changed_images.hpp"

#include <algorithm>
#include <utility>

#include "base/deciding/prediction.hpp"
#include "match/changed_bytes.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kNone = ~std::size_t{0};

struct ComparedImage {
  std::uint64_t changed_bytes = 0;
  std::size_t origin = kNone;  // the image of the source that most of it is copied from
};

std::uint64_t end_of(const exe::Image& image) { return image.file_pos + image.size_bytes; }

// The first image that ends behind pos: that holds it, or the next one.
std::size_t image_from(const std::vector<exe::Image>& images, std::uint64_t pos) {
  const auto ends_before = [](const exe::Image& image, std::uint64_t at) { return end_of(image) <= at; };
  return static_cast<std::size_t>(std::lower_bound(images.begin(), images.end(), pos, ends_before) - images.begin());
}

// What of a target image is copied from which image of the source.
class Origins {
 public:
  explicit Origins(const std::vector<exe::Image>& images) : images_(images), bytes_(images.size()) {}

  void add(std::uint64_t source_pos, std::uint64_t length) {
    const std::uint64_t end = source_pos + length;
    for (std::size_t i = image_from(images_, source_pos); i < images_.size() && images_[i].file_pos < end; ++i) {
      if (bytes_[i] == 0) seen_.push_back(i);
      bytes_[i] += std::min(end, end_of(images_[i])) - std::max(source_pos, images_[i].file_pos);
    }
  }

  // The one with most bytes since the last call, the first of equals; kNone without any.
  [[nodiscard]] std::size_t take_most() {
    std::size_t most = kNone;
    for (const std::size_t i : seen_) {
      if (most == kNone || bytes_[i] > bytes_[most] || (bytes_[i] == bytes_[most] && i < most)) most = i;
    }
    for (const std::size_t i : seen_) bytes_[i] = 0;
    seen_.clear();
    return most;
  }

 private:
  const std::vector<exe::Image>& images_;
  std::vector<std::uint64_t> bytes_;
  std::vector<std::size_t> seen_;
};

std::vector<ComparedImage> compare_images(ByteSpan source, const std::vector<exe::Image>& source_images, ByteSpan target,
                                          const std::vector<exe::Image>& target_images, const Covers& covers,
                                          WorkerPool& pool) {
  std::vector<ComparedImage> compared;
  Origins origins(source_images);
  for (const exe::Image& image : target_images) {
    ComparedImage& one = compared.emplace_back();
    one.changed_bytes = changed_bytes(source, target, covers, {image.file_pos, end_of(image)}, pool);
    for_each_cover_in(covers, image.file_pos, end_of(image), [&](const Cover& cover, std::uint64_t from, std::uint64_t to) {
      origins.add(cover.source_pos + (from - cover.target_pos), to - from);
    });
    one.origin = origins.take_most();
  }
  return compared;
}

bool are_nearly_equal(const ComparedImage& compared, const exe::Image& image) {
  return compared.changed_bytes < std::max(kNearlyEqualBytes, image.size_bytes / kNearlyEqualShare);
}

// Those that changed. Ascending.
std::vector<std::size_t> chosen_targets(const std::vector<ComparedImage>& compared, const std::vector<exe::Image>& images) {
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < images.size(); ++i) {
    if (!are_nearly_equal(compared[i], images[i])) chosen.push_back(i);
  }
  return chosen;
}

// All but those that nothing but nearly equal images is made of.
std::vector<std::size_t> chosen_sources(const std::vector<ComparedImage>& compared, const std::vector<std::size_t>& targets,
                                        std::size_t image_count) {
  std::vector<bool> left_out(image_count, false);
  for (const ComparedImage& one : compared) {
    if (one.origin != kNone) left_out[one.origin] = true;
  }
  for (const std::size_t i : targets) {
    if (compared[i].origin != kNone) left_out[compared[i].origin] = false;
  }
  std::vector<std::size_t> chosen;
  for (std::size_t i = 0; i < image_count; ++i) {
    if (!left_out[i]) chosen.push_back(i);
  }
  return chosen;
}

std::vector<exe::Image> taken(std::vector<exe::Image>& images, const std::vector<std::size_t>& numbers) {
  std::vector<exe::Image> some;
  for (const std::size_t i : numbers) some.push_back(std::move(images[i]));
  return some;
}

}  // namespace

ImagePair changed_images(ByteSpan source, std::vector<exe::Image> source_images, ByteSpan target,
                         std::vector<exe::Image> target_images, const Covers& covers, WorkerPool& pool) {
  if (source_images.size() < 2 && target_images.size() < 2) {
    return {std::move(source_images), std::move(target_images)};
  }
  const std::vector<ComparedImage> compared = compare_images(source, source_images, target, target_images, covers, pool);
  const std::vector<std::size_t> targets = chosen_targets(compared, target_images);
  const std::vector<std::size_t> sources = chosen_sources(compared, targets, source_images.size());
  return {taken(source_images, sources), taken(target_images, targets)};
}

ByteRanges image_ranges(const std::vector<exe::Image>& images, std::uint64_t target_size) {
  ByteRanges ranges;
  for (const exe::Image& image : images) {
    const std::uint64_t end = std::min(target_size, image.file_pos + image.size_bytes);
    if (!ranges.empty() && image.file_pos < ranges.back().end + kNearImageBytes) {
      ranges.back().end = std::max(ranges.back().end, end);
    } else {
      ranges.push_back({image.file_pos, end});
    }
  }
  return ranges;
}

}  // namespace bdelta

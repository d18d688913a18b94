#include "exe/predict.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

namespace bdelta::exe {
namespace {

constexpr std::uint32_t kNeighbours = 8;  // covers before and behind that local branches look into
constexpr std::uint64_t kReach = 4096;    // bytes behind a cover that are thought to have moved with it

bool is_local(FieldKind kind) noexcept {
  return kind == FieldKind::kJump || kind == FieldKind::kBranch || kind == FieldKind::kShortBranch;
}

}  // namespace

Images::Images(std::vector<Image> found) : all(std::move(found)) {
  layouts.reserve(all.size());
  for (const Image& image : all) layouts.emplace_back(image);
}

std::size_t Images::image_at(std::uint64_t pos) const noexcept {
  const auto after = std::upper_bound(all.begin(), all.end(), pos,
                                      [](std::uint64_t at, const Image& image) { return at < image.file_pos; });
  if (after == all.begin()) return all.size();
  const auto index = static_cast<std::size_t>(after - all.begin()) - 1;
  return pos - all[index].file_pos < all[index].size_bytes ? index : all.size();
}

LabelIndex::LabelIndex(std::span<const Label> labels) : labels_(labels) {
  const auto log = static_cast<unsigned>(std::bit_width(labels.size()) + 4);  // 16 to 32 bits a label
  bits_.resize((std::size_t{1} << log) / 64 + 1);
  shift_ = 64 - log;
  for (const Label& label : labels) {
    const std::size_t bit = bit_of(label.image, label.address);
    bits_[bit / 64] |= std::uint64_t{1} << (bit % 64);
  }
}

const Label* LabelIndex::search(std::uint32_t image, std::uint64_t address) const noexcept {
  const auto found = std::lower_bound(labels_.begin(), labels_.end(), std::tuple(image, address),
                                      [](const Label& label, const std::tuple<std::uint32_t, std::uint64_t>& key) {
                                        return std::tuple(label.image, label.address) < key;
                                      });
  return found != labels_.end() && found->image == image && found->address == address ? &*found : nullptr;
}

bool Predictor::holds(std::uint32_t cover, std::uint64_t pos) const noexcept {
  const Cover& c = map_->covers()[cover];
  return pos >= c.source_pos && pos - c.source_pos < c.length;
}

// A local branch stays with its surroundings, whoever else copies the place it leads to.
std::uint32_t Predictor::cover_for(const Field& field, std::uint32_t cover, std::uint64_t pos) const noexcept {
  if (holds(cover, pos)) return cover;
  if (is_local(field.kind)) {
    const auto count = static_cast<std::uint32_t>(map_->covers().size());
    for (std::uint32_t away = 1; away <= kNeighbours; ++away) {
      if (cover >= away && holds(cover - away, pos)) return cover - away;
      if (cover + away < count && holds(cover + away, pos)) return cover + away;
    }
  }
  return owner_near(pos);
}

std::uint32_t Predictor::owner_near(std::uint64_t pos) const noexcept {
  const std::uint32_t owner = map_->owner_before(pos);
  if (owner == OwnerMap::kNoCover) return owner;
  return pos - map_->covers()[owner].source_pos < map_->covers()[owner].length + kReach ? owner : OwnerMap::kNoCover;
}

bool Predictor::map_backed(const Field& field, std::uint32_t cover, std::uint64_t pos, std::size_t image,
                           std::uint64_t& address) const noexcept {
  const std::uint32_t owner = cover_for(field, cover, pos);
  return owner != OwnerMap::kNoCover && target_layouts_[image].address_of(map_->moved(owner, pos), address);
}

// Memory without bytes: the section that is as many from the last one, from its start.
bool Predictor::map_unbacked(const Section& section, std::uint64_t offset, std::size_t from, std::size_t to,
                             std::uint64_t& address) const noexcept {
  const std::vector<Section>& old_sections = source_->all[from].sections;
  const std::vector<Section>& new_sections = target_->all[to].sections;
  const auto same = std::find_if(old_sections.begin(), old_sections.end(),
                                 [&](const Section& s) { return s.address == section.address; });
  const auto from_end = static_cast<std::size_t>(old_sections.end() - same);
  if (from_end == 0 || from_end > new_sections.size()) return false;
  const Section& counterpart = new_sections[new_sections.size() - from_end];
  if (counterpart.kind != section.kind) return false;
  address = counterpart.address + offset;
  return true;
}

bool Predictor::map_target(const Field& field, std::uint32_t cover, Prediction& prediction) const noexcept {
  if (leads_into_file(field.form)) return map_file_pos(field, cover, prediction);
  const ImageLayout& from = source_layouts_[field.image];
  // One past a section belongs to it, where nothing else begins there.
  std::uint64_t past = 0;
  const Section* section = from.section_of(field.target_address);
  if (section == nullptr && field.target_address != 0) {
    section = from.section_of(field.target_address - 1);
    past = 1;
  }
  if (section == nullptr) return false;
  const std::uint64_t offset = field.target_address - past - section->address;
  std::uint64_t address = 0;
  const bool known = offset < section->size_bytes
                         ? map_backed(field, cover, section->file_pos + offset, prediction.image, address)
                         : map_unbacked(*section, offset, field.image, prediction.image, address);
  prediction.target_address = address + past;
  return known;
}

bool Predictor::map_file_pos(const Field& field, std::uint32_t cover, Prediction& prediction) const noexcept {
  const std::uint64_t pos = field.target_address - kFileSpace;
  const std::uint32_t owner = cover_for(field, cover, pos);
  if (owner == OwnerMap::kNoCover) return false;
  prediction.target_address = kFileSpace + map_->moved(owner, pos);
  return true;
}

bool Predictor::place(const Field& field, std::uint32_t cover, Prediction& prediction) noexcept {
  const std::uint64_t pos = map_->moved(cover, field.pos);
  prediction.image = target_->image_at(pos);
  if (prediction.image == target_->all.size()) return false;
  const ImageLayout& to = target_layouts_[prediction.image];
  FieldOrigin& origin = prediction.origin;
  if (!to.address_of(pos, origin.own_address)) origin.own_address = pos;
  origin.bits64 = target_->all[prediction.image].bits64;
  origin.base_address = target_->all[prediction.image].base_address;
  return !has_base(field.form) || place_base(field, cover, prediction);
}

bool Predictor::place_base(const Field& field, std::uint32_t cover, Prediction& prediction) const noexcept {
  const std::uint64_t base = base_pos(field);
  std::uint64_t old_address = 0;
  if (labels_ != nullptr && is_offset(field.form) && source_layouts_[field.image].address_of(base, old_address)) {
    if (const Label* label = labels_->find(field.image, old_address)) {
      prediction.origin.base_address = label->new_address;
      return true;
    }
  }
  const std::uint32_t owner = holds(cover, base) ? cover : map_->owner_before(base);
  if (leads_into_file(field.form)) {
    prediction.origin.base_address = owner == OwnerMap::kNoCover ? 0 : kFileSpace + map_->moved(owner, base);
    return owner != OwnerMap::kNoCover;
  }
  return owner != OwnerMap::kNoCover &&
         target_layouts_[prediction.image].address_of(map_->moved(owner, base), prediction.origin.base_address);
}

bool Predictor::predict(const Field& field, std::uint32_t cover, Prediction& prediction) noexcept {
  if (!place(field, cover, prediction)) return false;
  if (labels_ != nullptr && takes_label(field)) {
    if (const Label* label = labels_->find(field.image, field.target_address)) {
      prediction.target_address = label->new_address;
      return true;
    }
  }
  return map_target(field, cover, prediction);
}

bool Predictor::lead(std::uint32_t image, std::uint64_t address, std::size_t target_image,
                     std::uint64_t& new_address) const noexcept {
  if (labels_ != nullptr) {
    if (const Label* label = labels_->find(image, address)) {
      new_address = label->new_address;
      return true;
    }
  }
  std::uint64_t pos = 0;
  if (!source_layouts_[image].file_pos_of(address, pos)) return false;
  const std::uint32_t owner = owner_near(pos);
  return owner != OwnerMap::kNoCover && target_layouts_[target_image].address_of(map_->moved(owner, pos), new_address);
}

void Predictor::find_stretch(std::uint64_t pos, std::uint32_t cover) noexcept {
  const Cover& c = map_->covers()[cover];
  stretch_ = {cover, pos, 0, 0};
  const auto section_at = [](const Images& images, const std::vector<ImageLayout>& layouts,
                             std::uint64_t at) -> const Section* {
    const std::size_t image = images.image_at(at);
    std::uint64_t address = 0;
    if (image == images.all.size() || !layouts[image].address_of(at, address)) return nullptr;
    return layouts[image].section_of(address);
  };
  const Section* from = section_at(*source_, source_layouts_, pos);
  const Section* to = section_at(*target_, target_layouts_, map_->moved(cover, pos));
  if (from == nullptr || to == nullptr) return;
  const std::uint64_t new_pos = map_->moved(cover, pos);
  const std::uint64_t back = std::min({pos - c.source_pos, pos - from->file_pos, new_pos - to->file_pos});
  const std::uint64_t ahead = std::min({c.source_end() - pos, from->file_pos + from->size_bytes - pos,
                                        to->file_pos + to->size_bytes - new_pos});
  stretch_ = {cover, pos - back, back + ahead, from->address + (pos - back - from->file_pos)};
}

bool Predictor::stays(const Field& field, std::uint32_t cover) noexcept {
  if (takes_label(field) || !traits_of(field.form).is_distance) return false;
  if (cover != stretch_.cover || field.pos - stretch_.pos >= stretch_.size_bytes) find_stretch(field.pos, cover);
  return field.target_address - stretch_.address < stretch_.size_bytes;
}

}  // namespace bdelta::exe

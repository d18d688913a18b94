#include "exe/layout.hpp"

#include <algorithm>

#include "base/checked.hpp"

namespace bdelta::exe {
namespace {

bool is_sound(const Section& section, std::uint64_t begin, std::uint64_t image_end) {
  std::uint64_t end = 0;
  if (section.memory_bytes == 0 || !checked_add(section.address, section.memory_bytes, end)) return false;
  if (section.kind == SectionKind::kUnbacked) return section.size_bytes == 0;
  return section.size_bytes != 0 && section.size_bytes <= section.memory_bytes && section.file_pos >= begin &&
         range_fits(section.file_pos, section.size_bytes, image_end);
}

// Drops each section that overlaps an earlier one along one axis. Sorting by (start, rank) and remembering the end of
// the last one kept is enough: one that begins before that end overlaps; of the two the lower rank stays.
template <class Start, class Size>
void drop_overlaps(std::vector<Section>& sections, Start start, Size size) {
  std::vector<std::size_t> order(sections.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return start(sections[a]) != start(sections[b]) ? start(sections[a]) < start(sections[b]) : a < b;
  });
  std::vector<bool> kept(sections.size(), false);
  std::size_t last = sections.size();
  for (const std::size_t i : order) {
    if (size(sections[i]) == 0) {
      kept[i] = true;
      continue;
    }
    const bool overlaps =
        last != sections.size() && start(sections[i]) < start(sections[last]) + size(sections[last]);
    if (overlaps && last < i) continue;
    if (overlaps) kept[last] = false;
    kept[i] = true;
    last = i;
  }
  std::size_t count = 0;
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (kept[i]) sections[count++] = sections[i];
  }
  sections.resize(count);
}

// Objects, as a pointer to a function is not inlined.
constexpr auto address_of_section = [](const Section& section) noexcept { return section.address; };
constexpr auto pos_of_section = [](const Section& section) noexcept { return section.file_pos; };

// The last of `sections`, ascending by `start`, that begins at or before `value`; as many if there is none.
template <class Start>
std::size_t last_before(const std::vector<Section>& sections, std::uint64_t value, Start start) noexcept {
  const auto after = std::upper_bound(sections.begin(), sections.end(), value,
                                      [&](std::uint64_t at, const Section& s) { return at < start(s); });
  return after == sections.begin() ? sections.size() : static_cast<std::size_t>(after - sections.begin()) - 1;
}

}  // namespace

void settle_sections(std::vector<Section>& sections, std::uint64_t begin, std::uint64_t end) {
  std::erase_if(sections, [&](const Section& section) { return !is_sound(section, begin, end); });
  drop_overlaps(sections, pos_of_section, [](const Section& section) { return section.size_bytes; });
  drop_overlaps(sections, address_of_section, [](const Section& section) { return section.memory_bytes; });
  std::stable_sort(sections.begin(), sections.end(), [](const Section& a, const Section& b) {
    const bool a_unbacked = a.kind == SectionKind::kUnbacked;
    const bool b_unbacked = b.kind == SectionKind::kUnbacked;
    if (a_unbacked != b_unbacked) return b_unbacked;
    return a_unbacked ? a.address < b.address : a.file_pos < b.file_pos;
  });
}

ImageLayout::ImageLayout(const Image& image) {
  Sorted sorted{image.sections, {}};
  for (const Section& section : image.sections) {
    if (section.size_bytes != 0) sorted.by_pos.push_back(section);
  }
  std::sort(sorted.by_address.begin(), sorted.by_address.end(),
            [](const Section& a, const Section& b) { return a.address < b.address; });
  std::sort(sorted.by_pos.begin(), sorted.by_pos.end(),
            [](const Section& a, const Section& b) { return a.file_pos < b.file_pos; });
  if (sorted.by_address.empty()) sorted.by_address.emplace_back();
  if (sorted.by_pos.empty()) sorted.by_pos.emplace_back();
  sections_ = std::make_shared<const Sorted>(std::move(sorted));
}

const Section* ImageLayout::find_section_of(std::uint64_t address) const noexcept {
  const std::vector<Section>& by_address = sections_->by_address;
  const std::size_t found = last_before(by_address, address, address_of_section);
  if (found == by_address.size()) return nullptr;
  const Section& section = by_address[found];
  near_address_.remember(found);
  return address - section.address < section.memory_bytes ? &section : nullptr;
}

bool ImageLayout::file_pos_of(std::uint64_t address, std::uint64_t& pos) const noexcept {
  const Section* section = section_of(address);
  if (section == nullptr || address - section->address >= section->size_bytes) return false;
  pos = section->file_pos + (address - section->address);
  return true;
}

bool ImageLayout::find_address_of(std::uint64_t pos, std::uint64_t& address) const noexcept {
  const std::vector<Section>& by_pos = sections_->by_pos;
  const std::size_t found = last_before(by_pos, pos, pos_of_section);
  if (found == by_pos.size()) return false;
  const Section& section = by_pos[found];
  near_pos_.remember(found);
  if (pos - section.file_pos >= section.size_bytes) return false;
  address = section.address + (pos - section.file_pos);
  return true;
}

std::uint64_t ImageLayout::high() const noexcept {
  return sections_->by_address.back().address + sections_->by_address.back().memory_bytes;
}

}  // namespace bdelta::exe

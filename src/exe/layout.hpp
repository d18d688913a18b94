// Where the addresses of an image lie in the file. Sections out of a header are made consistent here, so that what
// works with an Image need not doubt them.
#pragma once

#include <vector>

#include "exe/image.hpp"

namespace bdelta::exe {

// Drops sections that are empty, lie outside of [begin, end), the bytes of the image, wrap around, or overlap one kept
// before, in the file or in memory; the earlier of `sections` wins. Sorts what is left as Image demands.
void settle_sections(std::vector<Section>& sections, std::uint64_t begin, std::uint64_t end);

class ImageLayout {
 public:
  explicit ImageLayout(const Image& image);

  // The section that holds `address`, or nullptr. An address one past a section is not in it.
  [[nodiscard]] const Section* section_of(std::uint64_t address) const noexcept;

  // In a section or one past it: where a pointer may lead.
  [[nodiscard]] bool is_place(std::uint64_t address) const noexcept {
    return section_of(address) != nullptr || (address != 0 && section_of(address - 1) != nullptr);
  }

  // Position in the file of the byte at `address`; false if it has none.
  [[nodiscard]] bool file_pos_of(std::uint64_t address, std::uint64_t& pos) const noexcept;

  // Address of the byte at `pos` of the file; false if it is in no section.
  [[nodiscard]] bool address_of(std::uint64_t pos, std::uint64_t& address) const noexcept;

  // Addresses [low, high) that hold all sections.
  [[nodiscard]] std::uint64_t low() const noexcept { return by_address_.empty() ? 0 : by_address_.front().address; }
  [[nodiscard]] std::uint64_t high() const noexcept;

 private:
  std::vector<Section> by_address_;
  std::vector<Section> by_pos_;  // backed ones
  // Neighbouring look-ups mostly hit the section of the one before. Not for use by several threads.
  mutable std::size_t last_address_ = 0;
  mutable std::size_t last_pos_ = 0;
};

}  // namespace bdelta::exe

// A release changes the sizes of sections and moves what follows; their number and order it mostly leaves alone. So an
// image is described by one of the source, its counterpart, and what differs from that. A section is expected as far behind the
// one before it as in the counterpart, and as far from its address to its place in the file. Numbers are zigzag varints,
// most 0.
//
//   table:    count - count of the source, images
//   image:    head = counterpart * 4 + differs * 2 + moved; file_pos - expected if moved; if it differs:
//             shape, size, base address, count of sections: each less that of the counterpart; sections
//   section:  head = (which section of the counterpart - the one expected) * 2 + kind differs; kind if it differs;
//             size, file_pos, address, bytes in memory: each less the expected one
//
// Encoder and parser share one description of what is expected. All arithmetic is modulo 2^64; what comes out is
// checked as a whole in the end.
#include "exe/image_table.hpp"

#include "base/byte_cursor.hpp"
#include "exe/images.hpp"

namespace bdelta::exe {
namespace {

// How an image's head tells its counterpart: the source's image behind the counterpart before, none, or number -
// kFirstNumber.
constexpr std::uint64_t kNextCounterpart = 0;
constexpr std::uint64_t kNoCounterpart = 1;
constexpr std::uint64_t kFirstNumber = 2;

Error corrupt(const char* what) { return {ErrorCode::kPatchCorrupt, std::string("table of images: ") + what}; }

void append_difference(Bytes& to, std::uint64_t value, std::uint64_t expected) {
  append_varint(to, zigzag(static_cast<std::int64_t>(value - expected)));
}

std::uint64_t read_difference(ByteCursor& from, std::uint64_t expected) {
  return expected + static_cast<std::uint64_t>(from.svarint());
}

std::uint64_t shape_of(const Image& image) {
  return static_cast<std::uint64_t>(image.format) | static_cast<std::uint64_t>(image.machine) << 2 |
         static_cast<std::uint64_t>(image.bits64) << 5;
}

bool set_shape(std::uint64_t shape, Image& image) {
  if (shape >= 64 || (shape >> 2 & 7) >= kMachineCount) return false;
  image.format = static_cast<ImageFormat>(shape & 3);
  image.machine = static_cast<Machine>(shape >> 2 & 7);
  image.bits64 = shape >> 5 != 0;
  return true;
}

// What is known of the images so far.
struct ImageState {
  std::size_t next_counterpart = 0;
  std::uint64_t end = 0;  // of the image before, in the target

  std::uint64_t expected_pos(const Images& source, std::size_t counterpart) const {
    if (counterpart >= source.all.size()) return end;
    const Image* before = counterpart == 0 ? nullptr : &source.all[counterpart - 1];
    return end + source.all[counterpart].file_pos - (before != nullptr ? before->file_pos + before->size_bytes : 0);
  }
};

// What is known of the sections so far.
class SectionState {
 public:
  SectionState(const Image& counterpart, std::uint64_t image_pos)
      : counterpart_(counterpart), end_pos_(image_pos), counterpart_end_pos_(counterpart.file_pos) {}

  // Numbers come from the patch and may be any: what is no section of the counterpart is like an empty one.
  std::uint64_t next() const { return next_; }
  Section counterpart(std::uint64_t number) const {
    return number < counterpart_.sections.size() ? counterpart_.sections[static_cast<std::size_t>(number)] : Section{};
  }

  // Where a section of this counterpart is thought to begin in the file; then, once its place and size are known, in memory.
  std::uint64_t expected_pos(const Section& counterpart) const {
    return is_unbacked(counterpart) ? counterpart.file_pos : end_pos_ + (counterpart.file_pos - counterpart_end_pos_);
  }
  std::uint64_t expected_address(const Section& counterpart, std::uint64_t file_pos) const {
    return is_unbacked(counterpart) ? end_address_ + (counterpart.address - counterpart_end_address_)
                              : file_pos + (counterpart.address - counterpart.file_pos);
  }
  void advance(std::uint64_t number, const Section& section) {
    const Section of_source = counterpart(number);
    next_ = number + 1;
    end_address_ = section.address + section.memory_bytes;
    counterpart_end_address_ = of_source.address + of_source.memory_bytes;
    if (is_unbacked(section) || is_unbacked(of_source)) return;
    end_pos_ = section.file_pos + section.size_bytes;
    counterpart_end_pos_ = of_source.file_pos + of_source.size_bytes;
  }

 private:
  static bool is_unbacked(const Section& section) { return section.kind == SectionKind::kUnbacked; }

  const Image& counterpart_;
  std::uint64_t next_ = 0;
  std::uint64_t end_pos_, counterpart_end_pos_;
  std::uint64_t end_address_ = 0, counterpart_end_address_ = 0;
};

Bytes section_bytes(const Section& section, const SectionState& state, std::uint64_t number) {
  const Section counterpart = state.counterpart(number);
  const std::uint64_t step = zigzag(static_cast<std::int64_t>(number) - static_cast<std::int64_t>(state.next()));
  Bytes bytes;
  append_varint(bytes, step * 2 + (section.kind != counterpart.kind ? 1 : 0));
  if (section.kind != counterpart.kind) bytes.push_back(static_cast<std::uint8_t>(section.kind));
  append_difference(bytes, section.size_bytes, counterpart.size_bytes);
  append_difference(bytes, section.file_pos, state.expected_pos(counterpart));
  append_difference(bytes, section.address, state.expected_address(counterpart, section.file_pos));
  append_difference(bytes, section.memory_bytes, section.size_bytes + (counterpart.memory_bytes - counterpart.size_bytes));
  return bytes;
}

// Each with the counterpart that makes it shortest, among the expected one and some near it.
void append_sections(Bytes& to, const Image& image, const Image& counterpart) {
  constexpr std::uint64_t kAhead = 8;
  SectionState state(counterpart, image.file_pos);
  for (const Section& section : image.sections) {
    std::uint64_t best = state.next();
    Bytes bytes = section_bytes(section, state, best);
    for (std::uint64_t number = best == 0 ? 0 : best - 1; number <= state.next() + kAhead; ++number) {
      Bytes other = section_bytes(section, state, number);
      if (other.size() >= bytes.size()) continue;
      bytes = std::move(other);
      best = number;
    }
    append(to, bytes);
    state.advance(best, section);
  }
}

// The image of the source, or one without anything.
const Image& counterpart_image(const Images& source, std::size_t counterpart) {
  static const Image kNothing{};
  return counterpart < source.all.size() ? source.all[counterpart] : kNothing;
}

// As it would be at another place in the file.
Image moved_to(Image image, std::uint64_t file_pos) {
  for (Section& section : image.sections) {
    if (section.kind != SectionKind::kUnbacked) section.file_pos += file_pos - image.file_pos;
  }
  image.file_pos = file_pos;
  return image;
}

bool same(const Image& a, const Image& b) {
  return shape_of(a) == shape_of(b) && a.size_bytes == b.size_bytes && a.base_address == b.base_address &&
         a.sections == b.sections;
}

Bytes image_bytes(const Image& image, const Images& source, const ImageState& state, std::size_t number) {
  const Image& counterpart = counterpart_image(source, number);
  const bool differs = !same(moved_to(counterpart, image.file_pos), image);
  const std::uint64_t expected = state.expected_pos(source, number);
  std::uint64_t coded_number = kNextCounterpart;
  if (number != state.next_counterpart) coded_number = number < source.all.size() ? number + kFirstNumber : kNoCounterpart;
  Bytes bytes;
  append_varint(bytes, coded_number * 4 + (differs ? 2 : 0) + (image.file_pos != expected ? 1 : 0));
  if (image.file_pos != expected) append_difference(bytes, image.file_pos, expected);
  if (!differs) return bytes;
  append_difference(bytes, shape_of(image), shape_of(counterpart));
  append_difference(bytes, image.size_bytes, counterpart.size_bytes);
  append_difference(bytes, image.base_address, counterpart.base_address);
  append_difference(bytes, image.sections.size(), counterpart.sections.size());
  append_sections(bytes, image, counterpart);
  return bytes;
}

// The source's image that is most like this one: format and machine, then size.
std::size_t most_alike(const Image& image, const Images& source) {
  std::size_t best = source.all.size();
  std::uint64_t best_distance = 0;
  for (std::size_t i = 0; i < source.all.size(); ++i) {
    const Image& other = source.all[i];
    if (shape_of(other) != shape_of(image)) continue;
    const std::uint64_t distance = other.size_bytes < image.size_bytes ? image.size_bytes - other.size_bytes
                                                                       : other.size_bytes - image.size_bytes;
    if (best < source.all.size() && distance >= best_distance) continue;
    best = i;
    best_distance = distance;
  }
  return best;
}

bool parse_sections(ByteCursor& from, const Image& counterpart, std::uint64_t count, Image& image) {
  SectionState state(counterpart, image.file_pos);
  for (std::uint64_t i = 0; i < count && from.ok(); ++i) {
    const std::uint64_t head = from.varint();
    const std::uint64_t number = state.next() + static_cast<std::uint64_t>(unzigzag(head / 2));
    const Section like = state.counterpart(number);
    Section section;
    const std::uint8_t kind = head % 2 != 0 ? from.u8() : static_cast<std::uint8_t>(like.kind);
    if (kind > static_cast<std::uint8_t>(SectionKind::kUnbacked)) return false;
    section.kind = static_cast<SectionKind>(kind);
    section.size_bytes = read_difference(from, like.size_bytes);
    section.file_pos = read_difference(from, state.expected_pos(like));
    section.address = read_difference(from, state.expected_address(like, section.file_pos));
    section.memory_bytes = read_difference(from, section.size_bytes + (like.memory_bytes - like.size_bytes));
    image.sections.push_back(section);
    state.advance(number, section);
  }
  return from.ok();
}

// Position, size and sections may still be anything.
bool parse_image(ByteCursor& from, const Images& source, ImageState& state, Image& image) {
  const std::uint64_t head = from.varint();
  const std::uint64_t coded_number = head / 4;
  std::size_t number = state.next_counterpart;
  if (coded_number == kNoCounterpart) number = source.all.size();
  if (coded_number >= kFirstNumber) {
    if (coded_number - kFirstNumber >= source.all.size()) return false;
    number = static_cast<std::size_t>(coded_number - kFirstNumber);
  }
  const Image& counterpart = counterpart_image(source, number);
  const std::uint64_t expected = state.expected_pos(source, number);
  image.file_pos = head % 2 != 0 ? read_difference(from, expected) : expected;
  if (head / 2 % 2 == 0) {
    image = moved_to(counterpart, image.file_pos);
  } else {
    if (!set_shape(read_difference(from, shape_of(counterpart)), image)) return false;
    image.size_bytes = read_difference(from, counterpart.size_bytes);
    image.base_address = read_difference(from, counterpart.base_address);
    const std::uint64_t count = read_difference(from, counterpart.sections.size());
    if (count > ImageLimits().section_count || !parse_sections(from, counterpart, count, image)) return false;
  }
  state.next_counterpart = number + 1;
  state.end = image.file_pos + image.size_bytes;
  return from.ok();
}

bool is_consistent(const Image& image, std::uint64_t begin, std::uint64_t file_size) {
  if (image.file_pos < begin || !range_fits(image.file_pos, image.size_bytes, file_size)) return false;
  std::vector<Section> settled = image.sections;
  settle_sections(settled, image.file_pos, image.file_pos + image.size_bytes);
  return settled == image.sections;
}

}  // namespace

void append_image_table(Bytes& to, const Images& source, const Images& target) {
  append_difference(to, target.all.size(), source.all.size());
  ImageState state;
  for (const Image& image : target.all) {
    std::size_t counterpart = state.next_counterpart;
    Bytes bytes = image_bytes(image, source, state, counterpart);
    for (const std::size_t other : {most_alike(image, source), source.all.size()}) {
      Bytes other_bytes = image_bytes(image, source, state, other);
      if (other_bytes.size() >= bytes.size()) continue;
      bytes = std::move(other_bytes);
      counterpart = other;
    }
    append(to, bytes);
    state.next_counterpart = counterpart + 1;
    state.end = image.file_pos + image.size_bytes;
  }
}

Result<std::vector<Image>> parse_image_table(ByteSpan bytes, const Images& source, std::uint64_t target_size,
                                             std::size_t most) {
  ByteCursor from(bytes);
  const std::uint64_t count = read_difference(from, source.all.size());
  if (!from.ok() || count > most) return corrupt("there are more images than the patch declares memory for");
  std::vector<Image> images;
  ImageState state;
  std::size_t section_count = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t begin = state.end;
    Image image;
    if (!parse_image(from, source, state, image)) return corrupt("an image cannot be read");
    if (!is_consistent(image, begin, target_size)) {
      return corrupt("an image or its sections overlap or pass the end of NEW");
    }
    section_count += image.sections.size();
    if (section_count > kMostSectionsOfAll) return corrupt("the images have more sections than those of a patch may have");
    images.push_back(std::move(image));
  }
  if (from.available() != 0) return corrupt("bytes follow the last image");
  return images;
}

}  // namespace bdelta::exe

// A release changes the sizes of sections and moves what follows; their number and order it mostly leaves alone. So an
// image is told as one of the source, its model, and what differs from that; a section is expected as far behind the one
// before it as in the model, and as far from its address to its place in the file. Numbers are zigzag varints, most 0.
//
//   table:    count - count of the source, images
//   image:    head = model * 4 + differs * 2 + moved; file_pos - expected if moved; if it differs:
//             shape, size, base address, count of sections: each less that of the model; sections
//   section:  head = (which section of the model - the one expected) * 2 + kind differs; kind if it differs;
//             size, file_pos, address, bytes in memory: each less the expected one
//
// Encoder and parser share one description of what is expected. All arithmetic is modulo 2^64; what comes out is
// checked as a whole in the end.
#include "exe/image_table.hpp"

#include <algorithm>

#include "base/byte_cursor.hpp"
#include "exe/images.hpp"

namespace bdelta::exe {
namespace {

// How `model` of an image head is told: the source's image behind the model before, none, or number - kFirstNumber.
constexpr std::uint64_t kNextModel = 0;
constexpr std::uint64_t kNoModel = 1;
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
  std::size_t next_model = 0;
  std::uint64_t end = 0;  // of the image before, in the target

  std::uint64_t expected_pos(const Images& source, std::size_t model) const {
    if (model >= source.all.size()) return end;
    const Image* before = model == 0 ? nullptr : &source.all[model - 1];
    return end + source.all[model].file_pos - (before != nullptr ? before->file_pos + before->size_bytes : 0);
  }
};

// What is known of the sections so far.
class SectionState {
 public:
  SectionState(const Image& model, std::uint64_t image_pos)
      : model_(model), end_pos_(image_pos), model_end_pos_(model.file_pos) {}

  // Numbers come from the patch and may be any: what is no section of the model is like an empty one.
  std::uint64_t next() const { return next_; }
  Section model(std::uint64_t number) const {
    return number < model_.sections.size() ? model_.sections[static_cast<std::size_t>(number)] : Section{};
  }

  // Where a section of this model is thought to begin in the file; then, once its place and size are known, in memory.
  std::uint64_t expected_pos(const Section& model) const {
    return is_unbacked(model) ? model.file_pos : end_pos_ + (model.file_pos - model_end_pos_);
  }
  std::uint64_t expected_address(const Section& model, std::uint64_t file_pos) const {
    return is_unbacked(model) ? end_address_ + (model.address - model_end_address_)
                              : file_pos + (model.address - model.file_pos);
  }
  void advance(std::uint64_t number, const Section& section) {
    const Section model_section = model(number);
    next_ = number + 1;
    end_address_ = section.address + section.memory_bytes;
    model_end_address_ = model_section.address + model_section.memory_bytes;
    if (is_unbacked(section) || is_unbacked(model_section)) return;
    end_pos_ = section.file_pos + section.size_bytes;
    model_end_pos_ = model_section.file_pos + model_section.size_bytes;
  }

 private:
  static bool is_unbacked(const Section& section) { return section.kind == SectionKind::kUnbacked; }

  const Image& model_;
  std::uint64_t next_ = 0;
  std::uint64_t end_pos_, model_end_pos_;
  std::uint64_t end_address_ = 0, model_end_address_ = 0;
};

Bytes section_bytes(const Section& section, const SectionState& state, std::uint64_t number) {
  const Section model = state.model(number);
  const std::uint64_t step = zigzag(static_cast<std::int64_t>(number) - static_cast<std::int64_t>(state.next()));
  Bytes bytes;
  append_varint(bytes, step * 2 + (section.kind != model.kind ? 1 : 0));
  if (section.kind != model.kind) bytes.push_back(static_cast<std::uint8_t>(section.kind));
  append_difference(bytes, section.size_bytes, model.size_bytes);
  append_difference(bytes, section.file_pos, state.expected_pos(model));
  append_difference(bytes, section.address, state.expected_address(model, section.file_pos));
  append_difference(bytes, section.memory_bytes, section.size_bytes + (model.memory_bytes - model.size_bytes));
  return bytes;
}

// Each with the model that makes it shortest, among the expected one and some near it.
void append_sections(Bytes& to, const Image& image, const Image& model) {
  constexpr std::uint64_t kAhead = 8;
  SectionState state(model, image.file_pos);
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
const Image& model_image(const Images& source, std::size_t model) {
  static const Image kNothing{};
  return model < source.all.size() ? source.all[model] : kNothing;
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
  const Image& model = model_image(source, number);
  const bool differs = !same(moved_to(model, image.file_pos), image);
  const std::uint64_t expected = state.expected_pos(source, number);
  std::uint64_t told = kNextModel;
  if (number != state.next_model) told = number < source.all.size() ? number + kFirstNumber : kNoModel;
  Bytes bytes;
  append_varint(bytes, told * 4 + (differs ? 2 : 0) + (image.file_pos != expected ? 1 : 0));
  if (image.file_pos != expected) append_difference(bytes, image.file_pos, expected);
  if (!differs) return bytes;
  append_difference(bytes, shape_of(image), shape_of(model));
  append_difference(bytes, image.size_bytes, model.size_bytes);
  append_difference(bytes, image.base_address, model.base_address);
  append_difference(bytes, image.sections.size(), model.sections.size());
  append_sections(bytes, image, model);
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

bool parse_sections(ByteCursor& from, const Image& model, std::uint64_t count, Image& image) {
  SectionState state(model, image.file_pos);
  for (std::uint64_t i = 0; i < count && from.ok(); ++i) {
    const std::uint64_t head = from.varint();
    const std::uint64_t number = state.next() + static_cast<std::uint64_t>(unzigzag(head / 2));
    const Section like = state.model(number);
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
  const std::uint64_t told = head / 4;
  std::size_t number = state.next_model;
  if (told == kNoModel) number = source.all.size();
  if (told >= kFirstNumber) {
    if (told - kFirstNumber >= source.all.size()) return false;
    number = static_cast<std::size_t>(told - kFirstNumber);
  }
  const Image& model = model_image(source, number);
  const std::uint64_t expected = state.expected_pos(source, number);
  image.file_pos = head % 2 != 0 ? read_difference(from, expected) : expected;
  if (head / 2 % 2 == 0) {
    image = moved_to(model, image.file_pos);
  } else {
    if (!set_shape(read_difference(from, shape_of(model)), image)) return false;
    image.size_bytes = read_difference(from, model.size_bytes);
    image.base_address = read_difference(from, model.base_address);
    const std::uint64_t count = read_difference(from, model.sections.size());
    if (count > ImageLimits().section_count || !parse_sections(from, model, count, image)) return false;
  }
  state.next_model = number + 1;
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
    std::size_t model = state.next_model;
    Bytes bytes = image_bytes(image, source, state, model);
    for (const std::size_t other : {most_alike(image, source), source.all.size()}) {
      Bytes other_bytes = image_bytes(image, source, state, other);
      if (other_bytes.size() >= bytes.size()) continue;
      bytes = std::move(other_bytes);
      model = other;
    }
    append(to, bytes);
    state.next_model = model + 1;
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

#include "exe/relabel.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "base/deciding/prediction.hpp"
#include "exe/crate_hash.hpp"
#include "exe/field_codec.hpp"
#include "parallel/large_buffer.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint64_t kChunkBytes = std::uint64_t{2} << 20;
constexpr std::uint64_t kStepBytes = std::uint64_t{64} << 10;  // whose fields are unpacked at a time
constexpr std::uint8_t kOrdinaryMiss = 16;

// Calls body(state, field) for all fields of the kinds, with a state made by make() for each chunk.
template <class Make, class Body>
void for_each_chunk(const Program& program, KindSet kinds, WorkerPool& pool, Make&& make, Body&& body) {
  const std::uint64_t size = program.file().size();
  pool.for_each(static_cast<std::size_t>((size + kChunkBytes - 1) / kChunkBytes), [&](std::size_t chunk) {
    auto state = make();
    FieldCache cache;
    const std::uint64_t end = std::min(size, (chunk + 1) * kChunkBytes);
    for (std::uint64_t at = chunk * kChunkBytes; at < end; at += kStepBytes) {
      const std::uint64_t step_end = std::min(end, at + kStepBytes);
      for (const Field& field : program.fields_from(at, step_end, cache)) {
        if (has_kind(kinds, field.kind)) body(state, field);
      }
      pool.advance(step_end - at);
    }
  });
}

struct NoState {};

std::uint64_t mixed(std::uint64_t number) noexcept {
  number *= 0x9E3779B97F4A7C15u;
  number ^= number >> 29;
  number *= 0xBF58476D1CE4E5B9u;
  return number ^ number >> 32;
}

// Calls body(pos, is_hash) for the bytes of a name, up to its end or as many.
template <class Body>
void for_each_name_byte(ByteSpan file, const Field& field, std::size_t most_bytes, Body&& body) {
  const auto begin = static_cast<std::size_t>(field.target_address - kFileSpace);
  const bool has_hashes = is_rust_name(file, begin);
  const std::size_t end = begin + std::min(most_bytes, file.size() - std::min(begin, file.size()));
  std::size_t hash_end = begin;
  for (std::size_t i = begin; i < end && file[i] != 0; ++i) {
    if (has_hashes && i >= hash_end) hash_end = crate_hash_end(file, i);
    body(i, i < hash_end);
  }
}

// What a symbol's name field becomes: something of the name itself, as that is the same in both files.
std::uint64_t name_number(ByteSpan file, const Field& field) noexcept {
  constexpr std::size_t kMostBytes = 256;
  std::uint64_t number = 0;
  for_each_name_byte(file, field, kMostBytes, [&](std::size_t pos, bool is_hash) {
    number = (number ^ (is_hash ? 0u : unsigned{file[pos]})) * 0x9E3779B97F4A7C15u;
    number ^= number >> 32;
  });
  return number;
}

// Hashes in the name look the same in both files. Several fields may lead to a name, and so several threads.
void mask_hashes(ByteSpan file, const Field& field, MutableByteSpan copy) noexcept {
  constexpr std::uint8_t kAnyHash = 'x';
  constexpr std::size_t kMostBytes = 4096;  // of a name; few are longer, and a hostile one may have no end
  if (!is_rust_name(file, static_cast<std::size_t>(field.target_address - kFileSpace))) return;
  for_each_name_byte(file, field, kMostBytes, [&](std::size_t pos, bool is_hash) {
    if (is_hash) std::atomic_ref<std::uint8_t>(copy[pos]).store(kAnyHash, std::memory_order_relaxed);
  });
}

// What a field of a symbol's number becomes: the name of that symbol, whose field is the first of its entry.
std::uint64_t symbol_number(const Program& program, const Field& field, FieldCache& cache) {
  const std::uint64_t symbol = field.target_address - kFileSpace;
  for (const Field& name : program.table_fields_from(symbol, symbol + 1, cache)) {
    if (name.kind == FieldKind::kSymbolName) return name_number(program.file(), name);
  }
  return 0;
}

std::uint64_t mask_number(const Program& program, const Field& field, FieldCache& cache) {
  switch (field.kind) {
    case FieldKind::kSymbolName: return name_number(program.file(), field);
    case FieldKind::kSymbolIndex: return symbol_number(program, field, cache);
    default: return 0;
  }
}

// The label of an address of the target: by its place in the file where it has one, as images may share addresses.
std::uint64_t label_of(const ImageLayout& layout, std::uint64_t address) noexcept {
  std::uint64_t pos = 0;
  if (layout.file_pos_of(address, pos)) return mixed(pos);
  if (address != 0 && layout.file_pos_of(address - 1, pos)) return mixed(pos + 1);
  return mixed(~address);
}

// What a field becomes: a number in a page of unwind information is the same only where the page begins at the same
// place.
std::uint64_t label_of(const ImageLayout& layout, const Field& field, std::uint64_t address,
                       std::uint64_t base_address) noexcept {
  const std::uint64_t label = label_of(layout, address);
  return field.form == FieldForm::kOffset24 ? label ^ mixed(label_of(layout, base_address)) : label;
}

// The cover that the old field is thought to be copied by.
class OwnerWalk {
 public:
  explicit OwnerWalk(const OwnerMap& map) : map_(&map) {}

  std::uint32_t at(std::uint64_t pos) noexcept {
    if (pos - stretch_.begin >= stretch_.size_bytes) stretch_ = map_->stretch_at(pos);
    return stretch_.owner_before;
  }

 private:
  const OwnerMap* map_;
  OwnerMap::Stretch stretch_;
};

struct SourceState {
  Predictor predictor;
  OwnerWalk owners;
  Images target;
};

}  // namespace

void mask_fields(const Program& program, KindSet kinds, MutableByteSpan copy, WorkerPool& pool) {
  for_each_chunk(program, kinds, pool, [] { return FieldCache(); }, [&](FieldCache& symbols, const Field& field) {
    mask_field(copy.data() + field.pos, field, mask_number(program, field, symbols));
    if (field.kind == FieldKind::kSymbolName) mask_hashes(program.file(), field, copy);
  });
}

void label_target(const Program& target, KindSet kinds, MutableByteSpan copy, WorkerPool& pool) {
  for_each_chunk(target, kinds, pool, [&] { return target.images(); }, [&](const Images& images, const Field& field) {
    const ImageLayout& layout = images.layouts[field.image];
    std::uint64_t base = 0;
    if (field.form == FieldForm::kOffset24) (void)layout.address_of(base_pos(field), base);
    mask_field(copy.data() + field.pos, field, label_of(layout, field, field.target_address, base));
  });
}

void label_source(const Program& source, const Images& target, const OwnerMap& map, const LabelIndex& labels,
                  KindSet kinds, MutableByteSpan copy, WorkerPool& pool) {
  const auto make = [&] {
    return SourceState{Predictor(source.images(), target, map, &labels), OwnerWalk(map), target};
  };
  for_each_chunk(source, kinds, pool, make, [&](SourceState& state, const Field& field) {
    const std::uint32_t cover = state.owners.at(field.pos);
    Prediction prediction;
    const bool known = cover != OwnerMap::kNoCover && state.predictor.predict(field, cover, prediction);
    const std::uint64_t label = known ? label_of(state.target.layouts[prediction.image], field, prediction.target_address,
                                                 prediction.origin.base_address)
                                      : mixed(field.target_address ^ 0xAAAA000000000000u);
    mask_field(copy.data() + field.pos, field, label);
  });
}

ByteBuffer miss_scale(const Program& target, KindSet kinds, WorkerPool& pool) {
  ByteBuffer scale = filled_buffer(target.file().size(), kOrdinaryMiss, pool);
  std::uint8_t* const bytes = scale.span().data();
  for_each_chunk(target, kinds, pool, [] { return NoState(); }, [&](NoState&, const Field& field) {
    std::memset(bytes + field.pos, kFieldMissSixteenths, field_bytes(field.form));
  });
  return scale;
}

}  // namespace bdelta::exe

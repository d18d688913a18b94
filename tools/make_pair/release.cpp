#include "release.hpp"

#include "content.hpp"
#include "edits.hpp"

namespace make_pair {
namespace {

constexpr std::uint64_t kImageBase = 0x140000000;  // where a file would be loaded
constexpr std::size_t kFlushAt = 1U << 20;

void store_le(std::uint8_t* at, std::uint64_t value, std::uint32_t width) noexcept {
  for (std::uint32_t i = 0; i < width; ++i) at[i] = static_cast<std::uint8_t>(value >> (8 * i));
}

// Collects bytes and hands them on by the megabyte.
class Output {
 public:
  explicit Output(std::FILE* file) : file_(file) { buffer_.reserve(2 * kFlushAt); }

  Bytes& buffer() noexcept { return buffer_; }

  // Fills the gap before an aligned unit.
  void pad_to(std::uint64_t address, Kind kind) {
    buffer_.resize(buffer_.size() + static_cast<std::size_t>(address - flushed_ - buffer_.size()),
                   kind == Kind::kCode ? 0xcc : 0x00);
  }
  void flush_if_full() {
    if (buffer_.size() >= kFlushAt) flush();
  }
  [[nodiscard]] bool finish() {
    flush();
    return ok_ && std::fflush(file_) == 0;
  }

 private:
  void flush() {
    ok_ = ok_ && std::fwrite(buffer_.data(), 1, buffer_.size(), file_) == buffer_.size();
    flushed_ += buffer_.size();
    buffer_.clear();
  }

  std::FILE* file_;
  Bytes buffer_;
  std::uint64_t flushed_ = 0;
  bool ok_ = true;
};

// The value of a field that lies at `here` when its target starts at `there`.
std::uint64_t value_of(const Fixup& fixup, std::uint64_t here, std::uint64_t there, std::uint64_t release) noexcept {
  switch (fixup.kind) {
    case FixupKind::kRelative32: return there + fixup.addend - (here + 4);
    case FixupKind::kAbsolute64: return kImageBase + there + fixup.addend;
    case FixupKind::kIndex32: return there / 16;
    case FixupKind::kRelease: return '0' + release;
  }
  return 0;
}

void count(const std::vector<Edit>& edits, Counts& counts) noexcept {
  for (const Edit& edit : edits) {
    counts.overwrites += edit.kind == EditKind::kOverwrite;
    counts.inserts += edit.kind == EditKind::kInsert;
    counts.deletes += edit.kind == EditKind::kDelete;
  }
}

void count(Fate fate, Counts& counts) noexcept {
  counts.replaced += fate == Fate::kReplaced;
  counts.removed += fate == Fate::kDeleted;
  counts.added += fate == Fate::kAdded;
}

// Fills in the fields as they stand in NEW, where the edits before a field have moved it.
void link_new(const Plan& plan, const Unit& unit, const std::vector<Fixup>& fixups, const std::vector<Edit>& edits,
              Bytes& bytes, Counts& counts) {
  ShiftCursor shift(edits);
  for (const Fixup& fixup : fixups) {
    const Unit& target = plan.units[fixup.target];
    const std::uint64_t here = unit.new_address + fixup.at + static_cast<std::uint64_t>(shift.shift_at(fixup.at));
    const std::uint64_t now = value_of(fixup, here, target.new_address, 1);
    store_le(&bytes[fixup.at], now, width_of(fixup.kind));
    if (unit.fate != Fate::kKept && unit.fate != Fate::kEdited) continue;
    counts.shifted += now != value_of(fixup, unit.old_address + fixup.at, target.old_address, 0);
  }
}

}  // namespace

bool write_old(const Plan& plan, std::FILE* file) {
  ContentMaker maker(plan);
  Output out(file);
  Bytes bytes;
  std::vector<Fixup> fixups;
  for (std::uint32_t index = 0; index < plan.old_units; ++index) {
    const Unit& unit = plan.units[index];
    out.pad_to(unit.old_address, unit.kind);
    maker.make(index, unit.seed, bytes, fixups);
    for (const Fixup& fixup : fixups) {
      const std::uint64_t value = value_of(fixup, unit.old_address + fixup.at, plan.units[fixup.target].old_address, 0);
      store_le(&bytes[fixup.at], value, width_of(fixup.kind));
    }
    out.buffer().insert(out.buffer().end(), bytes.begin(), bytes.end());
    out.flush_if_full();
  }
  return out.finish();
}

bool write_new(const Plan& plan, std::FILE* file, Counts& counts) {
  ContentMaker maker(plan);
  Output out(file);
  Bytes bytes;
  std::vector<Fixup> fixups;
  std::vector<Edit> edits;
  for (const std::uint32_t index : plan.new_order) {
    const Unit& unit = plan.units[index];
    count(unit.fate, counts);
    if (unit.fate == Fate::kDeleted) continue;
    out.pad_to(unit.new_address, unit.kind);
    maker.make(index, unit.fate == Fate::kReplaced ? ~unit.seed : unit.seed, bytes, fixups);
    plan_edits(unit, edits);
    count(edits, counts);
    link_new(plan, unit, fixups, edits, bytes, counts);
    apply_edits(unit, bytes, edits, out.buffer());
    out.flush_if_full();
  }
  return out.finish();
}

}  // namespace make_pair

#include "view/tree/plan.hpp"

#include "base/byte_cursor.hpp"
#include "base/try.hpp"
#include "view/deflate/bit_coder.hpp"

namespace bdelta::view {
namespace {

constexpr unsigned kModeBits = 9;
constexpr std::uint16_t kUsualFileMode = 0644;
constexpr std::uint16_t kUsualDirectoryMode = 0755;

// Permission bits: as those of the entry of this kind before; or as those that were used before these; or told.
class ModeModel {
 public:
  explicit ModeModel(std::uint16_t usual) : last_(usual), other_(usual == kUsualFileMode ? kUsualDirectoryMode : 0700) {}

  template <class Coder>
  std::uint16_t code(Coder& coder, std::uint16_t mode) {
    const bool is_last = coder.bit(is_last_[was_last_ ? 1 : 0], mode == last_ ? 1 : 0) != 0;
    was_last_ = is_last;
    if (is_last) return last_;
    const bool is_other = coder.bit(is_other_, mode == other_ ? 1 : 0) != 0;
    if (!is_other) {
      other_ = last_;
      return last_ = static_cast<std::uint16_t>(coder.plain(kModeBits, mode));
    }
    std::swap(last_, other_);
    return last_;
  }

 private:
  std::uint16_t last_;
  std::uint16_t other_;
  bool was_last_ = true;
  deflate::BitModel is_last_[2];
  deflate::BitModel is_other_;
};

// All marks in the order of the entries; decoding fills them in.
template <class Coder>
void code_marks(Coder& coder, const Manifest& source, const Manifest& target, const std::vector<std::uint32_t>& counterparts,
                TreeMarks& marks) {
  deflate::BitModel is_kept[2];
  ModeModel files(kUsualFileMode), directories(kUsualDirectoryMode);
  bool was_kept = true;
  marks.root_mode = directories.code(coder, marks.root_mode);
  for (std::size_t i = 0; i < target.entries().size(); ++i) {
    const TreeEntry& entry = target.entries()[i];
    if (entry.kind == EntryKind::kDirectory) marks.modes[i] = directories.code(coder, marks.modes[i]);
    if (entry.kind != EntryKind::kFile) continue;
    if (may_be_kept(source, entry, counterparts[i])) {
      was_kept = coder.bit(is_kept[was_kept ? 1 : 0], marks.is_kept[i] ? 1 : 0) != 0;
      marks.is_kept[i] = was_kept;
    }
    marks.modes[i] = files.code(coder, marks.modes[i]);
  }
}

}  // namespace

bool may_be_kept(const Manifest& source, const TreeEntry& entry, std::uint32_t counterpart) noexcept {
  if (counterpart == kNoEntry || entry.kind != EntryKind::kFile || entry.bytes == 0) return false;
  const TreeEntry& of_source = source.entries()[counterpart];
  return of_source.kind == EntryKind::kFile && of_source.bytes == entry.bytes;
}

Bytes encode_marks(const Manifest& source, const Manifest& target, const std::vector<std::uint32_t>& counterparts,
                   const TreeMarks& marks) {
  deflate::BitEncoder coder;
  TreeMarks coded = marks;
  code_marks(coder, source, target, counterparts, coded);
  return coder.finish();
}

Result<TreeMarks> decode_marks(const Manifest& source, const Manifest& target, const std::vector<std::uint32_t>& counterparts,
                               ByteSpan code) {
  deflate::BitDecoder coder(code);
  TreeMarks marks;
  marks.is_kept.resize(target.entries().size());
  marks.modes.resize(target.entries().size());
  code_marks(coder, source, target, counterparts, marks);
  if (coder.all_taken()) return marks;
  return Error{ErrorCode::kPatchCorrupt, "what it says of kept files is longer than that; fetch the patch again"};
}

bool sizes_fit(const TreePlan& plan, const Manifest& target, const TreeMarks& marks, std::uint64_t target_bytes) noexcept {
  std::uint64_t made_bytes = target.size(), kept_count = 0;
  for (std::size_t i = 0; i < target.entries().size(); ++i) {
    made_bytes += marks.is_kept[i] ? 0 : target.entries()[i].bytes;
    kept_count += marks.is_kept[i] ? 1u : 0u;
  }
  return made_bytes == plan.made_bytes && kept_count == plan.files.kept && target.stream_bytes() == target_bytes;
}

Bytes encode_times(const Manifest& target, const std::vector<std::int64_t>& times) {
  Bytes bytes;
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (target.entries()[i].kind != EntryKind::kFile) continue;
    append_varint(bytes, zigzag(static_cast<std::int64_t>(static_cast<std::uint64_t>(times[i]) - before)));
    before = static_cast<std::uint64_t>(times[i]);
  }
  return bytes;
}

Result<std::vector<std::int64_t>> decode_times(const Manifest& target, ByteSpan bytes) {
  ByteCursor cursor(bytes);
  std::vector<std::int64_t> times(target.entries().size());
  std::uint64_t before = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (target.entries()[i].kind != EntryKind::kFile) continue;
    before += static_cast<std::uint64_t>(cursor.svarint());
    times[i] = static_cast<std::int64_t>(before);
  }
  if (cursor.ok() && cursor.available() == 0) return times;
  return Error{ErrorCode::kPatchCorrupt, "it has not the times of its files; fetch the patch again"};
}

}  // namespace bdelta::view

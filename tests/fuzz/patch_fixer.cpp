#include "fuzz/patch_fixer.hpp"

#include <algorithm>

#include "apply/applied_views.hpp"
#include "apply/modelled_lanes.hpp"
#include "apply/execute.hpp"
#include "apply/moved_source.hpp"
#include "base/byte_cursor.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "format/native/envelope.hpp"
#include "io/memory_io.hpp"
#include "model/model_scope.hpp"
#include "model/modelled_scope.hpp"
#include "support/fills.hpp"
#include "support/memory_writer.hpp"
#include "support/read_plan.hpp"
#include "support/records.hpp"

namespace bdelta::fuzz {
namespace {

using native::RecordTag;

constexpr std::size_t kPrefixBytes = 6;  // magic, version, draft

// Where the fields of the header lie; nothing if they don't fit.
struct HeaderPlace {
  std::size_t fields_pos = 0;
  std::size_t fields_bytes = 0;
  [[nodiscard]] std::size_t end() const { return fields_pos + fields_bytes + 4; }
};

std::optional<HeaderPlace> find_header(ByteSpan patch) {
  if (patch.size() < kPrefixBytes) return std::nullopt;
  ByteCursor cursor(patch.subspan(kPrefixBytes));
  const std::uint64_t length = cursor.varint();
  if (!cursor.ok() || length > native::kMaxHeaderBytes || cursor.available() < length + 4) return std::nullopt;
  return HeaderPlace{patch.size() - cursor.available(), static_cast<std::size_t>(length)};
}

// From the number of copies on.
void skip_counts(ByteCursor& head, unsigned streams, bool packed, unsigned scope) {
  const auto has = [](unsigned bits, std::size_t stream) { return (bits >> stream & 1) != 0; };
  const std::uint64_t copies = has(streams, kCopyLengths) ? head.varint() : 0;
  if (!packed) {
    for (unsigned present = head.u8(); present != 0; present &= present - 1) (void)head.varint();
    return;
  }
  const std::uint64_t runs = has(streams, kResidualGaps) ? head.varint() : 0;
  for (std::size_t i = 0; i <= kResidualValues; ++i) {
    if (has(streams & ~scope, i) && (i <= kDiagonals ? copies : runs) > 0) (void)head.varint();
  }
  if (has(streams, kModelledCode)) (void)head.varint();
}

// head_pos: of the head in the patch.
std::vector<std::size_t> find_checksums(ByteSpan bytes, std::size_t head_pos) {
  std::vector<std::size_t> places;
  ByteCursor head(bytes);
  const unsigned form = head.u8();
  const bool packed = (form & native::kFormPacked) != 0;
  const unsigned scope = packed ? head.u8() : 0;
  ModelledScope modelled;
  if ((form & native::kFormModelledBytes) != 0) {
    const unsigned coded = head.u8();
    modelled.literals = (coded & native::kModelledLiterals) != 0;
    modelled.misses = (coded & native::kModelledMisses) != 0;
    (void)head.bytes((modelled.literals ? 1u : 0u) + (modelled.misses ? 2u : 0u));
  }
  for (std::uint64_t count = head.varint(); count > 0 && head.ok(); --count) {
    const std::uint64_t length_and_kind = head.varint();
    if ((length_and_kind & native::kWindowCoded) == 0) {
      (void)head.varint();
      continue;
    }
    WindowRecord window;
    window.predicted = (length_and_kind & native::kWindowPredicted) != 0;
    window.modelled = (length_and_kind & native::kWindowModelled) != 0;
    window.covers = (length_and_kind & native::kWindowCovers) != 0;
    const std::size_t place = head_pos + bytes.size() - head.available();
    if (!window.covers) (void)head.le<std::uint32_t>();
    skip_counts(head, streams_of(window, modelled), packed, scope);
    if (head.ok() && !window.covers) places.push_back(place);
  }
  return places;
}

// Decodes and executes; sets the checksum of each window before the next one is decoded.
class Executor {
 public:
  Executor(ByteSpan source, Bytes& patch) : source_(source), patch_(patch), pool_(1) {
    for (const GroupPlace& group : find_groups(patch)) {
      checksums_.insert(checksums_.end(), group.checksums.begin(), group.checksums.end());
    }
  }

  Status run(Bytes& target) {
    io::MemorySequentialReader from(patch_);
    io::TypedReader reader(from);
    const ApplyOptions limits = hostile_options();
    BDELTA_ASSIGN(const auto patch, test::open_patch(reader, limits.memory_limit_bytes));
    if (patch->info().target_size > limits.output_limit_bytes) return Error{ErrorCode::kOutputLimit, {}};
    PatchInfo info = patch->info();
    BDELTA_ASSIGN(const ApplyPlan* const plan, test::read_whole_plan(*patch));
    if (!plan->views.empty()) {
      BDELTA_ASSIGN(views_, AppliedViews::make(source_, plan->views, *info.target_size, nullptr));
      info.source_size = views_->source_bytes();
      info.target_size = views_->target_view_bytes();
    }
    if (!plan->moved_numbers.lists.empty()) {
      BDELTA_ASSIGN(moved_source_, MovedSource::make(copied_source(), plan->moved_numbers, nullptr));
    }
    std::unique_ptr<PredictedCopies> predicted;
    if (plan->prediction) {
      BDELTA_ASSIGN(predicted, PredictedCopies::make(copied_source(), *plan->prediction, info, limits.memory_limit_bytes, pool_));
    }
    ExecuteCaches caches(copied_source(), predicted.get());
    TargetHistory history(std::min(info.history_bytes, *info.target_size));
    for (;;) {
      WindowDelta window;
      BDELTA_ASSIGN(const bool more, patch->next(window));
      if (!more) {
        test::fill_slowly(target, plan->fills);
        return pack(target);
      }
      BDELTA_TRY(validate_window(window, copied_source().size()));
      const std::size_t before = target.size();
      target.resize(before + static_cast<std::size_t>(window.target_length));
      const MutableByteSpan out = MutableByteSpan(target).subspan(before);
      BDELTA_TRY(execute_window(window, predicted.get(), caches, out, &history));
      if (window.modelled) BDELTA_TRY(unpack_modelled(window, out));
      history.append(out);
      if (window.has_checksum) set_checksum(out);
    }
  }

 private:
  RandomReader& copied_source() {
    if (moved_source_) return *moved_source_;
    if (views_) return views_->source();
    return source_;
  }

  // NEW out of its view.
  Status pack(Bytes& target) {
    if (!views_) return {};
    Bytes packed;
    test::MemoryWriter writer(packed, hostile_options().output_limit_bytes);
    BDELTA_TRY(views_->rebuild_into({nullptr, &writer}, pool_, 1).sequential->write(target));
    BDELTA_TRY(views_->finish());
    target = std::move(packed);
    return {};
  }

  Status unpack_modelled(const WindowDelta& window, MutableByteSpan out) {
    const ModelledPart& part = *window.modelled;
    if (!lanes_ || lanes_->group() != part.group) lanes_.emplace(part.group, part.scope, copied_source());
    return lanes_->unpack(window, out, nullptr);
  }

  void set_checksum(ByteSpan bytes) {
    if (next_ < checksums_.size()) store_le(patch_.data() + checksums_[next_++], xxh3_32(bytes));
  }

  io::MemoryReader source_;
  std::optional<AppliedViews> views_;
  std::unique_ptr<MovedSource> moved_source_;  // null where no numbers are moved
  Bytes& patch_;
  WorkerPool pool_;
  std::optional<ModelledLanes> lanes_;
  std::vector<std::size_t> checksums_;
  std::size_t next_ = 0;
};

}  // namespace

ApplyOptions hostile_options() {
  ApplyOptions options;
  options.memory_limit_bytes = std::uint64_t{48} << 20;  // views alone ask for 30
  options.output_limit_bytes = 1 << 17;
  return options;
}

std::vector<GroupPlace> find_groups(ByteSpan patch) {
  std::vector<GroupPlace> groups;
  const std::optional<HeaderPlace> header = find_header(patch);
  if (!header) return groups;
  for (std::size_t pos = header->end(); pos < patch.size();) {
    const auto head = native::parse_record_head(patch.subspan(pos));
    if (!head || head->body_bytes > patch.size() || head->bytes() > patch.size() - pos) break;
    const auto tag = static_cast<RecordTag>(head->tag);
    const ByteSpan body = patch.subspan(pos + static_cast<std::size_t>(head->head_bytes), static_cast<std::size_t>(head->body_bytes));
    pos += static_cast<std::size_t>(head->bytes());
    if (tag != RecordTag::kGroup && tag != RecordTag::kCovers) continue;
    GroupPlace group;
    group.kind = tag == RecordTag::kCovers ? GroupKind::kCovers : GroupKind::kWhole;
    ByteCursor cursor(body);
    group.target_bytes = cursor.varint();
    if (!cursor.ok()) break;
    group.body_pos = static_cast<std::size_t>(cursor.position() - patch.data());
    group.body_bytes = cursor.available();
    const ByteSpan table = cursor.bytes(cursor.varint());
    const auto table_pos = static_cast<std::size_t>(table.data() - patch.data());
    if (cursor.ok()) group.checksums = find_checksums(table, table_pos);
    groups.push_back(std::move(group));
  }
  return groups;
}

FixedPatch fix_patch(ByteSpan source, ByteSpan patch) {
  FixedPatch fixed{Bytes(patch.begin(), patch.end()), std::nullopt};
  Bytes prefix(std::begin(native::kMagic), std::end(native::kMagic));
  append_le(prefix, native::kVersion);
  prefix.push_back(native::kDraft);
  std::copy_n(prefix.begin(), std::min(prefix.size(), patch.size()), fixed.patch.begin());
  const std::optional<HeaderPlace> place = find_header(fixed.patch);
  if (!place) return fixed;
  auto header = native::decode_header_fields(ByteSpan(fixed.patch).subspan(place->fields_pos, place->fields_bytes));
  if (!header) return fixed;
  header->source_size = source.size();
  header->source_digest = xxh3_128(source);
  const Bytes body(fixed.patch.begin() + static_cast<std::ptrdiff_t>(place->end()), fixed.patch.end());
  fixed.patch = native::encode_header(*header);
  const std::size_t header_bytes = fixed.patch.size();
  append(fixed.patch, test::resealed(body));
  Bytes target;
  const Status status = guarded([&] { return Executor(source, fixed.patch).run(target); });
  header->target_digest = xxh3_128(target);
  const Bytes sealed = test::resealed(ByteSpan(fixed.patch).subspan(header_bytes));  // with the windows' checksums
  fixed.patch = native::encode_header(*header);
  append(fixed.patch, sealed);
  if (status) fixed.target = std::move(target);
  return fixed;
}

}  // namespace bdelta::fuzz

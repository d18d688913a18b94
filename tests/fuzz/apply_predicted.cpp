// A patch with prediction over a program with changes: tables of images, labels, kinds and covers are the input's, the
// rest is made to fit. Searches for predictions that lead out of memory, that depend on how copies are cut, or that
// differ from those that the patch was made by.
#include "apply/predicted_copies.hpp"
#include "create/group_outline.hpp"
#include "exe/image_extents.hpp"
#include "exe/image_table.hpp"
#include "exe/images.hpp"
#include "exe/labels.hpp"
#include "exe/page_breaks.hpp"
#include "format/native/writer.hpp"
#include "fuzz/apply_check.hpp"
#include "fuzz/patch_fixer.hpp"
#include "fuzz/program_input.hpp"
#include "io/memory_io.hpp"
#include "support/guard_page.hpp"

namespace bdelta::fuzz {
namespace {

constexpr std::uint64_t kApplyBytes = std::uint64_t{1} << 20;  // what the header declares for prediction

Covers take_covers(Input& input, std::uint64_t source_size, std::uint64_t& target_size) {
  Covers covers;
  std::uint64_t pos = 0;
  for (std::size_t count = 1 + input.u8() % 24; count > 0; --count) {
    pos += input.u8();
    const std::uint64_t source_pos = input.u16() % source_size;
    const std::uint64_t length = std::min<std::uint64_t>(1 + input.u16() % 4096, source_size - source_pos);
    const Cover cover{source_pos, pos, length};
    // Those that meet on one diagonal are one, as readers have them.
    const bool goes_on =
        !covers.empty() && covers.back().target_end() == pos && covers.back().diagonal() == cover.diagonal();
    if (goes_on) {
      covers.back().length += length;
    } else {
      covers.push_back(cover);
    }
    pos += length;
  }
  target_size = pos + input.u8();
  return covers;
}

// Up to seven pages of the first image.
std::vector<exe::PageBreaks> take_breaks(Input& input) {
  std::vector<exe::PageBreaks> lists;
  const std::uint8_t count = input.u8() & 7;
  std::uint32_t rva = 0;
  for (std::uint8_t i = 0; i < count; ++i) {
    if (lists.empty()) lists.emplace_back();
    const std::uint16_t told = input.u16();
    lists[0].pages.push_back({rva += told / 2, told % 2 != 0});
  }
  return lists;
}

// The places may be of images that there are not.
Bytes take_images(Input& input, const exe::Images& source, const PredictionPlan& plan) {
  const std::uint8_t how = input.u8();
  if ((how & 1) != 0) {
    const ByteSpan raw = input.bytes(how >> 1);
    return Bytes(raw.begin(), raw.end());
  }
  Bytes table;
  std::vector<exe::Image> chosen;
  const std::uint8_t bits = input.u8();
  for (std::size_t i = 0; i < 7; ++i) {
    if ((bits >> i & 1) != 0 && i < source.all.size()) chosen.push_back(source.all[i]);
  }
  std::vector<exe::Image> named = chosen;
  if ((bits >> 7) != 0 && !named.empty()) ++named[input.u8() % named.size()].size_bytes;
  exe::append_image_extents(table, named);
  if (exe::has_tables(plan.kinds, exe::SortedTableKind::kMixedUnwindPages)) exe::append_page_breaks(table, take_breaks(input));
  exe::append_image_table(table, exe::Images(chosen), exe::Images(exe::find_images(take_program(input))));
  return table;
}

// Anywhere near the addresses that the source has.
Bytes take_labels(Input& input, const exe::Images& source) {
  std::vector<exe::Label> labels;
  const std::size_t count = input.u8() % 24;
  for (std::size_t i = 0; i < count && !source.all.empty(); ++i) {
    const auto image = static_cast<std::uint32_t>(input.u8() % source.all.size());
    const std::uint64_t address = source.layouts[image].low() + input.u16();
    const std::uint8_t how = input.u8();
    const std::uint64_t new_address = (how & 1) != 0 ? input.u64() : source.layouts[image].low() + input.u16();
    const auto comes_after = [&](const exe::Label& last) {
      return image > last.image || (image == last.image && address > last.address);
    };
    if (labels.empty() || comes_after(labels.back())) labels.push_back({address, new_address, image});
  }
  Bytes bytes;
  exe::append_labels(bytes, labels);
  return bytes;
}

// What copies give, cut as `piece_bytes` say.
Bytes copied_bytes(ByteSpan source, const PredictionPlan& plan, const PredictedCopies& copies,
                   std::uint64_t target_size, std::uint64_t piece_bytes) {
  Bytes target(static_cast<std::size_t>(target_size));
  const auto cache = copies.make_cache();
  // A piece stands at the end of memory, so that a field written too far is a fault.
  test::GuardedBytes room(static_cast<std::size_t>(std::min(piece_bytes, target_size)));
  for (const Cover& cover : plan.covers) {
    for (std::uint64_t done = 0; done < cover.length; done += piece_bytes) {
      const auto length = static_cast<std::size_t>(std::min(piece_bytes, cover.length - done));
      const MutableByteSpan piece = room.writable().last(length);
      std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(cover.source_pos + done), length, piece.begin());
      copies.predict(cover.target_pos + done, piece, *cache);
      const auto place = static_cast<std::ptrdiff_t>(cover.target_pos + done);
      std::copy_n(piece.begin(), length, target.begin() + place);
    }
  }
  return target;
}

Bytes make_patch(ByteSpan source, ByteSpan target, const Bytes& copied, const PredictionPlan& plan,
                 std::uint8_t options) {
  const CodecSettings codec{static_cast<CodecId>(options % kCodecCount), 1, 0};
  WorkerPool pool(1);
  io::Spool body;
  native::Writer writer({codec, codec, codec, (options & 4) != 0}, body, pool);
  const std::uint64_t window_bytes = (options & 8) != 0 ? 512 : 1 << 16;
  // What no cover copies tells no window from another; in the middle one is not predicted.
  const FilePieces source_pieces{source}, copied_pieces{ByteSpan(copied)};
  std::vector<GroupDraft> groups;
  groups.push_back(encode_group({source_pieces, &copied_pieces}, FilePieces(target), plan.covers,
                                  {{0, target.size(), false, 0, true}}, window_bytes));
  std::vector<GroupDraft> covers = covers_of(groups);
  const bool written =
      writer.add_plan(plan, kApplyBytes) && writer.add_groups(covers) && writer.add_groups(groups) && writer.finish();
  require(written, "any plan can be written");
  native::Header header;
  header.source_size = source.size();
  header.target_size = target.size();
  header.source_digest = xxh3_128(source);
  header.target_digest = xxh3_128(target);
  writer.declare(header);
  header.required_features |= native::kFeaturePrediction;
  Bytes patch = native::encode_header(header);
  Bytes rest(static_cast<std::size_t>(body.size()));
  require(static_cast<bool>(body.read_at(0, rest)), "what was written can be read");
  append(patch, rest);
  return patch;
}

}  // namespace

void run(Input& input) {
  const Bytes program = take_program(input);
  const test::GuardedBytes source(program);
  const exe::Images images(exe::find_images(source.bytes()));
  const std::uint8_t options = input.u8();
  PredictionPlan plan;
  constexpr exe::KindSet known = exe::kAllKinds | exe::kAllTables;
  plan.kinds = input.u32();
  if ((options & 32) != 0) plan.kinds |= exe::kAllTables;
  if (options < 240) plan.kinds &= known;
  PatchInfo info;
  info.decoder_memory_bytes = kApplyBytes;
  std::uint64_t& target_size = info.target_size.emplace();
  plan.covers = take_covers(input, source.bytes().size(), target_size);
  plan.images = take_images(input, images, plan);
  plan.labels = take_labels(input, images);

  WorkerPool pool(1);
  io::MemoryReader reader(source.bytes());
  const auto copies = PredictedCopies::make(reader, plan, info, hostile_options().memory_limit_bytes, pool);
  Bytes copied(static_cast<std::size_t>(target_size));
  if (copies) {
    copied = copied_bytes(source.bytes(), plan, **copies, target_size, target_size);
    require(copied == copied_bytes(source.bytes(), plan, **copies, target_size, 1 + input.u8()),
            "predictions don't depend on how copies are cut");
  } else {
    const bool knows_kinds = (plan.kinds & ~known) == 0;
    require(copies.error().code == (knows_kinds ? ErrorCode::kPatchCorrupt : ErrorCode::kUnsupportedFeature),
            "bad tables are a corrupt patch, unknown kinds an unsupported one");
  }
  Bytes target = copied;
  for (const std::uint8_t at : input.bytes(64)) target[at * target.size() / 256] ^= at;
  const Bytes patch = make_patch(source.bytes(), target, copied, plan, options);
  check_apply(source.bytes(), patch, copies && target.size() <= hostile_options().output_limit_bytes
                                         ? std::optional(target) : std::nullopt);
}

}  // namespace bdelta::fuzz

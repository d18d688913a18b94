// Neighbours by their bytes differ little, so words of one importance stand in that order: a column of steps, which are
// small, and one of changes. Ranks are their order, whence a new run begins where the bytes go down.
#include "base/try.hpp"
#include "base/varint.hpp"
#include "format/native/raw_frames.hpp"
#include "format/native/envelope.hpp"
#include "format/native/word_record.hpp"

namespace bdelta::native {
namespace {

// Of each run of ascending words.
std::vector<std::uint64_t> run_counts(const WordMap& words) {
  std::vector<std::uint64_t> counts;
  std::uint32_t before = 0;
  for (const WordChange& change : words.changes()) {
    const std::uint32_t key = word_key(change.from);
    if (counts.empty() || key <= before) counts.push_back(0);
    ++counts.back();
    before = key;
  }
  return counts;
}

Bytes columns(const WordMap& words, const std::vector<std::uint64_t>& counts) {
  Bytes raw;
  std::size_t word = 0;
  for (const std::uint64_t count : counts) {
    std::uint32_t before = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      const std::uint32_t key = word_key(words.changes()[word++].from);
      append_varint(raw, key - before);
      before = key;
    }
  }
  for (const WordChange& change : words.changes()) {
    for (unsigned i = 0; i < kWordBytes; ++i) {
      raw.push_back(static_cast<std::uint8_t>((change.to >> 8 * i) - (change.from >> 8 * i)));
    }
  }
  return raw;
}

void append_spans(Bytes& body, const std::vector<WordSpan>& spans) {
  if (spans.empty()) return;
  append_varint(body, spans.size());
  std::uint64_t end_before = 0;
  for (const WordSpan& span : spans) {
    append_varint(body, (span.begin - end_before) / WordMap::kSpanUnitBytes);
    append_varint(body, (span.end - span.begin) / WordMap::kSpanUnitBytes);
    end_before = span.end;
  }
}

}  // namespace

Result<CodedWords> encode_words(WordMap words, const CodecSettings& codec) {
  const std::vector<std::uint64_t> counts = run_counts(words);
  const Bytes raw = columns(words, counts);
  Bytes body;
  append_varint(body, counts.size());
  for (const std::uint64_t count : counts) append_varint(body, count);
  append_varint(body, raw.size());
  BDELTA_TRY(append_frames(body, raw, codec));
  append_spans(body, words.spans());
  Bytes record = seal_record(RecordTag::kWords, body);
  // Coded and decoded bytes of the record; the former are no more than the latter, a little, and two varints a span.
  const std::uint64_t memory_bytes = words.memory_bytes() + 2 * raw.size() +
                                     2 * kMaxVarintBytes * words.spans().size() +
                                     frame_decoder_bytes(raw.size(), codec);
  return CodedWords{std::move(words), std::move(record), memory_bytes};
}

}  // namespace bdelta::native

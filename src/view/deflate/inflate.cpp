// The inflater reads symbol by symbol through tables (decode_table.hpp) and keeps what the encoder chose.
//
// Speed comes from one refill of 56 bits for a whole token (15 + 5 + 15 + 13 bits at most). It also comes from copying
// matches in words of eight bytes, and from room for the longest match that is checked once a token. Memory grows with what
// has been read, by half its size and never beyond what the rest of the stream can give: 258 bytes for two bits.
#include "view/deflate/inflate.hpp"

#include <algorithm>
#include <string>

#include "base/checked.hpp"
#include "base/try.hpp"
#include "view/deflate/block_codes.hpp"

namespace bdelta::deflate {
namespace {

constexpr std::size_t kRoom = kMostMatch + kTextPadding;  // that is kept behind what has been written
constexpr std::uint64_t kMostRawBytesPerPackedByte = 1032;

// What is reserved for a text: few take more, and those grow.
constexpr std::uint64_t kUsualRatio = 16;
constexpr std::size_t kDrainedBytes = std::size_t{256} << 10;  // of a text that goes to a sink, from time to time

// kKeeps: tokens, blocks and trees. Applying has no code that does.
template <bool kKeeps>
class Inflater {
 public:
  Inflater(ByteSpan packed, const InflateOptions& options) : bits_(packed), options_(options) {
    std::uint64_t most = 0;
    if (!checked_mul(packed.size() + 1, kMostRawBytesPerPackedByte, most)) most = ~std::uint64_t{0};
    most_raw_bytes_ = std::min({options.most_raw_bytes, most, kMostMemoryBytes / 2});
    if (options.reserve) out_.text.reserve(static_cast<std::size_t>(std::min(most_raw_bytes_, kUsualRatio * packed.size()) + 2 * kRoom));
    if (options.reserve && kKeeps) out_.tokens.reserve(std::min(packed.size(), static_cast<std::size_t>(most_raw_bytes_)));  // few have less than a byte each
  }

  // None of the text is kept. room: for text.
  Inflater(const PackedPieces& packed, std::uint64_t most_raw_bytes, Bytes room, const std::function<Status(ByteSpan)>& sink)
      : bits_({}, &packed), options_{most_raw_bytes, false, false}, most_raw_bytes_(most_raw_bytes), sink_(&sink) {
    out_.text = std::move(room);
    out_.text.resize(kDrainedBytes + kMostStoredBytes + kRoom);
  }

  Result<Inflated> run() {
    BDELTA_TRY(read_blocks());
    out_.text.resize(size_ + kTextPadding);
    std::fill(out_.text.end() - kTextPadding, out_.text.end(), std::uint8_t{0});
    return std::move(out_);
  }

  Status run_into_sink() {
    BDELTA_TRY(read_blocks());
    return drain();
  }

  [[nodiscard]] Bytes take_room() { return std::move(out_.text); }
  [[nodiscard]] InflateWork work() const noexcept { return {{bits_.taken_bytes(), drained_bytes_ + size_}, codes_.built_count()}; }

 private:
  Status read_blocks() {
    for (bool last = false; !last;) {
      BDELTA_ASSIGN(last, read_block());
    }
    skip_to_byte();
    out_.packed_bytes = bits_.taken_bytes();
    return {};
  }

  [[nodiscard]] Error broken(const char* what) const { return broken_stream(what, bits_.taken_bytes()); }
  [[nodiscard]] Error too_large() const {
    return {.code = ErrorCode::kOutputLimit,
            .detail = "a deflate stream decompresses to more than " + std::to_string(options_.most_raw_bytes) + " bytes"};
  }

  // True of the last one.
  Result<bool> read_block() {
    Block block;
    block.packed_bit = bits_.taken_bits();
    block.last = bits_.take(1) != 0;
    const unsigned type = bits_.take(2);
    if (type > 2) return broken("a block of the type that is reserved");
    block.type = static_cast<BlockType>(type);
    block.first_token = out_.tokens.size();
    block.raw_pos = size_;
    if (block.type == BlockType::kStored) {
      BDELTA_TRY(read_stored());
    } else {
      if (block.type == BlockType::kFixed) codes_.use_fixed();
      else BDELTA_TRY(read_trees(block));
      BDELTA_TRY(read_tokens());
    }
    if (bits_.ended_early()) return broken("it ends too early");
    block.token_count = out_.tokens.size() - block.first_token;
    block.raw_bytes = size_ - block.raw_pos;
    if (kKeeps) out_.blocks.push_back(block);
    return block.last;
  }

  // Gives the sink what it has not got, and keeps what matches reach.
  Status drain() {
    BDELTA_TRY((*sink_)(ByteSpan(out_.text).subspan(given_, size_ - given_)));
    const std::size_t kept = std::min<std::size_t>(size_, kMostDistance);
    std::copy_n(out_.text.begin() + static_cast<std::ptrdiff_t>(size_ - kept), kept, out_.text.begin());
    drained_bytes_ += size_ - kept;
    size_ = given_ = kept;
    return {};
  }

  Status make_room(std::uint64_t bytes) {
    if (drained_bytes_ + size_ + bytes > most_raw_bytes_) return too_large();
    if (sink_ && size_ >= kDrainedBytes) BDELTA_TRY(drain());
    const std::uint64_t needed = size_ + bytes + kRoom;
    if (needed <= out_.text.size()) return {};
    const std::uint64_t grown = std::min(std::max<std::uint64_t>(needed, size_ + size_ / 2 + 4096), most_raw_bytes_ + 2 * kRoom);
    const auto room = static_cast<std::size_t>(std::max(grown, needed));
    if (out_.text.capacity() < room) out_.text.reserve(room);  // a vector by itself would take twice its size
    out_.text.resize(room);
    return {};
  }

  void skip_to_byte() noexcept {
    if (bits_.skip_to_byte() != 0) out_.canonical = false;
  }

  Status read_stored() {
    skip_to_byte();
    const unsigned length = bits_.take(16);
    const unsigned complement = bits_.take(16);
    if (bits_.ended_early()) return broken("it ends too early");
    if ((length ^ complement) != 0xffff) return broken("a stored block whose length and its complement differ");
    const ByteSpan bytes = bits_.take_bytes(length);
    if (bytes.size() != length) return broken("it ends too early");
    BDELTA_TRY(make_room(length));
    if (length != 0) std::copy(bytes.begin(), bytes.end(), out_.text.begin() + static_cast<std::ptrdiff_t>(size_));
    size_ += length;
    return {};
  }

  Status read_trees(Block& block) {
    BlockTree tree;
    BDELTA_TRY(codes_.read(bits_, tree));
    if (kKeeps) {
      block.tree = static_cast<std::uint32_t>(out_.trees.size());
      out_.trees.push_back(tree);
    }
    return {};
  }

  Status read_tokens() {
    const DecodeTable& literals = codes_.literals();
    const DecodeTable& distances = codes_.distances();
    BDELTA_TRY(make_room(0));
    for (;;) {
      bits_.refill();
      unsigned taken = 0;
      const DecodeEntry entry = literals.find(bits_.peek(), taken);
      bits_.drop(taken);
      if (entry.kind() == DecodeEntry::kLiteral) {
        const auto byte = static_cast<std::uint8_t>(entry.value());
        out_.text[size_++] = byte;
        if (kKeeps) out_.tokens.push_back(literal_token(byte));
      } else if (entry.kind() == DecodeEntry::kBase) {
        const unsigned length = entry.value() + bits_.take(entry.extra_bits());
        if (length == kMostMatch && entry.extra_bits() != 0) out_.canonical = false;
        const DecodeEntry far = distances.find(bits_.peek(), taken);
        if (far.kind() == DecodeEntry::kInvalid) return broken("a code that means nothing");
        bits_.drop(taken);
        const std::uint32_t distance = far.value() + bits_.take(far.extra_bits());
        if (distance > size_) return broken("a distance that reaches behind the start");
        copy_match(length, distance);
        if (kKeeps) out_.tokens.push_back(match_token(length, distance));
      } else if (entry.kind() == DecodeEntry::kEnd) {
        return drained_bytes_ + size_ <= most_raw_bytes_ ? Status{} : too_large();
      } else {
        return broken("a code that means nothing");
      }
      if (size_ + kRoom > out_.text.size()) {
        if (bits_.ended_early()) return broken("it ends too early");
        BDELTA_TRY(make_room(0));  // what comes may be the end
      }
    }
  }

  // There is room for the longest match and the padding.
  void copy_match(unsigned length, std::uint32_t distance) noexcept {
    std::uint8_t* to = out_.text.data() + size_;
    const std::uint8_t* from = to - distance;
    size_ += length;
    if (distance >= 8) {
      for (const std::uint8_t* end = to + length; to < end; to += 8, from += 8) std::memcpy(to, from, 8);
    } else {
      for (; length > 0; --length) *to++ = *from++;
    }
  }

  BitReader bits_;
  const InflateOptions options_;
  std::uint64_t most_raw_bytes_ = 0;
  Inflated out_;
  const std::function<Status(ByteSpan)>* const sink_ = nullptr;
  std::size_t size_ = 0;             // of the text so far, but for what was drained
  std::size_t given_ = 0;            // of these
  std::uint64_t drained_bytes_ = 0;  // of the text, that are not there any more
  BlockCodes codes_;
};

}  // namespace

Result<Inflated> inflate(ByteSpan packed, const InflateOptions& options) {
  return options.keep_tokens ? Inflater<true>(packed, options).run() : Inflater<false>(packed, options).run();
}

Result<InflatedSizes> inflate_into(const PackedPieces& packed, std::uint64_t most_raw_bytes, Bytes& room,
                                   const std::function<Status(ByteSpan)>& sink) {
  InflateWork work;
  BDELTA_TRY(try_inflate(packed, most_raw_bytes, room, sink, work));
  return work.sizes;
}

Status try_inflate(const PackedPieces& packed, std::uint64_t most_raw_bytes, Bytes& room, const std::function<Status(ByteSpan)>& sink,
                   InflateWork& work) {
  Inflater<false> inflater(packed, most_raw_bytes, std::move(room), sink);
  Status status = inflater.run_into_sink();
  work = inflater.work();
  room = inflater.take_room();
  return status;
}

}  // namespace bdelta::deflate

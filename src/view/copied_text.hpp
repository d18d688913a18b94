// Which text of NEW's streams is text of OLD's streams: what tokens can be taken for (view/deflate/lent_tokens.hpp).
//
// Whoever makes NEW's view tells of copies before the bytes come. The bytes may differ from what was copied; so they are
// compared with OLD's view.
#pragma once

#include <functional>
#include <vector>

#include "bdelta/io.hpp"
#include "view/deflate/lent_tokens.hpp"
#include "view/packed_streams.hpp"

namespace bdelta::view {

// One thread at a time, but for open().
class CopiedText final : public deflate::StreamLender {
 public:
  using Taker = std::function<void(const deflate::TextCopy&)>;

  // OLD and its view, in which `parts` are replaced. The readers must outlive the object. Memory: 24 bytes for 64 KiB of the
  // view, and 1.6 MB.
  CopiedText(RandomReader& file, RandomReader& view, const PackedStreams& parts);

  // NEW's view has at `pos`, as far as is known, what OLD's has at `from`. In the order of NEW's.
  void tell(std::uint64_t pos, std::uint64_t from, std::uint64_t bytes);

  // Gives what of `text` is OLD's. It stands at `pos` of NEW's view, in a stream whose text begins at stream_pos. In the order of NEW's.
  void find(std::uint64_t pos, ByteSpan text, std::uint64_t stream_pos, const Taker& take);

  // The same for the copy of `from` alone.
  void compare(std::uint64_t pos, std::uint64_t from, ByteSpan text, std::uint64_t stream_pos, const Taker& take);

  [[nodiscard]] deflate::PackedPieces open(std::uint64_t stream) const override;

 private:
  struct Text {
    std::uint64_t view_pos, file_pos, bytes;

    [[nodiscard]] std::uint64_t view_end() const noexcept { return view_pos + bytes; }
  };

  void compare_within(std::uint64_t pos, std::uint64_t from, ByteSpan text, std::uint64_t stream_pos, const Taker& take);
  [[nodiscard]] ByteSpan old_view(std::uint64_t pos, std::size_t bytes);

  RandomReader& file_;
  RandomReader& view_;
  std::vector<Text> texts_;  // those of OLD that are long enough, rising
  std::vector<deflate::TextCopy> copies_;  // of the view, those from next_ on
  std::size_t next_ = 0;
  Bytes read_;
};

}  // namespace bdelta::view

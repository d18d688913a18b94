// Computes the lists of page digests that a patch leaves out, while the target comes by.
//
// A page that lies in one window is hashed by the thread that makes the window, at any time. What windows share of a page
// is hashed when it is their turn, as turns follow the target. All pages stand in front of their list, so a list is
// known when the turn of the first window with bytes of it has come.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "delta/page_hashes.hpp"
#include "hash/sha256.hpp"

namespace bdelta {

class PageHasher {
 public:
  // `lists` are sound and outlive the object. Takes their bytes of memory at once.
  explicit PageHasher(const PageHashLists& lists);

  // Whether bytes of a list are in the window.
  [[nodiscard]] bool fills(std::uint64_t pos, std::uint64_t length) const noexcept;

  // Once for each window, by any thread; `bytes` go to `pos` of the target.
  void hash_pages(std::uint64_t pos, ByteSpan bytes);

  // Then once for each window in the order of the target, one at a time: what hash_pages left.
  void hash_rest(std::uint64_t pos, ByteSpan bytes);

  // Behind hash_rest: puts in what the window has of the lists.
  void fill(std::uint64_t pos, MutableByteSpan bytes) const noexcept;

 private:
  struct List {
    PageHashes of;
    Bytes hashes;
  };

  static void store(List& list, std::uint64_t page, const Sha256Digest& digest) noexcept;

  std::vector<List> lists_;
  Sha256Hasher shared_;  // of the page that the window before has left unfinished
};

}  // namespace bdelta

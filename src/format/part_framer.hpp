// Where the parts of a patch end, for who gets it in pieces or has to prove it part by part. A reader goes on once the next
// part is there as a whole; the first part is what it needs to be opened.
//
// A framer only measures. What it finds impossible it calls whole as far as it has come, so that the reader, which makes the
// same checks, says what is wrong.
#pragma once

#include <vector>

#include "base/bytes.hpp"
#include "bdelta/error.hpp"
#include "hash/sha256.hpp"

namespace bdelta {

// What can be said of a part by its first bytes.
struct Measure {
  bool whole = false;              // `bytes` is the part's size; else so many are needed to tell more
  std::uint64_t bytes = 0;
  std::uint64_t target_bytes = 0;  // of a whole part: what its windows add up to
  bool passed_over = false;        // not for the reader
  bool last = false;               // the patch ends behind it
};

// Measures one part after the other. One thread at a time.
class PartFramer {
 public:
  virtual ~PartFramer() = default;

  // `bytes` begin with the part at hand and may go beyond it. kMemoryLimit if it is known to pass the limit.
  virtual Result<Measure> measure(ByteSpan bytes) = 0;

  // The part at hand has been read, or is to be passed over, which proves its checksums: kPatchCorrupt. The first has to be
  // sound then.
  virtual Status advance(ByteSpan part) = 0;

  // In the order of the parts behind the first; empty for a patch without them. After the first advance.
  [[nodiscard]] virtual const std::vector<Sha256Digest>& digests() const noexcept = 0;
};

}  // namespace bdelta

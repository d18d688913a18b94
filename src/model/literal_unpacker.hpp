// From the code of a group's literals back to their bytes: the mirror image of literal_packer.
#pragma once

#include <memory>

#include "model/literal_scope.hpp"
#include "model/range_coder.hpp"

namespace bdelta {

// One object, one group: runs come in order, each once the target in front of it is known.
class LiteralUnpacker {
 public:
  // `feed` and `source` must outlive the object. scope.table_log has been bounded.
  LiteralUnpacker(const LiteralScope& scope, CodeFeed& feed, LiteralSource& source);
  ~LiteralUnpacker();

  // Fills `out`, which has run.length bytes. Any code gives some bytes. Errors are those of the source.
  Status unpack(const LiteralRun& run, MutableByteSpan out);

  // After the last run: whether the code ends here, and as an encoder ends it.
  [[nodiscard]] bool ends_well() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bdelta

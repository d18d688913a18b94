// From the code of a group back to the raw streams of its windows: the mirror image of window_packer.
#pragma once

#include <memory>

#include "bdelta/error.hpp"
#include "model/model_scope.hpp"
#include "model/range_coder.hpp"
#include "model/streams.hpp"

namespace bdelta {

// One object, one group: windows come in order, plain ones too.
class WindowUnpacker {
 public:
  // `feed` must outlive the object. table_log has been bounded.
  WindowUnpacker(const ModelScope& scope, CodeFeed& feed);
  ~WindowUnpacker();

  void plain(const WindowRecord& record);

  // Fills those raw streams of the window that are in scope; the others, but for the literals, stand in `streams`
  // already. Sets record.sizes, so that the literals may be fetched. Errors: kPatchCorrupt.
  Status unpack(WindowRecord& record, StreamBytes& streams);

  // After the last window: whether the code ends here, and as an encoder ends it.
  [[nodiscard]] bool ends_well() const noexcept;

 private:
  bool read_streams(StreamBytes& streams);
  void write_streams(StreamBytes& streams);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace bdelta

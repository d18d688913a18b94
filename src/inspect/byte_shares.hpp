// What each number of a patch takes: codes that many of them stand in are shared out by what these have before coding.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "delta/op.hpp"
#include "format/patch_meter.hpp"
#include "inspect/literal_cost.hpp"

namespace bdelta::inspecting {

// A number, or bytes that are carried, at their place in NEW.
struct CodedItem {
  std::uint64_t target_pos = 0;
  std::uint32_t length = 0;  // bytes of NEW that it spreads over; 0 for a number
  std::uint8_t stream = 0;   // of StreamId, plus kStreamCount for those of covers that stand apart
  std::uint32_t weight = 0;  // its share of a code: bytes before coding, or what literals are likely to take
};

class ByteShares {
 public:
  using Take = std::function<void(const CodedItem& item, const char* kind, std::uint64_t bytes)>;

  void add_group(const MeteredGroup& group);
  void add_part(const char* what, std::uint64_t bytes) { parts_[what] += bytes; }

  // A format that tells no groups: all that is not in parts is one code.
  void end(std::uint64_t patch_bytes, std::uint64_t target_bytes);

  // The windows of NEW, in order. made: their bytes; empty where they are not known. `changed`: where copies are corrected by
  // models, as runs of bytes of NEW.
  struct Run {
    std::uint64_t pos = 0;
    std::uint64_t length = 0;
  };
  void add_window(const WindowDelta& window, ByteSpan made, const std::vector<Run>& changed);

  // Shares all out: each item with what it takes. Bytes that belong to no place are parts.
  void share(const Take& take);

  // By what they hold; complete after share.
  [[nodiscard]] const std::map<std::string, std::uint64_t>& parts() const noexcept { return parts_; }

 private:
  struct Code {
    std::uint64_t target_pos = 0;
    std::uint64_t target_end = 0;
    std::uint64_t bytes = 0;
    std::uint32_t streams = 0;  // bits
  };

  void add_code(const MeteredGroup& group, std::uint64_t bytes, std::uint32_t streams);
  void add_ops(const WindowDelta& window, ByteSpan made);
  void add_literal(const DeltaOp& op, std::uint64_t pos, ByteSpan bytes, std::size_t stream);
  void add_residual(const WindowDelta& window);
  void add(std::uint64_t pos, std::uint64_t length, std::size_t stream, std::uint64_t weight);

  std::vector<Code> codes_;
  std::vector<CodedItem> items_;  // ascending by window
  std::map<std::string, std::uint64_t> parts_;
  std::int64_t diagonal_ = 0;
  LiteralCost literal_cost_;
  std::vector<std::size_t> window_items_;     // where the items of each window begin
  std::vector<std::uint64_t> window_pos_;
};

}  // namespace bdelta::inspecting

// Writing a version 2 patch.
#pragma once

#include "format/native/group_writer.hpp"
#include "format/native/layout.hpp"
#include "io/spool.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta::native {

struct WriterSettings {
  CodecSettings numbers;
  CodecSettings values;
  CodecSettings literals;
  bool model = false;  // numbers through the context coder where that is smaller
  std::uint64_t model_values = 256 * 1024;  // residual values too, if a group has no more: they decode slowly there
};

struct StreamTotals {
  StreamSizes raw{};
  StreamSizes coded{};
};

// Collects groups in a spool and knows in the end what the header has to declare. One thread at a time; compression
// uses the pool.
struct Choices;  // of writer.cpp

class Writer {
 public:
  Writer(const WriterSettings& settings, io::Spool& body, WorkerPool& pool)
      : settings_(settings), body_(body), pool_(pool) {}

  // Compresses and appends groups, in order.
  Status add_groups(std::vector<GroupDraft>& drafts);

  // The end record.
  Status finish();

  // Fills window_bytes, group_bytes and decoder_memory_bytes.
  void declare(Header& header) const;

  [[nodiscard]] const StreamTotals& totals() const noexcept { return totals_; }

 private:
  Status compress(const std::vector<GroupDraft>& drafts, std::vector<Choices>& choices) const;
  void count(const GroupDraft& draft, const CodedStreams& coded);
  [[nodiscard]] const CodecSettings& settings_of(std::size_t stream) const noexcept;

  const WriterSettings settings_;
  io::Spool& body_;
  WorkerPool& pool_;
  Header limits_;
  StreamTotals totals_;
};

}  // namespace bdelta::native

// The readers and writers of bdelta/io.hpp over what a C caller has set.
#pragma once

#include "capi/structs.hpp"

namespace bdelta::capi {

// What a callback returned, as a Status. `otherwise` is for values that are no code.
Status callback_status(std::int32_t code, ErrorCode otherwise);

class CallbackReader final : public RandomReader {
 public:
  explicit CallbackReader(const bdelta_reader& from) noexcept : from_(from) {}
  static Result<bdelta_reader> check(const bdelta_reader* from, const char* name);

  [[nodiscard]] std::uint64_t size() const noexcept override { return from_.size; }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override;

 private:
  const bdelta_reader from_;
};

class CallbackInput final : public SequentialReader {
 public:
  explicit CallbackInput(const bdelta_input& from) noexcept : from_(from) {}
  static Result<bdelta_input> check(const bdelta_input* from);

  Result<std::size_t> read(MutableByteSpan out) override;

 private:
  const bdelta_input from_;
};

// Both faces; which of them works is told by what is set.
class CallbackWriter final : public SequentialWriter, public PositionedWriter {
 public:
  explicit CallbackWriter(const bdelta_writer& from) noexcept : from_(from) {}
  static Result<bdelta_writer> check(const bdelta_writer* from, bool stream_only);

  [[nodiscard]] bool is_stream() const noexcept { return from_.write != nullptr; }
  Status write(ByteSpan bytes) override;
  Status write_at(std::uint64_t pos, ByteSpan bytes) override;
  Status finish() override { return {}; }

 private:
  const bdelta_writer from_;
};

}  // namespace bdelta::capi

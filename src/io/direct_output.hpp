// Outputs that cannot be replaced: standard output, devices, fifos. Bytes go straight through.
#pragma once

#include <memory>
#include <utility>

#include "bdelta/files.hpp"
#include "io/stdio_writer.hpp"
#include "io/unfinished_outputs.hpp"

namespace bdelta::io {

class DirectOutput final : public OutputFile {
 public:
  explicit DirectOutput(std::unique_ptr<StdioWriter> writer) noexcept : writer_(std::move(writer)) {}

  Status write(ByteSpan bytes) override {
    if (!bytes.empty()) note_left_behind(LeftBehind::kPart);
    return writer_->write(bytes);
  }
  Status finish() override { return writer_->finish(); }
  [[nodiscard]] PositionedWriter* positioned() noexcept override { return nullptr; }
  Status reserve(std::uint64_t) override { return {}; }

 private:
  std::unique_ptr<StdioWriter> writer_;
};

}  // namespace bdelta::io

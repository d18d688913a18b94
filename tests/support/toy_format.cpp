#include "support/toy_format.hpp"

#include <cctype>
#include <sstream>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "support/memory_writer.hpp"

namespace bdelta::test {
namespace {

Error unreadable(const std::string& line) { return {ErrorCode::kPatchCorrupt, "can't read \"" + line + "\""}; }

Result<std::string> read_line(io::TypedReader& patch) {
  std::string line;
  for (;;) {
    const auto next = static_cast<char>(patch.u8());
    BDELTA_TRY(patch.status());
    if (next == '\n') return line;
    line += next;
  }
}

class ToyReader final : public PatchReader {
 public:
  ToyReader(io::TypedReader& patch, PatchInfo info) : patch_(patch), info_(std::move(info)) {}

  [[nodiscard]] const PatchInfo& info() const noexcept override { return info_; }
  void use_source(RandomReader& source) override { source_ = &source; }

  Result<bool> next(WindowDelta& window) override {
    window = {};
    window.target_pos = target_pos_;
    window.history_bytes = info_.history_bytes;
    while (!patch_.at_end()) {
      BDELTA_ASSIGN(const std::string line, read_line(patch_));
      std::istringstream words(line);
      std::string word;
      words >> word;
      if (word == "#") continue;
      if (word == "window") {
        words >> window.target_length;
        target_pos_ += window.target_length;
        return words ? Result<bool>(true) : unreadable(line);
      }
      BDELTA_TRY(add(word, words, window));
      if (!words) return unreadable(line);
    }
    if (!window.ops.empty()) return Error{ErrorCode::kPatchTruncated, "inside a window"};
    return false;
  }

 private:
  Status add(const std::string& kind, std::istringstream& words, WindowDelta& window) {
    DeltaOp op;
    char byte = 0;
    if (kind == "text") {
      std::string text;
      words >> text;
      append(window.literals, bytes_of(text));
      op.length = text.size();
    } else if (kind == "run") {
      op.kind = OpKind::kRun;
      words >> byte >> op.length;
      window.literals.push_back(static_cast<std::uint8_t>(byte));
    } else if (kind == "add") {
      unsigned value = 0;
      ResidualRun run{0, 1};
      words >> run.gap >> value;
      window.residual_runs.push_back(run);
      window.residual_values.push_back(static_cast<std::uint8_t>(value));
      return {};
    } else if (kind == "upper") {
      words >> op.source_pos >> op.length;
      return add_upper(op, window);
    } else {
      op.kind = kind == "copy" ? OpKind::kCopy : OpKind::kTargetCopy;
      words >> op.source_pos >> op.length;
    }
    window.ops.push_back(op);
    return {};
  }

  // The letters of OLD have to be known here.
  Status add_upper(const DeltaOp& from, WindowDelta& window) {
    if (!source_) return Error{ErrorCode::kInternal, "OLD is not there"};
    Bytes letters(static_cast<std::size_t>(from.length));
    BDELTA_TRY(source_->read_at(from.source_pos, letters));
    for (const std::uint8_t letter : letters) window.literals.push_back(static_cast<std::uint8_t>(std::toupper(letter)));
    window.ops.push_back({OpKind::kLiteral, from.length, 0});
    return {};
  }

  io::TypedReader& patch_;
  const PatchInfo info_;
  RandomReader* source_ = nullptr;
  std::uint64_t target_pos_ = 0;
};

Result<std::unique_ptr<PatchReader>> open_toy(io::TypedReader& patch, std::uint64_t) {
  BDELTA_ASSIGN(const std::string line, read_line(patch));
  std::istringstream words(line);
  std::string target_size;
  std::uint64_t source_size = 0;
  PatchInfo info;
  words >> info.format >> target_size >> info.history_bytes;
  if (!words) return unreadable(line);
  if (words >> source_size) info.source_size = source_size;
  if (target_size != "?") info.target_size = std::stoull(target_size);
  return std::unique_ptr<PatchReader>(std::make_unique<ToyReader>(patch, std::move(info)));
}

// A line alone if it is the first one or a note, else all up to the end of the window.
class ToyFramer final : public PartFramer {
 public:
  Result<Measure> measure(ByteSpan bytes) override {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    Measure found;
    found.passed_over = has_head_ && text.starts_with("#");
    std::size_t line = has_head_ && !found.passed_over ? text.find("window ") : 0;
    const std::size_t end = text.find('\n', line);
    found.whole = end != std::string_view::npos;
    found.bytes = found.whole ? end + 1 : bytes.size() + 1;
    if (found.whole && has_head_ && !found.passed_over) {
      found.target_bytes = std::stoull(std::string(text.substr(line + std::string_view("window ").size())));
    }
    return found;
  }

  Status advance(ByteSpan part) override {
    has_head_ = true;
    if (part[0] != '#' || part[1] == ' ') return {};
    return Error{ErrorCode::kPatchCorrupt, "a note begins with another letter than a space"};
  }

  [[nodiscard]] const std::vector<Sha256Digest>& digests() const noexcept override { return digests_; }

 private:
  bool has_head_ = false;
  std::vector<Sha256Digest> digests_;
};

std::unique_ptr<PartFramer> make_toy_framer(std::uint64_t) { return std::make_unique<ToyFramer>(); }

constexpr bool begins_with(ByteSpan first, std::string_view name) noexcept {
  return first.size() >= name.size() && std::equal(name.begin(), name.end(), first.begin());
}

constexpr Format kToys[] = {
    {"toy-bare", [](ByteSpan first) noexcept { return begins_with(first, "toy-bare"); }, {}, open_toy, nullptr},
    {"toy-olds", [](ByteSpan first) noexcept { return begins_with(first, "toy-olds"); }, {.source_while_decoding = true},
     open_toy, nullptr},
    {"toy-zero", [](ByteSpan first) noexcept { return begins_with(first, "toy-zero"); }, {.zeros_beyond_source = true},
     open_toy, nullptr},
    {"toy-open", [](ByteSpan first) noexcept { return begins_with(first, "toy-open"); }, {.target_size_at_end = true},
     open_toy, nullptr},
    {"toy-runs", [](ByteSpan first) noexcept { return begins_with(first, "toy-runs"); }, {.runs = true}, open_toy, nullptr},
    {"toy-laps", [](ByteSpan first) noexcept { return begins_with(first, "toy-laps"); }, {.overlapping_copies = true},
     open_toy, nullptr},
    {"toy-alls", [](ByteSpan first) noexcept { return begins_with(first, "toy-alls"); },
     {.source_while_decoding = true, .zeros_beyond_source = true, .target_size_at_end = true, .runs = true,
      .overlapping_copies = true},
     open_toy, make_toy_framer},
    {"toy-part", [](ByteSpan first) noexcept { return begins_with(first, "toy-part"); }, {}, open_toy, make_toy_framer},
};

}  // namespace

const Formats kToyFormats = kToys;

Result<Bytes> apply_toy(RandomReader& source, std::string_view patch, const ApplyOptions& options, Sink sink) {
  return guarded([&]() -> Result<Bytes> {
    const Bytes bytes = bytes_of(patch);
    io::MemorySequentialReader patch_reader(bytes);
    ApplyRun run(source, patch_reader, options, kToyFormats);
    Bytes target;
    BytesWriter positioned(target);
    MemoryWriter sequential(target);
    BDELTA_TRY(run.read_header());
    BDELTA_TRY(run.verify_source());
    BDELTA_TRY(run.prepare());
    BDELTA_TRY(run.write_target(sink == Sink::kPositioned ? TargetSink{&positioned, nullptr} : TargetSink{nullptr, &sequential}));
    const Report report = run.take_report();
    EXPECT_EQ(target.size(), report.target_bytes);
    EXPECT_EQ(patch.substr(0, 8), report.format);
    return target;
  });
}

Result<Bytes> apply_toy(std::string_view source, std::string_view patch, const ApplyOptions& options, Sink sink) {
  const Bytes bytes = bytes_of(source);
  io::MemoryReader reader(bytes);
  return apply_toy(reader, patch, options, sink);
}

Result<Bytes> push_toy(std::string_view source, std::string_view patch, std::size_t piece_bytes, const PushOptions& options) {
  const Bytes source_bytes = bytes_of(source);
  const Bytes patch_bytes = bytes_of(patch);
  io::MemoryReader reader(source_bytes);
  Bytes target;
  MemoryWriter writer(target);
  PushRun push(reader, {nullptr, &writer}, options, kToyFormats);
  for (ByteSpan rest = patch_bytes; !rest.empty(); rest = rest.subspan(std::min(piece_bytes, rest.size()))) {
    BDELTA_TRY(push.feed(rest.first(std::min(piece_bytes, rest.size()))));
  }
  BDELTA_ASSIGN(const Report report, push.finish());
  EXPECT_EQ(target.size(), report.target_bytes);
  return target;
}

Result<bool> verify_toy(std::string_view patch) {
  const Bytes bytes = bytes_of(patch);
  io::MemorySequentialReader from(bytes);
  io::TypedReader reader(from);
  BDELTA_ASSIGN(const Format* const format, recognise_format(reader, kToyFormats));
  BDELTA_ASSIGN(const auto opened, format->open(reader, ~std::uint64_t{0}));
  return verify_whole(*opened, *format);
}

}  // namespace bdelta::test

#include "format/native/writer.hpp"

#include <algorithm>
#include <new>
#include <optional>

#include "base/try.hpp"

namespace bdelta::native {

const CodecSettings& Writer::settings_of(std::size_t stream) const noexcept {
  if (stream == kLiterals) return settings_.literals;
  return stream == kResidualValues ? settings_.values : settings_.numbers;
}

Status Writer::add_groups(std::vector<GroupDraft>& drafts) {
  struct Task {
    std::size_t group;
    std::size_t stream;
    std::size_t raw_bytes;
  };
  std::vector<Task> tasks;
  for (std::size_t g = 0; g < drafts.size(); ++g) {
    for (std::size_t s = 0; s < kStreamCount; ++s) {
      if (!drafts[g].streams[s].empty()) tasks.push_back({g, s, drafts[g].streams[s].size()});
    }
  }
  // The longest first, so that no thread is left alone with one at the end. The result does not depend on the order.
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) { return a.raw_bytes > b.raw_bytes; });

  std::vector<std::vector<CodedStream>> coded(drafts.size(), std::vector<CodedStream>(kStreamCount));
  std::vector<std::optional<Error>> errors(tasks.size());
  const auto compress = [&](std::size_t i) {
    const Task& task = tasks[i];
    const Span span(pool_.timeline(), PhaseId::kCompress, task.stream, task.raw_bytes);
    try {
      auto stream = compress_stream(drafts[task.group].streams[task.stream], settings_of(task.stream));
      if (stream) {
        coded[task.group][task.stream] = std::move(*stream);
      } else {
        errors[i] = std::move(stream).error();
      }
    } catch (const std::bad_alloc&) {
      errors[i] = Error{ErrorCode::kOutOfMemory, "while compressing"};
    }
  };
  // As many at a time as the codecs' memory allows, but always one.
  for (std::size_t begin = 0; begin < tasks.size();) {
    std::size_t end = begin;
    std::uint64_t memory_bytes = 0;
    for (; end < tasks.size(); ++end) {
      // No more run at once than there are threads, and those behind are shorter.
      if (end - begin < pool_.thread_count()) {
        memory_bytes += encoder_memory_bytes(settings_of(tasks[end].stream), tasks[end].raw_bytes);
      }
      if (end > begin && memory_bytes > settings_.codec_bytes) break;
    }
    pool_.for_each(end - begin, [&](std::size_t i) { compress(begin + i); });
    begin = end;
  }
  for (std::optional<Error>& error : errors) {
    if (error) return std::move(*error);
  }

  for (std::size_t g = 0; g < drafts.size(); ++g) {
    for (std::size_t s = 0; s < kStreamCount; ++s) {
      totals_.raw[s] += drafts[g].streams[s].size();
      for (const Bytes& frame : coded[g][s].frames) totals_.coded[s] += frame.size();
    }
    const CodedGroup group = assemble_group(drafts[g], coded[g]);
    limits_.group_bytes = std::max<std::uint64_t>(limits_.group_bytes, group.body.size());
    limits_.decoder_memory_bytes = std::max(limits_.decoder_memory_bytes, group.memory_bytes);
    for (const WindowRecord& window : drafts[g].windows) {
      if (!window.plain) limits_.window_bytes = std::max(limits_.window_bytes, window.target_length);
    }
    BDELTA_TRY(body_.append(group.record));
    BDELTA_TRY(body_.append(group.body));
  }
  return {};
}

Status Writer::finish() {
  const std::uint8_t end = static_cast<std::uint8_t>(RecordTag::kEnd);
  return body_.append({&end, 1});
}

void Writer::declare(Header& header) const {
  header.window_bytes = limits_.window_bytes;
  header.group_bytes = limits_.group_bytes;
  header.decoder_memory_bytes = limits_.decoder_memory_bytes;
}

}  // namespace bdelta::native

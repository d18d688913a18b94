// What calls over paths have in common: names for messages, and the patch that comes into being as a file.
#pragma once

#include <filesystem>

#include "create/create_task.hpp"
#include "create/patch.hpp"
#include "io/counters.hpp"
#include "io/open.hpp"

namespace bdelta {

// What a call over files has besides its run.
struct FileCall {
  FileCall(std::filesystem::path source_path, std::filesystem::path target_path, std::filesystem::path patch_path,
           const CreateOptions& of)
      : source(std::move(source_path)), target(std::move(target_path)), patch(std::move(patch_path)), options(of),
        timeline(of.trace), watch(of.progress, 0, of.time_limit_seconds) {}

  // As they are shown to people.
  const std::filesystem::path source, target, patch;

  const CreateOptions& options;
  io::IoCounters counters;
  Timeline timeline;
  Watch watch;
};

// Makes the patch and publishes it. With trees it is for these, and the files are their streams.
Result<Report> create_into(OutputFile& patch, RandomReader& source, RandomReader& target, FileCall& call,
                           const TreePair* trees = nullptr);

}  // namespace bdelta

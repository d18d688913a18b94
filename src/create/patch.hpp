// A patch that is made: its bytes, and what there is to tell of it.
#pragma once

#include <memory>

#include "bdelta/report.hpp"
#include "create/create_inputs.hpp"
#include "io/spool.hpp"

namespace bdelta {

struct Patch {
  Bytes head;
  std::unique_ptr<io::Spool> body;  // behind that
  Report report;
  bool is_predicted = false;
  Bytes recipe;  // of the first view, if there is one
  std::uint64_t lent_ns = 0;  // nominal, less than the views say, as tokens of NEW's streams are OLD's

  [[nodiscard]] std::uint64_t size() const noexcept { return head.size() + body->size(); }
};

// All that create does but writing the patch. `files` are what it is for, without views.
Result<Patch> make_patch(const CreateTask& files);

// The same, however long it takes to apply.
Result<Patch> make_any_patch(const CreateTask& files);

// `made`, or where it takes longer to apply than the options allow, one that does without what takes long.
Result<Patch> keep_to_apply_limit(const CreateTask& files, Patch made);

// Proves the patch by applying it in memory, if that is wanted.
Status self_check(const CreateTask& task, const CreateInputs& inputs, CreateWork& work, Patch& patch);

// Writes it, digests it where that is wanted, and says so in its report. What is written to is not finished.
Status write_patch(const CreateTask& task, Patch& patch, SequentialWriter& out);

// What became of the streams of the files, which makes applying take longer.
void report_streams(const CreateTask& task, const UnpackReport& unpack, Patch& patch) noexcept;

// The report of a patch that was written, with all the time since the work began.
[[nodiscard]] Report take_report(const CreateTask& task, Patch& patch);

}  // namespace bdelta

// One making of a patch, step by step; create.cpp says in which order.
#pragma once

#include "bdelta/create.hpp"
#include "base/timeline.hpp"
#include "create/input.hpp"
#include "create/level.hpp"
#include "create/plan.hpp"
#include "hash/xxh3.hpp"
#include "io/spool.hpp"
#include "match/matcher.hpp"

namespace bdelta {

class CreateRun {
 public:
  // Everything must outlive the run.
  CreateRun(RandomReader& source, RandomReader& target, const CreateOptions& options);

  // Refuses what the format, the limits or the machine can't hold.
  Status check_limits();
  Status load_inputs();
  Status digest_inputs();
  Status find_covers();
  Status encode();      // into the spool
  Status self_check();  // applies head and spool in memory
  Status write(SequentialWriter& patch);
  Status finish(SequentialWriter& patch);  // for create_file, whose writer is its own

  [[nodiscard]] Report take_report();

 private:
  Status encode_native();
  std::vector<GroupDraft> encode_groups(const std::vector<GroupPlan>& plans, std::size_t begin, std::size_t end);
  Status encode_bdt1();
  Status check_patch_size() const;
  void count_covers();
  void count_group(const GroupDraft& draft);

  RandomReader& source_reader_;
  RandomReader& target_reader_;
  const CreateOptions& options_;
  LevelSettings settings_;
  const std::uint64_t patch_limit_bytes_;
  Timeline timeline_;
  Watch watch_;
  WorkerPool pool_;
  InputBytes source_;
  InputBytes target_;
  Digest128 source_digest_{};
  Digest128 target_digest_{};
  Covers covers_;
  Bytes head_;  // of the patch; the body is in the spool
  io::Spool body_;
  Report report_;
};

}  // namespace bdelta

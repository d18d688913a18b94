// Which form of a group is the smallest: streams by codecs, some of them packed by the context coder, or no copies at
// all.
#pragma once

#include "format/native/group_writer.hpp"
#include "format/native/literal_cache.hpp"
#include "format/native/writer_settings.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta::native {

// Contents of a group, coded to see what that saves.
struct TriedModels {
  ModelledScope scope;            // at last no more than is worth it
  std::vector<PackedLane> lanes;  // empty where nothing is tried, or worth it
  StreamSizes bytes{};            // what the streams in the scope take there
};

// A group in the making.
struct GroupChoices {
  CodedStreams coded;                // each stream by its codec; empty once the group is chosen
  std::optional<PackedGroup> trial;  // all streams packed that may be, to see what each costs; likewise
  TriedModels modelled;            // likewise
  bool misses_settled = false;       // these are far ahead of what a fast codec makes of the residual: no other is tried
  StreamSizes modelled_bytes{};      // what the streams in their scope have of modelled bytes, once these are chosen
  CodedGroup group;                  // the form that was chosen in the end
  StreamSizes raw_bytes{};           // what of each stream went into it
  StreamSizes coded_bytes{};         // what each stream has of it
  std::uint64_t apply_ns = 0;        // nominal, to undo that
};

// Compresses the groups on all threads and chooses the form of each. A draft whose copies cost more than they save is
// made one of literals alone. `budget` is charged while literals are compressed.
// No more threads work at a time than settings.codec_bytes allow, but always one.
// `inputs` may be empty; there are no modelled bytes then. `cache` is for groups with these settings alone; it is not
// used where memory is limited.
Status choose_groups(std::vector<GroupDraft>& drafts, const WriterSettings& settings, const ModelledInputs& inputs,
                     FrameBudget& budget, LiteralCache& cache, WorkerPool& pool, std::vector<GroupChoices>& choices);

}  // namespace bdelta::native

// Which form of a group is the smallest: streams by codecs, some of them packed by the context coder, or no copies at
// all.
#pragma once

#include "base/deciding/coding.hpp"
#include "format/native/group_writer.hpp"
#include "format/native/literal_cache.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta::native {

struct WriterSettings {
  CodecSettings numbers;
  CodecSettings values;
  CodecSettings literals;
  bool model = false;  // numbers through the context coder where that is smaller
  std::uint64_t model_values = 256 * 1024;  // residual values too, if a group has no more: they decode slowly there
  std::uint64_t apply_byte_ns = 0;  // decoding that a byte saved by a model may take; 0 = any
  std::uint64_t literal_window_bytes = 0;  // windows of a group that its target bytes as literals make smaller; 0 = none
  std::uint64_t limit_bytes = ~std::uint64_t{0};  // of the body; kPatchTooLarge beyond
  std::uint64_t codec_bytes = ~std::uint64_t{0};  // that compressors working at the same time may take together
  std::uint64_t doubt_bytes = ~std::uint64_t{0};  // of target: a group of more is not tried as literals alone
  bool model_literals = false;  // literals through their model where that is smaller, …
  std::uint64_t lane_bytes = kTwoLanesBytes;  // of coded target, from where modelled bytes have several lanes
  std::uint64_t model_most_bytes = ~std::uint64_t{0};  // of numbers: a group of more is not tried in the context coder
  std::uint64_t model_target_share = 0;  // likewise of more than 1/share of its target bytes; 0 = of any share
  bool model_misses = false;  // … and misses through theirs
};

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

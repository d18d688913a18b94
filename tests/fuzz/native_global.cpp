// The global record of a patch with prediction. Searches for memory that is taken before it is declared, and for
// records that mean something else once they are written again.
#include "format/native/envelope.hpp"
#include "format/native/global_record.hpp"
#include "fuzz/fuzz_input.hpp"
#include "io/memory_io.hpp"
#include "support/guard_page.hpp"

namespace bdelta::fuzz {
namespace {

bool read(ByteSpan record, const native::Header& header, PredictionPlan& plan) {
  io::MemorySequentialReader from(record);
  io::TypedReader reader(from, 64);
  const Status status = native::read_global(reader, header, plan);
  if (!status) require(status.error().code != ErrorCode::kInternal, "no record is an internal error");
  return static_cast<bool>(status);
}

}  // namespace

void run(Input& input) {
  native::Header header;
  header.decoder_memory_bytes = input.u16();
  const CodecSettings codec{static_cast<CodecId>(input.u8() % kCodecCount), 1, 0};
  const test::GuardedBytes record(input.rest());
  PredictionPlan plan;
  if (!read(record.bytes(), header, plan)) return;
  require(plan.images.size() + plan.labels.size() <= header.decoder_memory_bytes, "a plan is as large as declared");
  const auto encoded = native::encode_global(plan, codec);
  require(static_cast<bool>(encoded), "a plan can be written");
  // What has no window of its own on the way in may have one on the way out.
  header.decoder_memory_bytes = native::global_decoder_bytes(plan, codec) + plan.images.size() + plan.labels.size();
  PredictionPlan again;
  const auto body = native::open_record(*encoded);
  require(body && read(*body, header, again), "a written plan can be read");
  require(again.kinds == plan.kinds && again.images == plan.images && again.labels == plan.labels,
          "a plan is written as it was read");
}

}  // namespace bdelta::fuzz

#include "fuzz/round_trip_check.hpp"

#include "bdelta/apply.hpp"
#include "fuzz/fuzz_input.hpp"
#include "io/memory_io.hpp"
#include "support/memory_writer.hpp"

namespace bdelta::fuzz {
namespace {

Bytes make(ByteSpan source, ByteSpan target, const CreateOptions& options) {
  io::MemoryReader old_file(source);
  io::MemoryReader new_file(target);
  Bytes patch;
  test::MemoryWriter writer(patch);
  const auto report = create(old_file, new_file, writer, options);
  if (!report) std::fprintf(stderr, "%s\n", to_string(report.error()).c_str());
  require(static_cast<bool>(report), "any pair has a patch");
  return patch;
}

}  // namespace

void check_round_trip(ByteSpan source, ByteSpan target, CreateOptions options, bool twice) {
  options.verify = false;
  const Bytes patch = make(source, target, options);
  options.threads = 2;
  require(!twice || make(source, target, options) == patch,
          "the same pair gives the same patch, by any number of threads");
  io::MemoryReader old_file(source);
  io::MemorySequentialReader reader(patch);
  Bytes made;
  test::MemoryWriter writer(made);
  ApplyOptions apply_options;
  apply_options.output_limit_bytes = target.size();
  const auto report = apply(old_file, reader, writer, apply_options);
  if (!report) std::fprintf(stderr, "%s\n", to_string(report.error()).c_str());
  require(static_cast<bool>(report), "a patch can be applied");
  require(std::equal(made.begin(), made.end(), target.begin(), target.end()), "applying a patch gives NEW");
}

}  // namespace bdelta::fuzz

// Making patches by calls of c_abi_calls: what was made leads to NEW, whatever was asked for besides.
#include "fuzz/c_abi_create.hpp"

#include <limits>

#include "fuzz/c_abi_arguments.hpp"

namespace bdelta::fuzz {
namespace {

bdelta_create_options take_create_options(Input& input, Ends& ends, bool& usage, bool& limits) {
  // Levels that take long are left to round_trip.
  constexpr std::uint32_t kLevels[] = {0, 1, 2, 3, 1, 2, 1, BDELTA_LEVEL_ULTRA + 1};
  constexpr double kShares[] = {0, 1e-3, 0.5, 1, 1e9, -1, std::numeric_limits<double>::infinity(),
                                std::numeric_limits<double>::quiet_NaN()};
  const std::uint8_t how = input.u8();
  bdelta_create_options options{};
  options.struct_size = sizeof options;
  options.level = kLevels[how % 8];
  options.threads = 1;
  ends.set_progress(options.progress, options.phase_progress, options.progress_user);
  if ((how & 0x08) != 0) options.format = input.u8() % 3;
  if ((how & 0x10) != 0) options.memory_bytes = std::uint64_t{1} << (input.u8() % 40);
  if ((how & 0x20) != 0) options.max_patch_ratio = kShares[input.u8() % 8];
  if ((how & 0x40) != 0) options.time_limit_seconds = kShares[input.u8() % 8];
  if ((how & 0x80) != 0) {
    const std::uint8_t bits = input.u8();
    options.flags = bits & (BDELTA_NO_PREDICT | BDELTA_NO_VERIFY | BDELTA_DIGESTS | BDELTA_DIGEST_PATCH | 8u);
    options.threads = bits % 4;
  }
  usage = options.level > BDELTA_LEVEL_ULTRA || options.format > BDELTA_FORMAT_BDT1 || (options.flags & 8) != 0;
  limits = (how & 0xf8) != 0;
  return options;
}

// What was made leads to NEW.
void check_made(Ends& ends) {
  struct Rest {
    ByteSpan bytes;
    static std::int32_t read(void* user, void* out, std::size_t size, std::size_t* count) {
      ByteSpan& rest = static_cast<Rest*>(user)->bytes;
      *count = std::min(size, rest.size());
      if (*count > 0) std::memcpy(out, rest.data(), *count);
      rest = rest.subspan(*count);
      return BDELTA_OK;
    }
    static std::int32_t read_at(void* user, std::uint64_t pos, void* out, std::size_t size) {
      std::memcpy(out, static_cast<Rest*>(user)->bytes.data() + pos, size);
      return BDELTA_OK;
    }
    static std::int32_t write(void* user, const void* bytes, std::size_t size) {
      append(*static_cast<Bytes*>(user), {static_cast<const std::uint8_t*>(bytes), size});
      return BDELTA_OK;
    }
  };
  Rest patch{ends.made()};
  Rest old_file{ends.sample().source};
  Bytes made;
  const bdelta_input input{sizeof input, 0, Rest::read, &patch};
  const bdelta_reader source{sizeof source, 0, old_file.bytes.size(), Rest::read_at, &old_file};
  const bdelta_writer target{sizeof target, 0, Rest::write, nullptr, &made};
  require(bdelta_apply(&source, &input, &target, nullptr, nullptr, nullptr) == BDELTA_OK, "a patch can be applied");
  require(made == ends.sample().target, "a patch gives NEW");
}

}  // namespace

void call_create(Input& input) {
  Ends ends(input);
  ends.stream_only = true;
  ends.most_bytes = kMostMade;
  const Arguments given(input, ends);
  bool usage = false;
  bool limits = false;
  const bdelta_create_options options = take_create_options(input, ends, usage, limits);
  const bdelta_reader target = ends.target_reader();
  Out<bdelta_report> report(input);
  ErrorOut error(input);
  std::int32_t code = BDELTA_OK;
  {
    const Ends::Live live(ends);
    code = bdelta_create(given.source_or_null, &target, given.target_or_null, &options, report.get(), error.get());
  }
  error.check(code);
  report.check(code);
  if (given.bad_source || given.bad_target || usage || !report.fits()) return judge_usage(code, ends);
  if (code != BDELTA_OK) {
    const bool may_fail = limits || !ends.source_sound() || ends.said().count(code) != 0;
    return require(may_fail, "what is sound fails for a callback alone, with its code");
  }
  require(ends.said().empty(), "what a callback said is not forgotten");
  report.expect(&bdelta_report::patch_bytes, std::uint64_t{ends.made().size()}, "a report says how long the patch is");
  if (ends.source_sound()) check_made(ends);
}

void call_estimate(Input& input) {
  Ends ends(input);
  bool usage = false;
  bool limits = false;
  const bdelta_create_options options = take_create_options(input, ends, usage, limits);
  const bool null_out = input.u8() % 8 == 7;
  std::uint64_t memory_bytes = 77;
  ErrorOut error(input);
  const std::int32_t code =
      bdelta_estimate_memory(input.u64(), input.u64(), &options, null_out ? nullptr : &memory_bytes, error.get());
  error.check(code);
  if (usage || null_out) require(code == BDELTA_kUsage, "a call that is made wrong is refused");
  if (code != BDELTA_OK) require(memory_bytes == 77, "after a failure nothing is filled in");
}

}  // namespace bdelta::fuzz

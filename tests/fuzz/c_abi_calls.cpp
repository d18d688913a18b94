// Sequences of calls of the C interface, as a program would make them that does much wrong: any order, pieces of any
// size, callbacks that fail, give less or ask for an end, limits, structs of other ages, NULL. Searches for calls that
// crash, that claim something after a failure, or that take something for NEW that is not.
//
// The input is a program: a byte that chooses the call, then what that call takes. Each call that the library has to
// refuse for how it is made is told apart beforehand (BDELTA_kUsage, and nothing was called back); where nothing was
// altered and nothing fails, the call has to succeed.
#include "fuzz/c_abi_arguments.hpp"
#include "fuzz/c_abi_create.hpp"

namespace bdelta::fuzz {
namespace {

constexpr unsigned kMostCalls = 64;

// `writes`: the ends have NEW, else the call only checks.
void judge_applied(std::int32_t code, const Ends& ends, const Options& options, bool writes) {
  const Sample& of = ends.patch_of();
  const bool sound = ends.sound() && options.allow(of.info) && !options.other_digest(of);
  if (code != BDELTA_OK) {
    const bool told = ends.said().count(code) != 0;
    if (sound) require_for(code, told, "what is sound fails for a callback alone, with its code");
    if (writes && ends.sound() && ends.is_stream()) {
      require(ends.made().size() <= of.target.size() &&
                  std::equal(ends.made().begin(), ends.made().end(), of.target.begin()),
              "a stream gets the begin of NEW and nothing else");
    }
    return;
  }
  require(ends.said().empty(), "what a callback said is not forgotten");
  require(!ends.sound() || !options.forbid(of.info), "limits hold");
  if (options.any_digest()) require(ends.patch() == of.patch && !options.other_digest(of), "a digest holds");
  if (!writes) return;
  if (ends.without_digests() && !ends.sound()) return;
  require(ends.made() == ends.sample().target || ends.made() == of.target, "what was applied is NEW");
}

// --- the calls ---

void names(Input& input) {
  const auto code = static_cast<std::int32_t>(input.u32() >> (input.u8() % 32));
  const char* const name = bdelta_error_name(code);
  require(name != nullptr && name[0] != '\0' && bdelta_error_message(code) != nullptr, "every number has a name");
  const std::int32_t status = bdelta_exit_class(code);
  require((code == BDELTA_OK) == (status == 0), "only success has the status of success");
  require(status >= 0 && status <= 130 && bdelta_version()[0] != '\0', "a status is one");
}

void apply_or_check(Input& input, bool writes) {
  Ends ends(input);
  const Arguments given(input, ends);
  Options options(input, ends, false);
  Out<bdelta_report> report(input);
  ErrorOut error(input);
  std::int32_t code = BDELTA_OK;
  {
    const Ends::Live live(ends);
    code = writes ? bdelta_apply(given.source_or_null, given.patch_or_null, given.target_or_null, options.get(),
                                 report.get(), error.get())
                  : bdelta_check(given.source_or_null, given.patch_or_null, options.get(), report.get(), error.get());
  }
  error.check(code);
  report.check(code);
  const bool bad = given.bad_source || given.bad_patch || (writes && given.bad_target);
  if (bad || options.usage() || !report.fits()) return judge_usage(code, ends);
  judge_applied(code, ends, options, writes);
  if (code == BDELTA_OK && writes) {
    report.expect(&bdelta_report::target_bytes, std::uint64_t{ends.made().size()}, "a report says how much was made");
  }
}

// Without reading more than the head, or all of the patch.
void info(Input& input, bool verifies) {
  Ends ends(input);
  const Arguments given(input, ends);
  Out<bdelta_info> found(input);
  ErrorOut error(input);
  std::int32_t code = BDELTA_OK;
  {
    const Ends::Live live(ends);
    code = verifies ? bdelta_verify_patch(given.patch_or_null, found.get(), error.get())
                    : bdelta_info_stream(given.patch_or_null, found.get(), error.get());
  }
  error.check(code);
  found.check(code);
  const bool bad = given.bad_patch || (found.is_null() && !verifies) || !found.fits();
  if (bad) return judge_usage(code, ends);
  if (ends.patch() != ends.patch_of().patch) return;
  if (code != BDELTA_OK) return require(ends.said().count(code) != 0, "a sound patch can be described");
  found.expect(&bdelta_info::target_bytes, ends.patch_of().info.target_bytes, "a patch says how long NEW is");
  found.expect(&bdelta_info::decoder_memory_bytes, ends.patch_of().info.decoder_memory_bytes,
               "a patch says what memory it takes");
}

class Push {
 public:
  ~Push() { close(); }

  void open(Input& input) {
    close();
    ends_ = std::make_unique<Ends>(input);
    const Arguments given(input, *ends_);
    options_ = std::make_unique<Options>(input, *ends_, true);
    ErrorOut error(input);
    bdelta_push* made = reinterpret_cast<bdelta_push*>(this);  // to be replaced whatever happens
    std::int32_t code = BDELTA_OK;
    {
      const Ends::Live live(*ends_);
      code = bdelta_push_open(given.source_or_null, given.target_or_null, options_->get(), &made, error.get());
    }
    error.check(code);
    require((code == BDELTA_OK) == (made != nullptr), "there is an object after success alone");
    push_ = made;
    fed_ = 0;
    failed_ = BDELTA_OK;
    finished_ = false;
    if (ends_->said().count(BDELTA_kOutOfMemory) != 0) {
      return require_for(code, code == BDELTA_kOutOfMemory, "an object needs memory");
    }
    if (given.bad_source || given.bad_target || options_->usage()) return judge_usage(code, *ends_);
    require_for(code, code == BDELTA_OK, "opening fails for want of memory alone");
  }

  void feed(Input& input) {
    const std::uint8_t how = input.u8();
    const bool null_bytes = how >= 0xf0;
    const std::size_t left = push_ ? ends_->patch().size() - fed_ : 0;
    const std::size_t size = how < 0x40 ? how : how < 0x80 ? input.u16() : how < 0xf0 ? left : how & 1;
    const std::size_t count = std::min(size, left);
    const test::GuardedBytes bytes(push_ ? ByteSpan(ends_->patch()).subspan(fed_, count) : ByteSpan());
    ErrorOut error(input);
    std::int32_t code = BDELTA_OK;
    if (!push_) {
      code = bdelta_push_feed(nullptr, bytes.bytes().data(), 0, error.get());
      error.check(code);
      return require(code == BDELTA_kUsage, "what is not there can't be fed");
    }
    {
      const Ends::Live live(*ends_);
      code = bdelta_push_feed(push_, null_bytes ? nullptr : bytes.bytes().data(), null_bytes ? size : count,
                              error.get());
    }
    error.check(code);
    if (null_bytes && size > 0) return require(code == BDELTA_kUsage, "bytes must not be NULL where there are some");
    if (!null_bytes) fed_ += count;
    note(code);
  }

  void finish(Input& input) {
    Out<bdelta_report> report(input);
    ErrorOut error(input);
    std::int32_t code = BDELTA_OK;
    if (!push_) {
      code = bdelta_push_finish(nullptr, report.get(), error.get());
      error.check(code);
      report.check(code);
      return require(code == BDELTA_kUsage, "what is not there can't be finished");
    }
    {
      const Ends::Live live(*ends_);
      code = bdelta_push_finish(push_, report.get(), error.get());
    }
    error.check(code);
    report.check(code);
    if (!report.fits()) return require(code == BDELTA_kUsage, "a report that is no struct is refused");
    if (failed_ != BDELTA_OK || finished_) return note(code);
    const bool whole = fed_ == ends_->patch().size();
    if (whole || code == BDELTA_OK) {
      judge_applied(code, *ends_, *options_, true);
    } else {
      const bool sound = ends_->sound() && options_->allow(ends_->patch_of().info) &&
                         !options_->other_digest(ends_->patch_of());
      require_for(code, code == BDELTA_kPatchTruncated || !sound || ends_->said().count(code) != 0,
                  "a patch that did not end is said to be cut");
      failed_ = code;
    }
    if (code == BDELTA_OK) {
      require(whole, "a patch is finished when it is whole");
      finished_ = true;
      return report.expect(&bdelta_report::patch_bytes, std::uint64_t{fed_}, "a report says how long the patch was");
    }
    failed_ = code;
  }

  void close() {
    if (push_) {
      const Ends::Live live(*ends_);
      bdelta_push_close(push_);
    } else {
      bdelta_push_close(nullptr);
    }
    push_ = nullptr;
    if (ends_) require(ends_->blocks() == 0, "all memory of the caller's is given back");
  }

 private:
  // What a feed gave, or a call behind the end of all.
  void note(std::int32_t code) {
    if (finished_) return require(code == BDELTA_kUsage, "after finish nothing is taken");
    if (failed_ != BDELTA_OK) return require(code == failed_, "an error stays");
    failed_ = code;
    if (code != BDELTA_OK) judge_applied(code, *ends_, *options_, true);
  }

  std::unique_ptr<Ends> ends_;
  std::unique_ptr<Options> options_;
  bdelta_push* push_ = nullptr;
  std::size_t fed_ = 0;
  std::int32_t failed_ = BDELTA_OK;
  bool finished_ = false;
};

// Names that lead nowhere: nothing comes into being.
void files(Input& input) {
  static const char* const kNames[] = {"/no such directory/file", nullptr, "", "/", "/dev/null"};
  const std::uint8_t which = input.u8();
  const char* const source = kNames[which % 5];
  const char* const target = kNames[which / 5 % 3];
  const char* const patch = kNames[which / 15 % 5];
  ErrorOut error(input);
  std::int32_t code = BDELTA_OK;
  bdelta_push* push = nullptr;
  switch (input.u8() % 5) {
    case 0: code = bdelta_apply_file(source, target, patch, nullptr, nullptr, error.get()); break;
    case 1: code = bdelta_check_file(source, patch, nullptr, nullptr, error.get()); break;
    case 2: code = bdelta_info_file(patch, nullptr, error.get()); break;
    case 3: code = bdelta_create_file(source, target, target, nullptr, nullptr, error.get()); break;
    default: code = bdelta_push_open_file(source, target, nullptr, &push, error.get());
  }
  error.check(code);
  require(code != BDELTA_OK && push == nullptr, "what is not there is an error");
}

}  // namespace

void run(Input& input) {
  Push pushes[2];
  unsigned patches_made = 0;
  for (unsigned calls = 0; calls < kMostCalls && !input.empty(); ++calls) {
    const std::uint8_t call = input.u8();
    Push& push = pushes[call >> 7];
    switch (call % 16) {
      case 0: names(input); break;
      case 1:
      case 2: apply_or_check(input, true); break;
      case 3: apply_or_check(input, false); break;
      case 4: info(input, (call & 64) != 0); break;
      case 5:
      case 6: push.open(input); break;
      case 7: push.finish(input); break;
      case 8: push.close(); break;
      case 9: call_estimate(input); break;
      case 10: files(input); break;
      case 11:
        if (++patches_made <= 2) call_create(input);
        break;
      default: push.feed(input);
    }
  }
}

}  // namespace bdelta::fuzz

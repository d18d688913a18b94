#include "apply/window_pipeline.hpp"

#include <algorithm>

#include "base/guard.hpp"
#include "base/try.hpp"

namespace bdelta {

WindowPipeline::WindowPipeline(RandomReader& source, const PredictedCopies* predicted, Filler* filler,
                               std::uint64_t history_bytes, TargetSink sink, WorkerPool& pool)
    : source_(source), predicted_(predicted), filler_(filler), sink_(sink), pool_(pool),
      history_(history_bytes) {
  const unsigned job_count = windows_under_way(pool.thread_count());
  for (unsigned i = 0; i < job_count; ++i) jobs_.push_back(std::make_unique<Job>());
  for (unsigned i = 0; i < job_count; ++i) caches_.push_back(std::make_unique<ExecuteCaches>(source_, predicted_, pool.watch()));
}

WindowPipeline::~WindowPipeline() { pool_.wait(); }

WindowPipeline::Job* WindowPipeline::free_job() {
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      if (error_) return nullptr;
      for (const auto& job : jobs_) {
        if (!job->busy) {
          job->busy = true;
          return job.get();
        }
      }
    }
    // Rather than wait, the caller does what is queued.
    if (pool_.help()) continue;
    const Span idle(pool_.timeline(), PhaseId::kWait);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] {
      return error_ || std::any_of(jobs_.begin(), jobs_.end(), [](const auto& job) { return !job->busy; });
    });
  }
}

WindowDelta* WindowPipeline::acquire() {
  if (!acquired_) acquired_ = free_job();
  return acquired_ ? &acquired_->window : nullptr;
}

void WindowPipeline::submit(WindowDelta* window) {
  if (window->is_plain() && !window->has_checksum && window->target_length > kPlainSliceBytes) {
    submit_slices(*window);
  } else {
    Job& job = *acquired_;
    acquired_ = nullptr;
    Status opened = guarded([&] { return open_lanes(job); });
    start(job, std::move(opened));
  }
  ++next_number_;
}

void WindowPipeline::submit_slices(const WindowDelta& plain) {
  for (std::uint64_t done = 0; done < plain.target_length;) {
    Job* job = free_job();
    if (!job) return;
    const std::uint64_t length = std::min(kPlainSliceBytes, plain.target_length - done);
    WindowDelta& slice = job->window;
    slice.target_pos = plain.target_pos + done;
    slice.target_length = length;
    slice.has_checksum = false;
    slice.residual_runs.clear();
    slice.residual_values.clear();
    slice.literals.clear();
    slice.modelled.reset();
    slice.substitutions = nullptr;
    slice.predicted = false;
    job->copied.clear();
    slice.ops.assign(1, {OpKind::kCopy, length, plain.ops[0].source_pos + done});
    done += length;
    start(*job);
  }
}

// Gives the job the lanes of its group. There are those of one group at a time, so that their memory is what the patch
// declares: a new group begins when all windows before are done.
Status WindowPipeline::open_lanes(Job& job) {
  job.lanes = nullptr;
  if (!job.window.modelled) return {};
  const ModelledPart& part = *job.window.modelled;
  if (!lanes_ || lanes_->group() != part.group) {
    if (!wait_for_others(job)) return {};
    if (lanes_) changed_count_ += lanes_->changed_count();
    lanes_ = nullptr;
    lanes_ = std::make_shared<ModelledLanes>(part.group, part.scope, source_);
  }
  job.lanes = lanes_;
  return {};
}

// Until no other job is under way; false after an error.
bool WindowPipeline::wait_for_others(const Job& job) {
  const auto alone = [&] {
    return std::none_of(jobs_.begin(), jobs_.end(), [&](const auto& other) { return other->busy && other.get() != &job; });
  };
  while (pool_.help()) {
  }
  const Span idle(pool_.timeline(), PhaseId::kWait);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return error_ || alone(); });
  for (const auto& other : jobs_) {
    if (!other->busy) other->lanes = nullptr;
  }
  return !error_;
}

void WindowPipeline::start(Job& job, Status before) {
  job.index = next_index_++;
  job.number = next_number_;
  job.opened = std::move(before);
  pool_.submit([this, &job] { run(job); });
}

void WindowPipeline::run(Job& job) {
  ByteSpan bytes;
  Status status = std::move(job.opened);
  if (status) status = guarded([&] { return make(job, bytes); });
  if (await_turn(job) && status) status = guarded([&] { return deliver(job, bytes); });
  end(job, std::move(status));
}

// Executes and proves the window; a positioned target gets it at once, unless bytes of it are still unknown.
Status WindowPipeline::make(Job& job, ByteSpan& bytes) {
  pool_.advance();
  std::unique_ptr<ExecuteCaches> cache;
  {
    const std::lock_guard lock(mutex_);
    if (error_) return {};
    cache = std::move(caches_.back());
    caches_.pop_back();
  }
  const WindowDelta& window = job.window;
  const auto length = static_cast<std::size_t>(window.target_length);
  const bool reads_target = window.reads_target();
  job.fills = filler_ && filler_->fills(window.target_pos, length);
  const auto execute = [&]() -> Status {
    if (reads_target && !await_turn(job)) return {};
    const Span span(pool_.timeline(), PhaseId::kExecute, job.number, length);
    if (window.is_plain() && !job.fills && !cache->source.view().empty()) {
      bytes = cache->source.view().subspan(static_cast<std::size_t>(window.ops[0].source_pos), length);
      return {};
    }
    renew(job.out, length);
    const MutableByteSpan out = job.out.span().first(length);
    bytes = out;
    BDELTA_TRY(execute_window(window, predicted_, *cache, out, &history_));
    if (sink_.tap) keep_copied(job, out);
    return window.modelled ? unpack(job, out) : Status();
  };
  Status status = execute();
  {
    const std::lock_guard lock(mutex_);
    caches_.push_back(std::move(cache));
  }
  BDELTA_TRY(std::move(status));
  pool_.advance(window.modelled ? 0 : length);  // decoding modelled bytes has counted them
  BDELTA_TRY(prove(job, bytes));
  if (filler_) {
    const Span span(pool_.timeline(), PhaseId::kHash, job.number, length);
    filler_->hash_early(window.target_pos, bytes);
  }
  if (!sink_.positioned || job.fills) return {};
  const Span span(pool_.timeline(), PhaseId::kWrite, job.number, length);
  return sink_.positioned->write_at(window.target_pos, bytes);
}

void WindowPipeline::keep_copied(Job& job, ByteSpan out) {
  job.copied.clear();
  if (job.window.modelled && job.window.modelled->scope.misses) job.copied.assign(out.begin(), out.end());
}

// Decodes the modelled bytes of the window once the one before in its lane is decoded. After an error nothing matters.
Status WindowPipeline::unpack(Job& job, MutableByteSpan out) {
  const ModelledPart& part = *job.window.modelled;
  {
    std::unique_lock lock(mutex_);
    if (!error_ && !job.lanes->is_turn(part)) {
      const Span idle(pool_.timeline(), PhaseId::kWait, job.number);
      changed_.wait(lock, [&] { return error_ || job.lanes->is_turn(part); });
    }
    if (error_) return {};
  }
  Status status = job.lanes->unpack(job.window, out, pool_.watch());
  {
    const std::lock_guard lock(mutex_);
    if (status) job.lanes->end_turn(part);
  }
  changed_.notify_all();
  return status;
}

Status WindowPipeline::prove(const Job& job, ByteSpan bytes) const {
  if (!job.window.has_checksum) return {};
  const Span span(pool_.timeline(), PhaseId::kVerify, job.number, bytes.size());
  if (xxh3_32(bytes) == job.window.checksum) return {};
  return Error{.code = ErrorCode::kWindowChecksum,
               .detail = "the one of NEW that begins here",
               .offset = job.window.target_pos,
               .remedy = "the patch is damaged, or OLD changed meanwhile"};
}

Status WindowPipeline::deliver(Job& job, ByteSpan bytes) {
  const std::uint64_t pos = job.window.target_pos;
  if (sink_.tap) BDELTA_TRY(sink_.tap->window(job.window, bytes, job.copied));
  history_.append(bytes);
  if (sink_.copies) tell_copies(job.window);
  if (job.fills) {
    const auto pass = [&](std::uint64_t done_pos, ByteSpan done) { return pass_on(done_pos, done, job); };
    BDELTA_TRY(filler_->fill(pos, job.out.span().first(bytes.size()), pass));
  } else {
    if (filler_) filler_->hash(pos, bytes);
    BDELTA_TRY(pass_on(pos, bytes, job));
  }
  pool_.advance();
  return {};
}

void WindowPipeline::tell_copies(const WindowDelta& window) const {
  std::uint64_t pos = window.target_pos;
  for (const DeltaOp& op : window.ops) {
    if (op.kind == OpKind::kCopy) sink_.copies(pos, op.source_pos, op.length);
    pos += op.length;
  }
}

// Bytes of the target as they shall be: into its digest and, unless they are there, the target itself.
Status WindowPipeline::pass_on(std::uint64_t pos, ByteSpan bytes, const Job& job) {
  {
    const Span span(pool_.timeline(), PhaseId::kVerify, job.number, bytes.size());
    hasher_.update(bytes);
  }
  if (sink_.sequential || (sink_.positioned && job.fills)) {
    const Span span(pool_.timeline(), PhaseId::kWrite, job.number, bytes.size());
    BDELTA_TRY(sink_.sequential ? sink_.sequential->write(bytes) : sink_.positioned->write_at(pos, bytes));
  }
  delivered_ += bytes.size();
  return {};
}

// True when all windows before have been delivered; false when one of them failed.
bool WindowPipeline::await_turn(const Job& job) {
  {
    const std::lock_guard lock(mutex_);
    if (turn_ == job.index) return !error_;
  }
  const Span idle(pool_.timeline(), PhaseId::kWait, job.number);
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return turn_ == job.index; });
  return !error_;
}

void WindowPipeline::end(Job& job, Status status) {
  {
    const std::lock_guard lock(mutex_);
    if (!status && !error_) error_ = std::move(status).error();
    ++turn_;
    job.busy = false;
  }
  changed_.notify_all();
}

Status WindowPipeline::settle() {
  pool_.wait();
  if (error_) return *error_;
  if (lanes_) changed_count_ += lanes_->changed_count();
  lanes_ = nullptr;
  return {};
}

Result<Digest128> WindowPipeline::finish() {
  BDELTA_TRY(settle());
  return hasher_.digest();
}

}  // namespace bdelta

#include "apply/tree_run.hpp"

#include <algorithm>
#include <map>

#include "base/try.hpp"
#include "io/file_error.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kMostNamed = 8;  // entries that differ, in a message

// What differs between OLD and the one that the patch was made from, by name.
class Differences {
 public:
  void add(const char* how, std::string_view path) {
    if (++count_ <= kMostNamed) text_ += std::string(count_ == 1 ? "" : ", ") + how + " \"" + io::escaped(path) + '"';
  }
  [[nodiscard]] std::string text() const {
    if (count_ <= kMostNamed) return text_;
    return text_ + " and " + std::to_string(count_ - kMostNamed) + " more";
  }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

 private:
  std::string text_;
  std::size_t count_ = 0;
};

}  // namespace

Status check_tree_options(const ApplyOptions& options) {
  if (!options.target_mode) return {};
  return Error{ErrorCode::kUsage, "target_mode is for files; the entries of a directory get the bits that the patch has of them"};
}

TreeRun::TreeRun(SequentialReader& patch, const std::filesystem::path& source, const ApplyOptions& options, ApplyTap* tap)
    : source_path_(source), run_(stream_, patch, options), options_(options) {
  run_.take_tap(tap);
  run_.take_trees([this](WorkerPool& pool) { return digest_source(pool); });
}

Status TreeRun::read_head() {
  BDELTA_TRY(run_.read_header());
  return read_tree();
}

Status TreeRun::read_tree() {
  BDELTA_ASSIGN(plan_, run_.read_tree());
  return {};
}

bool TreeRun::is_up_to_date(const std::filesystem::path& target) {
  const auto tree = view::ScannedTree::scan(target, plan_->excluded, run_.watch(), false);
  if (!tree || (*tree)->manifest().stream_bytes() != *info().target_size) return false;
  const auto digests = (*tree)->digests(run_.pool());
  return digests && view::tree_digest((*tree)->manifest(), *digests) == *info().target_digest;
}

Report TreeRun::up_to_date_report() {
  run_.skip_rest();
  return run_.up_to_date_report();
}

Status TreeRun::open_source() {
  const Span span(run_.timeline(), PhaseId::kRead);
  known_ = KnownTree::read(state_place(source_path_, options_));
  if (plan_->source_list) listed_ = KnownTree::of_list(*plan_->source_list);
  const KnownTree* const others_apart = listed_ ? &*listed_ : known_ ? &*known_ : nullptr;
  if (options_.keep_others && !others_apart) {
    return Error{.code = ErrorCode::kUsage, .detail = "which entries of OLD are others is told neither by the patch nor by a state",
                 .remedy = "take a patch that has a list of OLD"};
  }
  scanned_ns_ = KnownTree::clock_ns();
  BDELTA_ASSIGN(source_, view::ScannedTree::scan(source_path_, plan_->excluded, run_.watch(), options_.keep_state || options_.trust_times,
                                                 options_.keep_others ? &others_apart->manifest : nullptr));
  stream_.open(*source_);
  run_.take_manifest(source_->manifest());
  return {};
}

Status TreeRun::verify_source() {
  Status status = run_.verify_source();
  const KnownTree* const expected = status ? nullptr : expected_source();
  if (!expected || exit_class(status.error().code) != 4) return status;
  Error error = std::move(status).error();
  if (digests_.empty()) {
    BDELTA_ASSIGN(digests_, source_->digests(run_.pool()));
  }
  const std::string names = differences(*expected);
  if (!names.empty()) error.detail = names;
  return error;
}

// What OLD was when the patch was made, where that is known.
const KnownTree* TreeRun::expected_source() const {
  if (listed_) return &*listed_;
  const bool is_source = known_ && info().source_digest == view::tree_digest(known_->manifest, known_->digests);
  return is_source ? &*known_ : nullptr;
}

Status TreeRun::write_target(TreeOutput* output) {
  BDELTA_TRY(run_.prepare());
  BDELTA_TRY(run_.write_target(begin_target(output)));
  return check_unchanged();
}

TargetSink TreeRun::begin_target(TreeOutput* output) {
  splitter_.emplace(TreeSplitter::Source{*source_, digests_}, *plan_, *info().target_size, options_.outside_links, output);
  return {nullptr, &*splitter_, [this] { return splitter_->digest(); }};
}

Status TreeRun::keep_state(const std::filesystem::path& target) {
  if (!options_.keep_state) return {};
  const std::filesystem::path place = state_place(target, options_);
  if (!splitter_) return KnownTree::write(place, *source_, digests_, scanned_ns_, options_.files);  // OLD is NEW
  const std::int64_t now_ns = KnownTree::clock_ns();
  BDELTA_ASSIGN(const auto tree, view::ScannedTree::scan(target, plan_->excluded, run_.watch(), true, options_.keep_others ? &splitter_->manifest() : nullptr));
  if (!std::equal(tree->manifest().bytes().begin(), tree->manifest().bytes().end(), splitter_->manifest().bytes().begin(),
                  splitter_->manifest().bytes().end())) {
    return io::file_error(ErrorCode::kInputChanged, target, "it changed before its state could be kept", "it was NEW; keep others from it");
  }
  return KnownTree::write(place, *tree, splitter_->digests(), now_ns, options_.files);
}

TreeChanges TreeRun::changes() const {
  TreeChanges changes;
  const view::TreeEntries before = source_->manifest().entries();
  const view::TreeEntries after = splitter_->manifest().entries();
  const std::vector<std::uint32_t> of_target = view::counterparts_of(splitter_->manifest(), source_->manifest());
  std::map<Digest128, std::vector<std::size_t>> gone;  // files with bytes, the last in order in front
  for (std::size_t i = before.size(); i-- > 0;) {
    if (of_target[i] == view::kNoEntry && before[i].bytes > 0) gone[digests_[i]].push_back(i);
  }
  std::vector<bool> has_moved(before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    if (splitter_->is_same(i)) continue;
    TreeChange change{std::string(after[i].path), after[i].bytes};
    changes.written_bytes += change.bytes;
    const auto found = after[i].bytes > 0 ? gone.find(splitter_->digests()[i]) : gone.end();
    if (splitter_->counterparts()[i] != view::kNoEntry) {
      changes.changed.push_back(std::move(change));
    } else if (found != gone.end() && !found->second.empty()) {
      const std::size_t from = found->second.back();
      found->second.pop_back();
      has_moved[from] = true;
      change.from = before[from].path;
      changes.moved.push_back(std::move(change));
    } else {
      changes.added.push_back(std::move(change));
    }
  }
  for (std::size_t i = 0; i < before.size(); ++i) {
    if (of_target[i] == view::kNoEntry && !has_moved[i]) changes.removed.push_back({std::string(before[i].path), before[i].bytes});
  }
  return changes;
}

Result<Digest128> TreeRun::digest_source(WorkerPool& pool) {
  BDELTA_ASSIGN(digests_, source_->digests(pool, options_.trust_times && known_ ? known_->trusted(*source_)
                                                                                : std::vector<std::optional<Digest128>>()));
  found_digest_ = view::tree_digest(source_->manifest(), digests_);
  return *found_digest_;
}

std::string TreeRun::differences(const KnownTree& expected) const {
  Differences differences;
  std::size_t at = 0;
  const view::TreeEntries found = source_->manifest().entries();
  for (std::size_t i = 0; i < expected.digests.size(); ++i) {
    const view::TreeEntry& entry = expected.manifest.entries()[i];
    for (; at < found.size() && found[at].path < entry.path; ++at) differences.add("added", found[at].path);
    if (at == found.size() || found[at].path != entry.path) {
      differences.add("missing", entry.path);
      continue;
    }
    const bool is_same = found[at].kind == entry.kind && found[at].bytes == entry.bytes && found[at].target == entry.target &&
                         expected.digests[i] == digests_[at];
    if (!is_same) differences.add("changed", entry.path);
    ++at;
  }
  for (; at < found.size(); ++at) differences.add("added", found[at].path);
  return differences.empty() ? "" : differences.text();
}

}  // namespace bdelta

#include "create/work_estimate.hpp"

#include <algorithm>

#include "bdelta/create.hpp"

namespace bdelta {
namespace {

// Nanoseconds of one thread for a byte, as they were measured on 20 pairs of versions (programs, archives, tables, text,
// pictures; 0.3 to 105 MB). Where pairs differ by much, those count that take longest.
constexpr double kLoadNs = 0.3;           // of what is read into memory
constexpr double kDigestNs = 0.2;         // of both files
constexpr double kSurveyNs = 1;           // of NEW, where nothing is predicted
constexpr double kGateNs = 10;            // of NEW: whether to predict
constexpr double kPassNs = 7;             // of NEW: a choice of covers where addresses are made comparable, …
constexpr double kPassChangedNs = 160;    // … and more of what is changed without prediction
constexpr double kIndexNs = 0.8;          // of OLD
constexpr double kScanNs = 1.2;           // of NEW
constexpr double kSelectNs = 0.4;         // of NEW, without a parse
constexpr double kRefineNs = 0.7;         // of NEW, besides what is missed
constexpr double kRefineMissNs = 550;     // of a byte that differs under a cover
constexpr double kRefineChangedNs = 25;   // of what is changed, where programs are predicted
constexpr double kQuickRefineNs = 0.3;    // of NEW, without a parse
constexpr double kEncodeNs = 0.4;         // of NEW
constexpr double kApplyNs = 1;            // of NEW
constexpr double kApplyPredictedNs = 8;   // likewise, where programs are predicted

// The same by level: in a parse, of NEW, and more for what seeds leave open and for what differs under them; and of
// literals and numbers, to code them.
struct LevelNs {
  double parse;
  double open;
  double miss;
  double literal;
  double number;
};
constexpr LevelNs kLevelNs[kUltraLevel + 1] = {{},
                                               {0, 0, 0, 3, 3},
                                               {0, 0, 0, 12, 12},
                                               {2, 25, 400, 15, 22},
                                               {2, 25, 400, 80, 80},
                                               {2, 25, 400, 250, 250},
                                               {2, 35, 500, 230, 370},
                                               {2, 40, 500, 230, 370},
                                               {2, 50, 500, 230, 370},
                                               {5, 100, 900, 230, 370},
                                               {5, 100, 900, 250, 450}};
constexpr double kApplyCodes = 0.1;           // applying undoes coding in this share of its time, …
constexpr double kApplyUltraCodes = 0.4;      // … from --ultra on
constexpr double kGuessedOpen = 1.0 / 16;     // of NEW, before any of it was looked at; or changed
constexpr int kChosenAlternatives = 2;                // that are coded, where one of several sets of covers is chosen
constexpr double kGuessedLiterals = 1.2;      // with prediction: of NEW by the square of the changed share; …
constexpr double kGuessedNumbers = 1.8;       // … likewise
constexpr double kLeastLeft = 0.4;            // of what seeds leave open, that a parse leaves; all where all is open
constexpr double kCoverNumbers = 16;          // bytes of numbers for each cover and what it corrects, …
constexpr double kMissNumbers = 0.9;          // … and for each byte that differs under seeds

}  // namespace

WorkEstimate::WorkEstimate(int level, const LevelSettings& settings, const Files& files, bool verifies) noexcept
    : level_(level), settings_(settings), files_(files), verifies_(verifies), segment_end_(files.target_bytes) {}

void WorkEstimate::set_segment(std::uint64_t begin, std::uint64_t end, bool is_read) noexcept {
  segment_begin_ = begin;
  segment_end_ = end;
  is_read_ = is_read;
  open_bytes_.reset();
  missed_bytes_ = 0;
  is_mostly_open_ = false;
  may_choose_ = end - begin <= settings_.choice_bytes;
  streams_.reset();
}

void WorkEstimate::set_streams(const CodingBytes& bytes) noexcept {
  streams_ = bytes;
  may_choose_ = false;
}

double WorkEstimate::changed_share() const noexcept {
  if (!changed_bytes_) return kGuessedOpen;
  return static_cast<double>(*changed_bytes_) / std::max(1.0, static_cast<double>(files_.target_bytes));
}

void WorkEstimate::set_seeds(std::uint64_t open_bytes, std::uint64_t missed_bytes) noexcept {
  const auto open = static_cast<double>(open_bytes);
  const double left = settings_.match.parse ? kLeastLeft + (1 - kLeastLeft) * open / std::max(1.0, target_bytes()) : 1;
  open_bytes_ = open_bytes;
  missed_bytes_ = missed_bytes;
  is_mostly_open_ = is_mostly_open(open_bytes, segment_end_ - segment_begin_);
  streams_ = CodingBytes{static_cast<std::uint64_t>(open * left),
                         static_cast<std::uint64_t>(kMissNumbers * static_cast<double>(missed_bytes))};
}

void WorkEstimate::set_covers(std::uint64_t open_bytes, std::size_t count) noexcept {
  const double numbers = kCoverNumbers * static_cast<double>(count) + kMissNumbers * static_cast<double>(missed_bytes_);
  may_choose_ = false;
  streams_ = CodingBytes{open_bytes, static_cast<std::uint64_t>(numbers)};
}

double WorkEstimate::coding_ns() const noexcept {
  const LevelNs& ns = kLevelNs[level_];
  if (streams_) {
    const double literals = static_cast<double>(streams_->literals) * (is_mostly_open_ ? 2 : 1);
    const int alternatives = may_choose_ && !predicts_ ? kChosenAlternatives : 1;
    return alternatives * (literals * ns.literal + static_cast<double>(streams_->numbers) * ns.number);
  }
  if (!predicts_) return target_bytes() * kGuessedOpen * ns.literal;
  return target_bytes() * changed_share() * changed_share() * (kGuessedLiterals * ns.literal + kGuessedNumbers * ns.number);
}

// Of a step that comes once for each segment.
double WorkEstimate::segment_ns(WorkStep step) const noexcept {
  const double target = target_bytes();
  const auto missed = static_cast<double>(missed_bytes_);
  switch (step) {
    case WorkStep::kFetch: return is_read_ ? target * kLoadNs : 0;
    case WorkStep::kSearch:
      if (predicts_) {
        const double passes = kMaskedPasses + settings_.label_passes + kPredictPasses;
        return target * passes * (kPassNs + kPassChangedNs * changed_share());
      }
      return surveys_ ? 0 : static_cast<double>(files_.source_bytes) * kIndexNs + target * kScanNs;
    case WorkStep::kParse: {
      if (predicts_) return 0;
      if (!settings_.match.parse) return target * kSelectNs;
      const double open = open_bytes_ ? static_cast<double>(*open_bytes_) : target * kGuessedOpen;
      const LevelNs& ns = kLevelNs[level_];
      return target * ns.parse + open * ns.open + missed * ns.miss;
    }
    case WorkStep::kRefine:
      if (!settings_.match.parse) return target * kQuickRefineNs;
      return predicts_ ? target * kRefineChangedNs * changed_share() : target * kRefineNs + missed * kRefineMissNs;
    case WorkStep::kCode: return target * kEncodeNs + coding_ns();
    default: return 0;
  }
}

double WorkEstimate::nominal_ns(WorkStep step) const noexcept {
  const auto source = static_cast<double>(files_.source_bytes);
  const auto target = static_cast<double>(files_.target_bytes);
  switch (step) {
    case WorkStep::kLoad: return (source + target) * kLoadNs;
    case WorkStep::kDigest: return (source + target) * kDigestNs;
    case WorkStep::kSurvey: {
      const double search = surveys_ ? source * kIndexNs + target * kScanNs : 0;
      return search + (settings_.predict ? target * kSurveyNs : 0);
    }
    case WorkStep::kGate: return predicts_ ? target * kGateNs : 0;
    case WorkStep::kVerify: {
      if (!verifies_) return 0;
      const double segments = target / std::max(1.0, target_bytes());
      const double codes = level_ >= kUltraLevel ? kApplyUltraCodes : kApplyCodes;
      return target * (predicts_ ? kApplyPredictedNs : kApplyNs) + segments * coding_ns() * codes;
    }
    default: return segment_ns(step);
  }
}

double WorkEstimate::sum_ns(WorkStep first, WorkStep last) const noexcept {
  double sum = 0;
  for (auto step = static_cast<unsigned>(first); step <= static_cast<unsigned>(last); ++step) {
    sum += nominal_ns(static_cast<WorkStep>(step));
  }
  return sum;
}

double WorkEstimate::share(WorkStep first, WorkStep last) const noexcept {
  const double later_segments = static_cast<double>(files_.target_bytes - segment_end_) / std::max(1.0, target_bytes());
  const double own = sum_ns(first, last);
  const double rest = sum_ns(first, WorkStep::kVerify) + later_segments * sum_ns(WorkStep::kFetch, WorkStep::kCode);
  return rest > 0 ? own / rest : 0;
}

}  // namespace bdelta

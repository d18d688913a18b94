// How long the steps of making a patch take beside each other: what progress goes by.
//
// A step takes nominal nanoseconds, of which only the proportions count. They follow from the level and from what is
// known of the files. So they are asked for whenever a step begins, and what was thought of the steps before no
// longer matters then. Nothing else depends on them.
#pragma once

#include <cstdint>
#include <optional>

#include "create/level.hpp"

namespace bdelta {

// What prediction takes besides choosing covers, in the time that one choice takes.
inline constexpr double kMaskedPasses = 1;      // covers of files with masked fields, where the first choice starts
inline constexpr double kPredictPasses = 0.65;  // what is made of the last choice

// Hardly anything is copied; coding then takes twice the time, with copies and without.
[[nodiscard]] constexpr bool is_mostly_open(std::uint64_t open_bytes, std::uint64_t target_bytes) noexcept {
  return open_bytes > target_bytes / 8 * 7;
}

// That are to be coded.
struct CodingBytes {
  std::uint64_t literals = 0;
  std::uint64_t numbers = 0;  // all else

  [[nodiscard]] std::uint64_t all() const noexcept { return literals + numbers; }
  CodingBytes& operator+=(const CodingBytes& more) noexcept {
    literals += more.literals;
    numbers += more.numbers;
    return *this;
  }
};

// In their order. Those from kFetch to kCode come once for each segment of NEW.
enum class WorkStep : std::uint8_t {
  kLoad,     // the files that are held as a whole
  kDigest,   // them
  kSurvey,   // what is left out, and a search for what the files share
  kGate,     // whether to predict
  kFetch,    // what is held for the segment alone
  kSearch,   // for covers by fast passes, if no survey has; with prediction, all that leads to its covers
  kParse,    // of NEW; without one, what becomes of covers
  kRefine,   // substitutions and copies of NEW
  kCode,     // to the body of the patch
  kVerify,   // by applying it
};

class WorkEstimate {
 public:
  struct Files {
    std::uint64_t source_bytes = 0;
    std::uint64_t target_bytes = 0;
  };
  // settings: of `level`; they must outlive the object.
  WorkEstimate(int level, const LevelSettings& settings, const Files& files, bool verifies) noexcept;

  // What has become known, of the segment at hand. Open bytes have no cover.
  void set_segment(std::uint64_t begin, std::uint64_t end, bool is_read) noexcept;
  void set_surveys(bool surveys) noexcept { surveys_ = surveys; }  // by one search of both files
  void set_predicts(bool predicts) noexcept { predicts_ = predicts; }
  void set_changed(std::uint64_t bytes) noexcept { changed_bytes_ = bytes; }  // of NEW, by a fast search
  void set_seeds(std::uint64_t open_bytes, std::uint64_t missed_bytes) noexcept;  // missed: that differ under covers
  void set_covers(std::uint64_t open_bytes, std::size_t count) noexcept;          // no more are looked for
  void set_streams(const CodingBytes& bytes) noexcept;                            // that are still to be coded

  // Of the work from `first` on, the share of the steps from it to `last`.
  [[nodiscard]] double share(WorkStep first, WorkStep last) const noexcept;

 private:
  [[nodiscard]] double target_bytes() const noexcept { return static_cast<double>(segment_end_ - segment_begin_); }
  [[nodiscard]] double nominal_ns(WorkStep step) const noexcept;
  [[nodiscard]] double segment_ns(WorkStep step) const noexcept;
  [[nodiscard]] double changed_share() const noexcept;
  [[nodiscard]] double coding_ns() const noexcept;
  [[nodiscard]] double sum_ns(WorkStep first, WorkStep last) const noexcept;

  const int level_;
  const LevelSettings& settings_;
  const Files files_;
  const bool verifies_;
  bool surveys_ = false;
  bool predicts_ = false;
  std::optional<std::uint64_t> changed_bytes_;

  // Of the segment; nothing is known of it in the beginning.
  std::uint64_t segment_begin_ = 0;
  std::uint64_t segment_end_ = 0;
  bool is_read_ = false;      // from its file, as a whole
  std::optional<std::uint64_t> open_bytes_;  // of seeds
  std::uint64_t missed_bytes_ = 0;           // likewise
  bool is_mostly_open_ = false;
  bool may_choose_ = false;  // between sets of covers, by coding them
  std::optional<CodingBytes> streams_;
};

}  // namespace bdelta

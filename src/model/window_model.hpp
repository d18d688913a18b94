// What a group's ops, residual and literals look like, as far as earlier ones tell: the contexts of each column.
//
// The columns of a window are coded one op, one run, one value after the other. So each may be predicted from all that
// came before it: a length from the jump of the same copy, a gap from the values of the run before. Nothing here is
// tuned to one kind of file; narrow contexts stand beside wide ones and the mixing finds out which know more. One
// object serves one group, from its first window to its last.
#pragma once

#include "model/column_models.hpp"
#include "model/diagonal_tracks.hpp"
#include "model/gap_model.hpp"
#include "model/model_scope.hpp"
#include "model/streams.hpp"
#include "model/window_numbers.hpp"

namespace bdelta::mix {

class WindowModel {
 public:
  explicit WindowModel(const ModelScope& scope)
      : scope_(scope), literal_lengths_(scope.table_log + 4), copy_lengths_(scope.table_log + 4),
        recencies_(scope.table_log + 2), track_numbers_(scope.table_log + 2), jumps_(scope.table_log + 4),
        gaps_(scope.table_log), run_lengths_(scope.table_log + 4),
        value_guess_(scope.has(kResidualValues) ? scope.table_log + 10 : 0),
        values_(scope.has(kResidualValues) ? scope.table_log + 8 : 0) {}

  void plain(std::uint64_t target_length, std::uint64_t diagonal_change) {
    diagonal_ += diagonal_change;
    recent_.use(diagonal_, recent_.recency_of(diagonal_));
    tracks_.use(diagonal_);
    pos_ += target_length;
  }

  // False: what was decoded does not fit into the window. `given`: the ops stand elsewhere, whatever the scope says.
  template <class Coder>
  bool code_ops(Coder& coder, WindowNumbers& window, bool given) {
    op_scope_ = {given ? 0 : scope_.streams, scope_.table_log};
    std::uint64_t left = window.target_length;
    for (OpNumbers& op : window.ops) {
      code_op(coder, op, pos_ + window.target_length - left);
      if (op.literal > left) return false;
      left -= op.literal;
      if (op.length == 0 || op.length > left) return false;
      left -= op.length;
    }
    return true;
  }

  template <class Coder>
  bool code_residual(Coder& coder, WindowNumbers& window) {
    CopyWalk walk(window.ops, pos_);
    std::size_t done = 0;
    for (RunNumbers& run : window.runs) {
      const std::uint64_t passed = pass_copies(coder, run.gap, walk);
      const std::uint64_t left = run.gap - passed;
      const std::uint64_t gap = scope_.has(kResidualGaps) ? gaps_.code(coder, left, walk, runs_) : left;
      if (!walk.skip(gap)) return false;
      walk.begin_run();
      const std::uint64_t length =
          scope_.has(kResidualLengths) ? code_run_length(coder, run.length - 1, gap, walk.pos()) + 1 : run.length;
      if (length == 0 || !walk.skip(length)) return false;  // 0: the number wrapped
      run = {static_cast<std::uint32_t>(gap), static_cast<std::uint32_t>(length)};
      if (scope_.has(kResidualValues)) {
        if constexpr (Coder::kDecoding) window.values.resize(done + run.length);
        code_values(coder, window.values.data() + done, run);
      } else if (window.values.size() - done < length) {
        return false;
      }
      runs_.note(run, window.values.data() + done);
      run.gap += static_cast<std::uint32_t>(passed);
      done += run.length;
    }
    pos_ += window.target_length;
    return true;
  }

 private:
  // Zigzag on numbers that wrap.
  static std::uint64_t folded(std::uint64_t value) { return value << 1 ^ (0 - (value >> 63)); }
  static std::uint64_t unfold(std::uint64_t value) { return value >> 1 ^ (0 - (value & 1)); }

  template <class Coder>
  void code_op(Coder& coder, OpNumbers& op, std::uint64_t op_pos) {
    const unsigned before_literal = class_of(last_.literal);
    const unsigned before_length = class_of(last_.length);
    if (op_scope_.has(kLiteralLengths)) {
      coder.enter(kLiteralLengths);
      op.literal = literal_lengths_.code(coder, op.literal,
                                         {hash_of(0), hash_of(before_literal), hash_of(before_length, last_recency_),
                                          hash_of(before_literal, before_length)});
    }
    const unsigned literal = class_of(op.literal);
    const unsigned recency = code_jump(coder, op.jump, literal, before_length);
    if (op_scope_.has(kCopyLengths)) {
      const Contexts<4> contexts = {hash_of(literal, recency), hash_of(before_length),
                                    hash_of(fold(last_.length), std::min(recency, 2u)),
                                    hash_of(fold(last_.length), length_before_)};
      const std::uint64_t from = op_pos + op.literal;
      coder.enter(kCopyLengths);
      op.length = copy_lengths_.code_distance(coder, op.length, contexts, from, length_positions_, from);
    }
    length_before_ = fold(last_.length);
    last_ = op;
  }

  // The recency of the copy's diagonal among the recent ones; where it is none, also how far it is.
  template <class Coder>
  unsigned code_jump(Coder& coder, std::uint64_t& jump, unsigned literal, unsigned before_length) {
    unsigned recency = recent_.recency_of(diagonal_ + unfold(jump));
    if (op_scope_.has(kDiagonals)) {
      coder.enter(kDiagonals);
      recency = recencies_.code(coder, recency,
                                {hash_of(last_recency_), hash_of(last_recency_, std::min(literal, 20u)),
                                 hash_of(last_recency_, recency_before_, before_length)});
      jump = recency == 0 ? code_from_track(coder, jump, literal) : folded(recent_.at(recency) - diagonal_);
    }
    diagonal_ += unfold(jump);
    recent_.use(diagonal_, recency);
    tracks_.use(diagonal_);
    recency_before_ = last_recency_;
    last_recency_ = recency;
    return recency;
  }

  // A new diagonal: the track that it goes on from, and how far from there. Gives the jump.
  template <class Coder>
  std::uint64_t code_from_track(Coder& coder, std::uint64_t jump, unsigned literal) {
    const std::uint64_t diagonal = diagonal_ + unfold(jump);
    unsigned track = Coder::kDecoding ? 0 : tracks_.choose(diagonal, last_track_);
    track = track_numbers_.code(coder, track,
                                {hash_of(last_track_), hash_of(last_track_, std::min(literal, 20u)),
                                 hash_of(last_track_, track_before_, last_recency_)});
    const unsigned near_track = std::min(track, 3u);
    const Contexts<4> contexts = {hash_of(near_track), hash_of(class_of(last_jump_), near_track),
                                  hash_of(literal, near_track), hash_of(fold(last_jump_), fold(last_.length))};
    const std::uint64_t from = tracks_.at(track);
    last_jump_ = jumps_.code_distance(coder, folded(diagonal - from), contexts, 0, jump_positions_, from);
    track_before_ = last_track_;
    last_track_ = track;
    return folded(from + unfold(last_jump_) - diagonal_);
  }

  // Over the copies in front of the one where the run begins. Gives how many of their bytes that were.
  template <class Coder>
  std::uint64_t pass_copies(Coder& coder, std::uint64_t gap, CopyWalk& walk) {
    std::uint64_t passed = 0;
    while (walk.has_next_copy()) {
      bool passes = gap - passed >= walk.left_in_copy();
      const bool is_open = scope_.has(kResidualGaps) && walk.left_in_copy() > 0;
      if (is_open) passes = gaps_.code_pass(coder, passes, walk, runs_);
      if (!passes) break;
      passed += walk.pass_copy();
    }
    return passed;
  }

  template <class Coder>
  std::uint64_t code_run_length(Coder& coder, std::uint64_t length_less_one, std::uint64_t gap, std::uint64_t pos) {
    const std::uint32_t last = std::min(runs_.last.length, 255u);
    coder.enter(kResidualLengths);
    return run_lengths_.code(coder, length_less_one,
                             {hash_of(fold(gap), static_cast<unsigned>(pos & 3)),
                              hash_of(last, runs_.before_last.length, class_of(gap)),
                              hash_of(runs_.last.gap, fold(gap), std::min(last, 7u))});
  }

  template <class Coder>
  void code_values(Coder& coder, std::uint8_t* values, const RunNumbers& run) {
    const std::uint32_t length = std::min(run.length, 8u);
    std::uint32_t recent = runs_.recent_values;
    coder.enter(kResidualValues);
    for (std::uint32_t i = 0; i < run.length; ++i) {
      const std::uint32_t index = std::min(i, 3u);
      const std::uint32_t place = index * 16 + length;
      const std::uint32_t in_run = i == 0 ? 0 : recent & (i == 1 ? 0xff : 0xffff);
      const std::uint32_t order1 = hash_of(1, recent & 0xff, place);
      unsigned value = values[i];
      const Contexts<2> long_contexts = {hash_of(recent), hash_of(recent & 0xffff, place)};
      const auto guess = value_guess_.code(coder, value, long_contexts, order1, index * 8 + length - 1);
      if (guess.right) {
        value = static_cast<unsigned>(guess.value & 0xff);
      } else {
        value = values_.code(coder, value,
                             {order1, hash_of(2, recent & 0xffff, place), hash_of(3, recent & 0xffffff, index),
                              hash_of(4, run.gap, place, in_run & 0xff), hash_of(5, runs_.first_value, place, in_run)},
                             index);
      }
      value_guess_.learn(value);
      values[i] = static_cast<std::uint8_t>(value);
      recent = recent << 8 | value;
    }
  }

  const ModelScope scope_;
  ModelScope op_scope_;  // of the window at hand
  NumberModel<4> literal_lengths_;
  NumberModel<4> copy_lengths_;
  struct FourBitNumbers {  // numbers from 0 to 15
    explicit FourBitNumbers(unsigned log) : table(log) {}
    template <class Coder>
    unsigned code(Coder& coder, unsigned recency, const Contexts<3>& contexts) {
      return code_tree<3>(coder, find_lines<3>(table, contexts, 0), weights.data(), 4, recency);
    }
    LineTable table;
    std::array<Weights<3>, 16> weights;
  };
  FourBitNumbers recencies_;
  FourBitNumbers track_numbers_;
  NumberModel<4> jumps_;
  PositionModel length_positions_;
  PositionModel jump_positions_;
  GapModel gaps_;
  CountModel<3> run_lengths_;
  GuessModel value_guess_;
  ByteModel<5> values_;

  RecentDiagonals recent_;
  DiagonalTracks tracks_;
  OpNumbers last_;
  std::uint64_t diagonal_ = 0;
  std::uint64_t pos_ = 0;  // from the start of the group
  std::uint32_t length_before_ = 0;
  unsigned last_recency_ = 0;
  unsigned recency_before_ = 0;
  unsigned last_track_ = 0;
  unsigned track_before_ = 0;
  std::uint64_t last_jump_ = 0;  // from its track
  LastRuns runs_;
};

}  // namespace bdelta::mix

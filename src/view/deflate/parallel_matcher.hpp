// M over one stream by several threads.
//
// A lazy M remembers every position, so what it decides depends on the text of its window alone, and on whether a match
// is carried. Where none is, it can be taken up by another that was given the window: both go on alike. So the text
// that is there is cut, and each part has a matcher of its own, which begins a little before its cut. It may be out of
// step there, as tokens may lie otherwise. Soon both have a token that ends at the same place with nothing carried, and
// from there on they agree. So each goes on a little behind its end, and both note such places. Where they have none in
// common, the part is run again, from the last one that was noted before it.
//
// The caller takes the parts in order, each when it is there, and runs parts itself where one is not. Others are begun as long as
// there is text. So what becomes of the tokens of one part, and what the caller does for more text, is done while others are
// under way. No part keeps a matcher: the tables of the one that ended last are still in a cache near by.
//
// So neither cuts nor threads change what comes out. When another token than the foreseen one is committed, what was
// foreseen is dropped, and foreseeing begins anew behind it.
#pragma once

#include <atomic>
#include <vector>

#include "parallel/free_list.hpp"
#include "parallel/worker_pool.hpp"
#include "view/deflate/stepped.hpp"

namespace bdelta::deflate {

class ParallelMatcher final : public Matcher {
 public:
  // parameters: with lazy search. raw_bytes: of the text, at which set_end() is to be. pool has to outlive it.
  ParallelMatcher(WorkerPool& pool, const Parameters& parameters, std::uint64_t raw_bytes);
  ~ParallelMatcher() override;

  // How much text there should be for all threads to have enough to do, half of it behind pos().
  [[nodiscard]] static std::uint64_t batch_bytes(const WorkerPool& pool) noexcept;

  void begin(const Parameters& parameters, std::uint64_t first, std::uint64_t pos) override;
  void set_reach(std::uint64_t pos) noexcept override { reach_ = pos; }
  // Nothing reads the text there any more, when it returns: this is to be another part of the text.
  void release(const std::uint8_t* text);
  void join(JointKind kind) override;  // never called: there are none
  Token predict() override;
  void commit(Token token) override;
  std::size_t run(Token* out, std::size_t most, std::uint64_t stop) override;
  std::size_t follow(std::span<const Token> tokens) override { return follow_steps(*this, tokens, predicted_); }

 private:
  struct Part;

  [[nodiscard]] Part& part(std::uint64_t number);
  void take_more();
  void begin_part(std::uint64_t end, std::uint64_t behind_bytes);
  void run_part(Part& part);
  void take_part(std::uint64_t number);
  void restart_at(std::uint64_t pos);
  void drop();

  WorkerPool& pool_;
  const Parameters parameters_;
  const std::uint64_t raw_bytes_;
  std::uint64_t reach_ = 0;
  std::vector<Part> parts_;          // some for each thread, which are used in turn
  std::uint64_t begun_count_ = 0;    // parts, …
  std::uint64_t begun_end_ = 0;      // … up to there
  bool is_fresh_ = true;             // nothing is carried there
  std::uint64_t taken_count_ = 0;    // of these; what is not taken may be under way
  FreeList<MatcherSet> matchers_;    // that used last is the first to be used again
  std::span<const Token> tokens_;    // at pos_, those from next_ on; of the part taken last or the one before
  std::span<const Token> behind_;    // these come next
  std::size_t next_ = 0;
  std::atomic<bool> stopped_{false};
};

}  // namespace bdelta::deflate

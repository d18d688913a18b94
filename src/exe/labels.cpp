// Learning goes through the fields of all covers some times. A reference that leads elsewhere than the map says votes for
// where it leads. Of the places voted for from one old address the one with most votes is a candidate. Then those
// references to candidates that the map has right are counted: a label has to mend more than it breaks, by how much
// depends on what it costs. One that moves its address as far as the label before does costs little behind a codec. So a
// label for each reference mends long stretches that the covers have wrong, such as pointers to a table of stubs that is
// aligned by the wrong entry.
//
// Offsets depend on where their base went as well, and a base gone wrong makes each of them wrong. So labels of bases are
// learned first, by the same votes: the base has to be where the offset would be right from.
#include "exe/labels.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <tuple>

#include "base/deciding/prediction.hpp"
#include "exe/cover_pieces.hpp"
#include "parallel/sort.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint32_t kCandidatesToLook = 1 << 18;  // between two looks at the watch

struct Vote {
  std::uint64_t address;
  std::uint64_t new_address;
  std::uint32_t image;
  bool in_list;  // the reference is no instruction
};

struct Candidate {
  Label label;
  std::uint32_t mended = 0;
  std::uint32_t broken = 0;
  bool in_list = true;  // all votes come from lists
};

// Where one reference leads, and where the map says.
struct Outcome {
  bool right = false;
  std::uint64_t target_address = 0;
  std::uint64_t base_address = 0;  // where the base would have to be for the map's target to be right
};

// What is not code. Entries of lists look alike, so the covers may have them aligned by the wrong entry.
bool is_list(FieldKind kind) noexcept { return kind >= FieldKind::kPointer; }

struct ReaderSetup {
  const Program& source;
  const Images& images;
  ByteSpan target;
  const OwnerMap& map;
  const LabelIndex* bases;
  LabelUse use;
  bool tables_only;
};

// Machines that say an address in two instructions, a page and an offset in it: the pages that some target said last, to
// be joined with the offsets.
class Pages {
 public:
  void add(std::uint32_t cover, const Field& page, std::uint64_t new_address) {
    entries_[next_++ % entries_.size()] = {cover, page.pos, page.target_address / kPageBytes, new_address / kPageBytes};
  }

  // Puts the page into `new_address`, whose offset in the page is right; false if the page is not known.
  bool join(std::uint32_t cover, const Field& offset, std::uint64_t& new_address) const {
    for (std::size_t age = 1; age <= entries_.size(); ++age) {
      const Entry& entry = entries_[(next_ - age) % entries_.size()];
      if (entry.cover != cover || entry.page != offset.target_address / kPageBytes) continue;
      if (offset.pos - entry.pos > kPageReachBytes) continue;
      new_address = entry.new_page * kPageBytes + new_address % kPageBytes;
      return true;
    }
    return false;
  }

 private:
  static constexpr std::uint64_t kPageBytes = 4096;

  struct Entry {
    std::uint32_t cover = OwnerMap::kNoCover;
    std::uint64_t pos = 0;
    std::uint64_t page = 0;
    std::uint64_t new_page = 0;
  };

  std::array<Entry, 8> entries_;
  std::size_t next_ = 8;
};

// Reads references out of the target, for one task.
class Reader {
 public:
  explicit Reader(const ReaderSetup& setup)
      : setup_(setup), predictor_(setup.source.images(), setup.images, setup.map, setup.bases) {}

  // Calls body(field, outcome) for the references of a piece that pass `wanted` and can be read.
  template <class Wanted, class Body>
  void read(const CoverPiece& piece, Wanted&& wanted, Body&& body) {
    const Cover& cover = setup_.map.covers()[piece.cover];
    const std::uint64_t begin = cover.source_pos + piece.begin;
    const Program& source = setup_.source;
    const std::uint64_t end = begin + piece.length;
    const std::span<const Field> found =
        setup_.tables_only ? source.table_fields_from(begin, end, fields_) : source.fields_from(begin, end, fields_);
    for (const Field& field : found) {
      if (field.pos + field_bytes(field.form) > cover.source_end()) continue;
      const AddressPart part = traits_of(field.form).part;
      const bool is_page = part == AddressPart::kPage;
      if (!is_page && !wanted(field)) continue;
      Prediction prediction;
      if (!predictor_.place(field, piece.cover, prediction)) continue;
      Field copied = field;
      copied.pos = setup_.map.moved(piece.cover, field.pos);
      if (!read_field(setup_.target, prediction.origin, copied)) continue;
      if (is_page) pages_.add(piece.cover, field, copied.target_address);
      if (is_page || (part == AddressPart::kPageOffset && !pages_.join(piece.cover, field, copied.target_address))) continue;
      const bool known = predictor_.map_target(field, piece.cover, prediction);
      const std::uint64_t wrong_by = copied.target_address - prediction.target_address;
      body(field, Outcome{known && wrong_by == 0, copied.target_address, prediction.origin.base_address - wrong_by});
    }
  }

 private:
  ReaderSetup setup_;
  Predictor predictor_;
  FieldCache fields_;
  Pages pages_;
};

template <class Found>
struct TaskState {
  Reader reader;
  std::vector<Found>& found;
};

// Of each old address the place that got most votes, the lowest of equals.
std::vector<Candidate> count_votes(std::vector<Vote>& votes, WorkerPool& pool) {
  const auto key = [](const Vote& vote) { return std::tuple(vote.image, vote.address, vote.new_address); };
  sort_by_all(votes, [&](const Vote& a, const Vote& b) { return key(a) < key(b); }, pool);
  std::vector<Candidate> candidates;
  Pace pace(pool.watch(), kCandidatesToLook);
  for (std::size_t i = 0; i < votes.size();) {
    pace.step();
    Candidate best{{votes[i].address, 0, votes[i].image}};
    while (i < votes.size() && votes[i].image == best.label.image && votes[i].address == best.label.address) {
      const std::size_t begin = i;
      for (; i < votes.size() && key(votes[i]) == key(votes[begin]); ++i) best.in_list &= votes[i].in_list;
      if (i - begin <= best.mended) continue;
      best.mended = static_cast<std::uint32_t>(i - begin);
      best.label.new_address = votes[begin].new_address;
    }
    candidates.push_back(best);
  }
  return candidates;
}

bool in_run(const Label& a, const Label& b) {
  return a.image == b.image && b.address - a.address <= kLabelRunBytes &&
         a.new_address - a.address == b.new_address - b.address;
}

std::vector<Label> worth_their_cost(const std::vector<Candidate>& candidates, LabelUse use) {
  std::vector<Label> labels;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    const bool run = (use == LabelUse::kPredict || !candidates[i].in_list) &&
                     ((i > 0 && in_run(candidates[i - 1].label, candidates[i].label)) ||
                      (i + 1 < candidates.size() && in_run(candidates[i].label, candidates[i + 1].label)));
    const std::uint32_t worth = run ? kWorthLabelInRun : kWorthLabel;
    if (candidates[i].mended >= candidates[i].broken + worth) labels.push_back(candidates[i].label);
  }
  return labels;
}

// One round of learning: from the references that `wanted` lets through. vote(field, outcome) gives what they vote on.
template <class Wanted, class VoteOf>
std::vector<Label> learn(const ReaderSetup& setup, const CoverPieces& pieces, WorkerPool& pool, Wanted&& wanted,
                         VoteOf&& vote_of) {
  std::vector<std::vector<Vote>> found(pieces.task_count());
  const auto make_voting = [&](std::size_t task) { return TaskState<Vote>{Reader(setup), found[task]}; };
  pieces.for_each(pool, make_voting, [&](TaskState<Vote>& task, const CoverPiece& piece) {
    task.reader.read(piece, wanted, [&](const Field& field, const Outcome& outcome) {
      if (!outcome.right) task.found.push_back(vote_of(field, outcome));
    });
  });
  std::size_t count = 0;
  for (const std::vector<Vote>& some : found) count += some.size();
  std::vector<Vote> votes;
  votes.reserve(count);
  for (std::vector<Vote>& some : found) {
    votes.insert(votes.end(), some.begin(), some.end());
    std::vector<Vote>().swap(some);
    pool.advance();
  }
  std::vector<Candidate> candidates = count_votes(votes, pool);

  std::vector<Label> labels;
  for (const Candidate& candidate : candidates) labels.push_back(candidate.label);
  pool.advance();
  const LabelIndex index(labels);
  std::vector<std::vector<std::uint32_t>> broken(pieces.task_count());
  const auto make_check = [&](std::size_t task) { return TaskState<std::uint32_t>{Reader(setup), broken[task]}; };
  pieces.for_each(pool, make_check, [&](TaskState<std::uint32_t>& task, const CoverPiece& piece) {
    const Label* label = nullptr;
    const auto is_candidate = [&](const Field& field) {
      if (!wanted(field)) return false;
      const Vote vote = vote_of(field, Outcome());
      label = index.find(vote.image, vote.address);
      return label != nullptr;
    };
    task.reader.read(piece, is_candidate, [&](const Field&, const Outcome& outcome) {
      if (outcome.right) task.found.push_back(static_cast<std::uint32_t>(label - labels.data()));
    });
  });
  for (const std::vector<std::uint32_t>& some : broken) {
    for (const std::uint32_t candidate : some) ++candidates[candidate].broken;
    pool.advance();
  }
  return worth_their_cost(candidates, setup.use);
}

}  // namespace

std::vector<Label> learn_labels(const Program& source, const Images& images, ByteSpan target, const OwnerMap& map,
                                KindSet kinds, LabelUse use, WorkerPool& pool) {
  const CoverPieces pieces(map.covers());
  const Images& old_images = source.images();
  const auto base_vote = [&](const Field& field, const Outcome& outcome) {
    Vote vote{0, outcome.base_address, field.image, false};
    (void)old_images.layouts[field.image].address_of(base_pos(field), vote.address);
    return vote;
  };
  const auto has_base = [&](const Field& field) { return has_kind(kinds, field.kind) && is_offset(field.form); };
  const std::vector<Label> bases =
      learn({source, images, target, map, nullptr, use, true}, pieces, pool, has_base, base_vote);
  const LabelIndex base_index(bases);
  const std::vector<Label> targets =
      learn({source, images, target, map, &base_index, use, false}, pieces, pool,
            [&](const Field& field) { return has_kind(kinds, field.kind) && takes_label(field); },
            [](const Field& field, const Outcome& outcome) {
              return Vote{field.target_address, outcome.target_address, field.image, is_list(field.kind)};
            });
  std::vector<Label> labels;
  const auto comes_before = [](const Label& a, const Label& b) {
    return std::tuple(a.image, a.address) < std::tuple(b.image, b.address);
  };
  std::set_union(bases.begin(), bases.end(), targets.begin(), targets.end(), std::back_inserter(labels), comes_before);
  return labels;
}

}  // namespace bdelta::exe

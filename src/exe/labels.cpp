// Learning goes twice through the fields of all covers. First each reference that leads elsewhere than the map says
// votes for where it leads. Of the places voted for from one old address the one with most votes is a candidate. Then
// those references to candidates that the map has right are counted: a label has to mend more than it breaks.
#include "exe/labels.hpp"

#include <algorithm>
#include <tuple>

#include "exe/cover_pieces.hpp"

namespace bdelta::exe {
namespace {

// A label must mend so many references more than it breaks; one alone costs about what it saves.
constexpr std::uint32_t kWorth = 2;

struct Vote {
  std::uint64_t address;
  std::uint64_t new_address;
  std::uint8_t image;
};

struct Candidate {
  Label label;
  std::uint32_t mended = 0;
  std::uint32_t broken = 0;
};

// Where one reference leads, and where the map says.
struct Outcome {
  bool known = false;  // whether the map says anything
  bool right = false;
  std::uint64_t target_address = 0;
};

// The field alone holds the whole address.
bool is_whole(FieldForm form) noexcept {
  return form != FieldForm::kArmPage && form != FieldForm::kArmLow12 && form != FieldForm::kArmLow12Scaled;
}

// What one task works with.
struct Reader {
  Reader(const Program& source_program, const Images& images, ByteSpan target_bytes, const PlaceMap& map)
      : source(source_program), target(target_bytes), covers(map.covers()), predictor(source.images(), images, map, nullptr) {}

  // Calls body(field, outcome) for the references of a piece that pass `wanted` and can be read.
  template <class Wanted, class Body>
  void read(const CoverPiece& piece, Wanted&& wanted, Body&& body) {
    const Cover& cover = covers[piece.cover];
    const std::uint64_t begin = cover.source_pos + piece.begin;
    for (const Field& field : source.fields_from(begin, begin + piece.length, fields)) {
      if (field.pos + field_bytes(field.form) > cover.source_end() || !is_whole(field.form)) continue;
      if (!takes_label(field) || !wanted(field)) continue;
      Prediction prediction;
      Outcome outcome;
      if (!predictor.place(field, piece.cover, prediction)) continue;
      outcome.known = predictor.map_target(field, piece.cover, prediction);
      Field copied = field;
      copied.pos = cover.target_pos + (field.pos - cover.source_pos);
      if (!read_field(target, prediction.place, copied)) continue;
      outcome.target_address = copied.target_address;
      outcome.right = outcome.known && copied.target_address == prediction.target_address;
      body(field, outcome);
    }
  }

  const Program& source;
  ByteSpan target;
  const Covers& covers;
  Predictor predictor;
  FieldCache fields;
};

// Of each old address the place that got most votes, the lowest of equals, if these are enough to be worth a label.
std::vector<Candidate> count_votes(std::vector<Vote>& votes) {
  const auto key = [](const Vote& vote) { return std::tuple(vote.image, vote.address, vote.new_address); };
  std::sort(votes.begin(), votes.end(), [&](const Vote& a, const Vote& b) { return key(a) < key(b); });
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < votes.size();) {
    Candidate best{{votes[i].address, 0, votes[i].image}};
    while (i < votes.size() && votes[i].image == best.label.image && votes[i].address == best.label.address) {
      const std::size_t begin = i;
      while (i < votes.size() && key(votes[i]) == key(votes[begin])) ++i;
      if (i - begin <= best.mended) continue;
      best.mended = static_cast<std::uint32_t>(i - begin);
      best.label.new_address = votes[begin].new_address;
    }
    if (best.mended >= kWorth) candidates.push_back(best);
  }
  return candidates;
}

}  // namespace

std::vector<Label> learn_labels(const Program& source, const Images& images, ByteSpan target, const PlaceMap& map,
                                WorkerPool& pool) {
  const CoverPieces pieces(map.covers());
  const auto make_reader = [&](std::size_t) { return Reader(source, images, target, map); };
  struct Voting {
    Reader reader;
    std::vector<Vote>& votes;
  };
  std::vector<std::vector<Vote>> found(pieces.task_count());
  pieces.for_each(
      pool, [&](std::size_t task) { return Voting{make_reader(task), found[task]}; },
      [](Voting& task, const CoverPiece& piece) {
        task.reader.read(piece, [](const Field&) { return true; }, [&](const Field& field, const Outcome& outcome) {
          if (!outcome.right) task.votes.push_back({field.target_address, outcome.target_address, field.image});
        });
      });
  std::vector<Vote> votes;
  for (std::vector<Vote>& some : found) votes.insert(votes.end(), some.begin(), some.end());
  std::vector<Candidate> candidates = count_votes(votes);

  std::vector<Label> labels;
  for (const Candidate& candidate : candidates) labels.push_back(candidate.label);
  const LabelIndex index(labels);
  struct Check {
    Reader reader;
    std::vector<std::uint32_t>& broken;
  };
  std::vector<std::vector<std::uint32_t>> broken(pieces.task_count());
  pieces.for_each(
      pool, [&](std::size_t task) { return Check{make_reader(task), broken[task]}; },
      [&](Check& task, const CoverPiece& piece) {
        const Label* label = nullptr;
        const auto is_candidate = [&](const Field& field) {
          label = index.find(field.image, field.target_address);
          return label != nullptr;
        };
        task.reader.read(piece, is_candidate, [&](const Field&, const Outcome& outcome) {
          if (outcome.right) task.broken.push_back(static_cast<std::uint32_t>(label - labels.data()));
        });
      });
  for (const std::vector<std::uint32_t>& some : broken) {
    for (const std::uint32_t candidate : some) ++candidates[candidate].broken;
  }
  labels.clear();
  for (const Candidate& candidate : candidates) {
    if (candidate.mended >= candidate.broken + kWorth) labels.push_back(candidate.label);
  }
  return labels;
}

}  // namespace bdelta::exe

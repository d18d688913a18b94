// Which numbers of a source's lists of types stand where the target's lists have others.
#pragma once

#include <vector>

#include "bdelta/io.hpp"
#include "delta/moved_numbers.hpp"
#include "parallel/worker_pool.hpp"

namespace bdelta {

// From numbers of the source, which are not 0, to those of the target: from << 32 | to. Unsorted.
struct NumberVotes {
  std::vector<std::uint64_t> types;
  std::vector<std::uint64_t> strings;
};

// The votes of a list of the source that lists some types more or fewer than its partner does.
struct ChangedList {
  std::size_t list = 0;  // of the source's, from 0
  NumberVotes votes;
};

struct NumberLists {
  std::vector<std::uint64_t> header_positions;  // of the source's lists, ascending
  std::uint64_t type_bytes = 0;                 // of all of them
  NumberVotes votes;                            // of lists that are the same but for their numbers
  std::vector<ChangedList> changed;             // ascending
};

// The lists of both files and what they tell, or no lists if the source has none, or more than most_type_bytes of them. Of
// a target that has more than twice as many bytes, nothing is told.
[[nodiscard]] NumberLists find_number_lists(ByteSpan source, ByteSpan target, std::uint64_t most_type_bytes,
                                            WorkerPool& pool);

// Of all lists of a file. The watch may be null.
[[nodiscard]] std::uint64_t listed_type_bytes(ByteSpan file, Watch* watch);

// The list of types whose header stands there; one that was found.
[[nodiscard]] ByteSpan number_list_at(ByteSpan file, std::uint64_t header_pos);

}  // namespace bdelta

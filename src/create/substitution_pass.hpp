// Learns the substitutions of a pair (delta/substitution_table.hpp).
#pragma once

#include <optional>

#include "create/copied_pieces.hpp"
#include "format/native/writer.hpp"

namespace bdelta {

// None if they would not make the patch smaller, or if there is much to search: more than most_search bytes for each
// changed one. Depends on no thread count. Errors: those of the codecs.
Result<std::optional<native::CodedSubstitutions>> learn_substitutions(const CopiedBytes& copied, std::uint64_t most_search,
                                                      const native::Writer& writer, WorkerPool& pool);

}  // namespace bdelta

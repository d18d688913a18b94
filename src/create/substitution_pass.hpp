// Learns the substitutions of a pair (delta/substitution_table.hpp).
#pragma once

#include <optional>

#include "create/copied_pieces.hpp"
#include "format/native/substitution_record.hpp"

namespace bdelta {

// None if they would not make the patch smaller, or if there is much to search: more than most_search bytes for each
// changed one. `codec` is that of their record. Depends on no thread count. Errors: those of the codecs.
Result<std::optional<native::CodedSubstitutions>> learn_substitutions(const CopiedBytes& copied, std::uint64_t most_search,
                                                                const CodecSettings& codec, WorkerPool& pool);

}  // namespace bdelta

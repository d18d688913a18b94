// Many functions of PE have equal unwind information, each its own copy of it, and the table of functions tells which is
// whose. Marks of the functions in place of its first bytes tell copies apart, so that covers can't take one for another.
#pragma once

#include "bdelta/io.hpp"
#include "exe/predict.hpp"
#include "exe/program.hpp"
#include "exe/sorted_tables.hpp"

namespace bdelta {

// `table` is one of functions of the source, which became one of `target_image`, and `image` the source as covers are
// chosen on it. Functions that lead nowhere by the predictor get no mark.
void mark_unwind_of_old(const exe::Program& source, const exe::SortedTable& table, const exe::Predictor& predictor,
                        std::size_t target_image, MutableByteSpan image);

// The same of the target, whose functions are where they are.
void mark_unwind_of_new(const exe::Program& target, const exe::SortedTable& table, MutableByteSpan image);

}  // namespace bdelta

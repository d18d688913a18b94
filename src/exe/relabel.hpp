// Making copies of both files in which fields don't hide what is alike; for matching only, never part of a patch.
//
// Code that was merely moved differs in all of its addresses. So first covers are looked for with every field masked in
// both files. They tell roughly where things went. Then each field gets a label in both, which is where it leads in the
// target. An old field leads where the covers say, a new one where it does. What is equal then is the same code that
// refers to the same things, and the final covers are made of these copies.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/raw_buffer.hpp"
#include "bdelta/io.hpp"
#include "exe/predict.hpp"
#include "exe/program.hpp"

namespace bdelta::exe {

// In all of these `copy` holds the bytes of program.file(), and fields of other kinds stay as they are. They go through
// the fields once, in parallel by chunks of the file.

// Overwrites each field by the same number, and those that lead to names by a number of the name. In names of Rust it
// overwrites all hashes by the same letters (crate_hash.hpp).
void mask_fields(const Program& program, KindSet kinds, MutableByteSpan copy, WorkerPool& pool);

// Overwrites each field of the target by a hash of where it leads.
void label_target(const Program& target, KindSet kinds, MutableByteSpan copy, WorkerPool& pool);

// Overwrites each field of the source by a hash of where it leads once the covers of `map` and the labels are applied.
// Where they don't tell, the hash is of where it leads in the source.
void label_source(const Program& source, const Images& target, const OwnerMap& map, const LabelIndex& labels,
                  KindSet kinds, MutableByteSpan copy, WorkerPool& pool);

// For each byte of the target what a miss costs a parse, in sixteenths of the ordinary: less in fields, as a wrong
// prediction is rather cheap to mend.
[[nodiscard]] ByteBuffer miss_scale(const Program& target, KindSet kinds, WorkerPool& pool);

}  // namespace bdelta::exe

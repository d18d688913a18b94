// What the searches of an encoder cost, before they are made: how many candidates they look at.
//
// That depends on the text more than on the encoder: among rows of tables a search sees ten times as many as among the
// lines of a program. So some spots of the text are searched, each with the window before it.
#pragma once

#include "base/bytes.hpp"
#include "parallel/watch.hpp"
#include "view/deflate/matcher.hpp"

namespace bdelta::deflate {

// Whether both look for the same matches: blocks may end otherwise.
[[nodiscard]] bool same_search(Parameters one, const Parameters& other) noexcept;

// For the text from `pos` on, by a few hundredths of these searches. Behind `raw` are kTextPadding bytes. The result does not
// depend on what the matchers were used for before. watch: looked at for each spot; it may be null.
[[nodiscard]] std::uint64_t estimate_looked_at(MatcherSet& matchers, const Parameters& parameters, ByteSpan raw, std::uint64_t pos,
                                               Watch* watch = nullptr);

}  // namespace bdelta::deflate

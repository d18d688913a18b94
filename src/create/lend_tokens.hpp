// Which streams of NEW may have tokens of OLD's, so that who applies need not search for them.
#pragma once

#include "create/file_views.hpp"
#include "delta/cover.hpp"

namespace bdelta {

// Says so in the recipe of `plans`, where it is true of every token that may be taken (view/deflate/lent_tokens.hpp) if `covers`
// are what is copied of OLD's view. Gives how many nominal nanoseconds less that takes to apply.
std::uint64_t lend_tokens(const FileViews& views, const Covers& covers, view::ViewPlans& plans);

}  // namespace bdelta

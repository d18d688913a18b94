// Whether this build runs under a sanitizer.
#pragma once

#if defined(__has_feature)
#define BDELTA_TEST_HAS_FEATURE(name) __has_feature(name)
#else
#define BDELTA_TEST_HAS_FEATURE(name) 0
#endif

namespace bdelta::test {

// Everything takes some ten times as long then: the slowest tests try fewer cases. Other builds try all of them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || BDELTA_TEST_HAS_FEATURE(address_sanitizer) || \
    BDELTA_TEST_HAS_FEATURE(thread_sanitizer)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

// One thread alone races with nobody.
#if defined(__SANITIZE_THREAD__) || BDELTA_TEST_HAS_FEATURE(thread_sanitizer)
inline constexpr bool kLooksForRaces = true;
#else
inline constexpr bool kLooksForRaces = false;
#endif

}  // namespace bdelta::test

#undef BDELTA_TEST_HAS_FEATURE

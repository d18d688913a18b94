// BDELTA_PUBLIC stands before each function and class of the public headers that is compiled into the library. All
// else is hidden, so a shared library exports these names and no others.
#pragma once

#if defined(__GNUC__)
#define BDELTA_PUBLIC __attribute__((visibility("default")))
#else
#define BDELTA_PUBLIC
#endif

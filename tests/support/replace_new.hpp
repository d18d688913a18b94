// Replaces the operators new and delete of a whole test program, to count allocations or to let them fail. To be
// included by one source of the program, which defines the two functions.
#pragma once

#include <cstddef>
#include <new>

namespace bdelta::test {

void* allocate(std::size_t size) noexcept;  // null: there is no memory
void release(void* memory) noexcept;        // also of null

}  // namespace bdelta::test

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"  // operator new below is malloc
#endif

void* operator new(std::size_t size) {
  if (void* memory = bdelta::test::allocate(size)) return memory;
  throw std::bad_alloc();
}
void* operator new[](std::size_t size) { return operator new(size); }
void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return bdelta::test::allocate(size); }
void* operator new[](std::size_t size, const std::nothrow_t&) noexcept { return bdelta::test::allocate(size); }
void operator delete(void* memory) noexcept { bdelta::test::release(memory); }
void operator delete[](void* memory) noexcept { bdelta::test::release(memory); }
void operator delete(void* memory, std::size_t) noexcept { bdelta::test::release(memory); }
void operator delete[](void* memory, std::size_t) noexcept { bdelta::test::release(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { bdelta::test::release(memory); }
void operator delete[](void* memory, const std::nothrow_t&) noexcept { bdelta::test::release(memory); }

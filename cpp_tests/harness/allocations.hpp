// Counts what the library allocates, apart from MPI and the program, by where the calls come from. For one file of a program:
// it defines malloc.
#ifndef ADMPI_TESTS_ALLOCATIONS_HPP
#define ADMPI_TESTS_ALLOCATIONS_HPP

#include <dlfcn.h>

#include <atomic>
#include <cstring>
#include <functional>

namespace test {

inline std::atomic<bool> counting{false};
inline std::atomic<long> allocations{0};

inline void count(const void *caller) {
  static thread_local bool looking = false;
  if (!counting || looking) return;
  looking = true;
  Dl_info info;
  if (dladdr(caller, &info) != 0 && std::strstr(info.dli_fname, "libadmpi") != nullptr) ++allocations;
  looking = false;
}

/// Allocations of `f`.
inline long counted(const std::function<void()> &f) {
  allocations = 0;
  counting = true;
  f();
  counting = false;
  return allocations;
}

}  // namespace test

extern "C" {
void *__libc_malloc(std::size_t);
void *__libc_calloc(std::size_t, std::size_t);
void *__libc_realloc(void *, std::size_t);
void *__libc_memalign(std::size_t, std::size_t);
void *malloc(std::size_t n) { return test::count(__builtin_return_address(0)), __libc_malloc(n); }
void *calloc(std::size_t n, std::size_t size) {
  return test::count(__builtin_return_address(0)), __libc_calloc(n, size);
}
void *realloc(void *p, std::size_t n) { return test::count(__builtin_return_address(0)), __libc_realloc(p, n); }
int posix_memalign(void **p, std::size_t alignment, std::size_t n) {
  test::count(__builtin_return_address(0));
  *p = __libc_memalign(alignment, n);
  return *p == nullptr ? 12 : 0;
}
}

#endif

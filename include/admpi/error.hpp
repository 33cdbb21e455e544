// admpi: the exceptions of the C++ layer. Each mirrors one status code of the C interface.
#ifndef ADMPI_ERROR_HPP
#define ADMPI_ERROR_HPP

// One message, not one for each following line: the compiler stops because no file of that name exists.
#if __cplusplus < 201703L
#error "admpi's C++ headers need C++17: compile with -std=c++17 or later"
#include "admpi/stopped_by_the_error_above"
#elif !defined(__cpp_exceptions)
#error "admpi's C++ headers throw exceptions: compile without -fno-exceptions"
#include "admpi/stopped_by_the_error_above"
#endif

#include <stdexcept>

#include "admpi/exceptions.hpp"
#include "admpi/interface.h"

// Version and configuration are part of every mangled name, so that objects compiled against different
// builds of the library do not link into one program unnoticed.
#if defined(ADMPI_HAVE_MPI) && ADMPI_HAVE_MPI && defined(ADMPI_MPI_OPENMPI) && ADMPI_MPI_OPENMPI
#define ADMPI_NAMESPACE v0_1_openmpi
#elif defined(ADMPI_HAVE_MPI) && ADMPI_HAVE_MPI
#define ADMPI_NAMESPACE v0_1_mpich
#else
#define ADMPI_NAMESPACE v0_1_serial
#endif

// For what programs catch: one type in the process, also where a library hides its symbols.
#define ADMPI_CAUGHT __attribute__((visibility("default")))

namespace admpi {
inline namespace ADMPI_NAMESPACE {

/// Base of all exceptions of the library: an ADMPI_ERR_* code and the library's message.
class ADMPI_CAUGHT error : public std::runtime_error {
 public:
  error(int code, const char *message) : std::runtime_error(message), code_(code) {}
  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// The exception of one status code.
template <int Code>
class ADMPI_CAUGHT error_of : public error {
 public:
  explicit error_of(const char *message) : error(Code, message) {}
};

#define ADMPI_EXCEPTION(code, name) using name##_error = error_of<ADMPI_ERR_##code>;
ADMPI_EXCEPTIONS(ADMPI_EXCEPTION)
#undef ADMPI_EXCEPTION

namespace detail {

/// Throws the exception of a status code.
[[noreturn, gnu::noinline, gnu::cold]] inline void raise(int code, const char *message) {
  switch (code) {
#define ADMPI_EXCEPTION(code, name) \
  case ADMPI_ERR_##code: throw name##_error(message);
    ADMPI_EXCEPTIONS(ADMPI_EXCEPTION)
#undef ADMPI_EXCEPTION
    default: throw error(code, message);
  }
}

/// What a program calls the exception of a status code.
inline const char *exception_name(int code) noexcept {
  switch (code) {
#define ADMPI_EXCEPTION(code, name) \
  case ADMPI_ERR_##code: return "admpi::" #name "_error";
    ADMPI_EXCEPTIONS(ADMPI_EXCEPTION)
#undef ADMPI_EXCEPTION
    default: return "admpi::error";
  }
}

/// The same with the message of the call that has just failed.
[[noreturn, gnu::noinline, gnu::cold]] inline void raise(int code) { raise(code, admpi_last_error()); }

inline void check(int code) {
  if (code != ADMPI_SUCCESS) raise(code);
}

}  // namespace detail
}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif

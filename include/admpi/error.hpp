// admpi: the exceptions of the C++ layer. Each mirrors one status code of the C interface.
#ifndef ADMPI_ERROR_HPP
#define ADMPI_ERROR_HPP

#include <stdexcept>

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

namespace admpi {
inline namespace ADMPI_NAMESPACE {

/// Base of all exceptions of the library: an ADMPI_ERR_* code and the library's message.
class error : public std::runtime_error {
 public:
  error(int code, const char *message) : std::runtime_error(message), code_(code) {}
  int code() const noexcept { return code_; }

 private:
  int code_;
};

/// The exception of one status code.
template <int Code>
class error_of : public error {
 public:
  explicit error_of(const char *message) : error(Code, message) {}
};

using null_error = error_of<ADMPI_ERR_NULL>;
using argument_error = error_of<ADMPI_ERR_ARGUMENT>;
using memory_error = error_of<ADMPI_ERR_MEMORY>;
using limit_error = error_of<ADMPI_ERR_LIMIT>;
using ids_error = error_of<ADMPI_ERR_IDS>;
using stale_error = error_of<ADMPI_ERR_STALE>;
using no_tape_error = error_of<ADMPI_ERR_NO_TAPE>;
using not_recording_error = error_of<ADMPI_ERR_NOT_RECORDING>;
using nest_error = error_of<ADMPI_ERR_NEST>;
using range_error = error_of<ADMPI_ERR_RANGE>;
using callback_error = error_of<ADMPI_ERR_CALLBACK>;
using mpi_error = error_of<ADMPI_ERR_MPI>;
using abi_error = error_of<ADMPI_ERR_ABI>;
using panic_error = error_of<ADMPI_ERR_PANIC>;
using unsupported_error = error_of<ADMPI_ERR_UNSUPPORTED>;
using thread_error = error_of<ADMPI_ERR_THREAD>;
using mismatch_error = error_of<ADMPI_ERR_MISMATCH>;
using convergence_error = error_of<ADMPI_ERR_CONVERGENCE>;

namespace detail {

/// Throws the exception of a status code.
[[noreturn, gnu::noinline, gnu::cold]] inline void raise(int code, const char *message) {
  switch (code) {
    case ADMPI_ERR_NULL: throw null_error(message);
    case ADMPI_ERR_ARGUMENT: throw argument_error(message);
    case ADMPI_ERR_MEMORY: throw memory_error(message);
    case ADMPI_ERR_LIMIT: throw limit_error(message);
    case ADMPI_ERR_IDS: throw ids_error(message);
    case ADMPI_ERR_STALE: throw stale_error(message);
    case ADMPI_ERR_NO_TAPE: throw no_tape_error(message);
    case ADMPI_ERR_NOT_RECORDING: throw not_recording_error(message);
    case ADMPI_ERR_NEST: throw nest_error(message);
    case ADMPI_ERR_RANGE: throw range_error(message);
    case ADMPI_ERR_CALLBACK: throw callback_error(message);
    case ADMPI_ERR_MPI: throw mpi_error(message);
    case ADMPI_ERR_ABI: throw abi_error(message);
    case ADMPI_ERR_PANIC: throw panic_error(message);
    case ADMPI_ERR_UNSUPPORTED: throw unsupported_error(message);
    case ADMPI_ERR_THREAD: throw thread_error(message);
    case ADMPI_ERR_MISMATCH: throw mismatch_error(message);
    case ADMPI_ERR_CONVERGENCE: throw convergence_error(message);
    default: throw error(code, message);
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

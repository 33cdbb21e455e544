// What the tests of tangents' datatypes share.
#ifndef ADMPI_TESTS_AMPI_TANGENT_TYPES_HPP
#define ADMPI_TESTS_AMPI_TANGENT_TYPES_HPP

#include <string>

#include "harness/identity.hpp"

namespace tangent_types {

using admpi::mpi_type;
using admpi::tangent;
using admpi::value_index;
using admpi::var;
using test::rank_of;
using test::size_of;
using test::text_of;

using first = tangent<double>;
using second = tangent<tangent<double>>;
using several = tangent<double, 3>;

/// A communicator of this process alone that returns errors.
struct alone {
  MPI_Comm comm;
  alone() {
    test::begin();
    AMPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~alone() { AMPI_Comm_free(&comm); }
};

inline void check_refused(int code, const std::string &call, const std::string &part) {
  INFO(call, ": ", text_of(code));
  CHECK(code != MPI_SUCCESS);
  CHECK(text_of(code).find(call + ": ") == 0);
  CHECK(text_of(code).find(part) != std::string::npos);
}

template <class T>
struct structure {
  T a;
  int n;
  T b[2];
};

}  // namespace tangent_types

#endif

// In C++ the type of a buffer and its datatype are compared: a disagreement is an error of the call, raised on
// its communicator, and nothing is transferred.
#include <admpi.hpp>
#include <doctest/doctest.h>

#include <cstring>
#include <string>
#include <vector>

using admpi::var;

namespace {

/// A communicator of this process alone that returns errors.
struct Alone {
  MPI_Comm comm;
  Alone() {
    admpi_init(MPI_COMM_WORLD);
    AMPI_Comm_dup(MPI_COMM_SELF, &comm);
    MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  }
  ~Alone() { AMPI_Comm_free(&comm); }
};

std::string explain(int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(code, text, &length);
  return std::string(text, length);
}

bool refused(int code, const char *call) { return code != MPI_SUCCESS && explain(code).rfind(call, 0) == 0; }

int nowhere = MPI_PROC_NULL;

}  // namespace

TEST_CASE("test_buffers_active_values_need_an_active_datatype") {
  Alone alone;
  var x[2] = {1.0, 2.0}, y[2];
  admpi_var c[2] = {};
  var matrix[2][2];
  CHECK(AMPI_Send(x, 2, AMPI_ADOUBLE, nowhere, 0, alone.comm) == MPI_SUCCESS);
  CHECK(AMPI_Send(c, 2, AMPI_ADOUBLE, nowhere, 0, alone.comm) == MPI_SUCCESS);
  CHECK(refused(AMPI_Send(x, 2, MPI_DOUBLE, nowhere, 0, alone.comm), "AMPI_Send"));
  CHECK(refused(AMPI_Send(c, 2, MPI_DOUBLE, nowhere, 0, alone.comm), "AMPI_Send"));
  CHECK(refused(AMPI_Send(matrix, 4, MPI_DOUBLE, nowhere, 0, alone.comm), "AMPI_Send"));
  CHECK(refused(AMPI_Send(x, sizeof x, MPI_BYTE, nowhere, 0, alone.comm), "AMPI_Send"));
  CHECK(refused(AMPI_Recv(y, 2, MPI_DOUBLE, nowhere, 0, alone.comm, MPI_STATUS_IGNORE), "AMPI_Recv"));
  CHECK(refused(AMPI_Allreduce(x, y, 2, MPI_DOUBLE, MPI_SUM, alone.comm), "AMPI_Allreduce"));
  CHECK(refused(AMPI_Bcast(y, 2, MPI_DOUBLE, 0, alone.comm), "AMPI_Bcast"));
  CHECK(refused(AMPI_Ssend(x, 2, MPI_DOUBLE, nowhere, 0, alone.comm), "AMPI_Ssend"));
}

TEST_CASE("test_buffers_plain_numbers_need_a_passive_datatype") {
  Alone alone;
  double x[2] = {1.0, 2.0}, y[2] = {3.0, 4.0};
  int n = 1;
  CHECK(AMPI_Send(x, 2, MPI_DOUBLE, nowhere, 0, alone.comm) == MPI_SUCCESS);
  CHECK(AMPI_Send(&n, 1, MPI_INT, nowhere, 0, alone.comm) == MPI_SUCCESS);
  CHECK(refused(AMPI_Send(x, 2, AMPI_ADOUBLE, nowhere, 0, alone.comm), "AMPI_Send"));
  CHECK(refused(AMPI_Send(&n, 1, AMPI_ADOUBLE, nowhere, 0, alone.comm), "AMPI_Send"));
  CHECK(refused(AMPI_Allreduce(x, y, 2, AMPI_ADOUBLE, MPI_SUM, alone.comm), "AMPI_Allreduce"));
  CHECK(y[0] == 3.0);
  AMPI_Request request = AMPI_REQUEST_NULL;
  CHECK(refused(AMPI_Irecv(x, 2, AMPI_ADOUBLE, nowhere, 0, alone.comm, &request), "AMPI_Irecv"));
  CHECK(request == AMPI_REQUEST_NULL);
}

TEST_CASE("test_buffers_one_side_only") {
  Alone alone;
  double x[1] = {1.0};
  var y[1];
  CHECK(refused(AMPI_Sendrecv(x, 1, MPI_DOUBLE, nowhere, 0, y, 1, MPI_DOUBLE, nowhere, 0, alone.comm,
                              MPI_STATUS_IGNORE), "AMPI_Sendrecv"));
  CHECK(refused(AMPI_Allgather(y, 1, AMPI_ADOUBLE, x, 1, AMPI_ADOUBLE, alone.comm), "AMPI_Allgather"));
  var z[1] = {2.0};
  CHECK(refused(AMPI_Allreduce(MPI_IN_PLACE, z, 1, MPI_DOUBLE, MPI_SUM, alone.comm), "AMPI_Allreduce"));
  CHECK(AMPI_Allreduce(MPI_IN_PLACE, z, 1, AMPI_ADOUBLE, MPI_SUM, alone.comm) == MPI_SUCCESS);
}

TEST_CASE("test_buffers_derived_datatypes") {
  Alone alone;
  var x[4] = {};
  double p[4] = {};
  MPI_Datatype active, passive;
  MPI_Type_vector(2, 1, 2, AMPI_ADOUBLE, &active);
  MPI_Type_vector(2, 1, 2, MPI_DOUBLE, &passive);
  MPI_Type_commit(&active);
  MPI_Type_commit(&passive);
  CHECK(AMPI_Send(p, 1, passive, nowhere, 0, alone.comm) == MPI_SUCCESS);
  CHECK(refused(AMPI_Send(x, 1, passive, nowhere, 0, alone.comm), "AMPI_Send"));
  CHECK(refused(AMPI_Send(p, 1, active, nowhere, 0, alone.comm), "AMPI_Send"));
  MPI_Type_free(&active);
  MPI_Type_free(&passive);
}

TEST_CASE("test_buffers_untyped_memory_is_taken_as_it_is") {
  Alone alone;
  var x[2] = {1.0, 2.0};
  struct Cell {
    var t;
    int n;
  } cell = {};
  void *memory = x;
  std::vector<char> bytes(16);
  CHECK(AMPI_Send(memory, 2, AMPI_ADOUBLE, nowhere, 0, alone.comm) == MPI_SUCCESS);
  CHECK(AMPI_Send(&cell, 1, AMPI_ADOUBLE, nowhere, 0, alone.comm) == MPI_SUCCESS);
  CHECK(AMPI_Send(bytes.data(), 16, MPI_BYTE, nowhere, 0, alone.comm) == MPI_SUCCESS);
  CHECK(AMPI_Send(nullptr, 0, MPI_DOUBLE, nowhere, 0, alone.comm) == MPI_SUCCESS);
}

TEST_CASE("test_buffers_that_are_no_pointers") {
  // Each of two buffers has a type of its own.
  struct handle {
    double *data;
    operator double *() const { return data; }
  };
  Alone alone;
  double in[2] = {1.0, 2.0}, out[2] = {};
  CHECK(AMPI_Gather(in, 2, MPI_DOUBLE, handle{out}, 2, MPI_DOUBLE, 0, alone.comm) == MPI_SUCCESS);
  CHECK(out[1] == 2.0);
  const double *const from = in;
  CHECK(AMPI_Allgather(from, 0, MPI_DOUBLE, nullptr, 0, MPI_DOUBLE, alone.comm) == MPI_SUCCESS);
  CHECK(AMPI_Alltoall(NULL, 0, MPI_DOUBLE, NULL, 0, MPI_DOUBLE, alone.comm) == MPI_SUCCESS);
  CHECK(AMPI_Alltoall(nullptr, 0, MPI_DOUBLE, out, 0, MPI_DOUBLE, alone.comm) == MPI_SUCCESS);
  CHECK(AMPI_Allgather(MPI_BOTTOM, 0, MPI_DOUBLE, MPI_BOTTOM, 0, MPI_DOUBLE, alone.comm) == MPI_SUCCESS);
  CHECK(AMPI_Allreduce(MPI_IN_PLACE, out, 2, MPI_DOUBLE, MPI_SUM, alone.comm) == MPI_SUCCESS);
  // What they hold is looked at all the same.
  var x[2] = {1.0, 2.0}, y[2];
  CHECK(AMPI_Allgather(x, 2, MPI_DOUBLE, y, 2, MPI_DOUBLE, alone.comm) != MPI_SUCCESS);
  CHECK(AMPI_Allgather(NULL, 0, MPI_DOUBLE, y, 0, MPI_DOUBLE, alone.comm) != MPI_SUCCESS);
}

TEST_CASE("test_buffers_insignificant_datatypes_are_not_looked_at") {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Datatype nonsense;
  std::memset(&nonsense, 0x5a, sizeof nonsense);
  double x = rank;
  std::vector<double> all(size), again(size);
  AMPI_Gather(&x, 1, MPI_DOUBLE, all.data(), 1, rank == 0 ? MPI_DOUBLE : nonsense, 0, MPI_COMM_WORLD);
  AMPI_Scatter(all.data(), 1, rank == 0 ? MPI_DOUBLE : nonsense, again.data(), 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  CHECK(again[0] == rank);
}

// What the tests of point to point share: sends in every mode, blocking or not.
#ifndef ADMPI_TESTS_AMPI_POINT_TO_POINT_HPP
#define ADMPI_TESTS_AMPI_POINT_TO_POINT_HPP

#include <algorithm>

#include "harness/identity.hpp"

namespace point_to_point {

using admpi::var;
using test::check_identity;
using test::combine;
using test::ring;
using test::text_of;

const MPI_Comm world = MPI_COMM_WORLD;

/// The buffer of buffered sends, no larger than MPI_Pack_size asks for.
class buffer {
 public:
  buffer(int n, MPI_Datatype type, int messages) {
    int bytes = 0;
    MPI_Pack_size(n, type, world, &bytes);
    memory_.resize(static_cast<std::size_t>(messages * (bytes + MPI_BSEND_OVERHEAD)));
    MPI_Buffer_attach(memory_.data(), static_cast<int>(memory_.size()));
  }
  ~buffer() {
    void *address = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(&address, &bytes);
  }

 private:
  std::vector<char> memory_;
};

enum mode { standard, buffered, synchronous, ready, modes };

/// MPI-4's, on every MPI: plain MPI has them from the library's layer for large counts.
template <class... A>
int isendrecv(test::paired, A... a) {
  return MPIX_Isendrecv_x(a...);
}
template <class... A>
int isendrecv(test::active, A... a) {
  return test::counted() ? AMPI_Isendrecv_c(a...) : AMPI_Isendrecv(a...);
}
template <class... A>
int isendrecv_replace(test::paired, A... a) {
  return MPIX_Isendrecv_replace_x(a...);
}
template <class... A>
int isendrecv_replace(test::active, A... a) {
  return test::counted() ? AMPI_Isendrecv_replace_c(a...) : AMPI_Isendrecv_replace(a...);
}

template <class Mpi, class T>
void send(Mpi mpi, int how, const T *x, int n, int to, int tag) {
  if (how == standard) mpi.send(x, n, mpi.type(), to, tag, world);
  if (how == buffered) mpi.bsend(x, n, mpi.type(), to, tag, world);
  if (how == synchronous) mpi.ssend(x, n, mpi.type(), to, tag, world);
  if (how == ready) mpi.rsend(x, n, mpi.type(), to, tag, world);
}

template <class Mpi, class T>
void isend(Mpi mpi, int how, const T *x, int n, int to, int tag, typename Mpi::request *q) {
  if (how == standard) mpi.isend(x, n, mpi.type(), to, tag, world, q);
  if (how == buffered) mpi.ibsend(x, n, mpi.type(), to, tag, world, q);
  if (how == synchronous) mpi.issend(x, n, mpi.type(), to, tag, world, q);
  if (how == ready) mpi.irsend(x, n, mpi.type(), to, tag, world, q);
}

/// Open MPI 4.1 sends freed memory from the second start of a buffered request on. Where the receives are posted, a
/// standard one does what it should.
template <class Mpi>
constexpr int persistent(Mpi, int how) {
  return how == buffered && std::is_base_of_v<test::paired, Mpi> ? standard : how;
}

template <class Mpi, class T>
void send_init(Mpi mpi, int how, const T *x, int n, int to, int tag, typename Mpi::request *q) {
  how = persistent(mpi, how);
  if (how == standard) mpi.send_init(x, n, mpi.type(), to, tag, world, q);
  if (how == buffered) mpi.bsend_init(x, n, mpi.type(), to, tag, world, q);
  if (how == synchronous) mpi.ssend_init(x, n, mpi.type(), to, tag, world, q);
  if (how == ready) mpi.rsend_init(x, n, mpi.type(), to, tag, world, q);
}

/// New values where the old ones lie: a persistent request knows their address.
template <class T>
void renew(std::vector<T> &x, const std::vector<T> &values) {
  std::copy(values.begin(), values.end(), x.begin());
}

inline int count_of(const MPI_Status &status, MPI_Datatype type) {
  int n = -1;
  MPI_Get_count(&status, type, &n);
  return n;
}

}  // namespace point_to_point

#endif

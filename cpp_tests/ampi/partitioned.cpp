// Partitioned messages: parts are ready in any order, the numbers of parts differ at both ends, and requests pair as they were made.
#include <complex>

#include <admpi/complex.hpp>
#include <admpi/float.hpp>

#include "ampi/mixed.hpp"
#include "ampi/point_to_point.hpp"

using namespace point_to_point;

namespace {

/// Plain MPI may lack them: a persistent message that starts when all parts are ready.
struct plain_halves {
  MPI_Request out = MPI_REQUEST_NULL, in = MPI_REQUEST_NULL;
  int parts = 0, ready = 0;

  template <class T>
  plain_halves(T *y, int sending, T *z, int receiving, int n, MPI_Datatype type, int to, int from, int tag, MPI_Comm comm)
      : parts(sending) {
    static_cast<void>(receiving);
    MPI_Send_init(y, n, type, to, tag, comm, &out);
    MPI_Recv_init(z, n, type, from, tag, comm, &in);
  }
  void start() {
    ready = 0;
    MPI_Start(&in);
    if (parts == 0) MPI_Start(&out);
  }
  void mark(int) {
    if (++ready == parts) MPI_Start(&out);
  }
  MPI_Status wait() {
    MPI_Status status;
    MPI_Wait(&in, &status);
    MPI_Wait(&out, MPI_STATUS_IGNORE);
    return status;
  }
  void free() {
    MPI_Request_free(&out);
    MPI_Request_free(&in);
  }
};

struct active_halves {
  AMPI_Request out = AMPI_REQUEST_NULL, in = AMPI_REQUEST_NULL;
  bool asked = false;

  template <class T>
  active_halves(T *y, int sending, T *z, int receiving, int n, MPI_Datatype type, int to, int from, int tag, MPI_Comm comm,
                bool ask = false)
      : asked(ask) {
    const int each = sending == 0 ? n : n / sending, each_in = receiving == 0 ? n : n / receiving;
    AMPI_Psend_init(y, sending, each, type, to, tag, comm, MPI_INFO_NULL, &out);
    AMPI_Precv_init(z, receiving, each_in, type, from, tag, comm, MPI_INFO_NULL, &in);
  }
  void start() {
    AMPI_Request both[] = {in, out};
    AMPI_Startall(2, both);
  }
  void mark(int part) { AMPI_Pready(part, out); }
  MPI_Status wait() {
    MPI_Status status;
    for (int flag = 0; asked && flag == 0;) AMPI_Parrived(in, 0, &flag);
    AMPI_Wait(&in, &status);
    AMPI_Wait(&out, MPI_STATUS_IGNORE);
    CHECK(in != AMPI_REQUEST_NULL);
    CHECK(out != AMPI_REQUEST_NULL);
    return status;
  }
  void free() {
    AMPI_Request_free(&out);
    AMPI_Request_free(&in);
    CHECK(out == AMPI_REQUEST_NULL);
    CHECK(in == AMPI_REQUEST_NULL);
  }
};

template <class Mpi>
using halves = std::conditional_t<std::is_same_v<Mpi, test::active>, active_halves, plain_halves>;

/// Writes part `i` of `parts`, as its owner would before it is ready.
template <class T>
void fill(std::vector<T> &y, const std::vector<T> &z, int i, int parts) {
  const std::size_t n = y.size() / static_cast<std::size_t>(parts), first = n * static_cast<std::size_t>(i);
  for (std::size_t k = first; k < first + n; ++k) y[k] = sin(y[k] * z[k]) + z[k];
}

}  // namespace

TEST_CASE("test_partitioned_around_a_ring") {
  const int partitions[][2] = {{1, 1}, {4, 4}, {4, 2}, {2, 6}, {12, 1}};
  for (const auto &[sending, receiving] : partitions) {
    for (const int n : {12, 2400}) {
      for (const bool ask : {false, true}) {
        CAPTURE(sending);
        CAPTURE(receiving);
        CAPTURE(n);
        CAPTURE(ask);
        const int out = sending, in = receiving;
        check_identity(n, 90, [&](auto mpi, auto &x) {
          const ring at;
          auto y = x, z = x;
          halves<decltype(mpi)> q(y.data(), out, z.data(), in, n, mpi.type(), at.right, at.left, 3, world);
          if constexpr (std::is_same_v<decltype(mpi), test::active>) q.asked = ask;
          for (int round = 0; round < 3; ++round) {
            q.start();
            const auto old = z;
            // The last part first.
            for (int i = out - 1; i >= 0; --i) {
              fill(y, x, i, out);
              q.mark(i);
            }
            const MPI_Status status = q.wait();
            CHECK(status.MPI_SOURCE == at.left);
            CHECK(status.MPI_TAG == 3);
            CHECK(count_of(status, mpi.type()) == n);
            renew(x, combine(z, y));
          }
          q.free();
          return combine(x, z);
        });
      }
    }
  }
}

TEST_CASE("test_partitioned_of_no_parts_and_of_no_items") {
  for (const int parts : {0, 3}) {
    check_identity(4, 91, [&](auto mpi, auto &x) {
      const ring at;
      halves<decltype(mpi)> q(x.data(), parts, x.data(), parts, 0, mpi.type(), at.right, at.left, 3, world);
      for (int round = 0; round < 2; ++round) {
        q.start();
        for (int i = 0; i < parts; ++i) q.mark(i);
        q.wait();
      }
      q.free();
      return x;
    });
  }
}

// Two pairs with one tag start in another order than they were made, beside messages that any receive may match.
TEST_CASE("test_partitioned_pairs_match_as_they_were_made") {
  check_identity(4, 92, [&](auto mpi, auto &x) {
    const ring at;
    auto y = x, first = x, second = x, message = x;
    halves<decltype(mpi)> a(y.data(), 2, first.data(), 2, 4, mpi.type(), at.right, at.left, 7, world);
    // Of plain MPI the pairs differ by their tags.
    const int tag = std::is_same_v<decltype(mpi), test::active> ? 7 : 8;
    halves<decltype(mpi)> b(x.data(), 4, second.data(), 1, 4, mpi.type(), at.right, at.left, tag, world);
    typename decltype(mpi)::request any;
    mpi.irecv(message.data(), 4, mpi.type(), at.left, std::is_same_v<decltype(mpi), test::active> ? MPI_ANY_TAG : 9, world, &any);
    b.start();
    for (int i = 0; i < 4; ++i) b.mark(i);
    a.start();
    a.mark(1);
    a.mark(0);
    b.wait();
    mpi.send(second.data(), 4, mpi.type(), at.right, std::is_same_v<decltype(mpi), test::active> ? 7 : 9, world);
    mpi.wait(&any, MPI_STATUS_IGNORE);
    a.wait();
    b.free();
    a.free();
    return combine(combine(first, second), message);
  });
}

TEST_CASE("test_partitioned_a_message_is_not_taken_for_the_adjoint_of_the_other_direction") {
  // Rank 0 sends under the tag of a pair, and then the adjoint of what came under it. Rank 1 asks for the adjoint first.
  test::begin();
  const int rank = test::rank(), peer = 1 - rank;
  if (test::size() < 2 || rank > 1) return;
  test::recording_tape tape;
  var x = 2.0 + rank;
  tape.input(x);
  var out = 3.0 * x, in;
  AMPI_Request to, from;
  AMPI_Psend_init(&out, 1, 1, AMPI_ADOUBLE, peer, 5, world, MPI_INFO_NULL, &to);
  AMPI_Precv_init(&in, 1, 1, AMPI_ADOUBLE, peer, 5, world, MPI_INFO_NULL, &from);
  AMPI_Request &recorded = rank == 0 ? from : to, &later = rank == 0 ? to : from;
  AMPI_Start(&recorded);
  if (rank == 1) AMPI_Pready(0, to);
  AMPI_Wait(&recorded, MPI_STATUS_IGNORE);
  if (rank == 0) tape.seed(in);
  tape.stop();
  if (rank == 0) {
    out = 100.0;
    AMPI_Start(&later);
    AMPI_Pready(0, to);
  }
  tape.reverse();
  CHECK(tape.adjoint(x) == (rank == 1 ? 3.0 : 0.0));
  if (rank == 1) AMPI_Start(&later);
  AMPI_Wait(&later, MPI_STATUS_IGNORE);
  CHECK(in.value == (rank == 1 ? 100.0 : 9.0));
  AMPI_Request_free(&to);
  AMPI_Request_free(&from);
}

TEST_CASE("test_partitioned_on_a_freed_communicator") {
  check_identity(6, 93, [&](auto mpi, auto &x) {
    MPI_Comm comm, next;
    mpi.comm_dup(world, &comm);
    const ring at(comm);
    auto y = x, z = x;
    {
      halves<decltype(mpi)> q(y.data(), 3, z.data(), 2, 6, mpi.type(), at.right, at.left, 0, comm);
      mpi.comm_free(&comm);
      mpi.comm_dup(world, &next);
      halves<decltype(mpi)> r(z.data(), 3, x.data(), 2, 6, mpi.type(), at.left, at.right, 0, next);
      q.start();
      for (int i = 0; i < 3; ++i) q.mark(i);
      q.wait();
      r.start();
      for (int i = 0; i < 3; ++i) r.mark(i);
      r.wait();
      q.free();
      r.free();
    }
    // The same numbers again.
    halves<decltype(mpi)> q(x.data(), 1, y.data(), 1, 6, mpi.type(), at.right, at.left, 0, next);
    q.start();
    q.mark(0);
    q.wait();
    q.free();
    mpi.comm_free(&next);
    return combine(y, z);
  });
}

// Completed in arrays, beside other requests, in every way.
TEST_CASE("test_partitioned_in_arrays") {
  test::begin();
  for (const int how : {0, 1, 2, 3, 4, 5}) {
    CAPTURE(how);
    const ring at;
    admpi::tape tape;
    tape.start();
    std::vector<var> x(4, 1.5), y(4), z(4), w(4);
    tape.input(x);
    for (int i = 0; i < 4; ++i) y[static_cast<std::size_t>(i)] = x[static_cast<std::size_t>(i)] * (i + 1.0);
    AMPI_Request q[4];
    MPI_Status status[4];
    AMPI_Psend_init(y.data(), 4, 1, AMPI_ADOUBLE, at.right, 1, world, MPI_INFO_NULL, &q[0]);
    AMPI_Precv_init(z.data(), 2, 2, AMPI_ADOUBLE, at.left, 1, world, MPI_INFO_NULL, &q[1]);
    AMPI_Startall(2, q);
    AMPI_Irecv(w.data(), 4, AMPI_ADOUBLE, at.left, 1, world, &q[2]);
    q[3] = AMPI_REQUEST_NULL;
    int flag = 1, index = 0, done = 4, indices[4];
    AMPI_Pready_range(1, 2, q[0]);
    // Nothing is complete, and nothing waits for ever.
    AMPI_Testall(4, q, &flag, status);
    CHECK(flag == 0);
    AMPI_Testany(1, q, &index, &flag, status);
    CHECK(flag == 0);
    AMPI_Testsome(1, q, &done, indices, status);
    CHECK(done == 0);
    AMPI_Test(&q[0], &flag, status);
    CHECK(flag == 0);
    AMPI_Request_get_status(q[0], &flag, status);
    CHECK(flag == 0);
    AMPI_Request_get_status(q[1], &flag, status);
    CHECK(flag == 0);
    AMPI_Parrived(q[1], 1, &flag);
    CHECK(flag == 0);
    MPI_Barrier(world);
    int parts[] = {3, 0};
    AMPI_Pready_list(2, parts, q[0]);
    AMPI_Send(x.data(), 4, AMPI_ADOUBLE, at.right, 1, world);
    int left = 3;
    if (how == 0) AMPI_Waitall(4, q, status);
    for (flag = 0; how == 1 && flag == 0;) AMPI_Testall(4, q, &flag, status);
    for (; how == 2 && left > 0; --left) AMPI_Waitany(4, q, &index, status);
    while (how == 3 && left > 0) {
      AMPI_Testany(4, q, &index, &flag, status);
      left -= flag;
    }
    while (how >= 4 && left > 0) {
      if (how == 4) AMPI_Waitsome(4, q, &done, indices, status);
      else AMPI_Testsome(4, q, &done, indices, status);
      for (int i = 0; i < done; ++i)
        if (indices[i] == 1) CHECK(status[i].MPI_SOURCE == at.left);
      left -= done;
    }
    if (how < 2) {
      CHECK(status[1].MPI_SOURCE == at.left);
      CHECK(status[1].MPI_TAG == 1);
    }
    AMPI_Waitany(2, q, &index, status);
    CHECK(index == MPI_UNDEFINED);
    AMPI_Parrived(q[1], 0, &flag);
    CHECK(flag == 1);
    for (int i = 0; i < 4; ++i) {
      CHECK(z[static_cast<std::size_t>(i)].value == 1.5 * (i + 1.0));
      tape.seed(z[static_cast<std::size_t>(i)], 10.0);
      tape.seed(w[static_cast<std::size_t>(i)], 1.0);
    }
    tape.reverse();
    for (int i = 0; i < 4; ++i) CHECK(tape.adjoint(x[static_cast<std::size_t>(i)]) == 10.0 * (i + 1.0) + 1.0);
    AMPI_Request_free(&q[0]);
    AMPI_Request_free(&q[1]);
  }
}

namespace {

/// Four items of the left neighbour, sent in two parts and received in four.
void around(const void *y, void *z, MPI_Datatype type) {
  const ring at;
  AMPI_Request q[2];
  AMPI_Psend_init(y, 2, 2, type, at.right, 0, world, MPI_INFO_NULL, &q[0]);
  AMPI_Precv_init(z, 4, 1, type, at.left, 0, world, MPI_INFO_NULL, &q[1]);
  AMPI_Startall(2, q);
  AMPI_Pready(1, q[0]);
  AMPI_Pready(0, q[0]);
  AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  for (AMPI_Request &one : q) AMPI_Request_free(&one);
}

}  // namespace

TEST_CASE("test_partitioned_of_every_type_of_active_data") {
  test::begin();
  const ring at;
  admpi::tape tape;
  tape.start();
  std::vector<var> x(4);
  for (int i = 0; i < 4; ++i) x[static_cast<std::size_t>(i)] = 1.1 + i + 10 * at.rank;
  tape.input(x);
  const auto sent = [&](int i) { return 1.1 + i + 10 * at.left; };
  {
    std::vector<admpi::float_var> y(x.begin(), x.end()), z(4);
    around(y.data(), z.data(), admpi::mpi_type<admpi::float_var>());
    for (int i = 0; i < 4; ++i) {
      CHECK(admpi::value(z[static_cast<std::size_t>(i)]) == static_cast<float>(sent(i)));
      tape.seed(z[static_cast<std::size_t>(i)], 1.0);
    }
  }
  {
    std::vector<std::complex<var>> y, z(4);
    for (const var &each : x) y.emplace_back(each, each * each);
    around(y.data(), z.data(), AMPI_ADOUBLE_COMPLEX);
    for (int i = 0; i < 4; ++i) {
      CHECK(value(z[static_cast<std::size_t>(i)].imag()) == doctest::Approx(sent(i) * sent(i)));
      tape.seed(z[static_cast<std::size_t>(i)].real(), 10.0);
      tape.seed(z[static_cast<std::size_t>(i)].imag(), 100.0);
    }
  }
  {
    using item = mixed::particle<var>;
    const MPI_Datatype type = mixed::structure(mixed::particle_lengths, PARTICLE_PLACES(item),
                                               {MPI_CHAR, AMPI_ADOUBLE, MPI_INT, AMPI_ADOUBLE, MPI_DOUBLE, MPI_SHORT}, sizeof(item));
    std::vector<item> y(4), z(4);
    for (int i = 0; i < 4; ++i) {
      item &one = y[static_cast<std::size_t>(i)];
      one.cell = i + at.rank;
      one.charge = x[static_cast<std::size_t>(i)] * 3.0;
    }
    around(y.data(), z.data(), type);
    for (int i = 0; i < 4; ++i) {
      const item &one = z[static_cast<std::size_t>(i)];
      CHECK(one.cell == i + at.left);
      tape.seed(one.charge, 1000.0);
    }
    mixed::done_with(type);
  }
  {
    admpi::varmat y(2, 2), z(2, 2);
    for (int i = 0; i < 4; ++i) y(i % 2, i / 2) = x[static_cast<std::size_t>(i)] * 7.0;
    around(y.handle(), z.handle(), AMPI_VARMAT);
    CHECK(z.values()[3] == doctest::Approx(7.0 * sent(3)));
    for (int i = 0; i < 4; ++i) tape.seed(var(z(i % 2, i / 2)), 10000.0);
  }
  {
    using tangent = admpi::tangent<var>;
    std::vector<tangent> y, z(4);
    for (const var &each : x) y.emplace_back(each, each * each);
    around(y.data(), z.data(), admpi::mpi_type<tangent>());
    for (int i = 0; i < 4; ++i) {
      CHECK(value(z[static_cast<std::size_t>(i)].value) == sent(i));
      tape.seed(z[static_cast<std::size_t>(i)].derivative, 100000.0);
    }
    std::vector<admpi::tangent<double>> plain(4, {2.0, 3.0}), there(4);
    around(plain.data(), there.data(), admpi::mpi_type<admpi::tangent<double>>());
    CHECK(there[3].value == 2.0);
    CHECK(there[3].derivative == 3.0);
  }
  tape.reverse();
  for (const var &each : x) {
    const double v = value(each);
    CHECK(tape.adjoint(each) == doctest::Approx(1.0 + 10.0 + 200.0 * v + 3000.0 + 70000.0 + 200000.0 * v));
  }
}

TEST_CASE("test_partitioned_of_other_data") {
  test::begin();
  const ring at;
  std::vector<double> y(6), z(6);
  AMPI_Request q[2];
  AMPI_Psend_init(y.data(), 3, 2, MPI_DOUBLE, at.right, 5, world, MPI_INFO_NULL, &q[0]);
  AMPI_Precv_init(z.data(), 3, 2, MPI_DOUBLE, at.left, 5, world, MPI_INFO_NULL, &q[1]);
  for (int round = 0; round < 3; ++round) {
    AMPI_Startall(2, q);
    for (std::size_t i = 0; i < 6; ++i) y[i] = at.rank + 10.0 * round + 0.5 * static_cast<double>(i);
    for (int i = 0; i < 3; ++i) AMPI_Pready(i, q[0]);
    MPI_Status status[2];
    for (int flag = 0; flag == 0;) AMPI_Parrived(q[1], 2, &flag);
    for (std::size_t i = 0; i < 6; ++i) CHECK(z[i] == at.left + 10.0 * round + 0.5 * static_cast<double>(i));
    AMPI_Waitall(2, q, status);
    CHECK(status[1].MPI_SOURCE == at.left);
    CHECK(status[1].MPI_TAG == 5);
  }
  for (AMPI_Request &one : q) AMPI_Request_free(&one);
  // To nobody, and from nobody.
  var x = 1.0;
  AMPI_Psend_init(&x, 1, 1, AMPI_ADOUBLE, MPI_PROC_NULL, 0, world, MPI_INFO_NULL, &q[0]);
  AMPI_Precv_init(&x, 1, 1, AMPI_ADOUBLE, MPI_PROC_NULL, 0, world, MPI_INFO_NULL, &q[1]);
  MPI_Status status[2];
  AMPI_Startall(2, q);
  AMPI_Pready(0, q[0]);
  AMPI_Waitall(2, q, status);
  CHECK(status[1].MPI_SOURCE == MPI_PROC_NULL);
  CHECK(x.value == 1.0);
  for (AMPI_Request &one : q) AMPI_Request_free(&one);
}

TEST_CASE("test_partitioned_requests_end_with_flat_numbers") {
  test::begin();
  const ring at;
  admpi::tape tape;
  tape.start();
  // More pairs than MPICH has tags for, one after the other.
  for (int round = 0; round < 5000; ++round) {
    std::vector<var> y(2, 1.0 + round), z(2);
    tape.input(y);
    AMPI_Request q[2];
    AMPI_Psend_init(y.data(), 2, 1, AMPI_ADOUBLE, at.right, 5, world, MPI_INFO_NULL, &q[0]);
    AMPI_Precv_init(z.data(), 1, 2, AMPI_ADOUBLE, at.left, 5, world, MPI_INFO_NULL, &q[1]);
    if (round % 50 == 0) {
      AMPI_Startall(2, q);
      AMPI_Pready_range(0, 1, q[0]);
      AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
      CHECK(z[1].value == 1.0 + round);
      tape.seed(z[1]);
      tape.reverse();
      CHECK(tape.adjoint(y[1]) == 1.0);
      tape.reset();
    }
    for (AMPI_Request &one : q) AMPI_Request_free(&one);
  }
}

TEST_CASE("test_partitioned_mistakes") {
  test::begin();
  const ring at;
  using test::refusal;
  std::vector<var> x(4, 1.0), z(4);
  AMPI_Request q = AMPI_REQUEST_NULL, in = AMPI_REQUEST_NULL;
  const auto send = [&](int parts, MPI_Count count, int to, int tag) {
    return refusal([&] { return AMPI_Psend_init(x.data(), parts, count, AMPI_ADOUBLE, to, tag, world, MPI_INFO_NULL, &q); });
  };
  CHECK(send(-1, 1, 0, 0).find("partitions = -1 is negative") != std::string::npos);
  CHECK(send(2, -3, 0, 0).find("count = -3 is negative") != std::string::npos);
  CHECK(send(2, 2, at.size, 0).find("dest = " + std::to_string(at.size)) != std::string::npos);
  CHECK(send(2, 2, 0, 32768).find("tag = 32768 is not from 0 to 32767") != std::string::npos);
  CHECK(send(2, 2, 0, MPI_ANY_TAG).find("is not from 0 to 32767") != std::string::npos);
  CHECK(refusal([&] {
          return AMPI_Precv_init(z.data(), 2, 2, AMPI_ADOUBLE, MPI_ANY_SOURCE, 0, world, MPI_INFO_NULL, &in);
        }).find("which a partitioned message needs") != std::string::npos);
  CHECK(q == AMPI_REQUEST_NULL);

  AMPI_Psend_init(x.data(), 2, 2, AMPI_ADOUBLE, at.right, 0, world, MPI_INFO_NULL, &q);
  AMPI_Precv_init(z.data(), 2, 2, AMPI_ADOUBLE, at.left, 0, world, MPI_INFO_NULL, &in);
  int flag = 0;
  const auto ready = [&](int part) { return refusal([&] { return AMPI_Pready(part, q); }); };
  CHECK(ready(0).find("request is not started") != std::string::npos);
  AMPI_Start(&q);
  AMPI_Start(&in);
  CHECK(ready(2).find("partition = 2 is not below 2") != std::string::npos);
  CHECK(ready(-1).find("partition = -1") != std::string::npos);
  CHECK(ready(1).empty());
  CHECK(ready(1).find("partition = 1 is ready already") != std::string::npos);
  CHECK(refusal([&] { return AMPI_Pready_range(1, 0, q); }).find("partition_low = 1 is above") != std::string::npos);
  // A call that fails has marked nothing.
  CHECK(refusal([&] { return AMPI_Pready_range(0, 1, q); }).find("partition = 1 is ready already") != std::string::npos);
  CHECK(refusal([&] { return AMPI_Pready(0, in); }).find("request receives") != std::string::npos);
  CHECK(refusal([&] { return AMPI_Parrived(q, 0, &flag); }).find("not a partitioned receive") != std::string::npos);
  CHECK(refusal([&] { return AMPI_Parrived(in, 2, &flag); }).find("partition = 2 is not below 2") != std::string::npos);
  CHECK(refusal([&] { return AMPI_Start(&q); }).find("already active") != std::string::npos);
  CHECK(refusal([&] { return AMPI_Cancel(&in); }).find("cannot be cancelled") != std::string::npos);
  CHECK(refusal([&] { return AMPI_Request_free(&q); }).find("partitioned and active") != std::string::npos);
  int provided = MPI_THREAD_SINGLE;
  MPI_Query_thread(&provided);
  if (provided != MPI_THREAD_MULTIPLE) {
    // Nobody else can make the part ready.
    CHECK(refusal([&] { return AMPI_Wait(&q, MPI_STATUS_IGNORE); }).find("1 of 2 partitions are not ready, the first of them 0") !=
          std::string::npos);
    int index = 0;
    CHECK(refusal([&] { return AMPI_Waitany(1, &q, &index, MPI_STATUS_IGNORE); }).find("not ready") != std::string::npos);
    CHECK(refusal([&] { return AMPI_Waitall(1, &q, MPI_STATUSES_IGNORE); }).find("not ready") != std::string::npos);
  }
  CHECK(ready(0).empty());
  AMPI_Wait(&q, MPI_STATUS_IGNORE);
  AMPI_Wait(&in, MPI_STATUS_IGNORE);
  CHECK(z[3].value == 1.0);
  AMPI_Request_free(&q);
  AMPI_Request_free(&in);
}

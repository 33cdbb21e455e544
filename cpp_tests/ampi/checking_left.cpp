// Checking of active values that travel as bytes by calls that are MPI's own: persistent, one-sided, to files; and in reductions.
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "ampi/checking.hpp"

using namespace check_tests;

using test::refusal;
using test::text_of;

extern "C" {
int sent_by_c(int which, const admpi_var *x, int bytes, MPI_Win window, MPI_File file);
const char *name_in_c(int which);
}

namespace {

/// Active values of a tape that records, and what is said where they are sent as bytes.
struct stage {
  checked on;
  admpi::tape tape;
  int size = ranks(), mine = rank();
  std::vector<admpi::var> x = std::vector<admpi::var>(static_cast<std::size_t>(2 * size), 1.0), y = x;
  int bytes = static_cast<int>(2 * sizeof x[0]);
  std::vector<int> counts = std::vector<int>(static_cast<std::size_t>(size), bytes), places = counts;
  MPI_Comm world = MPI_COMM_WORLD;
  // The types of the buffers are hidden, or the headers would refuse them.
  void *out = x.data(), *in = y.data();

  stage() {
    for (int r = 0; r < size; ++r) places[static_cast<std::size_t>(r)] = r * bytes;
    tape.start();
    tape.input(x);
  }

  static void check(const std::string &call, const std::string &text) {
    CAPTURE(text);
    CHECK(has(text, call + ": ADMPI_CHECK: an active value"));
    CHECK(has(text, "sent as bytes"));
  }
};

/// A window, and a file that goes when it is closed.
struct places_to_go {
  MPI_Win window = MPI_WIN_NULL;
  MPI_File file = MPI_FILE_NULL;
  void *memory = nullptr;

  explicit places_to_go(int bytes) {
    AMPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    AMPI_Win_set_errhandler(window, MPI_ERRORS_RETURN);
    const std::string name = "checking_left." + std::to_string(ranks()) + ".data";
    const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
    REQUIRE(AMPI_File_open(MPI_COMM_WORLD, name.c_str(), mode, MPI_INFO_NULL, &file) == MPI_SUCCESS);
    AMPI_Win_fence(0, window);
  }
  ~places_to_go() {
    AMPI_Win_fence(0, window);
    AMPI_Win_free(&window);
    AMPI_File_close(&file);
  }
};

}  // namespace

TEST_CASE("test_checking_bytes_of_persistent_sends") {
  stage at;
  using make = int (*)(const void *, int, MPI_Datatype, int, int, MPI_Comm, AMPI_Request *);
  const auto send = [](const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, AMPI_Request *q) {
    return AMPI_Send_init(b, n, t, to, tag, c, q);
  };
  const auto ssend = [](const void *b, int n, MPI_Datatype t, int to, int tag, MPI_Comm c, AMPI_Request *q) {
    return AMPI_Ssend_init(b, n, t, to, tag, c, q);
  };
  for (const make init : {make(send), make(ssend)}) {
    // The datatype is gone when the request starts.
    MPI_Datatype all;
    AMPI_Type_contiguous(at.bytes, MPI_BYTE, &all);
    AMPI_Type_commit(&all);
    AMPI_Request q[2];
    REQUIRE(init(at.out, 1, all, at.mine, 3, at.world, &q[0]) == MPI_SUCCESS);
    AMPI_Recv_init(at.in, at.bytes, MPI_BYTE, at.mine, 3, at.world, &q[1]);
    AMPI_Type_free(&all);
    at.check("AMPI_Start", refusal([&] { return AMPI_Start(&q[0]); }));
    at.check("AMPI_Startall", refusal([&] { return AMPI_Startall(1, q); }));
    // Each start looks at what is there then.
    const std::vector<admpi::var> kept = at.x;
    for (admpi::var &one : at.x) one = admpi::value(one);
    for (int round = 0; round < 2; ++round) {
      REQUIRE(AMPI_Startall(2, q) == MPI_SUCCESS);
      AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
      CHECK(q[0] != AMPI_REQUEST_NULL);
    }
    at.x = kept;
    at.check("AMPI_Start", refusal([&] { return AMPI_Start(&q[0]); }));
    for (AMPI_Request &one : q) AMPI_Request_free(&one);
  }
  // A request that was made without checking is not looked at.
  admpi_set_check(0);
  AMPI_Request q[2];
  AMPI_Send_init(at.out, at.bytes, MPI_BYTE, at.mine, 3, at.world, &q[0]);
  AMPI_Recv_init(at.in, at.bytes, MPI_BYTE, at.mine, 3, at.world, &q[1]);
  admpi_set_check(1);
  CHECK(AMPI_Startall(2, q) == MPI_SUCCESS);
  AMPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  for (AMPI_Request &one : q) AMPI_Request_free(&one);
}

TEST_CASE("test_checking_bytes_of_persistent_collectives") {
  stage at;
  const int *const n = at.counts.data(), *const to = at.places.data();
  const std::vector<MPI_Datatype> types(at.counts.size(), MPI_BYTE);
  const MPI_Datatype *const t = types.data();
  void *const out = at.out, *const in = at.in;
  const int bytes = at.bytes, words = 4;
  MPI_Comm grid;
  const int dims[] = {at.size}, round[] = {1};
  MPI_Cart_create(at.world, 1, dims, round, 0, &grid);
  MPI_Comm_set_errhandler(grid, MPI_ERRORS_RETURN);
  const std::vector<int> two{bytes, bytes}, first{0, 0};
  const std::vector<MPI_Aint> begin{0, 0};
  const MPI_Datatype both[] = {MPI_BYTE, MPI_BYTE};
  const MPI_Info none = MPI_INFO_NULL;
  AMPI_Request q = AMPI_REQUEST_NULL;
  // Those that send say so; without them nobody starts.
  const auto check = [&](bool sends, const std::function<int()> &init) {
    const std::string text = refusal(init);
    CHECK(text == "");
    // Where MPI has no such call, the start bears the name of the call that made the request.
    if (sends) at.check("", refusal([&] { return AMPI_Start(&q); }));
    AMPI_Request_free(&q);
  };
  const bool root = at.mine == 0;
  MPI_Comm w = at.world;
  check(root, [&] { return AMPI_Bcast_init(out, bytes, MPI_BYTE, 0, w, none, &q); });
  check(true, [&] { return AMPI_Gather_init(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, w, none, &q); });
  check(true, [&] { return AMPI_Gatherv_init(out, bytes, MPI_BYTE, in, n, to, MPI_BYTE, 0, w, none, &q); });
  check(root, [&] { return AMPI_Scatter_init(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, 0, w, none, &q); });
  check(root, [&] { return AMPI_Scatterv_init(out, n, to, MPI_BYTE, in, bytes, MPI_BYTE, 0, w, none, &q); });
  check(true, [&] { return AMPI_Allgather_init(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, w, none, &q); });
  check(true, [&] { return AMPI_Allgatherv_init(out, bytes, MPI_BYTE, in, n, to, MPI_BYTE, w, none, &q); });
  check(true, [&] { return AMPI_Alltoall_init(out, bytes, MPI_BYTE, in, bytes, MPI_BYTE, w, none, &q); });
  check(true, [&] { return AMPI_Alltoallv_init(out, n, to, MPI_BYTE, in, n, to, MPI_BYTE, w, none, &q); });
  check(true, [&] { return AMPI_Alltoallw_init(out, n, to, t, in, n, to, t, w, none, &q); });
  check(true, [&] { return AMPI_Neighbor_allgather_init(out, bytes, MPI_BYTE, in, 0, MPI_BYTE, grid, none, &q); });
  check(true, [&] {
    return AMPI_Neighbor_alltoallv_init(out, two.data(), first.data(), MPI_BYTE, in, two.data(), first.data(), MPI_BYTE, grid,
                                        none, &q);
  });
  check(true, [&] {
    return AMPI_Neighbor_alltoallw_init(out, two.data(), begin.data(), both, in, two.data(), begin.data(), both, grid, none,
                                        &q);
  });
  check(true, [&] { return AMPI_Reduce_init(out, in, words, MPI_DOUBLE, MPI_SUM, 0, w, none, &q); });
  check(true, [&] { return AMPI_Allreduce_init(out, in, words, MPI_DOUBLE, MPI_SUM, w, none, &q); });
  check(true, [&] { return AMPI_Scan_init(out, in, words, MPI_DOUBLE, MPI_SUM, w, none, &q); });
  const std::vector<int> each(at.counts.size(), words);
  check(true, [&] { return AMPI_Reduce_scatter_init(out, in, each.data(), MPI_DOUBLE, MPI_SUM, w, none, &q); });
  check(true, [&] { return AMPI_Reduce_scatter_block_init(out, in, words, MPI_DOUBLE, MPI_SUM, w, none, &q); });
  MPI_Comm_free(&grid);
}

TEST_CASE("test_checking_bytes_of_reductions") {
  stage at;
  void *const out = at.out, *const in = at.in;
  const std::vector<int> each(at.counts.size(), 4);
  MPI_Comm w = at.world;
  AMPI_Request q;
  at.check("AMPI_Reduce", refusal([&] { return AMPI_Reduce(out, in, 4, MPI_DOUBLE, MPI_SUM, 0, w); }));
  at.check("AMPI_Allreduce", refusal([&] { return AMPI_Allreduce(out, in, 4, MPI_DOUBLE, MPI_SUM, w); }));
  at.check("AMPI_Iallreduce", refusal([&] { return AMPI_Iallreduce(MPI_IN_PLACE, out, 4, MPI_DOUBLE, MPI_MAX, w, &q); }));
  at.check("AMPI_Scan", refusal([&] { return AMPI_Scan(out, in, 4, MPI_DOUBLE, MPI_SUM, w); }));
  at.check("AMPI_Exscan", refusal([&] { return AMPI_Exscan(MPI_IN_PLACE, out, at.bytes, MPI_BYTE, MPI_BOR, w); }));
  at.check("AMPI_Reduce_scatter",
           refusal([&] { return AMPI_Reduce_scatter(out, in, each.data(), MPI_DOUBLE, MPI_SUM, w); }));
  at.check("AMPI_Reduce_scatter_block",
           refusal([&] { return AMPI_Reduce_scatter_block(MPI_IN_PLACE, out, 4, MPI_DOUBLE, MPI_SUM, w); }));
  // In place, a collective sends what it replaces.
  at.check("AMPI_Allgather",
           refusal([&] { return AMPI_Allgather(MPI_IN_PLACE, 0, MPI_BYTE, out, at.bytes, MPI_BYTE, w); }));
  at.check("AMPI_Alltoall", refusal([&] { return AMPI_Alltoall(MPI_IN_PLACE, 0, MPI_BYTE, out, at.bytes, MPI_BYTE, w); }));
  std::vector<double> numbers(4, 1.0);
  CHECK(refusal([&] { return AMPI_Allreduce(MPI_IN_PLACE, numbers.data(), 4, MPI_DOUBLE, MPI_SUM, w); }) == "");
  CHECK(numbers[3] == at.size);
}

TEST_CASE("test_checking_bytes_in_windows") {
  stage at;
  const places_to_go go(at.bytes);
  const void *const out = at.out;
  const int n = at.bytes, to = at.mine;
  const MPI_Win w = go.window;
  AMPI_Request q;
  const auto check = [](const char *call, int code) { stage::check(call, text_of(code)); };
  check("AMPI_Put", AMPI_Put(out, n, MPI_BYTE, to, 0, n, MPI_BYTE, w));
  check("AMPI_Rput", AMPI_Rput(out, n, MPI_BYTE, to, 0, n, MPI_BYTE, w, &q));
  check("AMPI_Accumulate", AMPI_Accumulate(out, 4, MPI_DOUBLE, to, 0, 4, MPI_DOUBLE, MPI_SUM, w));
  check("AMPI_Raccumulate", AMPI_Raccumulate(out, n, MPI_BYTE, to, 0, n, MPI_BYTE, MPI_REPLACE, w, &q));
  check("AMPI_Get_accumulate",
        AMPI_Get_accumulate(out, n, MPI_BYTE, at.in, n, MPI_BYTE, to, 0, n, MPI_BYTE, MPI_REPLACE, w));
  const double *const id = static_cast<const double *>(out) + 1;
  check("AMPI_Fetch_and_op", AMPI_Fetch_and_op(id, at.in, MPI_DOUBLE, to, 0, MPI_REPLACE, w));
  // Numbers pass, and so does what an operation does not read.
  const std::vector<double> numbers(4, 1.0);
  CHECK(AMPI_Put(numbers.data(), 4, MPI_DOUBLE, to, 0, 4, MPI_DOUBLE, w) == MPI_SUCCESS);
  AMPI_Win_fence(0, w);
  CHECK(AMPI_Get_accumulate(out, n, MPI_BYTE, at.in, n, MPI_BYTE, to, 0, n, MPI_BYTE, MPI_NO_OP, w) == MPI_SUCCESS);
}

TEST_CASE("test_checking_bytes_to_files") {
  stage at;
  const places_to_go go(at.bytes);
  const void *const out = at.out;
  const int n = at.bytes;
  const MPI_File f = go.file;
  const MPI_Offset mine = at.mine * static_cast<MPI_Offset>(n);
  MPI_Status s;
  AMPI_Request q;
  const auto check = [](const char *call, int code) { stage::check(call, text_of(code)); };
  check("AMPI_File_write", AMPI_File_write(f, out, n, MPI_BYTE, &s));
  check("AMPI_File_write_at", AMPI_File_write_at(f, mine, out, n, MPI_BYTE, &s));
  check("AMPI_File_write_all", AMPI_File_write_all(f, out, n, MPI_CHAR, &s));
  check("AMPI_File_write_shared", AMPI_File_write_shared(f, out, n, MPI_BYTE, &s));
  check("AMPI_File_write_ordered", AMPI_File_write_ordered(f, out, 4, MPI_DOUBLE, &s));
  check("AMPI_File_write_at_all_begin", AMPI_File_write_at_all_begin(f, mine, out, n, MPI_BYTE));
  check("AMPI_File_iwrite", AMPI_File_iwrite(f, out, n, MPI_BYTE, &q));
  const std::vector<double> numbers(4, 1.0);
  CHECK(AMPI_File_write_at(f, 4 * static_cast<MPI_Offset>(sizeof(double)) * at.mine, numbers.data(), 4, MPI_DOUBLE, &s) ==
        MPI_SUCCESS);
}

TEST_CASE("test_checking_bytes_in_c") {
  stage at;
  const places_to_go go(at.bytes);
  for (int which = 0; which < 3; ++which)
    stage::check(name_in_c(which),
                 refusal([&] { return sent_by_c(which, at.x.data(), at.bytes, go.window, go.file); }));
}

TEST_CASE("test_checking_bytes_of_packed_messages") {
  // Packing is a copy; what sends it says so.
  stage at;
  std::vector<char> packed(static_cast<std::size_t>(at.bytes) + 64);
  int used = 0;
  const int room = static_cast<int>(packed.size());
  CHECK(AMPI_Pack(at.out, at.bytes, MPI_BYTE, packed.data(), room, &used, at.world) == MPI_SUCCESS);
  at.check("AMPI_Send", refusal([&] { return AMPI_Send(packed.data(), used, MPI_PACKED, at.mine, 0, at.world); }));
}

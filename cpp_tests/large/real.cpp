// Real sizes past 2^31, on two ranks; `make test-large`. One case at a time, each below 9 GiB in all: the cases are
// named on the command line and run as programs of their own. Every byte received is checked against its place.
#include <admpi.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

namespace {

int rank, size;
const MPI_Count past = (MPI_Count{1} << 31) + 4099;  // bytes

// Eight bytes that depend on their place far beyond 32 bits, and on the seed.
inline std::uint64_t word_at(MPI_Count i, unsigned seed) {
  return (static_cast<std::uint64_t>(i) + seed) * 0x9e3779b97f4a7c15ull;
}

unsigned char* room(MPI_Count n) {
  auto* x = static_cast<unsigned char*>(std::malloc(static_cast<std::size_t>(n)));
  if (x == nullptr) std::abort();
  return x;
}

// The words of n bytes; f takes the number of each.
template <class Word>
void write(unsigned char* x, MPI_Count n, Word f) {
  for (MPI_Count i = 0; i < n; i += 8) {
    const std::uint64_t word = f(i / 8);
    std::memcpy(x + i, &word, static_cast<std::size_t>(std::min<MPI_Count>(8, n - i)));
  }
}

template <class Word>
bool written(const unsigned char* x, MPI_Count n, Word f) {
  for (MPI_Count i = 0; i < n; i += 8) {
    const std::uint64_t word = f(i / 8);
    if (std::memcmp(x + i, &word, static_cast<std::size_t>(std::min<MPI_Count>(8, n - i))) != 0) {
      std::fprintf(stderr, "rank %d: one of the bytes from %lld on is wrong, of %lld\n", rank, static_cast<long long>(i),
                   static_cast<long long>(n));
      return false;
    }
  }
  return true;
}

void fill(unsigned char* x, MPI_Count n, unsigned seed) {
  write(x, n, [=](MPI_Count i) { return word_at(i, seed); });
}

bool right(const unsigned char* x, MPI_Count n, unsigned seed) {
  return written(x, n, [=](MPI_Count i) { return word_at(i, seed); });
}

bool counted(const MPI_Status& status, MPI_Count n) {
  MPI_Count got = -1, elements = -1;
  MPIX_Get_count_x(&status, MPI_BYTE, &got);
  MPIX_Get_elements_x(&status, MPI_BYTE, &elements);
  if (got != n || elements != n)
    std::fprintf(stderr, "rank %d: the status says %lld and %lld\n", rank, static_cast<long long>(got),
                 static_cast<long long>(elements));
  return got == n && elements == n;
}

bool p2p() {
  unsigned char* x = room(past);
  MPI_Status status;
  bool good = true;
  if (rank == 0) {
    fill(x, past, 1);
    MPIX_Send_x(x, past, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
  } else {
    MPIX_Recv_x(x, past, MPI_BYTE, 0, 5, MPI_COMM_WORLD, &status);
    good = right(x, past, 1) && counted(status, past);
  }
  std::free(x);
  return good;
}

bool isendrecv() {
  unsigned char *x = room(past), *y = room(past);
  fill(x, past, static_cast<unsigned>(rank));
  MPI_Request request;
  MPI_Status status;
  MPIX_Isendrecv_x(x, past, MPI_BYTE, 1 - rank, 5, y, past, MPI_BYTE, 1 - rank, 5, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, &status);
  const bool good = right(y, past, static_cast<unsigned>(1 - rank)) && counted(status, past);
  std::free(x);
  std::free(y);
  return good;
}

bool broadcast(bool blocking) {
  unsigned char* x = room(past);
  if (rank == 1) fill(x, past, 2);
  if (blocking) {
    MPIX_Bcast_x(x, past, MPI_BYTE, 1, MPI_COMM_WORLD);
  } else {
    MPI_Request request;
    MPIX_Ibcast_x(x, past, MPI_BYTE, 1, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  const bool good = right(x, past, 2);
  std::free(x);
  return good;
}

// Single bytes: the least memory that a count past 2^31 needs. The nonblocking form is in place: MPI keeps as much
// again for it.
bool allreduce(bool blocking) {
  unsigned char* x = room(past);
  unsigned char* y = blocking ? room(past) : x;
  const std::uint64_t lowest = 0x0101010101010101ull;  // bits, which only rank 1 has
  write(x, past, [=](MPI_Count i) { return rank == 1 ? word_at(i, 3) | lowest : word_at(i, 3) & ~lowest; });
  if (blocking) {
    MPIX_Allreduce_x(x, y, past, MPI_UNSIGNED_CHAR, MPI_BOR, MPI_COMM_WORLD);
  } else {
    MPI_Request request;
    MPIX_Iallreduce_x(MPI_IN_PLACE, x, past, MPI_UNSIGNED_CHAR, MPI_BOR, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  const bool good = written(y, past, [=](MPI_Count i) { return word_at(i, 3) | lowest; });
  std::free(x);
  if (blocking) std::free(y);
  return good;
}

// Past 2^31 bytes from rank 1 to the root, or back.
bool igather(bool gather) {
  unsigned char* all = rank == 0 ? room(2 * past) : nullptr;
  unsigned char* mine = rank == 1 ? room(past) : nullptr;
  MPI_Request request;
  if (gather) {
    if (rank == 0) fill(all, past, 0);
    if (rank == 1) fill(mine, past, 1);
    MPIX_Igather_x(rank == 0 ? MPI_IN_PLACE : mine, past, MPI_BYTE, all, past, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
  } else {
    if (rank == 0) fill(all + past, past, 1);
    MPIX_Iscatter_x(all, past, MPI_BYTE, rank == 0 ? MPI_IN_PLACE : mine, past, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
  }
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const bool good = rank == 1 ? right(mine, past, 1) : !gather || (right(all, past, 0) && right(all + past, past, 1));
  std::free(all);
  std::free(mine);
  return good;
}

bool iallgather() {
  unsigned char* all = room(2 * past);
  fill(all + rank * past, past, static_cast<unsigned>(rank));
  MPI_Request request;
  MPIX_Iallgather_x(MPI_IN_PLACE, 0, MPI_BYTE, all, past, MPI_BYTE, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  const bool good = right(all, past, 0) && right(all + past, past, 1);
  std::free(all);
  return good;
}

// Little data, far apart.
bool gatherv() {
  const MPI_Count n = 1000;
  const MPI_Aint far = (MPI_Aint{1} << 31) + 77;
  unsigned char* whole = rank == 0 ? room(far + n) : nullptr;
  unsigned char mine[1000];
  fill(mine, n, static_cast<unsigned>(rank));
  const MPI_Count counts[] = {n, n};
  const MPI_Aint starts[] = {far, 3};
  MPIX_Gatherv_x(mine, n, MPI_BYTE, whole, counts, starts, MPI_BYTE, 0, MPI_COMM_WORLD);
  const bool good = rank != 0 || (right(whole + far, n, 0) && right(whole + 3, n, 1));
  std::free(whole);
  return good;
}

// Much data from the root, behind little.
bool scatterv(bool blocking) {
  const MPI_Count counts[] = {1000, past};
  const MPI_Aint starts[] = {past + 7, 7};
  unsigned char* whole = rank == 0 ? room(past + 1007) : nullptr;
  unsigned char* mine = room(counts[rank]);
  if (rank == 0) {
    fill(whole + 7, past, 1);
    fill(whole + past + 7, 1000, 0);
  }
  if (blocking) {
    MPIX_Scatterv_x(whole, counts, starts, MPI_BYTE, mine, counts[rank], MPI_BYTE, 0, MPI_COMM_WORLD);
  } else {
    MPI_Request request;
    MPIX_Iscatterv_x(whole, counts, starts, MPI_BYTE, mine, counts[rank], MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  const bool good = right(mine, counts[rank], static_cast<unsigned>(rank));
  std::free(whole);
  std::free(mine);
  return good;
}

bool allgatherv(bool blocking) {
  const MPI_Count counts[] = {1000, past};
  const MPI_Aint starts[] = {past + 7, 7};
  unsigned char *whole = room(past + 1007), *mine = room(counts[rank]);
  fill(mine, counts[rank], static_cast<unsigned>(rank));
  if (blocking) {
    MPIX_Allgatherv_x(mine, counts[rank], MPI_BYTE, whole, counts, starts, MPI_BYTE, MPI_COMM_WORLD);
  } else {
    MPI_Request request;
    MPIX_Iallgatherv_x(mine, counts[rank], MPI_BYTE, whole, counts, starts, MPI_BYTE, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  const bool good = right(whole + 7, past, 1) && right(whole + past + 7, 1000, 0);
  std::free(whole);
  std::free(mine);
  return good;
}

bool alltoallv(const std::string& form) {
  // 16 MiB to oneself, past 2^31 bytes to the other.
  const MPI_Count own = 1 << 24;
  MPI_Count counts[2];
  MPI_Aint starts[2];
  counts[rank] = own;
  counts[1 - rank] = past;
  starts[rank] = past;
  starts[1 - rank] = 0;
  unsigned char *x = room(past + own), *y = room(past + own);
  fill(x, past, static_cast<unsigned>(rank));
  fill(x + past, own, 7 + static_cast<unsigned>(rank));
  if (form == "neighbor_alltoallw") {
    MPI_Comm graph;
    const int both[] = {0, 1};
    MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 2, both, MPI_UNWEIGHTED, 2, both, MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                   &graph);
    const MPI_Datatype types[] = {MPI_BYTE, MPI_BYTE};
    MPIX_Neighbor_alltoallw_x(x, counts, starts, types, y, counts, starts, types, graph);
    MPI_Comm_free(&graph);
  } else if (form == "ialltoallv") {
    MPI_Request request;
    MPIX_Ialltoallv_x(x, counts, starts, MPI_BYTE, y, counts, starts, MPI_BYTE, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  } else {
    MPIX_Alltoallv_x(x, counts, starts, MPI_BYTE, y, counts, starts, MPI_BYTE, MPI_COMM_WORLD);
  }
  const bool good = right(y, past, static_cast<unsigned>(1 - rank)) && right(y + past, own, 7 + static_cast<unsigned>(rank));
  std::free(x);
  std::free(y);
  return good;
}

bool window() {
  unsigned char *memory = nullptr, *x = room(past);
  MPI_Win win;
  MPIX_Win_allocate_x(rank == 1 ? past : 8, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  fill(x, past, 4);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPIX_Put_x(x, past, MPI_BYTE, 1, 0, past, MPI_BYTE, win);
    MPI_Win_flush_all(win);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  bool good = rank == 0 || right(memory, past, 4);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    std::memset(x, 0, static_cast<std::size_t>(past));
    MPIX_Get_x(x, past, MPI_BYTE, 1, 0, past, MPI_BYTE, win);
    MPI_Win_flush_all(win);
    good = right(x, past, 4);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_lock_all(0, win);
  if (rank == 0) {
    MPIX_Accumulate_x(x, past, MPI_UNSIGNED_CHAR, 1, 0, past, MPI_UNSIGNED_CHAR, MPI_BXOR, win);
    MPI_Win_flush_all(win);
  }
  MPI_Win_unlock_all(win);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 1) good = good && written(memory, past, [](MPI_Count) { return std::uint64_t{0}; });
  std::free(x);
  MPI_Win_free(&win);
  return good;
}

bool file(bool blocking) {
  const char* directory = std::getenv("TMPDIR");
  const std::string name = std::string(directory ? directory : "/tmp") + "/admpi_large_real";
  MPI_File fh;
  if (MPI_File_open(MPI_COMM_SELF, (name + std::to_string(rank)).c_str(),
                    MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &fh) != MPI_SUCCESS)
    return false;
  bool good = true;
  if (rank == 0) {
    unsigned char* x = room(past);
    fill(x, past, 5);
    MPI_Status status;
    MPI_Request request;
    if (blocking) {
      MPIX_File_write_at_x(fh, 10, x, past, MPI_BYTE, &status);
    } else {
      MPIX_File_iwrite_at_x(fh, 10, x, past, MPI_BYTE, &request);
      MPI_Wait(&request, &status);
    }
    good = counted(status, past);
    std::memset(x, 0, static_cast<std::size_t>(past));
    if (blocking) {
      MPIX_File_read_at_x(fh, 10, x, past, MPI_BYTE, &status);
    } else {
      MPIX_File_iread_at_x(fh, 10, x, past, MPI_BYTE, &request);
      MPI_Wait(&request, &status);
    }
    good = good && counted(status, past) && right(x, past, 5);
    std::free(x);
  }
  MPI_File_close(&fh);
  return good;
}

// Past 2^31 bytes although the count fits an int: doubles by the shared pointer, or one large item.
bool file_of_few(bool shared) {
  const char* directory = std::getenv("TMPDIR");
  const std::string name = std::string(directory ? directory : "/tmp") + "/admpi_large_real";
  MPI_File fh;
  if (MPI_File_open(MPI_COMM_SELF, (name + std::to_string(rank)).c_str(),
                    MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &fh) != MPI_SUCCESS)
    return false;
  bool good = true;
  if (rank == 0) {
    const MPI_Count n = past / 8, bytes = 8 * n;
    MPI_Datatype all;
    MPI_Type_contiguous(static_cast<int>(n), MPI_DOUBLE, &all);
    MPI_Type_commit(&all);
    unsigned char* x = room(bytes);
    fill(x, bytes, 5);
    for (bool reads : {false, true}) {
      MPI_Status status;
      MPI_Request request;
      MPI_File_seek_shared(fh, 0, MPI_SEEK_SET);
      if (reads) std::memset(x, 0, static_cast<std::size_t>(bytes));
      if (shared)
        reads ? MPIX_File_iread_shared_x(fh, x, n, MPI_DOUBLE, &request)
              : MPIX_File_iwrite_shared_x(fh, x, n, MPI_DOUBLE, &request);
      else
        reads ? MPIX_File_iread_at_x(fh, 0, x, 1, all, &request) : MPIX_File_iwrite_at_x(fh, 0, x, 1, all, &request);
      MPI_Wait(&request, &status);
      good = good && counted(status, bytes);
    }
    good = good && right(x, bytes, 5);
    std::free(x);
    MPI_Type_free(&all);
  }
  MPI_File_close(&fh);
  return good;
}

// Active values take 16 bytes each, and half as much again while they travel. Two ranks of them would be too much: the
// root's stand for many.
bool active_bcast() {
  const int few = 4099, times = (1 << 28) / few + 1;
  const MPI_Count n = MPI_Count{few} * times;
  std::vector<admpi::var> x(static_cast<std::size_t>(rank == 1 ? few : n));
  MPI_Datatype item = AMPI_ADOUBLE, repeated = AMPI_ADOUBLE;
  int code = MPI_SUCCESS;
  if (rank == 1) {
    for (int i = 0; i < few; ++i) x[static_cast<std::size_t>(i)] = i + 0.5;
    MPI_Type_contiguous(few, AMPI_ADOUBLE, &item);
    MPI_Type_create_resized(item, 0, 0, &repeated);
    MPI_Type_commit(&repeated);
    code = AMPI_Bcast_c(x.data(), times, repeated, 1, MPI_COMM_WORLD);
    MPI_Type_free(&repeated);
    MPI_Type_free(&item);
    return code == MPI_SUCCESS;
  }
  code = AMPI_Bcast_c(x.data(), n, AMPI_ADOUBLE, 1, MPI_COMM_WORLD);
  for (MPI_Count i = 0; i < n; ++i)
    if (x[static_cast<std::size_t>(i)].value != static_cast<int>(i % few) + 0.5) {
      std::fprintf(stderr, "value %lld of %lld is wrong\n", static_cast<long long>(i), static_cast<long long>(n));
      return false;
    }
  return code == MPI_SUCCESS;
}

// The adjoints of 2^24 values in 16 directions come back as one message past 2^31 bytes.
bool active_scatterv() {
  const int width = 16, n = (1 << 24) + 4099;
  const MPI_Count counts[] = {0, n};
  const MPI_Aint starts[] = {0, 0};
  const auto seed = [](int i, int k) { return 1.0 + i % 4099 + 0.0625 * k; };
  admpi::tape tape;
  tape.set_width(width);
  tape.start();
  std::vector<admpi::var> x(rank == 0 ? n : 0), y(rank == 1 ? n : 0);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  if (rank == 0) tape.input(x);
  if (AMPI_Scatterv_c(x.data(), counts, starts, AMPI_ADOUBLE, y.data(), counts[rank], AMPI_ADOUBLE, 0, MPI_COMM_WORLD) !=
      MPI_SUCCESS)
    return false;
  tape.stop();
  bool good = true;
  for (int i = 0; i < static_cast<int>(y.size()); ++i) {
    const admpi::var& one = y[static_cast<std::size_t>(i)];
    good = good && one.value == i;
    for (int k = 0; k < width; ++k) tape.seed(one, seed(i, k), k);
  }
  tape.reverse();
  for (int i = 0; i < static_cast<int>(x.size()); ++i)
    for (int k = 0; k < width; ++k) good = good && tape.adjoint(x[static_cast<std::size_t>(i)], k) == seed(i, k);
  return good;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string what = argc > 1 ? argv[1] : "";
  bool good = size == 2;
  const double start = MPI_Wtime();
  if (what == "p2p") good = good && p2p();
  else if (what == "active_bcast") good = good && admpi_init(MPI_COMM_WORLD) == ADMPI_SUCCESS && active_bcast();
  else if (what == "active_scatterv") good = good && admpi_init(MPI_COMM_WORLD) == ADMPI_SUCCESS && active_scatterv();
  else if (what == "isendrecv") good = good && isendrecv();
  else if (what == "bcast") good = good && broadcast(true);
  else if (what == "ibcast") good = good && broadcast(false);
  else if (what == "allreduce") good = good && allreduce(true);
  else if (what == "iallreduce") good = good && allreduce(false);
  else if (what == "gatherv") good = good && gatherv();
  else if (what == "igather") good = good && igather(true);
  else if (what == "iscatter") good = good && igather(false);
  else if (what == "iallgather") good = good && iallgather();
  else if (what == "scatterv") good = good && scatterv(true);
  else if (what == "iscatterv") good = good && scatterv(false);
  else if (what == "allgatherv") good = good && allgatherv(true);
  else if (what == "iallgatherv") good = good && allgatherv(false);
  else if (what == "alltoallv" || what == "ialltoallv" || what == "neighbor_alltoallw") good = good && alltoallv(what);
  else if (what == "window") good = good && window();
  else if (what == "file") good = good && file(true);
  else if (what == "ifile") good = good && file(false);
  else if (what == "ifile_shared") good = good && file_of_few(true);
  else if (what == "ifile_item") good = good && file_of_few(false);
  else good = false;
  int bad = !good, any = 0;
  MPI_Allreduce(&bad, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) std::printf("%-20s %s  %.1f s\n", what.c_str(), any ? "WRONG" : "right", MPI_Wtime() - start);
  MPI_Finalize();
  return any;
}

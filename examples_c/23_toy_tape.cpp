/* 23: another AD tool under adjoint MPI.
 *
 * A tool with a tape of its own, here a toy that knows sums and products, hands its variables to AMPI_ calls by a table of
 * functions. A call becomes one entry of the tape: a handle. Where the sweep of the tool meets the handle, admpi sends the
 * adjoints back. All that the tool needs for this is the part between the two lines. */
#include <admpi.hpp>

#include <cstdint>
#include <cstdio>
#include <vector>

namespace toy {

/// A statement, result = sum of partial * operand, or a handle.
struct entry {
  int result, operand[2];
  double partial[2];
  std::int64_t handle;
};

struct tape {
  std::vector<entry> entries;
  std::vector<double> adjoint{0};  // by id; that of passive variables is 0
  bool recording = false;

  int fresh() {
    adjoint.push_back(0);
    return int(adjoint.size()) - 1;
  }
  void reverse();
  ~tape();
};

inline thread_local tape *current = nullptr;

struct real {
  double value = 0;
  int id = 0;
};

real record(double value, const real &a, double da, const real &b, double db) {
  real result{value, 0};
  if (!current->recording || (a.id == 0 && b.id == 0)) return result;
  result.id = current->fresh();
  current->entries.push_back({result.id, {a.id, b.id}, {da, db}, 0});
  return result;
}
real operator+(const real &a, const real &b) { return record(a.value + b.value, a, 1, b, 1); }
real operator*(const real &a, const real &b) { return record(a.value * b.value, a, b.value, b, a.value); }

/* ---- what hooks it in ---------------------------------------------------------------------------------------------------- */

void values(const void *variables, std::int64_t n, double *out) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<const real *>(variables)[i].value;
}

void ids(const void *variables, std::int64_t n, std::int64_t *out) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = static_cast<const real *>(variables)[i].id;
}

/// Variables become results of a call; without ids they become passive.
void set(void *variables, std::int64_t n, const double *value, std::int64_t *ids, double *) {
  for (std::int64_t i = 0; i < n; ++i) {
    static_cast<real *>(variables)[i] = {value[i], ids ? current->fresh() : 0};
    if (ids) ids[i] = current->adjoint.size() - 1;
  }
}

std::int32_t is_recording() { return current && current->recording; }

std::int32_t record_handle(std::int64_t handle) {
  current->entries.push_back({0, {0, 0}, {0, 0}, handle});
  return 0;
}

void take(void *access, std::int64_t n, const std::int64_t *ids, double *out) {
  std::vector<double> &adjoint = static_cast<tape *>(access)->adjoint;
  for (std::int64_t i = 0; i < n; ++i) {
    out[i] = adjoint[ids[i]];
    adjoint[ids[i]] = 0;
  }
}

void add(void *access, std::int64_t n, const std::int64_t *ids, const double *more) {
  std::vector<double> &adjoint = static_cast<tape *>(access)->adjoint;
  for (std::int64_t i = 0; i < n; ++i) adjoint[ids[i]] += more[i];
}

/// One direction, and values that nobody restores: the last functions are not needed.
const admpi_tool tool = {sizeof(admpi_tool), "toy", sizeof(real), is_recording, values, ids, set, record_handle,
                         nullptr /* width */, take, add,          nullptr /* restore */};

void tape::reverse() {
  for (auto e = entries.rbegin(); e != entries.rend(); ++e) {
    if (e->handle != 0) {
      if (admpi_tool_evaluate(e->handle, this) != ADMPI_SUCCESS) std::fprintf(stderr, "%s\n", admpi_last_error());
      continue;
    }
    const double bar = adjoint[e->result];
    adjoint[e->result] = 0;
    for (int k = 0; k < 2; ++k) adjoint[e->operand[k]] += e->partial[k] * bar;
  }
}

tape::~tape() {
  for (const entry &e : entries)
    if (e.handle != 0) admpi_tool_delete(e.handle);
}

/* -------------------------------------------------------------------------------------------------------------------------- */

}  // namespace toy

int main(int argc, char **argv) {
  AMPI_Init(&argc, &argv);
  int rank, ranks;
  AMPI_Comm_rank(AMPI_COMM_WORLD, &rank);
  AMPI_Comm_size(AMPI_COMM_WORLD, &ranks);
  admpi_tool_register(&toy::tool);
  const MPI_Datatype TOY_REAL = admpi_tool_datatype(&toy::tool);
  {
    toy::tape tape;
    toy::current = &tape;
    tape.recording = true;
    toy::real x{rank + 1.0, tape.fresh()}, neighbour, product;
    const toy::real input = x;

    // The product over all ranks of x times the neighbour's x.
    AMPI_Request request[2];
    AMPI_Irecv(&neighbour, 1, TOY_REAL, (rank + ranks - 1) % ranks, 0, AMPI_COMM_WORLD, &request[0]);
    AMPI_Isend(&x, 1, TOY_REAL, (rank + 1) % ranks, 0, AMPI_COMM_WORLD, &request[1]);
    AMPI_Waitall(2, request, AMPI_STATUSES_IGNORE);
    x = x * neighbour;
    AMPI_Allreduce(&x, &product, 1, TOY_REAL, MPI_PROD, AMPI_COMM_WORLD);
    tape.recording = false;

    if (rank == 0) tape.adjoint[product.id] = 1;
    tape.reverse();

    const double mine = tape.adjoint[input.id];
    std::vector<double> gradient(ranks);
    AMPI_Gather(&mine, 1, AMPI_DOUBLE, gradient.data(), 1, AMPI_DOUBLE, 0, AMPI_COMM_WORLD);
    if (rank == 0) {
      std::printf("(1 * 2 * 3)^2 = %g\n", product.value);
      for (int r = 0; r < ranks; ++r) std::printf("derivative by the input %d of rank %d: %g\n", r + 1, r, gradient[r]);
    }
    toy::current = nullptr;
  }
  AMPI_Finalize();
}

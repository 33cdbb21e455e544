// Windows for programs over both policies: of active values by the AMPI_ calls, and of pairs by a reference that gathers the
// memory and the operations of all ranks and carries them out in the order of ranks.
#ifndef ADMPI_TEST_WINDOW_HPP
#define ADMPI_TEST_WINDOW_HPP

#include "harness/identity.hpp"

namespace test {

/// The text of the error that a call on a window returns, or "".
template <class Call>
std::string refused(MPI_Win win, const Call &call) {
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  const int code = call();
  return code == MPI_SUCCESS ? "" : text_of(code);
}

inline bool says(const std::string &text, const std::string &part) {
  INFO(text);
  const bool found = text.find(part) != std::string::npos;
  CHECK(found);
  return found;
}

/// What an operation does to the target's values.
enum class combination { nothing, replace, sum, product, min, max };

/// How a window gets its memory.
enum class made { create, allocate, dynamic };

/// Items at a target: `n` of them, `stride` apart, from the `at`th of its window on.
struct place {
  int target, at, n, stride = 1;
};

template <class Mpi>
class window;

template <>
class window<paired> {
 public:
  using real = pair;

  window(int n, made, MPI_Comm comm = MPI_COMM_WORLD) : comm_(comm), memory_(static_cast<std::size_t>(n)) {}
  pair *memory() { return memory_.data(); }

  void put(const pair *x, place to) { note(combination::replace, x, nullptr, to); }
  void get(pair *y, place from) { note(combination::nothing, nullptr, y, from); }
  void accumulate(const pair *x, place to, combination how) { note(how, x, nullptr, to); }
  void get_accumulate(const pair *x, pair *y, place to, combination how) { note(how, x, y, to); }
  void fetch_and_op(const pair *x, pair *y, place to, combination how) { note(how, x, y, to); }

  void fence(int = 0) { exchange(); }
  void post(const std::vector<int> &) {}
  void start(const std::vector<int> &) {}
  void complete() {}
  /// Under locks what a rank does is there for others when both have come to `barrier`.
  void lock_all() {}
  void unlock_all() {}
  void lock(int, int = MPI_LOCK_SHARED) {}
  void unlock(int) {}
  void flush(int) {}
  void flush_all() {}
  void barrier() { exchange(); }
  /// All ranks come here.
  void wait() { exchange(); }
  void test() { exchange(); }

 private:
  void note(combination how, const pair *x, pair *y, place at) {
    for (const int word : {static_cast<int>(how), at.target, at.at, at.n, at.stride, y == nullptr ? 0 : 1})
      log_.push_back(word);
    for (int i = 0; i < at.n && how != combination::nothing; ++i) {
      log_.push_back(x[i].value);
      log_.push_back(x[i].dot);
    }
    if (y != nullptr) results_.push_back(y);
  }

  /// All ranks' numbers, and where those of each end.
  std::vector<double> gathered(const std::vector<double> &own, std::vector<int> &ends) const {
    const int size = size_of(comm_), n = static_cast<int>(own.size());
    std::vector<int> counts(static_cast<std::size_t>(size)), begins;
    MPI_Allgather(&n, 1, MPI_INT, counts.data(), 1, MPI_INT, comm_);
    int end = 0;
    ends.clear();
    for (const int count : counts) {
      begins.push_back(end);
      ends.push_back(end += count);
    }
    std::vector<double> all(static_cast<std::size_t>(end));
    MPI_Allgatherv(own.data(), n, MPI_DOUBLE, all.data(), counts.data(), begins.data(), MPI_DOUBLE, comm_);
    return all;
  }

  static pair combined(combination how, pair old, pair x) {
    switch (how) {
      case combination::nothing: return old;
      case combination::replace: return x;
      case combination::sum: return old + x;
      case combination::product: return old * x;
      case combination::min: return x < old ? x : old;
      case combination::max: return old < x ? x : old;
    }
    return old;
  }

  void exchange() {
    const int rank = rank_of(comm_), size = size_of(comm_);
    std::vector<double> own;
    for (const pair &x : memory_) own.insert(own.end(), {x.value, x.dot});
    std::vector<int> starts, ends;
    std::vector<double> all = gathered(own, starts);
    const std::vector<double> log = gathered(log_, ends);
    std::size_t at = 0, result = 0;
    for (int origin = 0; origin < size; ++origin) {
      while (at < static_cast<std::size_t>(ends[static_cast<std::size_t>(origin)])) {
        int head[6];
        for (int &word : head) word = static_cast<int>(log[at++]);
        const combination how = static_cast<combination>(head[0]);
        const int begin = head[1] == 0 ? 0 : starts[static_cast<std::size_t>(head[1] - 1)];
        for (int i = 0; i < head[3]; ++i) {
          double *there = &all[static_cast<std::size_t>(begin + 2 * (head[2] + i * head[4]))];
          const pair old = {there[0], there[1]};
          if (origin == rank && head[5] != 0) results_[result][i] = old;
          if (how == combination::nothing) continue;
          const pair now = combined(how, old, {log[at], log[at + 1]});
          at += 2;
          there[0] = now.value;
          there[1] = now.dot;
        }
        if (origin == rank && head[5] != 0) ++result;
      }
    }
    const int begin = rank == 0 ? 0 : starts[static_cast<std::size_t>(rank - 1)];
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const std::size_t from = static_cast<std::size_t>(begin) + 2 * i;
      memory_[i] = {all[from], all[from + 1]};
    }
    log_.clear();
    results_.clear();
  }

  MPI_Comm comm_;
  std::vector<pair> memory_;
  std::vector<double> log_;
  std::vector<pair *> results_;
};

template <>
class window<active> {
 public:
  using real = admpi::var;

  /// Displacement units differ from rank to rank.
  window(int n, made how, MPI_Comm comm = MPI_COMM_WORLD)
      : comm_(comm), own_(how == made::allocate ? 0 : static_cast<std::size_t>(n)) {
    const int rank = rank_of(comm), size = size_of(comm);
    const MPI_Aint bytes = static_cast<MPI_Aint>(sizeof(admpi::var)) * n;
    const int unit = rank % 2 == 0 ? 16 : 1;
    base_ = own_.data();
    MPI_Aint origin = 0;
    // Open MPI has no created window on one rank.
    if (how == made::create && size > 1) {
      if (counted())
        AMPI_Win_create_c(base_, bytes, unit, MPI_INFO_NULL, comm, &win_);
      else
        AMPI_Win_create(base_, bytes, unit, MPI_INFO_NULL, comm, &win_);
    } else if (how == made::dynamic && size > 1) {
      AMPI_Win_create_dynamic(MPI_INFO_NULL, comm, &win_);
      AMPI_Win_attach(win_, base_, bytes);
      AMPI_Get_address(base_, &origin);
    } else {
      if (counted())
        AMPI_Win_allocate_c(bytes, unit, MPI_INFO_NULL, comm, &base_, &win_);
      else
        AMPI_Win_allocate(bytes, unit, MPI_INFO_NULL, comm, &base_, &win_);
    }
    is_dynamic_ = how == made::dynamic && size > 1;
    origins_.resize(static_cast<std::size_t>(size));
    MPI_Allgather(&origin, 1, MPI_AINT, origins_.data(), 1, MPI_AINT, comm);
  }
  window(const window &) = delete;
  window &operator=(const window &) = delete;
  ~window() {
    if (is_dynamic_) AMPI_Win_detach(win_, base_);
    AMPI_Win_free(&win_);
  }
  admpi::var *memory() { return base_; }
  MPI_Win handle() const { return win_; }

  void put(const admpi::var *x, place to) {
    const items at(*this, to);
    if (counted())
      AMPI_Put_c(x, to.n, AMPI_ADOUBLE, to.target, at.displacement, at.count, at.type, win_);
    else
      AMPI_Put(x, to.n, AMPI_ADOUBLE, to.target, at.displacement, at.count, at.type, win_);
  }
  void get(admpi::var *y, place from) {
    const items at(*this, from);
    if (counted())
      AMPI_Get_c(y, from.n, AMPI_ADOUBLE, from.target, at.displacement, at.count, at.type, win_);
    else
      AMPI_Get(y, from.n, AMPI_ADOUBLE, from.target, at.displacement, at.count, at.type, win_);
  }
  void accumulate(const admpi::var *x, place to, combination how) {
    const items at(*this, to);
    if (counted())
      AMPI_Accumulate_c(x, to.n, AMPI_ADOUBLE, to.target, at.displacement, at.count, at.type, operation(how), win_);
    else
      AMPI_Accumulate(x, to.n, AMPI_ADOUBLE, to.target, at.displacement, at.count, at.type, operation(how), win_);
  }
  void get_accumulate(const admpi::var *x, admpi::var *y, place to, combination how) {
    const items at(*this, to);
    if (counted())
      AMPI_Get_accumulate_c(x, to.n, AMPI_ADOUBLE, y, to.n, AMPI_ADOUBLE, to.target, at.displacement, at.count,
                            at.type, operation(how), win_);
    else
      AMPI_Get_accumulate(x, to.n, AMPI_ADOUBLE, y, to.n, AMPI_ADOUBLE, to.target, at.displacement, at.count, at.type,
                          operation(how), win_);
  }
  /// Of one value.
  void fetch_and_op(const admpi::var *x, admpi::var *y, place to, combination how) {
    AMPI_Fetch_and_op(x, y, AMPI_ADOUBLE, to.target, displacement(to), operation(how), win_);
  }

  void fence(int assert = 0) { AMPI_Win_fence(assert, win_); }
  void post(const std::vector<int> &ranks) {
    const group of(ranks, comm_);
    AMPI_Win_post(of.handle, 0, win_);
  }
  void start(const std::vector<int> &ranks) {
    const group of(ranks, comm_);
    AMPI_Win_start(of.handle, 0, win_);
  }
  void lock_all() { AMPI_Win_lock_all(0, win_); }
  void unlock_all() { AMPI_Win_unlock_all(win_); }
  void lock(int rank, int type = MPI_LOCK_SHARED) { AMPI_Win_lock(type, rank, 0, win_); }
  void unlock(int rank) { AMPI_Win_unlock(rank, win_); }
  void flush(int rank) { AMPI_Win_flush(rank, win_); }
  void flush_all() { AMPI_Win_flush_all(win_); }
  void barrier() { AMPI_Barrier(comm_); }
  void complete() { AMPI_Win_complete(win_); }
  void wait() { AMPI_Win_wait(win_); }
  void test() {
    for (int flag = 0; flag == 0;) AMPI_Win_test(win_, &flag);
  }

 private:
  MPI_Aint displacement(place at) const {
    const std::size_t target = static_cast<std::size_t>(at.target);
    if (is_dynamic_) return origins_[target] + 16 * at.at;
    return at.target % 2 == 0 ? at.at : 16 * at.at;
  }

  /// Items of a type that lives as long as the call.
  struct items {
    items(const window &in, place at) : displacement(in.displacement(at)) {
      if (at.stride == 1) {
        count = at.n;
      } else {
        MPI_Type_vector(at.n, 1, at.stride, AMPI_ADOUBLE, &type);
        MPI_Type_commit(&type);
      }
    }
    ~items() {
      if (type != AMPI_ADOUBLE) MPI_Type_free(&type);
    }
    items(const items &) = delete;
    items &operator=(const items &) = delete;

    MPI_Aint displacement;
    int count = 1;
    MPI_Datatype type = AMPI_ADOUBLE;
  };

  struct group {
    group(const std::vector<int> &ranks, MPI_Comm comm) {
      MPI_Group world;
      MPI_Comm_group(comm, &world);
      MPI_Group_incl(world, static_cast<int>(ranks.size()), ranks.data(), &handle);
      MPI_Group_free(&world);
    }
    ~group() { MPI_Group_free(&handle); }
    group(const group &) = delete;
    group &operator=(const group &) = delete;
    MPI_Group handle;
  };

  static MPI_Op operation(combination how) {
    const MPI_Op known[] = {MPI_NO_OP, MPI_REPLACE, MPI_SUM, MPI_PROD, MPI_MIN, MPI_MAX};
    return known[static_cast<int>(how)];
  }

  MPI_Comm comm_;
  std::vector<admpi::var> own_;
  admpi::var *base_ = nullptr;
  MPI_Win win_ = MPI_WIN_NULL;
  bool is_dynamic_ = false;
  std::vector<MPI_Aint> origins_;
};

struct located {
  admpi::var x;
  int index;
};

/// Three pairs of each rank meet three of rank 0's under MINLOC and MAXLOC, in `run(brought, old, op, win)`, which all ranks make
/// together. Whether it `fetches` the old pairs, and whether the ranks take effect in their order.
template <class Run>
void check_locations(bool fetches, bool in_order, const Run &run) {
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  for (const bool max : {false, true}) {
    CAPTURE(fetches);
    CAPTURE(max);
    begin();
    admpi::tape tape;
    tape.start();
    admpi::var x = 1.0 + rank, z = 7.0;
    tape.input(x);
    tape.input(z);
    located *memory;
    MPI_Win win;
    AMPI_Win_allocate(3 * sizeof(located), sizeof(located), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
    // Better than all; worse than all; as good as what rank 0 brings, with a higher index.
    const double own[] = {max ? 100.0 : -100.0, max ? -100.0 : 100.0, 5.0};
    for (int i = 0; i < 3; ++i) memory[i] = {own[i] + (z - 7.0), 50 + i};
    const located brought[3] = {{2.0 * x, rank}, {3.0 * x, rank}, {5.0 + 0.0 * x, rank}};
    located old[3] = {};
    run(brought, old, max ? MPI_MAXLOC : MPI_MINLOC, win);
    const int best = max ? size - 1 : 0;
    admpi::var y = 0.0;
    if (rank == 0) {
      CHECK(memory[0].index == 50);
      CHECK(memory[0].x.value == own[0]);
      CHECK(memory[1].index == best);
      CHECK(memory[1].x.value == 3.0 * (1.0 + best));
      CHECK(memory[2].index == 0);
      y = memory[0].x + 10.0 * memory[1].x;
    }
    if (fetches) {
      // Each rank finds the same here, whatever others have done before.
      CHECK(old[0].index == 50);
      CHECK(old[0].x.value == own[0]);
      y += 100.0 * old[0].x;
    }
    if (fetches && in_order && rank == 0) {
      CHECK(old[1].index == 51);
      CHECK(old[1].x.value == own[1]);
    }
    AMPI_Win_free(&win);
    tape.stop();
    tape.seed(y, 1.0);
    tape.reverse();
    CHECK(tape.adjoint(x) == (rank == best ? 30.0 : 0.0));
    CHECK(tape.adjoint(z) == (rank == 0 ? 1.0 + (fetches ? 100.0 * size : 0.0) : 0.0));
  }
}

}  // namespace test

#endif

// Windows: puts, gets and accumulates, also with a request, against the same with plain MPI.
#include "large/support.hpp"

#include <algorithm>

using namespace large;

namespace {

struct Window {
  Bytes memory;
  MPI_Win win = MPI_WIN_NULL;

  Window(const Bytes& initial, int unit) : memory(initial) {
    MPIX_Win_create_x(memory.data(), static_cast<MPI_Aint>(memory.size()), unit, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  }
  ~Window() { MPI_Win_free(&win); }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
};

}  // namespace

TEST_CASE("test_large_put_get") {
  Kinds kinds;
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), target = (rank + 1) % size;
  for (const auto& kind : kinds.all)
    for (int n : counts())
      for (bool with_request : {false, true}) {
        const Bytes initial = pattern(kind.extent * n + 16, 40), data = pattern(kind.extent * n, rank);
        Window plain(initial, 8), large(initial, 8);
        const auto t = kind.type;
        Bytes wanted = pattern(kind.extent * n, 60), got = wanted;
        for (auto* window : {&plain, &large}) {
          const bool x = window == &large;
          Bytes& result = x ? got : wanted;
          MPI_Request request;
          if (with_request) {
            MPI_Win_lock_all(0, window->win);
            CHECK((x ? MPIX_Rput_x(data.data(), n, t, target, 1, n, t, window->win, &request)
                     : MPI_Rput(data.data(), n, t, target, 1, n, t, window->win, &request)) == MPI_SUCCESS);
            wait(&request);
            MPI_Win_flush_all(window->win);
            MPI_Barrier(MPI_COMM_WORLD);
            CHECK((x ? MPIX_Rget_x(result.data(), n, t, target, 1, n, t, window->win, &request)
                     : MPI_Rget(result.data(), n, t, target, 1, n, t, window->win, &request)) == MPI_SUCCESS);
            wait(&request);
            MPI_Win_unlock_all(window->win);
          } else {
            MPI_Win_fence(0, window->win);
            CHECK((x ? MPIX_Put_x(data.data(), n, t, target, 1, n, t, window->win)
                     : MPI_Put(data.data(), n, t, target, 1, n, t, window->win)) == MPI_SUCCESS);
            MPI_Win_fence(0, window->win);
            CHECK((x ? MPIX_Get_x(result.data(), n, t, target, 1, n, t, window->win)
                     : MPI_Get(result.data(), n, t, target, 1, n, t, window->win)) == MPI_SUCCESS);
            MPI_Win_fence(0, window->win);
          }
        }
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_MESSAGE(same(got, wanted), kind.name, " x ", n);
        CHECK_MESSAGE(same(large.memory, plain.memory), kind.name, " x ", n);
      }
}

TEST_CASE("test_large_accumulate") {
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
  // Three doubles of every four, on the target's side only: pieces must be whole items of both.
  MPI_Datatype triple;
  MPI_Type_vector(1, 3, 4, MPI_DOUBLE, &triple);
  MPI_Datatype spaced;
  MPI_Type_create_resized(triple, 0, 32, &spaced);
  MPI_Type_commit(&spaced);
  MPI_Type_free(&triple);
  for (int n : {0, 3, 3 * limit(), 3 * (2 * limit() + 1)})
    for (bool derived : {false, true})
      for (MPI_Op op : {MPI_SUM, MPI_REPLACE, MPI_NO_OP})
        for (bool with_request : {false, true}) {
          const auto room = static_cast<std::size_t>(n) * 2 + 8;
          const auto data = numbers(static_cast<std::size_t>(n), rank);
          std::vector<double> memory = numbers(room, 70), old(static_cast<std::size_t>(n) + 1, -1.0), before = memory;
          MPI_Win win;
          MPI_Win_create(memory.data(), static_cast<MPI_Aint>(8 * room), 8, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
          const MPI_Datatype there = derived ? spaced : MPI_DOUBLE;
          const int count = derived ? n / 3 : n;
          // All ranks accumulate into rank 0, one after the other where the order shows.
          MPI_Win_fence(0, win);
          for (int turn = 0; turn < size; turn++) {
            if (turn == rank && op != MPI_NO_OP) {
              MPI_Request request;
              if (with_request) {
                MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
                MPI_Barrier(MPI_COMM_WORLD);
                MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
                CHECK(MPIX_Raccumulate_x(data.data(), n, MPI_DOUBLE, 0, 1, count, there, op, win, &request) ==
                      MPI_SUCCESS);
                finish(request);
                MPI_Win_unlock(0, win);
                MPI_Barrier(MPI_COMM_WORLD);
                MPI_Win_fence(0, win);
              } else {
                CHECK(MPIX_Accumulate_x(data.data(), n, MPI_DOUBLE, 0, 1, count, there, op, win) == MPI_SUCCESS);
              }
            } else if (op != MPI_NO_OP && with_request) {
              MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
              MPI_Barrier(MPI_COMM_WORLD);
              MPI_Barrier(MPI_COMM_WORLD);
              MPI_Win_fence(0, win);
            }
            MPI_Win_fence(0, win);
          }
          auto place = [&](int i) { return static_cast<std::size_t>(derived ? i / 3 * 4 + i % 3 + 1 : i + 1); };
          std::vector<double> wanted = before;
          for (int turn = 0; turn < size; turn++) {
            const auto values = numbers(static_cast<std::size_t>(n), turn);
            for (int i = 0; i < n; i++) {
              const double value = values[static_cast<std::size_t>(i)];
              if (op == MPI_SUM) wanted[place(i)] += value;
              if (op == MPI_REPLACE) wanted[place(i)] = value;
            }
          }
          // Every rank reads rank 0's memory, without changing it.
          MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
          MPI_Win_lock_all(0, win);
          if (with_request) {
            MPI_Request request;
            CHECK(MPIX_Rget_accumulate_x(nullptr, 0, MPI_DOUBLE, old.data(), n, MPI_DOUBLE, 0, 1, count, there,
                                         MPI_NO_OP, win, &request) == MPI_SUCCESS);
            finish(request);
          } else {
            CHECK(MPIX_Get_accumulate_x(nullptr, 0, MPI_DOUBLE, old.data(), n, MPI_DOUBLE, 0, 1, count, there,
                                        MPI_NO_OP, win) == MPI_SUCCESS);
            MPI_Win_flush_all(win);
          }
          MPI_Win_unlock_all(win);
          MPI_Win_free(&win);
          bool right = old.back() == -1.0;
          for (int i = 0; i < n; i++) right = right && old[static_cast<std::size_t>(i)] == wanted[place(i)];
          CHECK_MESSAGE(right, "get_accumulate ", n, " derived ", derived, " request ", with_request);
          if (rank == 0) CHECK_MESSAGE((memory == wanted), "accumulate ", n, " derived ", derived);
        }
  MPI_Type_free(&spaced);
}

TEST_CASE("test_large_put_get_in_allocated_windows") {
  // Fewer items of the origin's type than of the target's, and the reverse: pieces are whole items of both.
  const int rank = rank_of(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD), target = (rank + 1) % size;
  const int n = 3 * (2 * limit() + 1);
  MPI_Datatype triple, spaced;
  MPI_Type_vector(1, 3, 4, MPI_DOUBLE, &triple);
  MPI_Type_create_resized(triple, 0, 32, &spaced);
  MPI_Type_commit(&spaced);
  MPI_Type_free(&triple);
  for (bool shared : {false, true})
    for (bool derived : {false, true}) {
      const auto data = numbers(static_cast<std::size_t>(2 * n), rank);
      std::vector<double> back(static_cast<std::size_t>(2 * n), -1.0);
      // Sizes differ by rank, and are no multiples of a cache line's.
      const MPI_Aint room = 8 * (2 * n + 1 + rank % 2);
      double* memory = nullptr;
      MPI_Win win;
      CHECK((shared ? MPIX_Win_allocate_shared_x(room, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win)
                    : MPIX_Win_allocate_x(room, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win)) == MPI_SUCCESS);
      std::fill_n(memory, 2 * n + 1, -2.0);
      const MPI_Datatype here = derived ? spaced : MPI_DOUBLE, there = derived ? MPI_DOUBLE : spaced;
      const int count_here = derived ? n / 3 : n, count_there = derived ? n : n / 3;
      MPI_Win_fence(0, win);
      CHECK(MPIX_Put_x(data.data(), count_here, here, target, 1, count_there, there, win) == MPI_SUCCESS);
      MPI_Win_fence(0, win);
      auto at = [](bool gaps, int i) { return gaps ? i / 3 * 4 + i % 3 : i; };
      const auto sent = numbers(static_cast<std::size_t>(2 * n), (rank + size - 1) % size);
      bool right = memory[0] == -2.0;
      for (int i = 0; i < n; i++)
        right = right && memory[1 + at(!derived, i)] == sent[static_cast<std::size_t>(at(derived, i))];
      CHECK_MESSAGE(right, "put, shared ", shared, " derived ", derived);
      MPI_Win_fence(0, win);
      CHECK(MPIX_Get_x(back.data(), count_here, here, target, 1, count_there, there, win) == MPI_SUCCESS);
      MPI_Win_fence(0, win);
      right = true;
      for (int i = 0; i < n; i++) {
        const auto place = static_cast<std::size_t>(at(derived, i));
        right = right && back[place] == data[place];
      }
      CHECK_MESSAGE(right, "get, shared ", shared, " derived ", derived);
      if (shared) {
        MPI_Aint bytes = 0, unit = 0;
        double* first = nullptr;
        CHECK(MPIX_Win_shared_query_x(win, rank, &bytes, &unit, &first) == MPI_SUCCESS);
        CHECK(bytes == room);
        CHECK(unit == 8);
        CHECK(first[0] == -2.0);
      }
      MPI_Win_free(&win);
    }
  MPI_Type_free(&spaced);
}

TEST_CASE("test_large_windows_refuse_huge_units") {
  char memory[8];
  void* base = nullptr;
  MPI_Win win = MPI_WIN_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  CHECK(MPIX_Win_create_x(memory, 8, MPI_Aint{1} << 40, MPI_INFO_NULL, MPI_COMM_WORLD, &win) != MPI_SUCCESS);
  CHECK(MPIX_Win_allocate_x(8, MPI_Aint{1} << 40, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win) != MPI_SUCCESS);
  CHECK(MPIX_Win_allocate_shared_x(8, MPI_Aint{1} << 40, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win) != MPI_SUCCESS);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
}

// admpi: adoubles of ADOL-C in the calls of adjoint MPI. See docs/tools.md.
//
//   admpi::adolc_type() is the MPI type of an adouble, as AMPI_ADOUBLE is that of admpi::var.
//
// Trace with trace_on(tag, 1), and sweep with reverse(tag, ...), one direction or several, of first order. Communication is not
// made again by forward sweeps: these fail where they meet it.
#ifndef ADMPI_ADOLC_HPP
#define ADMPI_ADOLC_HPP

#include <adolc/adolc.h>
#include <adolc/externfcts2.h>

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "admpi/interface.h"
#include "admpi/error.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {
namespace detail {

/// ADOL-C as a tool. A step is a call of an external function whose arguments and results are single adoubles, since theirs need not
/// be next to each other. Ids are their places among them.
struct adolc_tool {
  /// The call under way.
  struct call {
    std::vector<adouble *> in, out;
    std::vector<double> value;
  };
  /// Where ADOL-C puts adjoints of a sweep.
  struct places {
    int directions;
    double **up, **zp;
    double ***Up, ***Zp;
    double &out(std::int64_t i, int d) const { return up != nullptr ? up[i][0] : Up[i][0][d]; }
    double &in(std::int64_t i, int d) const { return zp != nullptr ? zp[i][0] : Zp[i][0][d]; }
  };

  static call &now() {
    static thread_local call it;
    return it;
  }
  /// The handles on all traces of the thread.
  static std::vector<std::int64_t> &handles() {
    static thread_local std::vector<std::int64_t> it;
    return it;
  }
  static adouble *items(const void *variables) { return static_cast<adouble *>(const_cast<void *>(variables)); }
  static const places &of(void *access) { return *static_cast<const places *>(access); }

  static std::int32_t is_recording() {
    now() = {};
    return isTaping();
  }
  static void values(const void *variables, std::int64_t n, double *out) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = items(variables)[i].getValue();
  }
  static void ids(const void *variables, std::int64_t n, std::int64_t *out) {
    for (std::int64_t i = 0; i < n; ++i) {
      out[i] = static_cast<std::int64_t>(now().in.size());
      now().in.push_back(&items(variables)[i]);
    }
  }
  static void set(void *variables, std::int64_t n, const double *value, std::int64_t *ids, double *) {
    for (std::int64_t i = 0; i < n; ++i) {
      if (ids == nullptr) {
        items(variables)[i] = value[i];
        continue;
      }
      ids[i] = static_cast<std::int64_t>(now().out.size());
      now().out.push_back(&items(variables)[i]);
      now().value.push_back(value[i]);
    }
  }

  /// The function itself: its results are known.
  static int function(int, int *, int, int nout, int *, double **, int *, double **y, void *) {
    for (int i = 0; i < nout; ++i) y[i][0] = now().value[static_cast<std::size_t>(i)];
    return 0;
  }
  static std::int64_t handle_of(const int *words) {
    return static_cast<std::int64_t>(words[0]) | static_cast<std::int64_t>(words[1]) << 31;
  }
  static int evaluate(const int *words, const places &at) {
    return admpi_tool_evaluate(handle_of(words), const_cast<places *>(&at)) == ADMPI_SUCCESS ? 0 : -1;
  }
  static int fos_reverse(int, int *words, int, int, int *, double **up, int *, double **zp, double **, double **,
                         void *) {
    return evaluate(words, {1, up, zp, nullptr, nullptr});
  }
  static int fov_reverse(int, int *words, int, int, int *, int directions, double ***Up, int *, double ***Zp, double **,
                         double **, void *) {
    return evaluate(words, {directions, nullptr, nullptr, Up, Zp});
  }
  static ext_diff_fct_v2 *external() {
    static ext_diff_fct_v2 *const it = [] {
      ext_diff_fct_v2 *made = reg_ext_fct(function);
      made->fos_reverse = fos_reverse;
      made->fov_reverse = fov_reverse;
      made->dp_x_changes = 0;
      made->user_allocated_mem = 1;  // ADOL-C's own is too small for a function without results
      return made;
    }();
    return it;
  }

  /// Room for the arguments and results of the largest call.
  template <class T>
  struct room {
    std::vector<T> data;
    std::vector<T *> each;
    void reach(std::size_t n) {
      if (n <= data.size()) return;
      data.resize(n);
      each.resize(n);
      for (std::size_t i = 0; i < n; ++i) each[i] = &data[i];
    }
  };
  static void make_room(ext_diff_fct_v2 &external, std::size_t n) {
    static room<double> x, y, up, zp;
    static room<double *> Up, Zp;
    x.reach(n), y.reach(n), up.reach(n), zp.reach(n), Up.reach(n), Zp.reach(n);
    external.x = x.each.data(), external.y = y.each.data(), external.up = up.each.data(), external.zp = zp.each.data();
    external.Up = Up.each.data(), external.Zp = Zp.each.data();
  }

  static std::int32_t record(std::int64_t handle) {
    const call &made = now();
    // Results are new variables, which are assigned: a sweep zeroes their adjoints when the function has added to those of arguments.
    std::vector<adouble> result(made.out.size());
    std::vector<adouble *> in = made.in, out;
    for (adouble &one : result) out.push_back(&one);
    const std::size_t most = std::max(in.size(), out.size()) + 1;
    std::vector<int> one(most, 1);
    int words[] = {static_cast<int>(handle & 0x7fffffff), static_cast<int>(handle >> 31)};
    make_room(*external(), most);
    const int code = call_ext_fct(external(), 2, words, static_cast<int>(in.size()), static_cast<int>(out.size()), one.data(),
                                  in.data(), one.data(), out.data());
    for (std::size_t i = 0; i < out.size(); ++i) *made.out[i] = result[i];
    handles().push_back(handle);
    return code;
  }

  static std::int64_t width(void *access) { return of(access).directions; }
  static void take(void *access, std::int64_t n, const std::int64_t *ids, double *out) {
    for (std::int64_t i = 0; i < n; ++i)
      for (int d = 0; d < of(access).directions; ++d) *out++ = of(access).out(ids[i], d);
  }
  static void add(void *access, std::int64_t n, const std::int64_t *ids, const double *adjoints) {
    for (std::int64_t i = 0; i < n; ++i)
      for (int d = 0; d < of(access).directions; ++d) of(access).in(ids[i], d) += *adjoints++;
  }

  static const admpi_tool &table() {
    static const admpi_tool it = {sizeof(admpi_tool), "ADOL-C", sizeof(adouble), is_recording, values, ids, set,
                                  record,             width,    take,            add,          nullptr};
    return it;
  }
};

}  // namespace detail

/// The MPI type of an adouble. It belongs to the library. Call it after AMPI_Init or admpi_init.
inline MPI_Datatype adolc_type() {
  const admpi_tool &table = detail::adolc_tool::table();
  detail::check(admpi_tool_register(&table));
  const MPI_Datatype type = admpi_tool_datatype(&table);
  if (type == MPI_DATATYPE_NULL) throw std::runtime_error(admpi_last_error());
  return type;
}

/// Forgets all communication on this thread's traces: where they are recorded anew.
inline void adolc_forget() {
  for (const std::int64_t handle : detail::adolc_tool::handles()) admpi_tool_delete(handle);
  detail::adolc_tool::handles().clear();
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif

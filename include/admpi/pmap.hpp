// admpi: nested pmap over device maps. Not part of admpi.hpp.
//
//   #include <admpi/pmap.hpp>
//
//   const admpi::device_map map("{1: [1, 3], 2: [2, 4]}");
//   map.resolve("[]");             // 1, 2
//   map.resolve("[d]", "d=2");     // 2, 4
#ifndef ADMPI_PMAP_HPP
#define ADMPI_PMAP_HPP

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "admpi/error.hpp"
#include "admpi/pmap.h"
#include "admpi/pmap_programs.h"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

/// The number of a device. Devices are numbers from 0.
using device = std::int64_t;
using devices = std::vector<device>;

namespace detail {

/// What call(capacity, out, &n) writes, in a vector of T that is made as long as needed.
template <class T, class Call>
std::vector<T> all_of(Call call) {
  std::vector<T> all(16);
  for (;;) {
    std::int64_t n = 0;
    check(call(static_cast<std::int64_t>(all.size()), all.data(), &n));
    const bool whole = static_cast<std::size_t>(n) <= all.size();
    all.resize(static_cast<std::size_t>(n));
    if (whole) return all;
  }
}

/// The same of a text, which ends with a zero byte.
template <class Call>
std::string text_of(Call call) {
  const std::vector<char> all = all_of<char>(call);
  return all.data();
}

}  // namespace detail

/// A tree of devices: inner nodes are maps from keys to nodes, leaves are lists. Depth is arbitrary, and branches may differ.
class device_map {
 public:
  /// A map without devices, to which `add` gives some.
  device_map() : device_map(static_cast<const char *>(nullptr)) {}
  /// What a text such as "{1: [1, 3], 2: [2, 4]}" describes.
  explicit device_map(const std::string &text) : device_map(text.c_str()) {}
  explicit device_map(const char *text) {
    admpi_device_map *map = nullptr;
    detail::check(admpi_device_map_new(text, &map));
    map_.reset(map, &admpi_device_map_free);
  }

  /// Adds a list of devices; maps on the way to it are made. Copies of this map see it.
  device_map &add(const devices &keys, const devices &list) {
    detail::check(admpi_device_map_add(map_.get(), keys.data(), static_cast<std::int64_t>(keys.size()), list.data(),
                                       static_cast<std::int64_t>(list.size())));
    return *this;
  }

  /// A text that the constructor reads.
  std::string text() const {
    return detail::text_of(
        [&](std::int64_t room, char *out, std::int64_t *n) { return admpi_device_map_text(map_.get(), room, out, n); });
  }

  /// The devices that keys such as "[0, d]" lead to, with variables as in "d=1, dd=3".
  devices resolve(const std::string &keys, const std::string &bound = "") const {
    return detail::all_of<device>([&](std::int64_t room, device *out, std::int64_t *n) {
      return admpi_device_map_resolve(map_.get(), keys.c_str(), bound.c_str(), room, out, n);
    });
  }

  /// The devices that an iteration for one of those occupies: the device itself, and all below it.
  devices footprint(const std::string &keys, device d, const std::string &bound = "") const {
    return detail::all_of<device>([&](std::int64_t room, device *out, std::int64_t *n) {
      return admpi_device_map_footprint(map_.get(), keys.c_str(), bound.c_str(), d, room, out, n);
    });
  }

  /// Takes over a map that a C function has made.
  explicit device_map(admpi_device_map *made) : map_(made, &admpi_device_map_free) {}

  /// For the C interface.
  const admpi_device_map *get() const noexcept { return map_.get(); }

 private:
  std::shared_ptr<admpi_device_map> map_;
};

/// What a simulation of a program found.
class pmap_simulation {
 public:
  /// Takes over what a C function has made.
  explicit pmap_simulation(admpi_pmap_simulation *made) : of_(made, &admpi_pmap_simulation_free) {}

  /// What a device does.
  admpi_pmap_account account(device d) const {
    admpi_pmap_account account;
    detail::check(admpi_pmap_simulation_account(of_.get(), d, &account));
    return account;
  }
  /// When the last device is done, in seconds.
  double makespan() const {
    double seconds = 0.0;
    detail::check(admpi_pmap_simulation_makespan(of_.get(), &seconds));
    return seconds;
  }
  /// Values by environment, and devices, for people to read.
  std::string table() const {
    return detail::text_of(
        [&](std::int64_t room, char *out, std::int64_t *n) { return admpi_pmap_simulation_table(of_.get(), room, out, n); });
  }
  /// What happens when, in Chrome's trace format.
  std::string trace() const {
    return detail::text_of(
        [&](std::int64_t room, char *out, std::int64_t *n) { return admpi_pmap_simulation_trace(of_.get(), room, out, n); });
  }

 private:
  std::shared_ptr<admpi_pmap_simulation> of_;
};

/// A function of matrices on the devices of a map, as a text describes it: to be transformed and simulated.
class pmap_program {
 public:
  explicit pmap_program(const std::string &text)
      : pmap_program([&](admpi_pmap_program **out) { return admpi_pmap_program_new(text.c_str(), out); }) {}

  /// A text that the constructor reads.
  std::string text() const {
    return detail::text_of(
        [&](std::int64_t room, char *out, std::int64_t *n) { return admpi_pmap_program_text(of_.get(), room, out, n); });
  }

  /// How many matrices it takes, and how many it gives.
  std::int64_t inputs() const { return counts().first; }
  std::int64_t values() const { return counts().second; }

  /// The body at `scope`, such as "[d]", on the devices at `keys`, with inputs cut by rows (0) or columns (1) as in "x=0, w=1".
  pmap_program shard(const std::string &scope, const std::string &keys, const std::string &cuts, bool reduce = false) const {
    return pmap_program([&](admpi_pmap_program **out) {
      return admpi_pmap_program_shard(of_.get(), scope.c_str(), keys.c_str(), cuts.c_str(), reduce, out);
    });
  }
  /// Only the part of the body that makes the values at `until`, such as "[z]": what follows stays on the body's device.
  pmap_program shard_until(const std::string &scope, const std::string &keys, const std::string &cuts, const std::string &until,
                           bool reduce = false) const {
    return pmap_program([&](admpi_pmap_program **out) {
      return admpi_pmap_program_shard_until(of_.get(), scope.c_str(), keys.c_str(), cuts.c_str(), until.c_str(), reduce, out);
    });
  }
  /// All of it with these inputs cut by rows.
  pmap_program data_parallel(const std::string &scope, const std::string &keys, const std::vector<std::string> &inputs) const {
    std::string cuts;
    for (const std::string &input : inputs) cuts += (cuts.empty() ? "" : ", ") + input + "=0";
    return shard(scope, keys, cuts);
  }
  /// All of it with the second factors of products cut by columns and rows in turn.
  pmap_program horizontal_parallel(const std::string &scope, const std::string &keys, bool reduce = false) const {
    return pmap_program([&](admpi_pmap_program **out) {
      return admpi_pmap_program_horizontal(of_.get(), scope.c_str(), keys.c_str(), reduce, out);
    });
  }

  /// Runs it without data and without MPI, with extents as in "B=8, F=4".
  pmap_simulation simulate(const std::string &sizes, const device_map &map, const admpi_pmap_topology *topology = nullptr) const {
    admpi_pmap_simulation *found = nullptr;
    detail::check(admpi_pmap_simulate(of_.get(), sizes.c_str(), map.get(), topology, &found));
    return pmap_simulation(found);
  }

  /// The fastest way to run it on some of these devices, of those simulated: a program and its map. Inputs in `inputs` may be cut
  /// by rows.
  std::pair<pmap_program, device_map> plan(const std::string &sizes, const devices &list, const std::vector<std::string> &inputs,
                                           const admpi_pmap_topology *topology = nullptr) const {
    admpi_device_map *map = nullptr;
    const pmap_program program([&](admpi_pmap_program **out) {
      return admpi_pmap_plan(of_.get(), sizes.c_str(), keys_of(inputs).c_str(), list.data(), static_cast<std::int64_t>(list.size()), topology, out,
                             &map);
    });
    return {program, device_map(map)};
  }
  /// Why: a table with a line for each way, with its time or why it fails.
  std::string plan_table(const std::string &sizes, const devices &list, const std::vector<std::string> &inputs,
                         const admpi_pmap_topology *topology = nullptr) const {
    const std::string names = keys_of(inputs);
    return detail::text_of([&](std::int64_t room, char *out, std::int64_t *n) {
      return admpi_pmap_plan_table(of_.get(), sizes.c_str(), names.c_str(), list.data(), static_cast<std::int64_t>(list.size()), topology, room,
                                   out, n);
    });
  }

  /// For the C interface.
  const admpi_pmap_program *get() const noexcept { return of_.get(); }

 private:
  static std::string keys_of(const std::vector<std::string> &names) {
    std::string text = "[";
    for (const std::string &name : names) text += (text.size() == 1 ? "" : ", ") + name;
    return text + "]";
  }

  std::pair<std::int64_t, std::int64_t> counts() const {
    std::pair<std::int64_t, std::int64_t> n;
    detail::check(admpi_pmap_program_count(of_.get(), &n.first, &n.second));
    return n;
  }
  template <class Make, class = decltype(std::declval<Make>()(nullptr))>
  explicit pmap_program(Make make) {
    admpi_pmap_program *program = nullptr;
    detail::check(make(&program));
    of_.reset(program, &admpi_pmap_program_free);
  }

  std::shared_ptr<admpi_pmap_program> of_;
};

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif

// Device maps: text and code, keys, and what is refused.
#include <admpi.hpp>
#include <admpi/pmap.hpp>

#include <doctest/doctest.h>

#include "harness/helpers.hpp"

using admpi::device_map;
using admpi::devices;
using test::code_of;
using test::message;

TEST_CASE("test_device_map_is_text_and_code") {
  const device_map seed("{1:[1,3], 2:[2,4]}");
  CHECK(seed.text() == "{1: [1, 3], 2: [2, 4]}");
  device_map built;
  built.add({1}, {1, 3}).add({2}, {2, 4});
  CHECK(built.text() == seed.text());
  device_map list;
  CHECK(list.add({}, {4, 2}).text() == "[4, 2]");
  const device_map ragged("{0: {1: {5: [6, 8], 7: [7]}, 2: [2, 4]}}");
  CHECK(device_map(ragged.text()).text() == ragged.text());
  devices many;
  for (admpi::device d = 0; d < 300; ++d) many.push_back(d);
  CHECK(device_map().add({}, many).resolve("[]") == many);
}

TEST_CASE("test_device_map_resolves_keys") {
  const device_map seed("{2: [2, 4], 1: [1, 3]}");
  CHECK(seed.resolve("[]") == devices{2, 1});
  CHECK(seed.resolve("[1]") == devices{1, 3});
  CHECK(seed.resolve("[d]", "d=2") == devices{2, 4});
  const device_map rooted("{0: {1: [1, 3], 2: [2, 4]}}");
  CHECK(rooted.resolve("[0]") == devices{1, 2});
  CHECK(rooted.resolve("[0, d]", "d=1, dd=3") == devices{1, 3});
  CHECK(rooted.footprint("[]", 0) == devices{0, 1, 3, 2, 4});
  CHECK(rooted.footprint("[0]", 2) == devices{2, 4});
  CHECK(rooted.footprint("[0, d]", 4, "d=2") == devices{4});
}

TEST_CASE("test_device_map_refuses_what_is_none") {
  CHECK(code_of([] { device_map("{}"); }) == ADMPI_ERR_EMPTY);
  CHECK(message<admpi::empty_error>([] { device_map("{1: [1], 2: []}"); }) == "device map: the node at keys [2] has no devices");
  CHECK(message<admpi::dup_error>([] { device_map("{1: [1, 3, 1]}"); }) == "device map: the node at keys [1] has device 1 twice");
  CHECK(message<admpi::dup_error>([] { device_map("{1: [1], 1: [2]}"); }) == "device map: the node at keys [] has key 1 twice");
  CHECK(message<admpi::baddev_error>([] { device_map("{1: [1, x]}"); }) ==
        "device map: 'x' is not a device: devices are numbers from 0");
  CHECK(code_of([] { device_map("[-3]"); }) == ADMPI_ERR_BADDEV);
  CHECK(message<admpi::overlap_error>([] { device_map("{1:[1,2],2:[2,3]}"); }) ==
        "device map: device 2 is below keys [1] and below keys [2]");
  CHECK(code_of([] { device_map("{1:[1,2],3:[3,4]}"); }) == 0);
  CHECK(code_of([] { device_map("{1: [1, 3"); }) == ADMPI_ERR_ARGUMENT);
  device_map map("{1: [1, 3]}");
  CHECK(code_of([&] { map.add({2}, {3}); }) == ADMPI_ERR_OVERLAP);
  CHECK(code_of([&] { map.add({1}, {4}); }) == ADMPI_ERR_DUP);
  CHECK(code_of([&] { map.add({1, 3}, {4}); }) == ADMPI_ERR_DEPTH);
  CHECK(map.text() == "{1: [1, 3]}");
}

TEST_CASE("test_device_map_refuses_keys_that_lead_nowhere") {
  const device_map map("{1: [1, 3], 2: [2, 4]}");
  CHECK(message<admpi::nokey_error>([&] { map.resolve("[5]"); }) == "keys [5]: 5 is not among the keys [1, 2] at []");
  CHECK(message<admpi::depth_error>([&] { map.resolve("[d, 3]", "d=1"); }) ==
        "keys [d, 3] (d=1): key 3 leads below the node at [1], which is a list of devices");
  CHECK(message<admpi::unbound_error>([&] { map.resolve("[d]"); }) ==
        "keys [d]: no enclosing pmap binds the variable d; bound: none");
  CHECK(code_of([&] { map.footprint("[1]", 2); }) == ADMPI_ERR_NOKEY);
  CHECK(code_of([&] { map.resolve("1"); }) == ADMPI_ERR_ARGUMENT);
  CHECK(code_of([] { device_map().resolve("[]"); }) == ADMPI_ERR_EMPTY);
  // The next call works.
  CHECK(map.resolve("[2]") == devices{2, 4});
}

TEST_CASE("test_device_map_in_c") {
  CHECK(admpi_device_map_new("[1]", nullptr) == ADMPI_ERR_NULL);
  admpi_device_map *map = nullptr;
  REQUIRE(admpi_device_map_new("{1: [1, 3]}", &map) == ADMPI_SUCCESS);
  std::int64_t found[1] = {-1}, n = 0;
  CHECK(admpi_device_map_resolve(map, "[1]", nullptr, 1, found, &n) == ADMPI_SUCCESS);
  CHECK(found[0] == 1);
  CHECK(n == 2);
  CHECK(admpi_device_map_resolve(map, "[1]", nullptr, 0, nullptr, &n) == ADMPI_SUCCESS);
  CHECK(admpi_device_map_resolve(map, nullptr, nullptr, 1, found, &n) == ADMPI_ERR_NULL);
  CHECK(admpi_device_map_resolve(map, "[1]", nullptr, -1, found, &n) == ADMPI_ERR_ARGUMENT);
  char text[4];
  CHECK(admpi_device_map_text(map, 4, text, &n) == ADMPI_SUCCESS);
  CHECK(n == 12);
  CHECK(std::string(text, 4) == "{1: ");
  admpi_device_map_free(map);
  admpi_device_map_free(nullptr);
}

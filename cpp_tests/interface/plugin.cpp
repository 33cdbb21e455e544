// The thread's tape is one variable for the program, the library and every plugin.
#include <admpi.hpp>
#include <doctest/doctest.h>

#include <dlfcn.h>
#include <thread>

TEST_CASE("test_plugin_records_on_the_programs_tape") {
  void *plugin = dlopen(ADMPI_TEST_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  REQUIRE_MESSAGE(plugin != nullptr, dlerror());
  const auto square = reinterpret_cast<void (*)(const admpi_var *, admpi_var *)>(dlsym(plugin, "plugin_square"));
  const auto tape_there = reinterpret_cast<admpi_tape *(*)()>(dlsym(plugin, "plugin_tape"));
  REQUIRE(bool(square));
  REQUIRE(bool(tape_there));

  const auto differentiate = [&](double at) {
    admpi::tape tape;
    CHECK(tape_there() == tape.handle());
    admpi::var x = at, y, z;
    tape.start();
    tape.input(x);
    square(&x, &y);
    z = y * x;
    tape.seed(z);
    tape.reverse();
    CHECK(tape.adjoint(x) == doctest::Approx(3 * at * at));
  };
  differentiate(2.0);
  std::thread(differentiate, -1.5).join();
  CHECK(tape_there() == admpi_tls_tape);
  dlclose(plugin);
}

// admpi: what a job of a map threw, in words. An exception does not leave the thread or the rank of the job.
#ifndef ADMPI_THROWN_HPP
#define ADMPI_THROWN_HPP

#include <cxxabi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <typeinfo>

#include "admpi/error.hpp"
#include "admpi/map.h"

namespace admpi {
inline namespace ADMPI_NAMESPACE {
namespace detail {

/// The type's name in the program's words.
class readable {
 public:
  explicit readable(const std::type_info &type) noexcept
      : name_(abi::__cxa_demangle(type.name(), nullptr, nullptr, nullptr)), type_(type) {}
  readable(const readable &) = delete;
  readable &operator=(const readable &) = delete;
  ~readable() { std::free(name_); }
  const char *name() const noexcept { return name_ != nullptr ? name_ : type_.name(); }

 private:
  char *name_;
  const std::type_info &type_;
};

/// Says why the job fails, without memory of its own: that may be the reason.
inline void fail_job(const char *type, const char *what) noexcept {
  char text[1024];
  std::snprintf(text, sizeof text, "%s%s%s", type, *what != 0 ? ": " : "", what);
  admpi_map_fail(text);
}

/// Of the exception that is being handled: says why the job fails, and returns its status.
inline std::int32_t explain_thrown() noexcept {
  try {
    throw;
  } catch (const error &e) {
    fail_job(exception_name(e.code()), e.what());
    return e.code() != 0 ? e.code() : -1;
  } catch (const std::exception &e) {
    // Not by typeid, which a program compiled with -fno-rtti does not have.
    fail_job(readable(*abi::__cxa_current_exception_type()).name(), e.what());
  } catch (...) {
    const std::type_info *type = abi::__cxa_current_exception_type();
    if (type != nullptr) fail_job(readable(*type).name(), "");
    else admpi_map_fail("an exception of another language");
  }
  return -1;
}

}  // namespace detail
}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif

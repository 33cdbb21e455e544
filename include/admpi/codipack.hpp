// admpi: variables of CoDiPack in the calls of adjoint MPI. Include CoDiPack first: this file does not name its headers. See
// docs/tools.md.
//
//   admpi::codi_type<codi::RealReverse>() is the MPI type of a variable, as AMPI_ADOUBLE is that of admpi::var.
//
// Tapes of Jacobians and of primal values, linear ones and those that use indices again, vectors of adjoints up to 16 wide.
#ifndef ADMPI_CODIPACK_HPP
#define ADMPI_CODIPACK_HPP

#include <cstdint>
#include <stdexcept>
#include <type_traits>

#include "admpi/interface.h"
#include "admpi/error.hpp"

namespace admpi {
inline namespace ADMPI_NAMESPACE {
namespace detail {

/// CoDiPack as a tool: its external functions hold the handles.
template <class Type>
struct codi_tool {
  using tape_type = typename Type::Tape;
  using identifier = typename Type::Identifier;
  using vectors = codi::VectorAccessInterface<typename Type::Real, identifier>;
  static_assert(std::is_same_v<typename Type::Real, double>,
                "admpi/codipack.hpp takes first derivatives: the value of the CoDiPack type must be double");

  static const Type *items(const void *variables) { return static_cast<const Type *>(variables); }
  static vectors &of(void *access) { return *static_cast<vectors *>(access); }
  static identifier id_of(std::int64_t id) { return static_cast<identifier>(id); }

  static void values(const void *variables, std::int64_t n, double *out) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = items(variables)[i].getValue();
  }
  static void ids(const void *variables, std::int64_t n, std::int64_t *out) {
    for (std::int64_t i = 0; i < n; ++i) out[i] = items(variables)[i].getIdentifier();
  }
  /// An index that is used again is given back by the assignment, before the result gets one.
  static void set(void *variables, std::int64_t n, const double *value, std::int64_t *ids, double *before) {
    for (std::int64_t i = 0; i < n; ++i) {
      Type &variable = static_cast<Type *>(variables)[i];
      variable = value[i];
      if (ids == nullptr) continue;
      const double old = Type::getTape().registerExternalFunctionOutput(variable);
      ids[i] = variable.getIdentifier();
      if (before != nullptr) before[i] = old;
    }
  }
  static std::int32_t is_recording() { return Type::getTape().isActive(); }

  static void evaluate(tape_type *, void *handle, vectors *access) {
    check(admpi_tool_evaluate(reinterpret_cast<std::intptr_t>(handle), access));
  }
  /// The tape may outlive the library's records of its thread, which then are gone already.
  static void forget(tape_type *, void *handle) { admpi_tool_delete(reinterpret_cast<std::intptr_t>(handle)); }

  static std::int32_t record(std::int64_t handle) {
    void *data = reinterpret_cast<void *>(static_cast<std::intptr_t>(handle));
    Type::getTape().pushExternalFunction(codi::ExternalFunction<tape_type>::create(evaluate, data, forget));
    return 0;
  }
  static std::int64_t width(void *access) { return static_cast<std::int64_t>(of(access).getVectorSize()); }

  static void take(void *access, std::int64_t n, const std::int64_t *ids, double *out) {
    const std::size_t directions = of(access).getVectorSize();
    for (std::int64_t i = 0; i < n; ++i, out += directions) {
      of(access).getAdjointVec(id_of(ids[i]), out);
      of(access).resetAdjointVec(id_of(ids[i]));
    }
  }
  static void add(void *access, std::int64_t n, const std::int64_t *ids, const double *adjoints) {
    const std::size_t directions = of(access).getVectorSize();
    for (std::int64_t i = 0; i < n; ++i, adjoints += directions)
      if (ids[i] > 0) of(access).updateAdjointVec(id_of(ids[i]), adjoints);
  }
  static void restore(void *access, std::int64_t n, const std::int64_t *ids, const double *value) {
    for (std::int64_t i = 0; i < n; ++i) of(access).setPrimal(id_of(ids[i]), value[i]);
  }

  static const admpi_tool &table() {
    static const admpi_tool it = {sizeof(admpi_tool), "CoDiPack",   sizeof(Type),
                                  is_recording,       values,       ids,
                                  set,                record,       width,
                                  take,               add,          tape_type::RequiresPrimalRestore ? restore : nullptr};
    return it;
  }
};

}  // namespace detail

/// The MPI type of a variable of CoDiPack's. It belongs to the library. Call it after AMPI_Init or admpi_init.
template <class Type>
MPI_Datatype codi_type() {
  const admpi_tool &table = detail::codi_tool<Type>::table();
  detail::check(admpi_tool_register(&table));
  const MPI_Datatype type = admpi_tool_datatype(&table);
  if (type == MPI_DATATYPE_NULL) throw std::runtime_error(admpi_last_error());
  return type;
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif

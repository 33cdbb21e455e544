// admpi: users' operations on matrices, each one event.
#ifndef ADMPI_OPERATIONS_HPP
#define ADMPI_OPERATIONS_HPP

#include <utility>
#include <vector>

#include "admpi/argument.hpp"
#include "admpi/operations.h"

namespace admpi {
inline namespace ADMPI_NAMESPACE {

/// The argument of the functions of an operation. All arrays are column-major.
class operation_call {
 public:
  explicit operation_call(const admpi_operation_call &call) noexcept : call_(call) {}

  const admpi_operation_operand &operand(std::int64_t k) const noexcept { return call_.operand[k]; }
  const admpi_operation_result &result(std::int64_t k) const noexcept { return call_.result[k]; }
  std::int64_t operands() const noexcept { return call_.n_operands; }
  std::int64_t results() const noexcept { return call_.n_results; }

 private:
  const admpi_operation_call &call_;
};

/// Rows and columns of a result.
using extent = std::pair<std::int64_t, std::int64_t>;

namespace detail {

inline std::vector<admpi_operand> operands_of(const std::vector<argument> &arguments) {
  std::vector<admpi_operand> all;
  for (const argument &each : arguments) all.push_back(each.operand());
  return all;
}

template <class Operation>
struct operation_functions {
  static Operation &of(const admpi_operation_call *call) { return *static_cast<Operation *>(call->data); }
  static std::int32_t forward(const admpi_operation_call *call) {
    return guarded([&] { of(call).forward(operation_call(*call)); });
  }
  static std::int32_t reverse(const admpi_operation_call *call) {
    return guarded([&] { of(call).reverse(operation_call(*call)); });
  }
  static constexpr admpi_operation table{sizeof(admpi_operation), &forward, &reverse, &destroy<Operation>};
};

}  // namespace detail

/// Applies a user's operation, an object with two functions:
///   void forward(const operation_call &)  sets the values of the results
///   void reverse(const operation_call &)  sets, for each operand whose adjoint is not NULL, what is added to its adjoints,
///                                         from the adjoints of the results; called once for each direction of a sweep
/// Both may throw: the exception leaves this call, or tape.reverse(). The object lives as long as the operation is
/// on the tape. reverse may record and sweep a nest on the tape being swept.
template <class Operation>
std::vector<varmat> apply_operation(Operation operation, const std::vector<argument> &operands,
                                    const std::vector<extent> &results) {
  const std::vector<admpi_operand> operand = detail::operands_of(operands);
  std::vector<std::int64_t> shape;
  for (const auto &[rows, cols] : results) shape.insert(shape.end(), {rows, cols});
  std::vector<admpi_varmat *> made(results.size());
  std::vector<varmat> out;
  out.reserve(results.size());
  detail::forget_thrown();
  Operation *held = new Operation(std::move(operation));
  detail::check_sweep(admpi_operation_apply(&detail::operation_functions<Operation>::table, held, operand.data(),
                                            static_cast<std::int64_t>(operand.size()), shape.data(),
                                            static_cast<std::int64_t>(results.size()), made.data()));
  for (admpi_varmat *each : made) out.emplace_back(each);
  return out;
}

}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#endif

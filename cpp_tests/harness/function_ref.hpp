// Generic functions behind types that are not templates: what a test does with many of them is then compiled once.
#ifndef ADMPI_TESTS_FUNCTION_REF_HPP
#define ADMPI_TESTS_FUNCTION_REF_HPP

#include <type_traits>

namespace test {

template <class Signature>
class function_ref;

/// Refers to something that can be called with A..., which must live as long.
template <class R, class... A>
class function_ref<R(A...)> {
 public:
  template <class F, std::enable_if_t<!std::is_base_of_v<function_ref, F>, int> = 0>
  function_ref(const F &f)
      : function_(&f), call_([](const void *function, A... a) -> R { return (*static_cast<const F *>(function))(a...); }) {}

  R operator()(A... a) const { return call_(function_, a...); }

 private:
  const void *function_;
  R (*call_)(const void *, A...);
};

/// Refers to a generic function, which can be called with the arguments of each signature.
template <class... Signatures>
class function_refs : public function_ref<Signatures>... {
 public:
  template <class F, std::enable_if_t<!std::is_base_of_v<function_refs, F>, int> = 0>
  function_refs(const F &f) : function_ref<Signatures>(f)... {}

  using function_ref<Signatures>::operator()...;
};

}  // namespace test

#endif

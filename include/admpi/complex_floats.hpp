// Complex numbers of active floats. Included by admpi/complex.hpp and admpi/float.hpp, whichever comes last.
#if defined(ADMPI_COMPLEX_HPP) && defined(ADMPI_FLOAT_HPP) && !defined(ADMPI_COMPLEX_FLOATS_HPP)
#define ADMPI_COMPLEX_FLOATS_HPP

namespace std {

template <>
class complex<admpi::float_var> : public admpi::detail::complex_number<admpi::float_var> {
 public:
  using admpi::detail::complex_number<admpi::float_var>::complex_number;
};

}  // namespace std

namespace admpi {
inline namespace ADMPI_NAMESPACE {
namespace detail {

template <>
inline constexpr std::size_t actives_in<std::complex<float_var>> = 2;

}  // namespace detail
}  // namespace ADMPI_NAMESPACE
}  // namespace admpi

#ifdef __GLIBCXX__
namespace std {

/// The general one returns an expression or a complex number.
template <>
inline complex<admpi::float_var> pow(const complex<admpi::float_var> &z, const admpi::float_var &w) {
  return admpi::detail::real_power(z, w);
}

}  // namespace std
#endif

#endif

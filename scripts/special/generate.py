#!/usr/bin/env python3
"""Writes cpp_tests/special_values.hpp: values and derivatives of the special functions, rounded from 60 digits.

Needs mpmath: python3 scripts/special/generate.py > cpp_tests/special_values.hpp"""

import mpmath as mp

mp.mp.dps = 60


def polygamma(order, x):
    return mp.polygamma(int(order), x)


def log_beta(a, b):
    return mp.loggamma(a) + mp.loggamma(b) - mp.loggamma(a + b)


UNARY = {
    "lgamma": (
        lambda x: mp.log(abs(mp.gamma(x))),
        [1e-300, 1e-10, 0.1, 0.3, 0.49999, 0.5, 0.7, 0.999, 1.0, 1.0000001, 1.3, 1.4616, 1.49, 1.5, 1.9, 2.0, 2.00001,
         2.3, 2.5, 3.0, 4.7, 6.999, 7.99, 8.0, 9.5, 20.0, 100.25, 1e5, 1e10, 1e100, 2.5e305,
         -1e-12, -0.25, -0.5, -0.999, -1.5, -2.2, -2.5, -3.7, -7.1, -20.5, -100.3, -1000.75, -123456.5],
    ),
    "tgamma": (
        mp.gamma,
        [1e-300, 1e-10, 0.1, 0.3, 0.5, 0.7, 0.999, 1.0, 1.3, 1.5, 2.0, 2.3, 2.5, 3.0, 5.0, 7.99, 8.0, 12.3, 19.0, 19.9,
         20.0, 23.4, 50.1, 100.0, 143.7, 170.5, 171.6,
         -1e-12, -0.25, -0.5, -1.5, -2.2, -3.7, -7.1, -19.5, -20.5, -50.3, -100.3, -150.5, -170.25],
    ),
    "digamma": (
        mp.digamma,
        [1e-300, 1e-10, 0.1, 0.5, 0.7, 1.0, 1.3, 1.48, 1.5, 1.9, 2.0, 2.4, 2.5, 3.3, 5.0, 7.5, 7.99, 8.0, 9.1, 40.0, 1e3,
         1e10, 1e100, -1e-12, -0.25, -0.5, -0.75, -1.5, -2.2, -7.1, -20.5, -100.3, -123456.75],
    ),
    "trigamma": (
        lambda x: mp.polygamma(1, x),
        [1e-100, 1e-10, 0.1, 0.5, 0.7, 1.0, 1.5, 2.0, 3.3, 7.5, 8.0, 11.5, 12.0, 13.7, 40.0, 1e3, 1e10, 1e100,
         -1e-6, -0.25, -0.5, -0.75, -1.5, -2.2, -7.1, -20.5, -100.3, -123456.75],
    ),
    "inv_logit": (
        lambda x: 1 / (1 + mp.exp(-x)),
        [-700.0, -40.0, -5.5, -1.0, -1e-5, 0.0, 1e-9, 0.3, 1.0, 5.5, 30.0, 40.0, 700.0],
    ),
    "logit": (
        lambda x: mp.log(x / (1 - x)),
        [1e-300, 1e-10, 0.1, 0.2499, 0.25, 0.3, 0.49999999, 0.5, 0.5000001, 0.6, 0.75, 0.7501, 0.9, 0.999999],
    ),
    "log1p_exp": (
        lambda x: mp.log1p(mp.exp(x)),
        [-700.0, -40.0, -5.5, -1.0, -1e-5, 0.0, 1e-9, 0.3, 1.0, 5.5, 30.0, 40.0, 700.0, 1e300],
    ),
    "Phi": (
        mp.ncdf,
        [-37.0, -20.3, -10.0, -5.1, -3.0, -1.0, -0.3, -1e-9, 0.0, 1e-9, 0.5, 1.0, 2.7, 5.0, 8.0],
    ),
}

BINARY = {
    "log_sum_exp": (
        lambda a, b: mp.log(mp.exp(a) + mp.exp(b)),
        [(0.0, 0.0), (1.0, 2.0), (-3.5, 0.25), (700.0, 710.0), (-1000.0, -1001.5), (3.0, -50.0), (1e-9, 2e-9), (5.0, 5.0)],
    ),
    "log_diff_exp": (
        lambda a, b: mp.log(mp.exp(a) - mp.exp(b)),
        [(2.0, 1.0), (0.25, -3.5), (710.0, 700.0), (-1000.0, -1001.5), (3.0, -50.0), (2e-9, 1e-9), (5.0, 4.999999),
         (1.0, 0.4), (1.0, 0.2)],
    ),
    "multiply_log": (
        lambda a, b: a * mp.log(b),
        [(2.0, 3.0), (-1.5, 0.25), (0.0, 2.0), (3.0, 1.0), (1e10, 1e-10), (0.5, 1e300)],
    ),
    "lbeta": (
        log_beta,
        [(1.0, 1.0), (0.5, 0.5), (2.0, 3.0), (0.1, 7.5), (7.9, 7.95), (8.0, 8.0), (3.0, 8.5), (20.5, 0.25), (15.0, 40.0),
         (1000.0, 1000.0), (1e5, 3.0), (2.0, 1e10), (1e-8, 30.0), (1e-5, 1e-5), (1e4, 9.0), (300.0, 1e8)],
    ),
    "beta": (
        lambda a, b: mp.exp(log_beta(a, b)),
        [(1.0, 1.0), (0.5, 0.5), (2.0, 3.0), (0.1, 7.5), (7.9, 7.95), (8.0, 8.0), (3.0, 8.5), (20.5, 0.25), (15.0, 40.0),
         (1e-5, 1e-5), (1e3, 3.0), (1e-8, 30.0)],
    ),
    "polygamma": (
        polygamma,
        [(n, x) for n in (0.0, 1.0, 2.0, 3.0, 4.0, 9.0) for x in (1e-3, 0.3, 1.0, 2.5, 7.9, 14.5, 300.0, -0.3, -1.25, -6.5)]
        + [(30.0, 0.5), (30.0, 5.5), (30.0, 200.0), (60.0, 3.0), (100.0, 0.05), (100.0, 1.5), (100.0, 500.0)],
    ),
}


def number(x):
    x = float(x)
    return {float("inf"): "infinite", -float("inf"): "-infinite"}.get(x, repr(x))


def derivative(f, at, orders):
    if not any(orders):
        return f(*at)
    # A step that is small for the point, whatever its magnitude; the digits to spare pay for it.
    with mp.workdps(200):
        return mp.diff(f, tuple(mp.mpf(x) for x in at), tuple(orders), h=mp.mpf(10) ** -60 * min(abs(x) or 1 for x in at))


def of_polygamma(at, orders):
    order, x = at
    return mp.mpf(0) if orders[0] else polygamma(order + orders[1], x)


def rows(name, f, points, orders):
    for at in points:
        at = at if isinstance(at, tuple) else (at,)
        at = tuple(mp.mpf(x) for x in at)
        if name == "polygamma":
            values = [of_polygamma(at, o) for o in orders]
        else:
            values = [derivative(f, at, o) for o in orders]
        yield "    {" + ", ".join(number(x) for x in list(at) + values) + "},"


def main():
    print("// Written by scripts/special/generate.py: values and derivatives of special functions.")
    print("#ifndef ADMPI_TESTS_SPECIAL_VALUES_HPP")
    print("#define ADMPI_TESTS_SPECIAL_VALUES_HPP")
    print()
    print("inline constexpr double infinite = __builtin_huge_val();\n")
    print("/// x, f, f', f''.")
    print("struct unary_row {\n  double x, value, first, second;\n};")
    print("/// a, b, f, its derivatives by a, b, and by aa, ab, bb.")
    print("struct binary_row {\n  double a, b, value, a1, b1, aa, ab, bb;\n};")
    for name, (f, points) in UNARY.items():
        print(f"\ninline const unary_row {name}_rows[] = {{")
        print("\n".join(rows(name, f, points, [(0,), (1,), (2,)])))
        print("};")
    for name, (f, points) in BINARY.items():
        print(f"\ninline const binary_row {name}_rows[] = {{")
        print("\n".join(rows(name, f, points, [(0, 0), (1, 0), (0, 1), (2, 0), (1, 1), (0, 2)])))
        print("};")
    print("\n#endif")


if __name__ == "__main__":
    main()

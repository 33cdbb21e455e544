"""cpp_tests/scalars/function_lists.h: what the tests of scalar functions run through."""

import re

from functions import DIFFERENTIATED, of
from emit.functions import NOTE
from emit.text import WIDTH, comment, wrap


def in_cpp(expression):
    """An expression of the table, which says sqrt(x) and |x|."""
    expression = re.sub(r"\|(\w+)\|", r"fabs(\1)", expression)
    return re.sub(r"\b(?!real\b)([a-z]\w*)\(", r"std::\1(", expression)


def number(text):
    """A number of a row `at`."""
    special = {"inf": "infinite", "-inf": "-infinite", "nan": "nan_value"}
    return special.get(text) or (text if re.search(r"[.e]", text) else text + ".0")


def braced(points):
    return "{" + ", ".join(re.sub(r"^\((.*)\)$", r"{\1}", point) for point in points) + "}"


def in_c(kinds, arity):
    letters = "v" * arity
    return [one for one in of(*kinds, arity=arity) if letters in (form for _, form in one.c_forms())]


def shifted(arity):
    return [(one.name, one.get("test shift", "0.0")) for one in in_c(DIFFERENTIATED, arity)]


def operators(function):
    """Those in C on two active values, and with a double on either side."""
    names = {form: name for name, form in function.c_forms()}
    return [names.get(form, "nullptr") for form in ("vv", "vd", "dv")]


def derivatives(function):
    return [in_cpp(function.get(f"test d/d{one}")) for one in function.arguments]


def of_one():
    return [("admpi" if one.kind == "formula" else "std", one.name, *derivatives(one), braced(one.points()))
            for one in of("std", "formula", arity=1)]


def of_two():
    return [(one.name, *operators(one), *derivatives(one), braced(one.points())) for one in of("std", arity=2)]


def special():
    """Those whose values are not the C library's."""
    return of("special", "inline")


def has_rows(arity):
    return [one for one in special() if one.arity == arity and one.get("test digits")]


def values():
    for one in special():
        for at, value, _ in one.edges():
            yield one.name, number(value), *map(number, at)
        inside = re.findall(r"[^(), ]+", (one.points() or ["(1.0, 2.0)"])[0])
        for place in range(one.arity):
            yield one.name, "nan_value", *["nan_value" if k == place else inside[k] for k in range(one.arity)]


def slopes(arity):
    return [(one.name, *map(number, partials), *map(number, at))
            for one in special() if one.arity == arity for at, _, partials in one.edges() if partials]


def formulas():
    return [(one.name, in_cpp(one.get("test value", f"{one.name}(x)")), *derivatives(one), one.get("test within"),
             in_cpp(one.get("test domain") or one.get("domain", "true")))
            for one in of("std", "special", "inline", arity=1, words={"vectorised"})]


LISTS = [
    ("The functions of C, of one and of two variables, with what brings numbers from 0.1 to 0.9 into their domain.",
     "OF_ONE", lambda: shifted(1)),
    ("", "OF_TWO", lambda: shifted(2)),
    ("Functions of one variable whose values std has, or admpi as formulas: derivative and points.", "STD_UNARY", of_one),
    ("Of two: operators in C, derivatives and points.", "STD_BINARY", of_two),
    ("Special functions; of two variables with their operators in C. special_values.hpp has the points.", "SPECIAL_UNARY",
     lambda: [(one.name,) for one in has_rows(1)]),
    ("", "SPECIAL_BINARY", lambda: [(one.name, *operators(one)) for one in has_rows(2)]),
    ("At the ends of their domains: name, value, arguments.", "SPECIAL_VALUES", values),
    ("Derivatives, arguments.", "SPECIAL_SLOPES", lambda: slopes(1)),
    ("", "SPECIAL_SLOPES_OF_TWO", lambda: slopes(2)),
    ("Functions of many numbers at once: value, derivative, units in the last place that both may be off by, and where results "
     "have all their bits.", "FORMULAS", formulas),
]


def macro(name, rows):
    lines = [f"#define TEST_{name}(F)"]
    for row in rows:
        lines += wrap(f"F({', '.join(row)})", "  ").split("\n")
    return "".join(f"{line.ljust(WIDTH)} \\\n" for line in lines[:-1]) + lines[-1] + "\n"


def header():
    lists = "".join(("\n" + comment(text) if text else "") + macro(name, make()) for text, name, make in LISTS)
    return f"""/* {NOTE}.
 *
 * What the tests of scalar functions run through, in C and C++. */
#ifndef ADMPI_TESTS_FUNCTION_LISTS_H
#define ADMPI_TESTS_FUNCTION_LISTS_H
{lists}
#endif
"""


OUTPUTS = {"cpp_tests/scalars/function_lists.h": header}

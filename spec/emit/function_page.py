"""docs/functions.md: the scalar functions, and what their derivatives are where there is none."""

from functions import FUNCTIONS
from emit.functions import NOTE


def code(texts):
    return ", ".join(f"`{one}`" for one in texts)


def many(function):
    if not function.is_vectorised:
        return ""
    return f"within {1 if float(function.get('test within').split(',')[0]) <= 1 else 3}"


def row(function):
    call = f"{function.name}({', '.join(function.arguments)})"
    doc = "" if function.doc == function.name else function.doc
    doc, domain = (text.replace("|", r"\|") for text in (doc, function.get("domain", "")))
    return f"| `{call}` | {doc} | {domain} | {code(name for name, _ in function.c_forms())} | {many(function)} |\n"


def sections():
    text, last = "", None
    for one in FUNCTIONS:
        if one.name == "div":  # an operator of its own
            continue
        if one.section != last:
            text += f"\n## {one.section}\n\n| function | | domain | in C | many at once |\n|---|---|---|---|---|\n"
            last = one.section
        text += row(one)
    return text


def page():
    singular = "".join(f"| `{one.name}({', '.join(one.arguments)})` | {text} |\n"
                       for one in FUNCTIONS for text in one.get("singular", []))
    return f"""# Scalar functions

<!-- {NOTE} -->

In C++ these functions take `double`, `admpi::var`, tangents of both, matrices, and expressions of all these; either of two operands may
be a plain number. They have derivatives of every order. Those of `<cmath>` are found under `std::` too.

C has operators on `admpi_var`. Of two operands one may be a double: `admpi_pow_d(a, 2.0)`, `admpi_d_pow(2.0, b)`. Where operands may
change places there is no form with the double first. `admpi_array_pow` and so on of [kernels.h](../include/admpi/kernels.h) are the functions
of parts of matrices. `admpi_value_lgamma` and so on are functions of doubles that `<math.h>` lacks.

Some are computed many at once by vector instructions: `admpi_values_exp` and so on of [special.h](../include/admpi/special.h) give values
and derivatives of arrays of doubles. The last column has the units in the last place that a value may be off by. Array expressions use them.
{sections()}
## Where there is no derivative

Where there is a subgradient, the derivative is the one of least norm. Where it is infinite, it is infinite: a zero there would be a wrong
gradient that nobody notices. Outside of its domain a function is NaN, and its derivative what the formula gives.

| function | derivative |
|---|---|
{singular}"""


OUTPUTS = {"docs/functions.md": page}

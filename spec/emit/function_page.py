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
    return f"""<!-- {NOTE} -->

# Scalar functions

**C++.** These functions accept `double`, `admpi::var`, tangents of both, matrices, and expressions of all these; either of two operands may
be a plain number. They have derivatives of every order. The functions of `<cmath>` also work under `std::`.

**C.** The functions take `admpi_var`. One of two operands may be a double: `admpi_pow_d(a, 2.0)`, `admpi_d_pow(2.0, b)`. If the order of operands
does not matter, there is no form with the double first. For parts of matrices see `admpi_array_pow` and so on in
[kernels.h](../include/admpi/kernels.h). `admpi_value_lgamma` and so on are functions of doubles that `<math.h>` lacks.

**Many at once.** Vector instructions compute some functions for many numbers at once: `admpi_values_exp` and so on in
[special.h](../include/admpi/special.h) return values and derivatives for arrays of doubles. The last column gives their accuracy in units in the last
place. Array expressions use them.
{sections()}
## Where there is no derivative

If a function has subgradients, the derivative is the one of least norm. An infinite derivative is returned as infinite, because a zero would be
a wrong gradient that nobody notices. Outside its domain a function is NaN, and its derivative is what the formula gives.

| function | derivative |
|---|---|
{singular}"""


OUTPUTS = {"docs/functions.md": page}

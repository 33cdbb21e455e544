"""The Fortran module admpi_tangents.

Tangents of numbers (kind t) have their values from Fortran or C, and their derivatives from the formulas of spec/functions.txt.
Tangents of active values (kind w) record a statement for the value and one for the derivative, whose partial derivatives are the
same formulas on tangents of numbers."""

from functions import BY_NAME, DIFFERENTIATED, of
from emit.fortran_formulas import c_name, called, in_fortran, partial
from emit.fortran_matrix_tangents import slopes
from emit.fortran_writer import ERFC_SCALED, OPERATORS, TYPES, Writer, filled, folding, fortran_name, masks, number, shape
from model import HERE

FRAME = HERE / "emit/admpi_tangents.F90.in"
FUNCTIONS = of(*DIFFERENTIATED)
# The derivative of a op b, by the operands that have one: a and b are values, da and db derivatives, y the result.
DERIVATIVES = {
    "add": {"tt": "{da} + {db}", "td": "{da}", "dt": "{db}"},
    "sub": {"tt": "{da} - {db}", "td": "{da}", "dt": "-{db}"},
    "mul": {"tt": "{da}*{b} + {a}*{db}", "td": "{da}*{b}", "dt": "{a}*{db}"},
    "div": {"tt": "({da} - y%value*{db})/{b}", "td": "{da}/{b}", "dt": "-(y%value*{db})/{b}"},
}
# The derivatives of sums by their second operand.
SIGNS = {"add": "1._dp", "sub": "-1._dp"}


def real(kind, dummy):
    """The number of an operand."""
    return f"real({dummy}, dp)" if kind in "sil" else number(kind, dummy)


def value(function, arguments):
    """Of real numbers."""
    if function.get("value"):
        return in_fortran(function.get("value"), dict(zip(function.arguments, arguments)))
    return f"{called(function.name, 'd')}({', '.join(arguments)})"


class Tangents(Writer):
    """Of numbers, and what both kinds share."""

    kind = "t"

    def __init__(self, passive):
        super().__init__(self.kind, passive, self.kind)
        self.of = f"tangent_{'var_' if self.kind == 'w' else ''}"
        for part in (self.constants, self.operators, self.powers, self.comparisons, self.functions, self.fused_multiply_add,
                     self.signs, self.conversions, self.choices, self.folds, self.products):
            part()

    def constants(self):
        for kind in [self.kind, *self.passive]:
            self.procedure(f"{self.of}{kind}", kind, self.result, ["y = a"])
        for kind in "sil":
            self.procedures.append(f"""\
  elemental subroutine assign_{self.kind}{kind}(y, x)
    {self.result}, intent(inout) :: y
    {TYPES[kind]}, intent(in) :: x
    y = real(x, dp)
  end subroutine
""")

    def operators(self):
        for stem in DERIVATIVES:
            for kinds in self.pairs(self.passive):
                self.add(f"operator({OPERATORS[stem]})", self.operator(stem, kinds))
        self.add("operator(-)", self.negative())
        self.add("operator(+)", self.procedure(f"plus_{self.kind}", self.kind, self.result, ["y = a"]))

    def negative(self):
        return self.procedure("neg_t", "t", self.result, ["y%value = -a%value", "y%derivative = -a%derivative"])

    def operator(self, stem, kinds):
        a, b = (real(kind, dummy) for kind, dummy in zip(kinds, "ab"))
        form = "".join(kind if kind == "t" else "d" for kind in kinds)
        derivative = DERIVATIVES[stem][form].format(a=a, b=b, da="a%derivative", db="b%derivative")
        return self.procedure(f"{stem}_{kinds}", kinds, self.result, [
            f"y%value = {a} {OPERATORS[stem]} {b}", f"y%derivative = {derivative}"])

    def powers(self):
        for kinds in self.pairs(self.passive):
            self.add("operator(**)", self.integer_power(kinds) if kinds[1] == "i" else self.binary(BY_NAME["pow"], kinds))

    def integer_power(self, kinds):
        return self.procedure(f"pow_{kinds}", kinds, self.result, [
            "y%value = a%value**b", "y%derivative = along(partial_power_d(a%value, b), a%derivative)"])

    def functions(self):
        for one in FUNCTIONS:
            if one.arity == 1:
                self.add(fortran_name(one.name), self.unary(one.name, value(one, ["a%value"])))
            elif "passive_first" in one.words:
                for kinds in ("d" + self.kind, "i" + self.kind):
                    self.add(fortran_name(one.name), self.binary(one, kinds))
            elif one.name != "pow":
                for kinds in self.pairs(self.passive.strip("sil")):
                    self.add(fortran_name(one.name), self.binary(one, kinds))
        # C has no such functions.
        self.add("erfc_scaled", self.unary("erfc_scaled", "erfc_scaled(a%value)"))
        for kinds in self.pairs(self.passive.strip("sil")):
            self.add("modulo", self.binary(BY_NAME["fmod"], kinds, "modulo"))

    def unary(self, name, formula):
        return self.procedure(f"{name}_t", "t", self.result, [
            f"y%value = {formula}", f"y%derivative = along(partial_{name}_d(a%value, y%value), a%derivative)"])

    def binary(self, one, kinds, name=None):
        numbers = [real(kind, dummy) for kind, dummy in zip(kinds, "ab")]
        terms = " + ".join(f"along(partial_{at}_{one.name}_d({', '.join(numbers)}, y%value), {dummy}%derivative)"
                           for at, (kind, dummy) in enumerate(zip(kinds, "ab"), 1) if kind == "t")
        formula = f"{name}({', '.join(numbers)})" if name else value(one, numbers)
        return self.procedure(f"{name or one.name}_{kinds}", kinds, self.result, [
            f"y%value = {formula}", f"y%derivative = {terms}".replace(" + ", " + &\n      ")])

    def fused_multiply_add(self):
        """a*b + c, rounded once."""
        for kinds in self.tuples(3, "d"):
            self.add("admpi_fma", self.fma(kinds, *(number(kind, dummy) for kind, dummy in zip(kinds, "abc"))))

    def fma(self, kinds, a, b, c):
        terms = [f"a%derivative*{b}", f"{a}*b%derivative", "c%derivative"]
        derivative = " + ".join(term for kind, term in zip(kinds, terms) if kind == "t")
        return self.procedure(f"fma_{kinds}", kinds, self.result, [f"y%value = c_fma({a}, {b}, {c})", f"y%derivative = {derivative}"])

    def signs(self):
        """The sign of the second counts as constant."""
        for kinds in self.pairs("d"):
            a, b = (number(kind, dummy) for kind, dummy in zip(kinds, "ab"))
            if kinds[0] == "d":
                self.add("sign", self.procedure(f"sign_{kinds}", kinds, TYPES["d"], [f"y = sign(a, {b})"]))
            else:
                self.add("sign", self.procedure(f"sign_{kinds}", kinds, self.result, [
                    "y = a", f"if (sign({a}, {b}) /= {a}) y = -a", f"if ({a} == 0) y = sign({a}, {b})"]))

    def products(self):
        """dot_product and matmul."""
        for kinds in self.pairs(self.passive.strip("sil")):
            self.add("dot_product", f"dot_product_{kinds}")
            self.array_function(f"dot_product_{kinds}", kinds, (1, 1), "", self.product("dot_product", kinds))
            for a, b, sizes in ((2, 2, "(size(a, 1), size(b, 2))"), (2, 1, "(size(a, 1))"), (1, 2, "(size(b, 2))")):
                name = f"matmul_{kinds}_{a}{b}"
                self.add("matmul", name)
                self.array_function(name, kinds, (a, b), sizes, self.product("matmul", kinds, (a, b)))

    def array_function(self, name, kinds, ranks, sizes, body):
        self.procedures.append(f"""\
  pure function {name}(a, b) result(y)
    {TYPES[kinds[0]]}, intent(in) :: a{shape(ranks[0])}
    {TYPES[kinds[1]]}, intent(in) :: b{shape(ranks[1])}
    {self.result} :: y{sizes}
{"".join(f"    {line}{chr(10)}" for line in body)}  end function
""")

    def product(self, name, kinds, ranks=None):
        a, b = (number(kind, dummy) for kind, dummy in zip(kinds, "ab"))
        terms = [f"{name}({first}, {second})" for kind, first, second in
                 zip(kinds, ("a%derivative", a), (b, "b%derivative")) if kind == "t"]
        return [f"y%value = {name}({a}, {b})", f"y%derivative = {' + '.join(terms)}"]


class ActiveTangents(Tangents):
    """Of active values. Operands without a derivative become tangents."""

    kind = "w"

    def converted(self, name, kinds):
        arguments = ", ".join(dummy if kind == "w" else f"admpi_tangent_var({dummy})" for kind, dummy in zip(kinds, "abc"))
        return self.procedure(f"{name}_{kinds}", kinds, self.result, [f"y = {name}_{'w'*len(kinds)}({arguments})"])

    def recorded(self, name, operation, partials):
        """Of two tangents: u and v are their numbers, z is the result's."""
        return self.procedure(f"{name}_ww", "ww", self.result, [
            "u = primal(a)", "v = primal(b)", f"z = {operation}", f"call recorded_2(y, z, a, {partials[0]}, b, {partials[1]})"],
            "    type(admpi_tangent) :: u, v, z\n")

    def negative(self):
        return self.procedure("neg_w", "w", self.result, ["call linear_1(y, -primal(a), a, -1._dp)"])

    def operator(self, stem, kinds):
        if kinds == "ww" and stem in SIGNS:
            return self.procedure(f"{stem}_ww", kinds, self.result, [
                f"call linear_2(y, primal(a) {OPERATORS[stem]} primal(b), a, 1._dp, b, {SIGNS[stem]})"])
        if kinds == "ww":
            partials = ["v", "u"] if stem == "mul" else [f"partial_{at}_{stem}_t(u, v, z)" for at in (1, 2)]
            return self.recorded(stem, f"u {OPERATORS[stem]} v", partials)
        active = kinds.index("w")
        if "v" in kinds or (stem, active) == ("div", 1):
            return self.converted(stem, kinds)
        numbers = [f"primal({dummy})" if kind == "w" else real(kind, dummy) for kind, dummy in zip(kinds, "ab")]
        slope = ("1._dp", SIGNS[stem])[active] if stem in SIGNS else numbers[1 - active] if stem == "mul" else f"1/{numbers[1]}"
        return self.procedure(f"{stem}_{kinds}", kinds, self.result, [
            f"call linear_1(y, {numbers[0]} {OPERATORS[stem]} {numbers[1]}, {'ab'[active]}, {slope})"])

    def integer_power(self, kinds):
        if kinds[0] != "w":
            return self.converted("pow", kinds)
        return self.procedure("pow_wi", "wi", self.result, [
            "u = primal(a)", "call recorded_1(y, u**b, a, partial_power_t(u, b))"], "    type(admpi_tangent) :: u\n")

    def unary(self, name, formula):
        return self.procedure(f"{name}_w", "w", self.result, [
            "u = primal(a)", f"z = {name}_t(u)", f"call recorded_1(y, z, a, partial_{name}_t(u, z))"],
            "    type(admpi_tangent) :: u, z\n")

    def binary(self, one, kinds, name=None):
        name = name or one.name
        if "passive_first" in one.words:
            a = real(kinds[0], "a")
            return self.procedure(f"{name}_{kinds}", kinds, self.result, [
                "u = primal(b)", f"z = {name}_dt({a}, u)", f"call recorded_1(y, z, b, partial_2_{name}_t({a}, u, z))"],
                "    type(admpi_tangent) :: u, z\n")
        if kinds != "ww":
            return self.converted(name, kinds)
        return self.recorded(name, f"{name}_tt(u, v)", [f"partial_{at}_{one.name}_t(u, v, z)" for at in (1, 2)])

    def fma(self, kinds, a, b, c):
        if kinds != "www":
            return self.converted("fma", kinds)
        return self.procedure("fma_www", kinds, self.result, [
            "y = a*b + c", f"call c_record(y%value, c_fma({a}, {b}, {c}), [a%value, b%value, c%value], &",
            f"  [{b}, {a}, 1._dp], 3_c_int64_t)"])

    def product(self, name, kinds, ranks=None):
        if kinds != "ww":
            a, b = (dummy if kind == "w" else f"admpi_tangent_var({dummy})" for kind, dummy in zip(kinds, "ab"))
            rank = f"_{ranks[0]}{ranks[1]}" if ranks else ""
            return [f"y = {name}_ww{rank}({a}, {b})"]
        if name == "dot_product":
            return ["call c_dot(y%value, a%value, 1_c_int64_t, b%value, 1_c_int64_t, size(a, kind=c_int64_t))",
                    "call c_record(y%derivative, dot_product(a%derivative%value, b%value%value) + &",
                    "  dot_product(a%value%value, b%derivative%value), [a%value, b%value, a%derivative, b%derivative], &",
                    "  [b%derivative%value, a%derivative%value, b%value%value, a%value%value], 4*size(a, kind=c_int64_t))"]
        i, j = ("i, " if ranks[0] == 2 else "", ", j" if ranks[1] == 2 else "")
        y = ", ".join(index for index, rank in zip("ij", ranks) if rank == 2)
        line = f"y({y}) = dot_product_ww(a({i}:), b(:{j}))"
        loops = [f"do {index} = 1, size(y{f', {at}' if ranks == (2, 2) else ''})"
                 for at, (index, rank) in enumerate(zip("ij", ranks), 1) if rank == 2][::-1]
        declared = "integer :: " + y
        return [declared, *loops, "  " + line, *["end do" for _ in loops]]


def formulas():
    """Partial derivatives of numbers and of tangents."""
    text = []
    for one in [*FUNCTIONS, BY_NAME["div"]]:
        for at, derivative in enumerate(one.derivatives, 1):
            name = f"partial_{one.name}" if one.arity == 1 else f"partial_{at}_{one.name}"
            for kind in "dt":
                kinds = "d" + kind if "passive_first" in one.words else kind*one.arity
                text.append(partial(f"{name}_{kind}", one.arguments, derivative.lines, kinds))
    text += [partial(f"partial_erfc_scaled_{kind}", ["x"], [f"return {ERFC_SCALED};"], kind) for kind in "dt"]
    return "".join(text)


def c_functions():
    text = []
    for one in FUNCTIONS:
        if one.get("value") or not called(one.name, "d").startswith("c_"):
            continue
        arguments = ", ".join(one.arguments)
        text.append(f"    pure real(c_double) function c_{one.name}({arguments}) bind(C, name='{c_name(one.name)}')\n"
                    f"      import\n      real(c_double), value :: {arguments}\n    end function\n")
    return "".join(text)


def module():
    numbers, active = Tangents("dsil"), ActiveTangents("vdsil")
    for generic, specifics in active.generics.items():
        numbers.generics[generic] += specifics
    return filled(FRAME, "fortran/admpi_tangents.F90", {
        "interfaces": numbers.interfaces().replace("  public :: admpi_digamma_difference\n", ""),
        "c_functions": c_functions(),
        "procedures": formulas() + "".join(numbers.procedures + active.procedures),
        "folding": masks() + folding("t") + folding("w"),
        "slopes": slopes(),
    })


OUTPUTS = {"fortran/admpi_tangents.F90": module}

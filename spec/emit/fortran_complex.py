"""The Fortran modules admpi_complex and admpi_complex_tangents.

An operator or function of complex numbers has its value from Fortran's own complex arithmetic. If p is its complex derivative by an
operand, the real part of the result has the partial derivatives Re p and -Im p by the parts of that, and the imaginary part Im p and
Re p. Tangents of active numbers record the derivative, too: p is computed as a tangent then."""

from emit.fortran import broken
from emit.fortran_writer import OPERATORS, TYPES, Writer, filled, folding, interface, masks, shape
from model import HERE

FRAME = HERE / "emit/admpi_complex.F90.in"
FRAME_OF_TANGENTS = HERE / "emit/admpi_complex_tangents.F90.in"
COMPLEX = "zxhcf"
# The numbers of operands, in double precision.
NUMBERS = {"v": "{}%value", "t": "{}%value", "f": "cmplx({}, kind=dp)", "s": "real({}, dp)", "i": "real({}, dp)", "l": "real({}, dp)",
           "c": "{}", "d": "{}"}
# Derivatives of a op b by both; u and v are their numbers, z is the value.
SLOPES = {"add": ("1", "1"), "sub": ("1", "-1"), "mul": ("v", "u"), "div": ("1/v", "-z/v"),
          "pow": ("slope_base({u}, {v})", "slope_exponent({u}, z)")}
# Of functions of u, on the branch that the value z is on.
FUNCTIONS = {
    "exp": "z", "log": "1/u", "sqrt": "0.5_dp/z", "sin": "cos(u)", "cos": "-sin(u)", "tan": "1 + z*z", "sinh": "cosh(u)",
    "cosh": "sinh(u)", "tanh": "1 - z*z", "asin": "1/cos(z)", "acos": "-1/sin(z)", "atan": "1/(1 + u*u)", "asinh": "1/cosh(z)",
    "acosh": "1/sinh(z)", "atanh": "1/(1 - u*u)",
}


class Operand:
    """One that has a derivative, and that derivative."""

    def __init__(self, kind, dummy, slope, is_real=False, is_constant=False):
        self.kind, self.dummy, self.slope = kind, dummy, slope
        self.is_real, self.is_constant = is_real, is_constant  # the slope
        self.name = {"a": "p", "b": "q"}[dummy]

    def terms(self, part, field, of):
        """What a part of the result depends on: fields of the operand, each with its partial derivative, a field of the slope."""
        re, im = f"{self.name}%re{field}", f"{self.name}%im{field}"
        if self.kind == "w":
            return [(self.dummy + of, re)] if part == "re" else [] if self.is_real else [(self.dummy + of, im)]
        first, second = (re, f"-{im}") if part == "re" else (im, re)
        if self.is_real:
            return [(f"{self.dummy}%{part}{of}", re)]
        return [(f"{self.dummy}%re{of}", first), (f"{self.dummy}%im{of}", second)]


def record(target, value, terms):
    if not terms:
        return [f"{target} = admpi_var({value})"]
    operands, slopes = (", ".join(column) for column in zip(*terms))
    return [broken(f"call c_record({target}, {value}, [{operands}], [{slopes}], {len(terms)}_c_int64_t)", "    ").strip()]


class Complex(Writer):
    """Of active numbers."""

    kind, real, constants = "z", "v", ""  # the complex and the real kind with derivatives; kinds that become those

    def __init__(self, has_expressions):
        super().__init__(self.kind, "cfdsil", self.kind)
        self.reals = self.real + ("e" if has_expressions else "")
        self.stem = TYPES[self.kind][5:-1]  # the name of the type
        self.constructors = []
        for part in (self.operators, self.powers, self.equality, self.functions, self.parts, self.conversions, self.folds, self.products):
            part()

    def procedure(self, name, kinds, *rest):
        """What uses up an expression is impure."""
        self.elemental = "impure elemental" if "e" in kinds else "elemental"
        return super().procedure(name, kinds, *rest)

    def number(self, kind, dummy):
        return NUMBERS.get(kind, "admpi_value({})").format(dummy)

    def local(self, kind):
        """The type of an operand's number."""
        return f"{'complex' if kind in COMPLEX else 'real'}(dp)"

    value_type = slope_type = "complex(dp)"
    as_complex = "cmplx({}, kind=dp)"

    def kinds(self, passive_reals="dsil"):
        """The pairs of which one has a derivative and one is complex; those of reals are of other modules."""
        some = self.kind + self.reals + self.constants + "cf" + passive_reals
        return [a + b for a in some for b in some if set(a + b) & set(self.kind + self.reals) and set(a + b) & set(COMPLEX)]

    def converted(self, kind, dummy):
        return f"admpi_var({dummy})" if kind == "e" else f"{self.stem}({dummy})" if kind in self.constants else dummy

    def binary(self, generic, stem, kinds):
        if set(kinds) & set("e" + self.constants):
            arguments = ", ".join(self.converted(kind, dummy) for kind, dummy in zip(kinds, "ab"))
            called = "".join("v" if kind == "e" else self.kind if kind in self.constants else kind for kind in kinds)
            self.add(generic, self.procedure(f"{stem}_{kinds}", kinds, self.result, [f"y = {stem}_{called}({arguments})"]))
            return
        is_whole = stem == "pow" and kinds[1] in "il"
        body = [f"{name} = {self.number(kind, dummy)}" for kind, dummy, name in zip(kinds, "ab", "uv") if not (is_whole and name == "v")]
        body.append(f"z = u {OPERATORS[stem]} {'b' if is_whole else 'v'}")
        operands = []
        for at, dummy in enumerate("ab"):
            if kinds[at] not in self.kind + self.real:
                continue
            other = kinds[1 - at]
            linear = stem in ("add", "sub", "mul") or (stem == "div" and at == 0)
            is_real = stem in ("add", "sub") or (linear and other not in COMPLEX)
            is_constant = stem in ("add", "sub") or (linear and other not in self.kind + self.real)
            slope = "slope_whole(u, int(b, int64))" if is_whole else SLOPES[stem][at].format(
                u=self.as_complex.format("u"), v=self.as_complex.format("v"))
            operands.append(Operand(kinds[at], dummy, slope, is_real, is_constant))
        local = "".join(f"    {self.local(kind)} :: {name}\n" for kind, name in zip(kinds, "uv") if not (is_whole and name == "v"))
        self.add(generic, self.procedure(f"{stem}_{kinds}", kinds, self.result, body + self.statements(operands),
                                         local + self.locals(operands)))

    def locals(self, operands):
        return f"    {self.value_type} :: z\n    {self.slope_type} :: {', '.join(one.name for one in operands)}\n"

    def slopes(self, operands):
        return [f"{one.name} = {one.slope}" for one in operands]

    def statements(self, operands):
        passed = "".join(f", {one.dummy if one.kind == 'z' else f'admpi_var_complex({one.dummy}, passive)'}, {one.name}" for one in operands)
        return [*self.slopes(operands), f"call recorded_{len(operands)}(y, z{passed})"]

    def operators(self):
        for stem in ("add", "sub", "mul", "div"):
            for kinds in self.kinds():
                self.binary(f"operator({OPERATORS[stem]})", stem, kinds)
        self.add("operator(+)", self.procedure(f"plus_{self.kind}", self.kind, self.result, ["y = a"]))
        self.add("operator(-)", self.procedure(f"neg_{self.kind}", self.kind, self.result, [*self.negative("re"), *self.negative("im")]))

    def negative(self, part):
        return [f"call c_record(y%{part}, -a%{part}%value, [a%{part}], [-1._dp], 1_c_int64_t)"]

    def powers(self):
        for kinds in self.kinds():
            self.binary("operator(**)", "pow", kinds)

    def equality(self):
        for name, sign in (("eq", "=="), ("ne", "/=")):
            for kinds in self.kinds():
                a, b = (NUMBERS[kind].format(dummy) if kind in self.passive else f"admpi_value({dummy})" for kind, dummy in zip(kinds, "ab"))
                self.add(f"operator({sign})", self.procedure(f"{name}_{kinds}", kinds, "logical", [f"y = {a} {sign} {b}"]))

    def functions(self):
        for name, slope in FUNCTIONS.items():
            operands = [Operand(self.kind, "a", slope)]
            body = [f"u = {self.number(self.kind, 'a')}", f"z = {name}(u)", *self.statements(operands)]
            self.add(name, self.procedure(f"{name}_{self.kind}", self.kind, self.result, body,
                                          f"    {self.local(self.kind)} :: u\n" + self.locals(operands)))

    def absolute(self):
        """The subgradient of least norm at 0, as of hypot."""
        return self.procedure("abs_z", "z", TYPES["v"], [
            "u = admpi_value(a)", "z = abs(u)", "p = 0", "if (z /= 0) p = u/z",
            "call c_record(y, z, [a%re, a%im], [real(p), aimag(p)], 2_c_int64_t)"], "    complex(dp) :: u, p\n    real(dp) :: z\n")

    def parts(self):
        """Of complex numbers, and what makes one of its parts."""
        kind = self.kind
        for name, part in (("real", "re"), ("dble", "re"), ("aimag", "im")):
            self.add(name, self.procedure(f"{name}_{kind}", kind, TYPES[self.real], [f"y = a%{part}"]))
        self.add("conjg", self.procedure(f"conjg_{kind}", kind, self.result, ["y%re = a%re", *self.negative("im")]))
        self.add("abs", self.absolute())
        self.real_with_kind(kind, self.real, "y = a%re")
        # The kind is the program's to ask for; a passive second part may be left out.
        self.add("cmplx", f"cmplx_{kind}")
        self.procedures.append(f"""\
  elemental function cmplx_{kind}(x, kind) result(y)
    {self.result}, intent(in) :: x
    integer, intent(in), optional :: kind
    {self.result} :: y
    y = x
    if (present(kind)) return
  end function
""")
        some = self.reals + self.constants.replace("z", "") + "dsi"
        for kinds in [a + b for a in some for b in some if set(a + b) & set(self.reals)]:
            self.add("cmplx", f"cmplx_{kinds}")
            optional = ", optional" if kinds[1] == "i" else ""
            second = [f"z%im = {self.part_of('d', '0._dp')}", f"if (present(y)) z%im = {self.part_of('i', 'y')}"] if optional else [
                f"z%im = {self.part_of(kinds[1], 'y')}"]
            body = "".join(f"    {line}\n" for line in [f"z%re = {self.part_of(kinds[0], 'x')}", *second, "if (present(kind)) return"])
            self.procedures.append(f"""\
  {'impure elemental' if "e" in kinds else 'elemental'} function cmplx_{kinds}(x, y, kind) result(z)
    {TYPES[kinds[0]]}, intent(in) :: x
    {TYPES[kinds[1]]}, intent(in){optional} :: y
    integer, intent(in), optional :: kind
    {self.result} :: z
{body}  end function
""")

    def part_of(self, kind, dummy):
        return dummy if kind == self.real else f"{TYPES[self.real][5:-1]}({dummy})"

    def conversions(self):
        for kind in self.kind + self.reals + self.constants + "cfdsil":
            if kind == self.kind:
                body = ["y = a"]
            elif kind not in COMPLEX:
                body = [f"y%re = {self.part_of(kind, 'a')}", f"y%im = {self.part_of('d', '0._dp')}"]
            elif kind in "cf":
                body = [f"y%re = {self.part_of('d', 'real(a, dp)')}", f"y%im = {self.part_of('d', 'real(aimag(a), dp)')}"]
            else:
                body = [f"y%{part} = {self.part_of('v', f'a%{part}')}" for part in ("re", "im")]
            self.constructor(kind, body)
            if kind != self.kind:
                self.add("assignment(=)", f"assign_{self.kind}{kind}")
                self.procedures.append(f"""\
  {'impure elemental' if kind == "e" else 'elemental'} subroutine assign_{self.kind}{kind}(y, x)
    {self.result}, intent(inout) :: y
    {TYPES[kind]}, intent(in) :: x
    y = {self.stem}(x)
  end subroutine
""")
        # A real takes the real part of a complex number.
        self.add("assignment(=)", f"assign_{self.real}{self.kind}")
        self.procedures.append(f"""\
  elemental subroutine assign_{self.real}{self.kind}(y, x)
    {TYPES[self.real]}, intent(inout) :: y
    {self.result}, intent(in) :: x
    y = x%re
  end subroutine
""")

    def constructor(self, kind, body):
        """The module admpi has it: flang 22 finds no type that a module uses and has a generic of the same name for."""
        elsewhere = len(self.procedures)
        self.procedure(f"complex_of_{kind}", kind, self.result, body)
        self.constructors += self.procedures[elsewhere:]
        del self.procedures[elsewhere:]

    def folds(self):
        """Sums and products: of all, of those under a mask, along a dimension."""
        for rank in range(1, 8):
            for name in ("sum", "product"):
                self.fold(name, self.kind, rank)

    def products(self):
        """dot_product and matmul. Those of two numbers with derivatives are in the frame."""
        both = 2*self.kind
        forms = [((1, 1), "", "dot_product", ""), *(((a, b), sizes, "matmul", f"_{a}{b}") for a, b, sizes in (
            (2, 2, "(size(a, 1), size(b, 2))"), (2, 1, "(size(a, 1))"), (1, 2, "(size(b, 2))")))]
        for ranks, sizes, generic, suffix in forms:
            self.add(generic, f"{generic}_{both}{suffix}")
            for kinds in self.kinds("d"):
                if kinds == both or "f" in kinds:
                    continue
                a, b = (dummy if kind == self.kind else f"{self.stem}({dummy})" for kind, dummy in zip(kinds, "ab"))
                self.add(generic, f"{generic}_{kinds}{suffix}")
                self.procedures.append(f"""\
  function {generic}_{kinds}{suffix}(a, b) result(y)
    {TYPES[kinds[0]]}, intent(in) :: a{shape(ranks[0])}
    {TYPES[kinds[1]]}, intent(in) :: b{shape(ranks[1])}
    {self.result} :: y{sizes}
    y = {generic}_{both}{suffix}({a}, {b})
  end function
""")


class Tangents(Complex):
    """Of numbers."""

    kind, real = "x", "t"

    def statements(self, operands):
        terms = " + ".join(f"along({one.name}, {self.derivative(one)})" for one in operands)
        return [*self.slopes(operands), f"d = {terms}", "y%re = admpi_tangent(real(z), real(d))", "y%im = admpi_tangent(aimag(z), aimag(d))"]

    @staticmethod
    def derivative(one):
        return f"admpi_derivative({one.dummy})" if one.kind == "x" else f"cmplx({one.dummy}%derivative, kind=dp)"

    def locals(self, operands):
        return super().locals(operands) + "    complex(dp) :: d\n"

    def constructor(self, kind, body):
        self.add(self.stem, self.procedure(f"complex_{self.kind}_of_{kind}", kind, self.result, body))

    def negative(self, part):
        return [f"y%{part} = -a%{part}"]

    def absolute(self):
        return self.procedure(f"abs_{self.kind}", self.kind, TYPES[self.real], ["y = hypot(a%re, a%im)"])


class ActiveTangents(Tangents):
    """Of active numbers, which count as constant where they are no tangents."""

    kind, real, constants = "h", "w", "zv"
    value_type = slope_type = TYPES["x"]
    as_complex = "admpi_tangent_complex({})"

    def number(self, kind, dummy):
        return f"primal({dummy})" if kind in "hw" else super().number(kind, dummy)

    def local(self, kind):
        return {"h": TYPES["x"], "w": TYPES["t"]}.get(kind) or super().local(kind)

    def statements(self, operands):
        body, moves = self.slopes(operands), " .or. ".join(f"moves({one.dummy})" for one in operands)
        for part in ("re", "im"):
            body += record(f"y%{part}%value", f"z%{part}%value", [term for one in operands for term in one.terms(part, "%value", "%value")])
        body += ["y%re%derivative = admpi_var(0._dp)", "y%im%derivative = admpi_var(0._dp)", f"if (.not. ({moves})) return"]
        for part in ("re", "im"):
            terms = [term for one in operands if not one.is_constant for term in one.terms(part, "%derivative", "%value")]
            terms += [term for one in operands for term in one.terms(part, "%value", "%derivative")]
            body += record(f"y%{part}%derivative", f"z%{part}%derivative", terms)
        return body

    def locals(self, operands):
        return Complex.locals(self, operands)


def with_expressions(plain, fused):
    """What both modes have, and what the fused one has beside that."""
    return "".join(plain) + f"#ifndef ADMPI_PLAIN\n{''.join(one for one in fused if one not in plain)}#endif\n"


def constructors():
    """What makes a complex variable of something else."""
    return with_expressions(Complex(False).constructors, Complex(True).constructors)


def module():
    plain, fused = Complex(False), Complex(True)
    beside = [interface(generic, [one for one in specifics if one not in plain.generics[generic]])
              for generic, specifics in fused.generics.items() if specifics != plain.generics[generic]]
    return filled(FRAME, "fortran/admpi_complex.F90", {
        "interfaces": with_expressions([plain.interfaces()], beside),
        "procedures": with_expressions(plain.procedures, fused.procedures),
        "folding": masks() + folding("z", ("sum", "product")),
    })


def module_of_tangents():
    numbers, active = Tangents(False), ActiveTangents(False)
    for generic, specifics in active.generics.items():
        numbers.generics.setdefault(generic, []).extend(specifics)
    return filled(FRAME_OF_TANGENTS, "fortran/admpi_complex_tangents.F90", {
        "interfaces": numbers.interfaces(),
        "procedures": "".join(numbers.procedures + active.procedures),
        "folding": masks() + folding("x", ("sum", "product")) + folding("h", ("sum", "product")),
    })


OUTPUTS = {"fortran/admpi_complex.F90": module, "fortran/admpi_complex_tangents.F90": module_of_tangents}

"""The Fortran module admpi.

Its frame is admpi.F90.in; this writes what stands at the frame's marks: what there is for each operator and function, for each
kind of operands, and for each rank. Operators and functions are external procedures in C (src/shim/fortran.c), for operands of
the kinds v, e and d; here the other kinds are converted."""

from itertools import product

from functions import DIFFERENTIATED, of
from model import HERE

# The module without what is generated.
FRAME = HERE / "emit/admpi.F90.in"
FORTRAN_NAMES = {"lgamma": "log_gamma", "tgamma": "gamma", "fmod": "mod", "fdim": "dim"}
INTRINSICS = """sqrt exp log log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc gamma log_gamma abs
                atan2 hypot mod modulo dim""".split()
TYPES = {"v": "type(admpi_var)", "e": "type(admpi_expr)", "d": "real(dp)", "k": "type(admpi_known)", "s": "real(sp)",
         "i": "integer(int32)", "l": "integer(int64)"}
OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**"}
COMPARISONS = {"eq": "==", "ne": "/=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
ONE = [one.name for one in of(*DIFFERENTIATED, arity=1) if "cpp_only" not in one.words]
TWO = [one.name for one in of(*DIFFERENTIATED, arity=2) if not one.words & {"cpp_only", "passive_first"}]
PASSIVE_FIRST = [one.name for one in of(*DIFFERENTIATED, arity=2, words={"passive_first"})]


def fortran_name(name):
    name = FORTRAN_NAMES.get(name, name)
    return name if name in INTRINSICS else f"admpi_{name}"


class Mode:
    """Writes procedures for one mode: an operator returns an expression (fused), or a variable (plain)."""

    def __init__(self, fused):
        self.fused = fused
        self.active = "ve" if fused else "v"
        self.result = TYPES["e" if fused else "v"]
        self.elemental = "impure elemental" if fused else "elemental"
        self.prefix = "admpif" if fused else "admpip"
        self.generics = {}  # name of a generic -> its specifics
        self.externals = []
        self.procedures = []
        for part in (self.operators, self.functions, self.conversions, self.choices, self.folds, self.products):
            part()

    def add(self, generic, specific):
        self.generics.setdefault(generic, []).append(specific)
        return specific

    def external(self, stem, kinds):
        """A function in C."""
        name = f"{self.prefix}_{stem}_{kinds}"
        declared = "".join(f"    {TYPES[kind]}, intent(in) :: {dummy}\n" for kind, dummy in zip(kinds, "ab"))
        self.externals.append((name, ", ".join("ab"[:len(kinds)]), declared))
        return name

    def procedure(self, name, kinds, result, body, local=""):
        """An elemental function, impure if it uses up an expression or may record."""
        dummies = "abc"[:len(kinds)]
        declared = "".join(f"    {TYPES[kind]}, intent(in) :: {dummy}\n" for kind, dummy in zip(kinds, dummies))
        lines = "".join(f"    {line}\n" for line in body)
        elemental = self.elemental if "e" in kinds or result == self.result else "elemental"
        self.procedures.append(f"  {elemental} function {name}({', '.join(dummies)}) result(y)\n{declared}"
                               f"    {result} :: y\n{local}{lines}  end function\n")
        return name

    def drops(self, kinds):
        """What uses up the expressions among the operands."""
        return [f"call admpif_drop({dummy})" for kind, dummy in zip(kinds, "ab") if kind == "e"]

    def pairs(self, passive):
        """The kinds of two operands of which one is active."""
        return [a + b for a in self.active + passive for b in self.active + passive
                if a in self.active or b in self.active]

    def binary(self, generic, stem, passive):
        """Single precision and integers are converted; an integer exponent is not."""
        for kinds in self.pairs(passive):
            if set(kinds) <= set("ved") or (stem == "pow" and kinds[1] == "i"):
                self.add(generic, self.external(stem, kinds))
                continue
            called = "".join(kind if kind in self.active else "d" for kind in kinds)
            arguments = ", ".join(dummy if kind in self.active else f"real({dummy}, dp)" for kind, dummy in zip(kinds, "ab"))
            self.add(generic, self.procedure(f"{stem}_{kinds}", kinds, self.result,
                                             [f"y = {self.prefix}_{stem}_{called}({arguments})"]))

    def operators(self):
        for stem, sign in OPERATORS.items():
            self.binary(f"operator({sign})", stem, "dsil")
        for kind in self.active:
            self.add("operator(-)", self.external("neg", kind))
            self.add("operator(+)", self.procedure(f"plus_{kind}", kind, TYPES[kind], ["y = a"]))
        for name, sign in COMPARISONS.items():
            for kinds in self.pairs("dsil"):
                sides = [f"{dummy}%value" if kind in "ve" else dummy for kind, dummy in zip(kinds, "ab")]
                self.add(f"operator({sign})", self.procedure(f"{name}_{kinds}", kinds, "logical", [
                    f"y = {sides[0]} {sign} {sides[1]}", *self.drops(kinds)]))

    def functions(self):
        for name in ONE:
            for kind in self.active:
                self.add(fortran_name(name), self.external(name, kind))
        for name in [*TWO, "modulo"]:
            if name != "pow":
                self.binary(fortran_name(name), name, "d")
        for name in PASSIVE_FIRST:
            for kind in self.active:
                called = self.add(fortran_name(name), self.external(name, "d" + kind))
                self.add(fortran_name(name), self.procedure(f"{name}_i{kind}", "i" + kind, self.result, [
                    f"y = {called}(real(a, dp), b)"]))
        # The sign of the second counts as constant.
        for kinds in self.pairs("d"):
            value = "b" if kinds[1] == "d" else "b%value"
            if kinds[0] == "d":
                self.add("sign", self.procedure(f"sign_{kinds}", kinds, TYPES["d"], [f"y = sign(a, {value})", *self.drops(kinds)]))
            elif kinds[1] == "d":
                self.add("sign", self.external("copysign", kinds))
            else:
                self.add("sign", self.procedure(f"sign_{kinds}", kinds, self.result, [
                    *self.drops(" " + kinds[1]), f"y = {self.prefix}_copysign_{kinds[0]}d(a, {value})"]))
        # C has no such function.
        for kind in self.active:
            known = self.external("known", kind + "k")
            self.add("erfc_scaled", self.procedure(f"erfc_scaled_{kind}", kind, self.result, [
                "v = erfc_scaled(a%value)",
                "d = 2*a%value*v - 1.12837916709551257389616_dp ! 2 / sqrt(pi)",
                f"y = {known}(a, admpi_known(v, d))"], local="    real(dp) :: v, d\n"))

    def conversions(self):
        """Passive results."""
        for kind in self.active:
            for name, result in (("aint", "d"), ("anint", "d"), ("int", "i"), ("nint", "i"), ("floor", "i"), ("ceiling", "i"),
                                 ("dble", "d")):
                self.add(name, self.procedure(f"{name}_{kind}", kind, TYPES[result], [f"y = {name}(a%value)", *self.drops(kind)]))
            self.add("real", self.procedure(f"real_{kind}", kind, TYPES["d"], ["y = a%value", *self.drops(kind)]))
            # The second is the kind that the program asks for.
            self.add("real", self.procedure(f"real_{kind}i", kind + "i", TYPES["d"], ["y = merge(a%value, a%value, b > 0)",
                                                                                    *self.drops(kind)]))
            self.add("isnan", self.procedure(f"isnan_{kind}", kind, "logical", ["y = a%value /= a%value", *self.drops(kind)]))
        for name in ("epsilon", "huge", "tiny"):
            self.add(name, self.procedure(f"{name}_v", "v", TYPES["d"], [f"y = {name}(a%value)"]))

    def choices(self):
        """Maximum and minimum: one of the operands, so that nothing is recorded of variables."""
        for name in ("max", "min"):
            for kinds in map("".join, [*product(self.active + "d", repeat=2), *product(self.active + "d", repeat=3)]):
                if set(kinds) == {"d"}:
                    continue
                others = [f"call {name}_of(y, admpi_var({dummy}))" for dummy in "bc"[:len(kinds) - 1]]
                self.add(name, self.procedure(f"{name}_{kinds}", kinds, TYPES["v"], ["y = admpi_var(a)", *others]))
            optional = "".join(f"    if (present({dummy})) call {name}_of(y, {dummy})\n" for dummy in "efgh")
            self.add(name, f"{name}_of_8")
            self.procedures.append(f"""\
  elemental function {name}_of_8(a, b, c, d, e, f, g, h) result(y)
    type(admpi_var), intent(in) :: a, b, c, d
    type(admpi_var), intent(in), optional :: e, f, g, h
    type(admpi_var) :: y
    y = a
    call {name}_of(y, b)
    call {name}_of(y, c)
    call {name}_of(y, d)
{optional}  end function
""")

    def folds(self):
        """What makes one of many: of all, of those under a mask, along a dimension."""
        for rank in range(1, 8):
            for kind in self.active:
                for name in ("sum", "product", "maxval", "minval"):
                    self.fold(name, kind, rank)
                for name in ("maxloc", "minloc"):
                    self.place(name, kind, rank)
                self.add("norm2", f"norm2_{kind}{rank}")
                self.procedures.append(f"""\
  function norm2_{kind}{rank}(x) result(y)
    {one_of(kind)} :: x{shape(rank)}
    type(admpi_var) :: y
    call fold_{kind}(of_norm2, x, size(x), y)
  end function
""")

    def fold(self, name, kind, rank):
        stem = f"{name}_{kind}{rank}"
        for form in ("", "_mask", "_dim"):
            self.add(name, stem + form)
        one, first, of_dim = ("one", "    y = one(1)\n", "    type(admpi_var) :: one(1)\n") if rank == 1 else ("y", "", "")
        self.procedures.append(f"""\
  function {stem}(array) result(y)
    {one_of(kind)} :: array{shape(rank)}
    type(admpi_var) :: y
    call fold_{kind}(of_{name}, array, size(array), y)
  end function
  function {stem}_mask(array, mask) result(y)
    {one_of(kind)} :: array{shape(rank)}
    logical, intent(in) :: mask{shape(rank)}
    type(admpi_var) :: y
    call fold_{kind}(of_{name}, array, size(array), y, mask)
  end function
  function {stem}_dim(array, dim, mask) result(y)
    {one_of(kind)} :: array{shape(rank)}
    integer, intent(in) :: dim
    logical, intent(in), optional :: mask{shape(rank)}
    type(admpi_var) :: y{without_dim(rank)}
{of_dim}    call fold_{kind}_dim(of_{name}, array, shape(array), dim, {one}, mask)
{first}  end function
""")

    def place(self, name, kind, rank):
        drop = "    call drop_all(array, size(array))\n" if kind == "e" else ""
        for dim in ("", "dim"):
            for mask in ("", "mask"):
                stem = "_".join(part for part in (f"{name}_{kind}{rank}", dim, mask) if part)
                self.add(name, stem)
                arguments = [part for part in (dim, mask) if part]
                declared = ("    integer, intent(in) :: dim\n" if dim else "") + \
                           (f"    logical, intent(in) :: mask{shape(rank)}\n" if mask else "")
                self.procedures.append(f"""\
  function {stem}({', '.join(['array', *arguments])}) result(y)
    {one_of(kind)} :: array{shape(rank)}
{declared}    integer :: y{without_dim(rank) if dim else f"({rank})"}
    y = {name}({', '.join(['array%value', *arguments])})
{drop}  end function
""")

    def products(self):
        """dot_product and matmul."""
        for kinds in self.pairs("d"):
            closed_both = ", ".join(closed(dummy, kind) for dummy, kind in zip("ab", kinds))
            variables = kinds.replace("e", "v")
            self.add("dot_product", f"dot_product_{kinds}")
            if "e" in kinds:
                body = f"y = dot_product_{variables}({closed_both})"
            else:
                c = "c_dot" if kinds == "vv" else "c_dot_d"
                first, second = ("b", "a") if kinds == "dv" else ("a", "b")
                body = f"call {c}(y, {first}, 1_c_int64_t, {second}, 1_c_int64_t, size(a, kind=c_int64_t))"
            self.procedures.append(f"""\
  function dot_product_{kinds}(a, b) result(y)
    {TYPES[kinds[0]]}, intent(in) :: a(:)
    {TYPES[kinds[1]]}, intent(in) :: b(:)
    type(admpi_var) :: y
    {body}
  end function
""")
            for a, b, sizes in ((2, 2, ("size(a, 1)", "size(a, 2)", "size(b, 2)")), (2, 1, ("size(a, 1)", "size(a, 2)", "1")),
                                (1, 2, ("1", "size(a)", "size(b, 2)"))):
                name = f"matmul_{kinds}_{a}{b}"
                self.add("matmul", name)
                if "e" in kinds:
                    body = f"y = matmul_{variables}_{a}{b}({closed_both})"
                else:
                    body = f"call matmul_{kinds}(y, a, b, {', '.join(sizes)})"
                result = ", ".join(size for size in (sizes[0], sizes[2]) if size != "1")
                self.procedures.append(f"""\
  function {name}(a, b) result(y)
    {TYPES[kinds[0]]}, intent(in) :: a{shape(a)}
    {TYPES[kinds[1]]}, intent(in) :: b{shape(b)}
    type(admpi_var) :: y({result})
    {body}
  end function
""")

    def interfaces(self):
        direct, by_reference = [], []
        for name, dummies, declared in self.externals:
            declared = declared.replace("    ", "      ")
            direct.append(f"    {self.elemental} function {name}({dummies}) result(y)\n      import\n{declared}"
                          f"      {self.result} :: y\n    end function\n")
            by_reference.append(f"    {self.elemental} subroutine {name}_r(y, {dummies})\n      import\n"
                                f"      {self.result}, intent(out) :: y\n{declared}    end subroutine\n")
        text = ["  interface\n#ifdef ADMPI_BY_REFERENCE\n", *by_reference, "#else\n", *direct, "#endif\n  end interface\n\n"]
        for generic, specifics in self.generics.items():
            text.append(f"  interface {generic}\n")
            text += [f"    procedure {', '.join(specifics[i:i + 3])}\n" for i in range(0, len(specifics), 3)]
            text.append(f"  end interface\n  public :: {generic}\n")
        return "".join(text)

    def implementations(self):
        wrappers = "".join(f"  {self.elemental} function {name}({dummies}) result(y)\n{declared}    {self.result} :: y\n"
                           f"    call {name}_r(y, {dummies})\n  end function\n" for name, dummies, declared in self.externals)
        return f"#ifdef ADMPI_BY_REFERENCE\n{wrappers}#endif\n" + "".join(self.procedures)


def shape(rank):
    return f"({', '.join(':' * rank)})" if rank else ""


def one_of(kind):
    """An array that is folded. One of expressions is a temporary, which needs no code for gaps between its elements."""
    return f"{TYPES[kind]}, intent(in)" + (", contiguous" if kind == "e" else "")


def without_dim(rank):
    """The shape of `array` without its dimension `dim`."""
    sizes = [f"merge(size(array, {i}), size(array, {i + 1}), dim > {i})" for i in range(1, rank)]
    lines = [", ".join(sizes[i:i + 2]) for i in range(0, len(sizes), 2)]
    return "(" + ", &\n      ".join(lines) + ")" if sizes else ""


def closed(dummy, kind):
    """An operand as a variable."""
    return f"admpi_var({dummy})" if kind == "e" else dummy


def bindings():
    """Procedures of a tape that take arrays of any rank."""
    text = []
    for name in ("input", "keep", "seed", "adjoint"):
        specifics = ", ".join(f"{name}_{rank}" for rank in range(8))
        text.append(f"    procedure, private :: {specifics}\n    generic :: {name} => {specifics}\n")
    return "".join(text)


def of_tape():
    text = []
    for rank in range(8):
        size = "size(x, kind=c_int64_t)" if rank else "1_c_int64_t"
        array = "x" if rank else "[x]"
        result = f"({', '.join(f'size(x, {i})' for i in range(1, rank + 1))})" if rank else ""
        text.append(f"""\
  subroutine input_{rank}(self, x, ierr)
    class(admpi_tape), intent(in) :: self
    type(admpi_var), intent(inout) :: x{shape(rank)}
    integer, intent(out), optional :: ierr
{"    call inputs(self, x, " + size + ", ierr)" if rank else '''    type(admpi_var) :: y(1)
    y(1) = x
    call inputs(self, y, 1_c_int64_t, ierr)
    x = y(1)'''}
  end subroutine
  subroutine keep_{rank}(self, x, ierr)
    class(admpi_tape), intent(in) :: self
    type(admpi_var), intent(in) :: x{shape(rank)}
    integer, intent(out), optional :: ierr
    call report(c_keep(self%handle, {array}, {size}), 'keep', ierr)
  end subroutine
  subroutine seed_{rank}(self, x, weight, direction, ierr)
    class(admpi_tape), intent(in) :: self
    type(admpi_var), intent(in) :: x{shape(rank)}
    real(dp), intent(in) :: weight{shape(rank)}
    integer, intent(in), optional :: direction
    integer, intent(out), optional :: ierr
    call report(c_seed(self%handle, {array}, {"weight" if rank else "[weight]"}, {size}, counted(direction)), 'seed', ierr)
  end subroutine
  function adjoint_{rank}(self, x, direction) result(y)
    class(admpi_tape), intent(in) :: self
    type(admpi_var), intent(in) :: x{shape(rank)}
    integer, intent(in), optional :: direction
    real(dp) :: y{result}
{"    call adjoints(self, x, " + size + ", direction, y)" if rank else '''    real(dp) :: one(1)
    call adjoints(self, [x], 1_c_int64_t, direction, one)
    y = one(1)'''}
  end function
""")
    return "".join(text)


def module():
    plain, fused = Mode(False), Mode(True)
    parts = {
        "interfaces": f"#ifdef ADMPI_PLAIN\n{plain.interfaces()}#else\n{fused.interfaces()}#endif\n",
        "procedures": f"#ifdef ADMPI_PLAIN\n{plain.implementations()}#else\n{fused.implementations()}#endif\n",
        "bindings": bindings(),
        "tape": of_tape(),
    }
    text = FRAME.read_text()
    for mark, part in parts.items():
        text = text.replace(f"@{mark}@\n", part)
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > 132:
            raise SystemExit(f"fortran/admpi.F90:{number}: a line of {len(line)} characters")
    return text


OUTPUTS = {"fortran/admpi.F90": module}

"""The Fortran module admpi.

Its frame is admpi.F90.in; this writes what stands at the frame's marks: what there is for each operator and function, for each
kind of operands, and for each rank. Operators and functions are external procedures in C (src/shim/fortran.c), for operands of
the kinds v, e and d; here the other kinds are converted."""

from emit.fortran_complex import constructors
from emit.fortran_formulas import in_fortran
from emit.fortran_writer import (ERFC_SCALED, ONE, OPERATORS, PASSIVE_FIRST, TWO, TYPES, Writer, filled, folding, fortran_name,
                                 masks, number, shape)
from model import HERE

# The module without what is generated.
FRAME = HERE / "emit/admpi.F90.in"


class Mode(Writer):
    """One mode: an operator returns an expression (fused), or a variable (plain)."""

    def __init__(self, fused):
        super().__init__("ve" if fused else "v", "dsil", "e" if fused else "v", "impure elemental" if fused else "elemental")
        self.fused = fused
        self.prefix = "admpif" if fused else "admpip"
        self.externals = []
        for part in (self.operators, self.comparisons, self.functions, self.fused_multiply_add, self.conversions, self.choices,
                     self.folds, self.products):
            part()

    def external(self, stem, kinds):
        """A function in C."""
        name = f"{self.prefix}_{stem}_{kinds}"
        declared = "".join(f"    {TYPES[kind]}, intent(in) :: {dummy}\n" for kind, dummy in zip(kinds, "ab"))
        self.externals.append((name, ", ".join("ab"[:len(kinds)]), declared))
        return name

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
            self.add("operator(+)", self.procedure(f"plus_{kind}", kind, TYPES[kind], [self.copied(kind)]))

    def copied(self, kind):
        """A copy of an expression would be another one."""
        return f"y = {self.prefix}_mul_de(1._dp, a)" if kind == "e" else "y = a"

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
                f"d = {in_fortran(ERFC_SCALED, {'x': 'a%value', 'y': 'v'})}",
                f"y = {known}(a, admpi_known(v, d))"], local="    real(dp) :: v, d\n"))

    def fused_multiply_add(self):
        """a*b + c, rounded once."""
        for kinds in self.tuples(3, "d"):
            a, b, c = (number(kind, dummy) for kind, dummy in zip(kinds, "abc"))
            body = ["y = a*b + c", f"y%value = c_fma({a}, {b}, {c})"]
            if not self.fused:
                operands = ", ".join(self.constructed(kind, dummy) for kind, dummy in zip(kinds, "abc"))
                body = [f"call c_record(y, c_fma({a}, {b}, {c}), [{operands}], [{b}, {a}, 1._dp], 3_c_int64_t)"]
            self.add("admpi_fma", self.procedure(f"fma_{kinds}", kinds, self.result, body))

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
        return "".join(text) + super().interfaces()

    def implementations(self):
        wrappers = "".join(f"  {self.elemental} function {name}({dummies}) result(y)\n{declared}    {self.result} :: y\n"
                           f"    call {name}_r(y, {dummies})\n  end function\n" for name, dummies, declared in self.externals)
        return f"#ifdef ADMPI_BY_REFERENCE\n{wrappers}#endif\n" + "".join(self.procedures)


def closed(dummy, kind):
    """An operand as a variable."""
    return f"admpi_var({dummy})" if kind == "e" else dummy


def bindings():
    """Procedures of a tape that take arrays of any rank."""
    text = []
    for name in ("input", "keep", "seed", "adjoint"):
        for suffix in ("", "_z"):
            specifics = ", ".join(f"{name}{suffix}_{rank}" for rank in range(8))
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
  subroutine input_z_{rank}(self, x, ierr)
    class(admpi_tape), intent(in) :: self
    type(admpi_var_complex), intent(inout) :: x{shape(rank)}
    integer, intent(out), optional :: ierr
{"    call inputs_z(self, x, " + size + ", ierr)" if rank else '''    type(admpi_var_complex) :: y(1)
    y(1) = x
    call inputs_z(self, y, 1_c_int64_t, ierr)
    x = y(1)'''}
  end subroutine
  subroutine keep_z_{rank}(self, x, ierr)
    class(admpi_tape), intent(in) :: self
    type(admpi_var_complex), intent(in) :: x{shape(rank)}
    integer, intent(out), optional :: ierr
    call keeps_z(self, {array}, {size}, ierr)
  end subroutine
  subroutine seed_z_{rank}(self, x, weight, direction, ierr)
    class(admpi_tape), intent(in) :: self
    type(admpi_var_complex), intent(in) :: x{shape(rank)}
    complex(dp), intent(in) :: weight{shape(rank)}
    integer, intent(in), optional :: direction
    integer, intent(out), optional :: ierr
    call seeds_z(self, {array}, {"weight" if rank else "[weight]"}, {size}, direction, ierr)
  end subroutine
  function adjoint_z_{rank}(self, x, direction) result(y)
    class(admpi_tape), intent(in) :: self
    type(admpi_var_complex), intent(in) :: x{shape(rank)}
    integer, intent(in), optional :: direction
    complex(dp) :: y{result}
{"    call adjoints_z(self, x, " + size + ", direction, y)" if rank else '''    complex(dp) :: one(1)
    call adjoints_z(self, [x], 1_c_int64_t, direction, one)
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
        "complex": constructors(),
        "folding": masks() + folding("v"),
    }
    return filled(FRAME, "fortran/admpi.F90", parts)


OUTPUTS = {"fortran/admpi.F90": module}

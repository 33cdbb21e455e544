"""What the modules admpi and admpi_tangents share: procedures and generics for kinds of operands, and what is the same for
every type with a derivative: comparisons, passive results, choices, folds."""

from itertools import product

from functions import DIFFERENTIATED, of

FORTRAN_NAMES = {"lgamma": "log_gamma", "tgamma": "gamma", "fmod": "mod", "fdim": "dim"}
INTRINSICS = """sqrt exp log log10 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc gamma log_gamma abs
                atan2 hypot mod modulo dim""".split()
# v is active, e an expression of v, t a tangent of d, w one of v; z, x and h are complex numbers of v, t and w.
TYPES = {"v": "type(admpi_var)", "e": "type(admpi_expr)", "t": "type(admpi_tangent)", "w": "type(admpi_tangent_var)",
         "d": "real(dp)", "k": "type(admpi_known)", "s": "real(sp)", "i": "integer(int32)", "l": "integer(int64)",
         "z": "type(admpi_var_complex)", "x": "type(admpi_tangent_complex)", "h": "type(admpi_tangent_var_complex)",
         "c": "complex(dp)", "f": "complex(sp)"}
# Where the number is, below all derivatives.
NUMBERS = {"v": "%value", "e": "%value", "t": "%value", "w": "%value%value"}
OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**"}
COMPARISONS = {"eq": "==", "ne": "/=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
ONE = [one.name for one in of(*DIFFERENTIATED, arity=1) if "cpp_only" not in one.words]
TWO = [one.name for one in of(*DIFFERENTIATED, arity=2) if not one.words & {"cpp_only", "passive_first"}]
PASSIVE_FIRST = [one.name for one in of(*DIFFERENTIATED, arity=2, words={"passive_first"})]
# The functions of Fortran that C lacks: derivatives as in spec/functions.txt.
ERFC_SCALED = "2.0 * x * y - 1.12837916709551257389616"  # 2 / sqrt(pi)
MANY = "abcdefgh"  # dummies of max and min


def fortran_name(name):
    name = FORTRAN_NAMES.get(name, name)
    return name if name in INTRINSICS else f"admpi_{name}"


def number(kind, dummy):
    return dummy + NUMBERS.get(kind, "")


class Writer:
    """Procedures for operands of the kinds `active`, which have derivatives, and of `passive` ones, for generics."""

    def __init__(self, active, passive, result, elemental="elemental"):
        self.active, self.passive = active, passive
        self.variable = active[0]  # the kind of variables
        self.result = TYPES[result]  # what operators return
        self.elemental = elemental  # of those that may record
        self.generics = {}  # name of a generic -> its specifics
        self.procedures = []

    def add(self, generic, specific):
        self.generics.setdefault(generic, []).append(specific)
        return specific

    def procedure(self, name, kinds, result, body, local=""):
        """An elemental function, impure if it uses up an expression or may record."""
        declared = "".join(f"    {TYPES[kind]}, intent(in) :: {dummy}\n" for kind, dummy in zip(kinds, MANY))
        lines = "".join(f"    {line}\n" for line in body)
        elemental = self.elemental if "e" in kinds or result == self.result else "elemental"
        self.procedures.append(f"  {elemental} function {name}({', '.join(MANY[:len(kinds)])}) result(y)\n{declared}"
                               f"    {result} :: y\n{local}{lines}  end function\n")
        return name

    def copied(self, kind):
        return "y = a"

    def drops(self, kinds):
        """What uses up the expressions among the operands."""
        return [f"call admpif_drop({dummy})" for kind, dummy in zip(kinds, MANY) if kind == "e"]

    def tuples(self, n, passive):
        """The kinds of n operands of which one is active."""
        return [kinds for kinds in map("".join, product(self.active + passive, repeat=n)) if set(kinds) & set(self.active)]

    def pairs(self, passive):
        return self.tuples(2, passive)

    def comparisons(self):
        for name, sign in COMPARISONS.items():
            for kinds in self.pairs(self.passive):
                self.add(f"operator({sign})", self.procedure(f"{name}_{kinds}", kinds, "logical", [
                    f"y = {number(kinds[0], 'a')} {sign} {number(kinds[1], 'b')}", *self.drops(kinds)]))

    def conversions(self):
        """Passive results; and real and dble, which convert nothing and so keep the derivative: in the middle of a formula a
        passive result would lose it in silence."""
        for kind in self.active:
            for name in ("real", "dble"):
                self.add(name, self.procedure(f"{name}_{kind}", kind, TYPES[kind], [self.copied(kind)]))
            self.real_with_kind(kind, kind, self.copied(kind), self.elemental if TYPES[kind] == self.result else "elemental")
            a = number(kind, "a")
            for name, result in (("aint", "d"), ("anint", "d"), ("int", "i"), ("nint", "i"), ("floor", "i"), ("ceiling", "i")):
                self.add(name, self.procedure(f"{name}_{kind}", kind, TYPES[result], [f"y = {name}({a})", *self.drops(kind)]))
            self.add("isnan", self.procedure(f"isnan_{kind}", kind, "logical", [f"y = {a} /= {a}", *self.drops(kind)]))
        for name in ("epsilon", "huge", "tiny"):
            self.add(name, self.procedure(f"{name}_{self.variable}", self.variable, TYPES["d"],
                                          [f"y = {name}({number(self.variable, 'a')})"]))

    def real_with_kind(self, kind, result, body, elemental="elemental"):
        """real(a, kind), with the kind that the program asks for."""
        self.add("real", f"real_{kind}_kind")
        self.procedures.append(f"""\
  {elemental} function real_{kind}_kind(a, kind) result(y)
    {TYPES[kind]}, intent(in) :: a
    integer, intent(in) :: kind
    {TYPES[result]} :: y
    {body}
    if (kind < 0) return
  end function
""")

    def constructed(self, kind, dummy):
        return dummy if kind == self.variable else f"{TYPES[self.variable][5:-1]}({dummy})"

    def choices(self):
        """Maximum and minimum: one of the operands, so that nothing is recorded of variables."""
        variable = self.variable
        for name in ("max", "min"):
            for kinds in [kinds for n in (2, 3, 4) for kinds in self.tuples(n, "d") if kinds != 4*variable]:
                others = [f"call {name}_of_{variable}(y, {self.constructed(kind, dummy)})"
                          for kind, dummy in zip(kinds[1:], MANY[1:])]
                self.add(name, self.procedure(f"{name}_{kinds}", kinds, TYPES[variable],
                                              [f"y = {self.constructed(kinds[0], 'a')}", *others]))
            self.add(name, f"{name}_of_8_{variable}")
            self.procedures.append(f"""\
  elemental function {name}_of_8_{variable}(a, b, c, d, e, f, g, h) result(y)
    {TYPES[variable]}, intent(in) :: a, b, c, d
    {TYPES[variable]}, intent(in), optional :: e, f, g, h
    {TYPES[variable]} :: y
    y = a
{"".join(f"    call {name}_of_{variable}(y, {dummy})" + chr(10) for dummy in "bcd")}\
{"".join(f"    if (present({dummy})) call {name}_of_{variable}(y, {dummy})" + chr(10) for dummy in "efgh")}\
  end function
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
    {TYPES[self.variable]} :: y
    call fold_{kind}(of_norm2, x, size(x), y)
  end function
""")

    def fold(self, name, kind, rank):
        stem, variable = f"{name}_{kind}{rank}", TYPES[self.variable]
        for form in ("", "_mask", "_dim"):
            self.add(name, stem + form)
        one, first, of_dim = ("one", "    y = one(1)\n", f"    {variable} :: one(1)\n") if rank == 1 else ("y", "", "")
        self.procedures.append(f"""\
  function {stem}(array) result(y)
    {one_of(kind)} :: array{shape(rank)}
    {variable} :: y
    call fold_{kind}(of_{name}, array, size(array), y)
  end function
  function {stem}_mask(array, mask) result(y)
    {one_of(kind)} :: array{shape(rank)}
    logical, intent(in) :: mask(..)
    {variable} :: y
    call fold_{kind}(of_{name}, array, size(array), y, masked(mask, size(array)))
  end function
  function {stem}_dim(array, dim, mask) result(y)
    {one_of(kind)} :: array{shape(rank)}
    integer, intent(in) :: dim
    logical, intent(in), optional :: mask(..)
    {variable} :: y{without_dim(rank, len(variable))}
{of_dim}    if (present(mask)) then
      call fold_{kind}_dim(of_{name}, array, shape(array), dim, {one}, masked(mask, size(array)))
    else
      call fold_{kind}_dim(of_{name}, array, shape(array), dim, {one})
    end if
{first}  end function
""")

    def place(self, name, kind, rank):
        drop = "    call drop_all(array, size(array))\n" if kind == "e" else ""
        array = number(kind, "array")
        for dim in ("", "dim"):
            for mask in ("", "mask"):
                stem = "_".join(part for part in (f"{name}_{kind}{rank}", dim, mask) if part)
                self.add(name, stem)
                arguments = [part for part in (dim, mask) if part]
                declared = ("    integer, intent(in) :: dim\n" if dim else "") + \
                           ("    logical, intent(in) :: mask(..)\n" if mask else "")
                under = "reshape(masked(mask, size(array)), shape(array))"
                passed = [array, *[under if one == "mask" else one for one in arguments]]
                self.procedures.append(f"""\
  function {stem}({', '.join(['array', *arguments])}) result(y)
    {one_of(kind)} :: array{shape(rank)}
{declared}    integer :: y{without_dim(rank) if dim else f"({rank})"}
    y = {name}({', '.join(passed)})
{drop}  end function
""")

    def interfaces(self):
        return "".join(interface(*one) + f"  public :: {one[0]}\n" for one in self.generics.items())


def interface(generic, specifics):
    lines = [f"    procedure {', '.join(specifics[i:i + 3])}\n" for i in range(0, len(specifics), 3)]
    return f"  interface {generic}\n{''.join(lines)}  end interface\n"


def folding(kind, names=("sum", "product", "maxval", "minval", "norm2")):
    """What folds of variables of a kind call: `sum_line`, `product_line` and `norm2_line` are written for each."""
    variable, a = TYPES[kind], NUMBERS.get(kind)
    text = ""
    for name, sign in (("max", ">="), ("min", "<=")):
        if f"{name}val" not in names:
            continue
        text += f"""\
  ! The first takes a tie; a NaN loses against a number.
  elemental subroutine {name}_of_{kind}(y, x)
    {variable}, intent(inout) :: y
    {variable}, intent(in) :: x
    if (.not. (y{a} {sign} x{a} .or. x{a} /= x{a})) y = x
  end subroutine
  pure function {name}val_line_{kind}(x) result(y)
    {variable}, intent(in) :: x(:)
    {variable} :: y
    integer :: at
    at = {name}loc(x{a}, 1)
    y = {name}val(x{a})
    if (at > 0) y = x(at)
  end function
"""
    cases = "".join(f"    case (of_{name})\n      y = {name}_line_{kind}(x)\n"
                    for name in names)
    return text + f"""\
  function folded_{kind}(what, x) result(y)
    integer, intent(in) :: what
    {variable}, intent(in) :: x(:)
    {variable} :: y
    select case (what)
{cases}    end select
  end function
  subroutine fold_{kind}(what, x, n, y, mask)
    integer, intent(in) :: what, n
    {variable}, intent(in) :: x(n)
    {variable}, intent(inout) :: y
    logical, intent(in), optional :: mask(n)
    if (present(mask)) then
      y = folded_{kind}(what, pack(x, mask))
    else
      y = folded_{kind}(what, x)
    end if
  end subroutine
  ! The lines along a dimension.
  subroutine fold_{kind}_dim(what, x, extents, dim, y, mask)
    integer, intent(in) :: what, extents(:), dim
    {variable}, intent(in) :: x(*)
    {variable}, intent(inout) :: y(*)
    logical, intent(in), optional :: mask(*)
    integer :: before, n, behind, i, j, at, count
    {variable}, allocatable :: line(:)
    if (dim < 1 .or. dim > size(extents)) then
      write (error_unit, '(2(a, i0))') 'admpi: dim is ', dim, ' of an array of rank ', size(extents)
      error stop 1
    end if
    before = product(extents(:dim - 1))
    n = extents(dim)
    behind = product(extents(dim + 1:))
    allocate (line(n))
    do i = 0, before*behind - 1
      count = 0
      do j = 0, n - 1
        at = mod(i, before) + before*(j + n*(i/before)) + 1
        if (present(mask)) then
          if (.not. mask(at)) cycle
        end if
        count = count + 1
        line(count) = x(at)
      end do
      y(i + 1) = folded_{kind}(what, line(:count))
    end do
  end subroutine
"""


def masks():
    """Folds take one mask for all elements, too."""
    ranks = "".join(f"    rank ({rank})\n      y = {'mask' if rank == 1 else 'reshape(mask, [n])'}\n" for rank in range(1, 8))
    return f"""\
  pure function masked(mask, n) result(y)
    logical, intent(in) :: mask(..)
    integer, intent(in) :: n
    logical :: y(n)
    select rank (mask)
    rank (0)
      y = mask
{ranks}    end select
  end function
"""


def shape(rank):
    return f"({', '.join(':' * rank)})" if rank else ""


def one_of(kind):
    """An array that is folded. One of expressions is a temporary, which needs no code for gaps between its elements."""
    return f"{TYPES[kind]}, intent(in)" + (", contiguous" if kind == "e" else "")


def without_dim(rank, before=0):
    """The shape of `array` without its dimension `dim`. What stands before it on the line may be long."""
    sizes = [f"merge(size(array, {i}), size(array, {i + 1}), dim > {i})" for i in range(1, rank)]
    lines = [", ".join(sizes[i:i + 2]) for i in range(0, len(sizes), 2)]
    return f"({'&' + chr(10) + '      ' if before > 24 else ''}" + ", &\n      ".join(lines) + ")" if sizes else ""


def filled(frame, path, parts):
    """The frame with its marks replaced."""
    text = frame.read_text()
    for mark, part in parts.items():
        text = text.replace(f"@{mark}@\n", part)
    for at, line in enumerate(text.splitlines(), 1):
        if len(line) > 132:
            raise SystemExit(f"{path}:{at}: a line of {len(line)} characters")
    return text

"""The Fortran module admpi_matrix_tangents: its frame is admpi_matrix_tangents.F90.in; this writes the operators, the functions
element by element, and for functions of arrays the forms with each kind of operands. Also what admpi_tangents tells of slopes."""

from emit.fortran_ops import ONE, OPERATORS, TWO, fortran_name
from model import HERE

FRAME = HERE / "emit/admpi_matrix_tangents.F90.in"
# t: a tangent, a: an array without a derivative in the direction; the others are scalars.
TYPES = {"t": "class(admpi_tangent_array)", "a": "class(admpi_array)", "w": "type(admpi_tangent_var)", "v": "type(admpi_var)",
         "d": "real(dp)", "i": "integer"}
PAIRS = [*(a + b for a in TYPES for b in TYPES if "t" in a + b), "wa", "aw"]
ARRAYS = ["tt", "ta", "at"]
# Functions of two arrays whose derivative is in the frame, and whether they are subroutines.
OF_TWO_ARRAYS = {"matmul": "matmul", "diag_pre_multiply": "admpi_diag_pre_multiply",
                 "diag_post_multiply": "admpi_diag_post_multiply", "quad_form": "admpi_quad_form", "solve": "admpi_solve",
                 "solve_spd": "admpi_solve_spd", "solve_lower": "admpi_solve_lower", "solve_upper": "admpi_solve_upper"}
# By number, as slopes are asked for. The table has no derivatives of sums.
NUMBERS = {name: at for at, name in enumerate([*ONE, *dict.fromkeys([*OPERATORS, *TWO])], 1)}
IN_HAND = {"add": ("tangent_dd(1._dp, 0._dp)",)*2, "sub": ("tangent_dd(1._dp, 0._dp)", "tangent_dd(-1._dp, 0._dp)"),
           "mul": ("b", "a")}


def slopes():
    """For admpi_tangents: the partial derivatives of a function by its operands, as tangents."""
    cases = []
    for name, number in NUMBERS.items():
        cases.append(f"    case ({number})\n")
        if name in ONE:
            cases.append(f"      p = partial_{name}_t(a, {fortran_name(name)}(a))\n")
            continue
        value = f"a {OPERATORS[name]} b" if name in OPERATORS else f"{fortran_name(name)}(a, b)"
        partials = IN_HAND.get(name) or [f"partial_{at}_{name}_t(a, b, {value})" for at in (1, 2)]
        cases += [f"      {to} = {partial}\n" for to, partial in zip("pq", partials)]
    return "".join(cases)


class Parts:
    def __init__(self):
        self.generics, self.procedures = {}, []
        for name in ONE:
            self.of_one(name)
        for name in OPERATORS:
            self.operator(name)
        for name in TWO:
            if name not in OPERATORS:
                self.function(name)
        for name, generic in OF_TWO_ARRAYS.items():
            self.forms(name, generic, ARRAYS, True)

    def add(self, generic, specific):
        specifics = self.generics.setdefault(generic, [])
        if specific not in specifics:
            specifics.append(specific)

    def of_one(self, name):
        generic = fortran_name(name)
        self.add(generic, f"{name}_t")
        self.procedures.append(f"""\
  function {name}_t(a) result(y)
    class(admpi_tangent_array), intent(in) :: a
    type(admpi_tangent_result) :: y
    type(pair) :: u
    u = seen(a)
    y%value = {generic}(u%value)
    y%derivative = along_1({NUMBERS[name]}, u)
    call done(a)
  end function
""")

    def operator(self, name):
        sign = OPERATORS[name]
        self.element_wise(name, f"u%value {sign} v%value", {"add": "plus_along", "sub": "minus_along"}.get(name))
        self.forms(name, f"operator({sign})", PAIRS, False)

    def function(self, name):
        self.element_wise(name, f"{fortran_name(name)}(u%value, v%value)", None)
        self.forms(name, fortran_name(name), ARRAYS, False)

    def element_wise(self, name, value, along):
        derivative = f"{along}({NUMBERS[name]}, u, v)" if along else f"along_2({NUMBERS[name]}, u, v)"
        self.procedures.append(f"""\
  function {name}_of(u, v) result(y)
    type(pair), intent(in) :: u, v
    type(admpi_tangent_result) :: y
    y%value = {value}
    y%derivative = {derivative}
  end function
""")

    def forms(self, name, generic, kinds, may_fail):
        """For kinds of operands, of what is written once for a pair of them."""
        ierr = ", ierr" if may_fail else ""
        declared = "    integer, intent(out), optional :: ierr\n" if may_fail else ""
        for one in kinds:
            specific = f"{name}_{one}"
            self.add(generic, specific)
            done = "".join(f"    call done({dummy})\n" for kind, dummy in zip(one, "ab") if kind in "ta")
            self.procedures.append(f"""\
  function {specific}(a, b{ierr}) result(y)
    {TYPES[one[0]]}, intent(in) :: a
    {TYPES[one[1]]}, intent(in) :: b
{declared}    type(admpi_tangent_result) :: y
    y = {name}_of(seen(a), seen(b){ierr})
{done}  end function
""")

    def interfaces(self):
        text = ""
        for generic, specifics in self.generics.items():
            text += f"  interface {generic}\n"
            text += "".join(f"    procedure {', '.join(specifics[i:i + 6])}\n" for i in range(0, len(specifics), 6))
            text += f"  end interface\n  public :: {generic}\n"
        return text


# What of a' a solver reads.
READ = {"solve": "u%derivative", "solve_spd": "symmetric(u%derivative)", "solve_lower": "lower_of(u%derivative, 1d0)",
        "solve_upper": "upper_of(u%derivative)"}


def solvers():
    text = ""
    for name, read in READ.items():
        text += f"""\
  function {name}_of(u, v, ierr) result(y)
    type(pair), intent(in) :: u, v
    integer, intent(out), optional :: ierr
    type(admpi_tangent_result) :: y
    type(admpi_varmat) :: x
    x = admpi_{name}(u%value, v%value, ierr)
    if (failed(ierr)) return
    if (u%fixed) then
      y%derivative = admpi_{name}(u%value, v%derivative)
    else
      y%derivative = admpi_{name}(u%value, right_side({read}, v, x))
    end if
    y%value = admpi_varmat(x)
  end function
"""
    return text


def sparse():
    text = ""
    for name, across in {"sparse": ".false.", "sparse_transposed": ".true."}.items():
        for kinds in ARRAYS:
            text += f"""\
  function {name}_{kinds}(s, value, b, ierr) result(y)
    type(admpi_sparse), intent(in) :: s
    {TYPES[kinds[0]]}, intent(in) :: value
    {TYPES[kinds[1]]}, intent(in) :: b
    integer, intent(out), optional :: ierr
    type(admpi_tangent_result) :: y
    y = sparse_of(s, seen(value), seen(b), {across}, ierr)
    call done(value)
    call done(b)
  end function
"""
    return text


def module():
    parts = Parts()
    text = FRAME.read_text()
    for mark, part in {"interfaces": parts.interfaces(), "procedures": "".join(parts.procedures), "solve": solvers(),
                       "sparse": sparse()}.items():
        text = text.replace(f"@{mark}@\n", part)
    text = text.replace("@mul@", str(NUMBERS["mul"]))
    return text


OUTPUTS = {"fortran/admpi_matrix_tangents.F90": module}

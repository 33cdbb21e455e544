"""The Fortran module admpi_matrices: its frame is admpi_matrices.F90.in; this writes the operators, the functions element by element,
and those of the tables of matrices."""

from matrices import UNITS
from model import HERE
from emit.fortran import broken
from emit.fortran_ops import ONE, OPERATORS, TWO, fortran_name

FRAME = HERE / "emit/admpi_matrices.F90.in"
# The names that Fortran has; the others are as in C.
NAMES = {"multiply": "matmul", "sum": "sum"}
# By hand, in the frame.
LEFT_OUT = {"lu", "sparse_new", "sparse_copy", "sparse_free", "sparse_multiply", "sparse_multiply_transposed"}
KINDS = {"view": ("admpi_buffer", "%part%operand%view"), "operand": ("admpi_detail_operand", "%part%operand")}
FUNCTIONS = [one for functions in UNITS.values() for one in functions if one.name not in LEFT_OUT]
# Scalars beside arrays.
SCALARS = {"v": "type(admpi_var)", "d": "real(dp)", "i": "integer"}


class Parts:
    def __init__(self):
        self.generics, self.externals, self.procedures = {}, [], []
        for name in ONE:
            self.add(fortran_name(name), f"array_{name}")
            self.function(f"array_{name}", f"admpif_array_{name}", fortran_name(name), [("a", "view")], ["matrix"])
        for name in dict.fromkeys([*OPERATORS, *TWO]):
            self.of_two(name)
        for one in FUNCTIONS:
            self.of_table(one)

    def add(self, generic, specific):
        if specific not in self.generics.setdefault(generic, []):
            self.generics[generic].append(specific)

    def external(self, specific, c_name, inputs, outputs):
        dummies = [name for name, _ in inputs] + [f"y{i}" for i in range(1, len(outputs) + 1)]
        declared = "".join(f"      type({KINDS[kind][0]}), intent(in) :: {name}\n" for name, kind in inputs)
        types = {"matrix": "type(c_ptr)", "scalar": "type(admpi_var)"}
        declared += "".join(f"      {types[kind]}, intent(inout) :: y{i}\n" for i, kind in enumerate(outputs, 1))
        head = broken(f"integer(c_int32_t) function c_{specific}({', '.join(dummies)}) bind(C, name='{c_name}')", "    ")
        self.externals.append(f"{head}      import\n{declared}    end function\n")

    def function(self, specific, c_name, shown, inputs, outputs, names=()):
        """`inputs`: names and kinds; `outputs`: kinds. What returns one thing is a function, else a subroutine."""
        self.external(specific, c_name, inputs, outputs)
        one = len(outputs) == 1
        results = ["made"] if one else list(names)
        dummies = [name for name, _ in inputs] + ([] if one else results) + ["ierr"]
        head = f"{'function' if one else 'subroutine'} {specific}({', '.join(dummies)})" + (" result(made)" if one else "")
        operands = ", ".join(name for name, _ in inputs)
        lines = [f"class(admpi_array), intent(in) :: {operands}", "integer, intent(out), optional :: ierr"]
        if one:
            lines.append("type(admpi_result) :: made" if outputs == ["matrix"] else "type(admpi_var) :: made")
        else:
            lines.append(f"type(admpi_varmat), intent(inout) :: {', '.join(results)}")
        lines.append("integer(c_int32_t) :: status")
        given = ["made"] if outputs == ["scalar"] else [f"of_{name}" for name in results]
        if outputs != ["scalar"]:
            lines.append(f"type(c_ptr) :: {', '.join(given)}")
        for number, (name, kind) in enumerate(inputs):
            check = "checked" if kind == "view" else "checked_operand"
            lines.append(("if (status == 0) " if number else "") + f"status = {check}({name})")
        passed = ", ".join([name + KINDS[kind][1] for name, kind in inputs] + given)
        lines.append(f"if (status == 0) status = c_{specific}({passed})")
        if outputs != ["scalar"]:
            lines += [f"call {'give' if one else 'give_to'}(status, of_{name}, {name})" for name in results]
        lines += [f"call used({name})" for name, _ in inputs]
        lines.append(f"call admpi_detail_report(status, '{shown}', ierr)")
        body = "".join(broken(line, "    ") for line in lines)
        self.procedures.append(f"{broken(head, '  ')}{body}  end {head.split()[0]}\n")

    def of_two(self, name):
        """Two arrays, or one and a scalar for all elements. C's operands are either."""
        generic = f"operator({OPERATORS[name]})" if name in OPERATORS else fortran_name(name)
        self.add(generic, f"{name}_{'aa' if name in OPERATORS else 'of'}")
        self.function(f"{name}_of", f"admpif_array_{name}", generic, [("a", "operand"), ("b", "operand")], ["matrix"])
        if name in OPERATORS:
            self.procedures.append(f"""\
  function {name}_aa(a, b) result(y)
    class(admpi_array), intent(in) :: a, b
    type(admpi_result) :: y
    y = {name}_of(a, b)
  end function
""")
        for kind, scalar in SCALARS.items():
            value = "real({}, dp)" if kind == "i" else "{}"
            for specific, first, second, call in (
                    (f"{name}_a{kind}", "class(admpi_array)", scalar, f"a, admpi_scalar({value.format('b')})"),
                    (f"{name}_{kind}a", scalar, "class(admpi_array)", f"admpi_scalar({value.format('a')}), b")):
                self.add(generic, specific)
                body = f"    y = {name}_of({call})\n"
                if specific == "pow_ai":
                    body = f"    if (b == 2) then\n      y = array_square(a)\n    else\n  {body}    end if\n"
                self.procedures.append(f"""\
  function {specific}(a, b) result(y)
    {first}, intent(in) :: a
    {second}, intent(in) :: b
    type(admpi_result) :: y
{body}  end function
""")

    def of_table(self, one):
        inputs = [(p.name, p.kind) for p in one.parameters if not p.is_output]
        outputs = [p.kind for p in one.outputs]
        shown = NAMES.get(one.name, one.c_name)
        self.add(shown, f"of_{one.name}")
        self.function(f"of_{one.name}", one.c_name, shown, inputs, outputs, [p.name.removesuffix("_out") for p in one.outputs])

    def interfaces(self):
        text = ["  interface\n", *self.externals, "  end interface\n\n"]
        for generic, specifics in self.generics.items():
            text.append(f"  interface {generic}\n")
            text += [f"    procedure {', '.join(specifics[i:i + 3])}\n" for i in range(0, len(specifics), 3)]
            text.append(f"  end interface\n  public :: {generic}\n")
        return "".join(text)


def module():
    parts = Parts()
    text = FRAME.read_text()
    for mark, part in {"interfaces": parts.interfaces(), "procedures": "".join(parts.procedures)}.items():
        text = text.replace(f"@{mark}@\n", part)
    return text


OUTPUTS = {"fortran/admpi_matrices.F90": module}

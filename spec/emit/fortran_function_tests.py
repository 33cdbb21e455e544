"""cpp_tests/fortran/table_lists.h: the functions that Fortran has, by their names in the table and in Fortran."""

from functions import DIFFERENTIATED, of
from emit.fortran_writer import fortran_name
from emit.functions import NOTE


def rows(macro, functions):
    return "".join(f"{macro}({one.name}, {'power' if one.name == 'pow' else fortran_name(one.name)})\n" for one in functions)


def lists():
    functions = [one for one in of(*DIFFERENTIATED) if "cpp_only" not in one.words]
    first = [one for one in functions if "passive_first" in one.words]
    return (f"! {NOTE}: the functions of Fortran.\n#ifdef UNARIES\n" + rows("UNARY", (one for one in functions if one.arity == 1))
            + "#else\n" + rows("BINARY", (one for one in functions if one.arity == 2 and one not in first))
            + rows("PASSIVE_FIRST", first) + "#endif\n")


OUTPUTS = {"cpp_tests/fortran/table_lists.h": lists}

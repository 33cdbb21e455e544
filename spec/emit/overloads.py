"""include/admpi/ampi.hpp: the calls with typed buffers."""

import re

from model import MPI31, MPI4
from emit.text import NOTE, WIDTH, in_ampi, large, wrap



class Form:
    """A call with the counts of MPI-3.1, or with those past 2^31."""

    def __init__(self, call, has_large_counts):
        self.call, self.has_large_counts = call, has_large_counts
        self.name = call.ampi + ("_c" if has_large_counts else "")
        self.letters = dict(zip((one.name for one in call.buffers()), "TUV"))

        # With two buffers each has a type of its own: either may be NULL, nullptr or MPI_BOTTOM.
        self.has_two = len(self.letters) == 2

    def parameters(self):
        texts = []
        for one in self.call.parameters:
            text = large(one) if self.has_large_counts else in_ampi(one)
            if one.name in self.letters:
                letter = self.letters[one.name]
                text = f"{letter} {one.name}" if self.has_two else re.sub(r"\bvoid\b", letter, text)
            texts.append(text)
        return ", ".join(texts)

    def address(self, name):
        return f"admpi::detail::address({name})" if self.has_two else name

    def elements(self):
        """The types of the buffers' elements."""
        return ", ".join(f"admpi::detail::pointee<{letter}>" if self.has_two else letter for letter in self.letters.values())


def header():
    text = NOTE.replace("/* ", "// ").replace(" */", "") + """
// The calls with typed buffers. A buffer of active values under a datatype without any, MPI_DOUBLE say, or plain
// numbers under an active datatype would lose derivatives or overwrite memory; both are errors here. Tangents travel
// with their derivatives. A pointer to void or char is not checked. Of a structure the library knows at most that it
// contains active values, which would be lost as bytes.
#ifndef ADMPI_AMPI_HPP
#define ADMPI_AMPI_HPP

#include "admpi/ampi_buffers.hpp"
#include "admpi/ampi_shared.hpp"

"""
    typed = [one for one in MPI31 + MPI4 if one.buffers() and one.datatypes()]
    forms = [Form(one, large_counts) for one in typed
             for large_counts in ([False, True] if one.has_large_form else [False])]
    return text + "\n".join(overload(one) for one in forms) + "\n#endif\n"


def overload(form):
    arguments = []
    for one in form.call.parameters:
        if one.name in form.letters:
            constness = "const " if one.direction == "in" else ""
            arguments.append(f"static_cast<{constness}void *>({form.address(one.name)})")
        else:
            arguments.append(one.name)
    body = [failing(test) for test in tests(form)]
    classes = ", ".join(f"class {letter}" for letter in form.letters.values())
    head = wrap(f"inline int {form.name}({form.parameters()}) {{")
    result = wrap(f"return {form.name}({', '.join(arguments)});", "  ")
    return f"template <{classes}>\n{head}\n" + "\n".join(body) + f"\n{result}\n}}\n"


def failing(test):
    line = f"  if (const int code = {test})"
    if len(line) > WIDTH:
        line = f"  if (const int code =\n          {test})"
    return f"{line}\n    return code;"


def tests(form):
    """What must hold, and what the datatypes and the operation become."""
    call, detail, name = form.call, "admpi::detail::", f'"{form.name}"'
    comm = "comm" if "comm" in call.takes else "MPI_COMM_WORLD"
    result = []
    if call.name == "MPI_Compare_and_swap":
        result.append(f"{detail}check_compared<{form.elements()}>({name})")
    for one in call.buffers():
        if call.named(one.of).kind == "datatypes":
            kind = ("destinations" if one.direction == "in" else "sources") if call.is_neighbour else "ranks"
            result.append(f"{detail}check_buffers<{detail}peers::{kind}>({name}, {form.address(one.name)}, "
                          f"{one.of.replace('types', 'counts')}, {one.of}, {comm})")
            continue
        where = f", {detail}at_{one.at}{{root, comm}}" if one.at else ""
        result.append(f"{detail}check_buffer({name}, {form.address(one.name)}, {one.of}, {comm}{where})")
        if call.named("target_datatype"):
            result.append(f"{detail}check_target({name}, {form.address(one.name)}, target_datatype, {comm})")
    if "op" in call.takes and "win" not in call.takes:
        result.append(f"{detail}check_operation<{form.elements()}>({name}, op, datatype, {comm})")
    return result


OUTPUTS = {"include/admpi/ampi.hpp": header}

"""What is written in Rust: types, and the layout of the text."""

import subprocess
import sys

from model import LARGE, ROOT


def rust(parameter, large):
    """The type of a parameter."""
    if large and parameter.kind in LARGE:
        kind = LARGE[parameter.kind]
    else:
        kind = parameter.c_type.removeprefix("const ")
        kind = {"void": "c_void", "int": "c_int", "char": "c_char"}.get(kind, kind)
    pointers = parameter.c.count("*") + bool(parameter.array)
    return ("*const " if parameter.c.startswith("const ") else "*mut ") * pointers + kind


def direction(parameter):
    """As in the documentation of a call."""
    return parameter.direction.replace("inout", "in,out")


def formatted(text):
    done = subprocess.run(["rustfmt", "--edition", "2024", "--config-path", str(ROOT)], input=text,
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    return done.stdout

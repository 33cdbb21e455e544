"""Formulas of spec/functions.txt in Fortran: values and derivatives for operands of the kinds d and t."""

import re

from functions import BY_NAME
from emit.fortran_writer import FORTRAN_NAMES, INTRINSICS, TYPES, fortran_name

TOKEN = re.compile(r"\s*(?:(\d+\.?\d*(?:e-?\d+)?)|(\w+)|(&&|\|\||[=!<>]=|[-+*/<>(){},;?:=]))")
OPERATORS = {"&&": ".and.", "||": ".or.", "!=": "/="}
NAMES = {"HUGE_VAL": "infinite", "fabs": "abs"}


def c_name(name):
    """A function of C of real numbers."""
    if name == "Phi":
        return "admpif_value_phi"  # which is inline in C
    return ("admpi_value_" if name in BY_NAME and BY_NAME[name].is_special else "") + name


def called(name, kind):
    """The function for operands of a kind: an intrinsic, one of C's, or a generic of the module."""
    if name == "floor":
        return "whole"
    if name == "pow":
        return "power"
    if kind == "t" or (FORTRAN_NAMES.get(name, name) in INTRINSICS and not (name in BY_NAME and BY_NAME[name].is_special)):
        return fortran_name(name) if name in BY_NAME else name
    return f"c_{name}"


class Reader:
    """Turns lines of C into lines of Fortran."""

    def __init__(self, text, kind, substitutes=None):
        text = re.sub(r"/\*.*?\*/", "", text)
        self.tokens = [match for match in TOKEN.finditer(text)]
        if "".join(match.group(0) for match in self.tokens).strip() != text.strip():
            raise SystemExit(f"spec/functions.txt: what is '{text}' in Fortran?")
        self.at, self.kind, self.substitutes = 0, kind, substitutes or {}
        self.locals, self.lines = [], []

    def next(self):
        return self.tokens[self.at].group(0).strip() if self.at < len(self.tokens) else ""

    def take(self, expected=None):
        token = self.next()
        if expected is not None and token != expected:
            raise SystemExit(f"spec/functions.txt: '{token}' where Fortran needs '{expected}'")
        self.at += 1
        return token

    def expression(self, *ends):
        """Up to one of `ends`, which stays."""
        words = []
        while self.next() not in ends:
            if self.next() == "?":
                self.take()
                yes = self.expression(":")
                self.take(":")
                return f"merge({yes}, {self.expression(*ends)}, {self.joined(words)})"
            number, name, _ = self.tokens[self.at].groups()
            token = self.take()
            if number:
                words.append(f"{token}_dp")
            elif name:
                if self.next() == "(":
                    name = called(NAMES.get(name, name), self.kind)
                words.append(self.substitutes.get(name, NAMES.get(name, name)))
            elif token == "(":
                inside = [self.expression(",", ")")]
                while self.take() == ",":
                    inside.append(self.expression(",", ")"))
                words.append(f"({', '.join(inside)})")
            else:
                words.append(OPERATORS.get(token, token))
        return self.joined(words)

    @staticmethod
    def joined(words):
        text = " ".join(words)
        text = re.sub(r"(\w) \(", r"\1(", text)
        return re.sub(r"^- ", "-", text)

    def statement(self, indent):
        token = self.take()
        if token == "{":
            while self.next() != "}":
                self.statement(indent)
            self.take()
        elif token == "if":
            self.take("(")
            condition = self.expression(")")
            self.take(")")
            self.lines.append(f"{indent}if ({condition}) then")
            self.statement(indent + "  ")
            self.lines.append(f"{indent}end if")
        elif token == "return":
            self.lines += [f"{indent}partial = {self.expression(';')}", f"{indent}return"]
            self.take(";")
        else:
            if token == "real":
                token = self.take()
                self.locals.append(token)
            self.take("=")
            self.lines.append(f"{indent}{token} = {self.expression(';')}")
            self.take(";")

    def body(self):
        while self.next():
            self.statement("    ")
        if self.lines[-1].strip() == "return":
            self.lines.pop()
        return self.lines


def in_fortran(text, substitutes=None, kind="d"):
    """An expression."""
    return Reader(text + ";", kind, substitutes).expression(";")


def partial(name, arguments, lines, kinds):
    """A function with the partial derivative of y = f(arguments), whose kinds are given."""
    kind = "t" if "t" in kinds else "d"
    reader = Reader(" ".join(lines), kind)
    body = "".join(f"{line}\n" for line in reader.body())
    declared = "".join(f"    {TYPES[one]}, intent(in) :: {argument}\n" for one, argument in zip(kinds + kind, [*arguments, "y"]))
    for one in reader.locals:
        declared += f"    {TYPES[kind]} :: {one}\n"
    return (f"  elemental function {name}({', '.join([*arguments, 'y'])}) result(partial)\n{declared}"
            f"    {TYPES[kind]} :: partial\n{body}  end function\n")

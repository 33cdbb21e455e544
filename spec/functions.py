"""The scalar functions, read from spec/functions.txt; spec/README.md says how the table is written."""

import re

from model import HERE

# Whose value it is: of the C library; of admpi::special, as admpi_value_<name>; the same, inline in admpi/normal.h; a formula of
# the table. The others have no derivative of their own, or are written out in the headers.
DIFFERENTIATED = ("std", "special", "inline", "formula")
KINDS = (*DIFFERENTIATED, "operator", "choice", "flat", "query")
WORDS = {
    "vectorised",  # admpi_values_<name> computes many at once
    "symmetric",  # f(a, b) = f(b, a): no form with a passive first argument
    "passive_first",  # the first argument is passive always
    "passive_second",  # the second counts as constant
    "in_std",  # special, though std has the name as well
    "cpp_only",  # no operator in C and Fortran
}
SINGLE = {"value", "domain", "first", "test value", "test digits", "test domain", "test shift", "test within"}
SEVERAL = {"singular", "at", "test points"}
# What derivatives may call beside the functions of the table; `real` is the scalar's type.
CALLED = {"fabs", "if", "return"}


class Derivative:
    """With respect to one argument: lines of C with the arguments, the value `y` and the type `real`."""

    def __init__(self, argument, comment):
        self.argument, self.comment, self.lines = argument, comment, []

    @property
    def calls(self):
        return set(re.findall(r"\b(\w+) ?\(", re.sub(r"/\*.*?\*/", "", "\n".join(self.lines)))) - CALLED


class Function:
    def __init__(self, head, section):
        self.name, self.kind, *words = head.split()
        self.section = section
        self.words = set(words)
        self.doc, self.texts, self.derivatives = "", {}, []
        if self.kind not in KINDS or not self.words <= WORDS:
            raise ValueError(f"{self.name}: what does '{head}' say?")

    def add(self, row, comment):
        if row.startswith(": "):
            self.doc = row[2:]
            return
        match = re.match(r"((?:test )?(?:d/d)?\w+)\s*(.*)", row)
        key, text = match.groups()
        if key.startswith("d/d"):
            self.derivatives.append(Derivative(key[3:], comment))
            if text:
                code, _, remark = text.partition(" /*")
                self.derivatives[-1].lines.append(f"return {code};" + (" /*" + remark if remark else ""))
        elif key in SEVERAL:
            self.texts.setdefault(key, []).append(text)
        elif (key in SINGLE or key.startswith("test d/d")) and key not in self.texts:
            self.texts[key] = text
        else:
            raise ValueError(f"{self.name}: what does '{row}' say?")

    def get(self, key, default=None):
        return self.texts.get(key, default)

    @property
    def arguments(self):
        """Their names, in order: `x`, or two."""
        if self.kind == "choice":
            return ["a", "b"]
        return [one.argument for one in self.derivatives] or ["x"]

    @property
    def arity(self):
        return len(self.arguments)

    @property
    def is_special(self):
        return self.kind in ("special", "inline")

    @property
    def is_vectorised(self):
        return "vectorised" in self.words

    def value(self, arguments):
        """The value of plain doubles, in C."""
        if self.get("value"):
            return self.get("value")
        return f"{'admpi_value_' if self.is_special else ''}{self.name}({', '.join(arguments)})"

    def c_forms(self):
        """The operators in C as pairs of their names and, a letter for each argument, what is active: v, or a double: d."""
        name = f"admpi_{self.name}"
        if "cpp_only" in self.words or self.kind == "query" or self.name == "div":
            return []
        if self.arity == 1:
            return [(name, "v")]
        forms = [] if "passive_first" in self.words else [(name, "vv"), (name + "_d", "vd")]
        if not self.words & {"symmetric", "passive_second"}:
            forms.append((f"admpi_d_{self.name}", "dv"))
        return forms

    def points(self):
        """As they are written."""
        pattern = r"\(.*?\)" if self.arity == 2 else r"[^, ]+"
        return [point for row in self.get("test points", []) for point in re.findall(pattern, row)]

    def edges(self):
        """Arguments, value and derivatives, or no derivatives."""
        for row in self.get("at", []):
            at, _, right = row.partition(" -> ")
            value, _, partials = right.partition("; ")
            at, partials = at.split(", "), partials.split(", ") if partials else []
            if len(at) != self.arity or len(partials) not in (0, self.arity):
                raise ValueError(f"{self.name}: 'at {row}' is not: arguments -> value; derivatives")
            yield at, value, partials

    def check(self):
        """What the table must say of a function so that nothing is forgotten."""
        missing = []

        def want(condition, what):
            if not condition:
                missing.append(what)

        differentiated = self.kind in DIFFERENTIATED
        if differentiated:
            want(self.derivatives, "a derivative: d/d and the name of the argument")
            want(self.doc or self.kind == "std", "what it is, behind ' : '")
            want(self.kind != "formula" or self.get("value"), "'value'")
            if "cpp_only" not in self.words:
                want(self.points(), "'test points'")
        if self.kind in ("std", "formula"):
            for one in self.derivatives:
                want(self.get(f"test d/d{one.argument}"), f"'test d/d{one.argument}', the derivative in long double")
        if self.is_special:
            want(self.get("test digits") or "cpp_only" in self.words, "'test digits', the value by mpmath")
            places = [at for at, _, _ in self.edges()]
            if self.arity == 1:
                want(["inf"] in places and ["-inf"] in places, "'at inf' and 'at -inf', what it is there")
            else:
                want(places, "'at', what it is at the ends of its domain")
        edges = list(self.edges())
        if any(value == "nan" for _, value, _ in edges):
            want(self.get("domain"), "'domain', though it is NaN at places")
        if any(one.strip("-") in ("inf", "nan") for _, _, partials in edges for one in partials):
            want(self.get("singular"), "'singular', though a derivative is infinite or NaN at places")
        if self.is_vectorised:
            want(self.get("test within"), "'test within', the units in the last place that it may be off by")
            if self.is_special:
                want(self.get("test value") and self.get("test d/dx"), "'test value' and 'test d/dx' in long double")
        if self.kind == "choice":
            want(self.get("first"), "'first', the condition")
        if missing:
            raise ValueError(f"{self.name} lacks {'; '.join(missing)}")


def read():
    function, comment, section, functions = None, "", "", []
    for number, line in enumerate([*(HERE / "functions.txt").read_text().splitlines(), ""], 1):
        try:
            if function and not line.startswith(" "):
                function.check()
                functions.append(function)
                function = None
            if not line:
                continue
            if line.startswith("#"):
                section = line[2:]
                continue
            if line.startswith("  # "):
                comment = line[4:]
            elif line.startswith("    "):
                function.derivatives[-1].lines.append(line[4:])
            elif line.startswith("  "):
                function.add(line[2:], comment)
                comment = ""
            else:
                function = Function(line, section)
        except (ValueError, AttributeError, IndexError) as error:
            raise SystemExit(f"spec/functions.txt, line {number}: {error}") from None
    return functions


FUNCTIONS = read()
BY_NAME = {one.name: one for one in FUNCTIONS}
if len(BY_NAME) < len(FUNCTIONS):
    raise SystemExit("spec/functions.txt: two functions have one name")
for one in FUNCTIONS:
    for unknown in sorted(call for d in one.derivatives for call in d.calls if call not in BY_NAME):
        raise SystemExit(f"spec/functions.txt: the derivative of {one.name} calls {unknown}, which the table does not have")


def of(*kinds, arity=None, words=()):
    """The functions of some kinds, with so many arguments, with all these words."""
    return [one for one in FUNCTIONS if one.kind in kinds and arity in (None, one.arity) and set(words) <= one.words]

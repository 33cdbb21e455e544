"""The functions of matrices, read from spec/linalg.txt and spec/densities.txt; spec/README.md says how the tables are written."""

from blocks import read

# The type in Rust of what goes in, and of what comes out.
KINDS = {
    "view": ("*const admpi_view", None),
    "operand": ("*const admpi_operand", None),
    "count": ("i64", None),
    "indices": ("*const i64", "*mut i64"),
    "pattern": ("*const admpi_sparse", "*mut *mut admpi_sparse"),
    "matrix": (None, "*mut *mut admpi_varmat"),
    "scalar": (None, "*mut admpi_var"),
}
# What all densities have in common.
SUMMED = (", summed over all elements, as one event. Each argument is a part of a matrix, or a scalar that stands for all "
          "elements; active or passive.")
OF_EVENTS = "RANGE, STALE, NO_TAPE, IDS, LIMIT, MEMORY"


class Parameter:
    def __init__(self, row):
        head, _, self.doc = row.partition(" : ")
        self.name, self.kind, *words = head.split()
        types = KINDS.get(self.kind)
        if not types or not set(words) <= {"out", "passive", "freed"}:
            raise ValueError(f"what does '{head.strip()}' say?")
        self.is_output = "out" in words or types[0] is None
        self.is_passive = "passive" in words
        self.rust = types[self.is_output]
        if not self.rust or not self.doc:
            raise ValueError(f"{self.name}: its kind goes the other way, or nothing is said of it")
        if "freed" in words:
            self.rust = self.rust.replace("*const", "*mut")


class Function:
    def __init__(self, head, rows, unit):
        self.name, *words = head.split()
        self.unit, self.doc, self.parameters = unit, "", []
        self.codes = self.fails = self.does = self.density = None
        self.is_in_support = words == ["support"]
        if words[:1] == ["density"]:
            self.density = words.pop()
        elif words and not self.is_in_support:
            raise ValueError(f"{self.name}: what does '{head}' say?")
        for row in rows:
            self.add(row)
        self.complete()

    @property
    def c_name(self):
        return f"admpi_{self.name}"

    def add(self, row):
        key, _, text = row.partition(" ")
        if key == ":":
            self.doc = text
        elif key in ("codes", "fails", "does"):
            setattr(self, key, text.strip())
        else:
            self.parameters.append(Parameter(row))

    @property
    def views(self):
        return [one for one in self.parameters if one.kind == "view"]

    @property
    def patterns(self):
        return [one for one in self.parameters if one.kind == "pattern" and not one.is_output]

    @property
    def outputs(self):
        return [one for one in self.parameters if one.is_output]

    def complete(self):
        """Adds what follows from the first line."""
        if not self.doc or not self.parameters:
            raise ValueError(f"{self.name} has no text, or no parameters")
        if self.density:
            passive = [f"UNSUPPORTED ({one.name} is active), " for one in self.parameters if one.is_passive]
            self.doc += SUMMED
            self.codes = f"NULL, ARGUMENT (outside the domain, or sizes that differ), {''.join(passive)}{OF_EVENTS}"
            self.parameters.append(Parameter("lp_out scalar : the sum over all elements"))


UNITS = {unit: read(f"{unit}.txt", lambda head, rows, unit=unit: Function(head, rows, unit)) for unit in ("linalg", "densities")}

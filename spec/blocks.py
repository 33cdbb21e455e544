"""Tables of blocks between blank lines: a line for each thing, and rows below it, which go on in lines that stand further right."""

from model import HERE


def read(name, make):
    """What `make` makes of each block's first line and rows. Its ValueError names the place."""
    made, head, rows = [], "", []
    for number, line in enumerate([*(HERE / name).read_text().splitlines(), ""], 1):
        if line.startswith("#"):
            continue
        if line.startswith("    "):
            rows[-1] += " " + line.strip()
        elif line.startswith("  "):
            rows.append(line.strip())
        elif line:
            head = line
        elif head:
            try:
                made.append(make(head, rows))
            except (ValueError, IndexError) as error:
                raise SystemExit(f"spec/{name}, before line {number}: {error}") from None
            head, rows = "", []
    return made

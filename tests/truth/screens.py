"""What screens of the command are made of: tables whose columns are as wide as what stands in them, and times in words."""
from fractions import Fraction


def table(titles, *rows, indent=0):
    """Lines of a table. A title that begins with ">" stands at the right of its column; a column without any cell is left out."""
    assert all(len(row) == len(titles) for row in rows)
    lines = [[title.lstrip(">") for title in titles], *([str(cell) for cell in row] for row in rows)]
    kept = [c for c in range(len(titles)) if any(line[c] for line in lines[1:])]
    width = {c: max(len(line[c]) for line in lines) for c in kept}

    def cell(line, c):
        return line[c].rjust(width[c]) if titles[c].startswith(">") else line[c].ljust(width[c])
    return [(" " * indent + "  ".join(cell(line, c) for c in kept)).rstrip() for line in lines]


def time(ps):
    """Three decimals of the largest unit of which it is one at least; below a nanosecond whole picoseconds."""
    if abs(ps) < 1000:
        return f"{ps} ps"
    for name, unit in (("ns", 10**3), ("us", 10**6), ("ms", 10**9), ("s", 10**12)):
        thousandths = half_up(Fraction(abs(ps) * 1000, unit))
        if thousandths < 1_000_000:
            return f"{'-' if ps < 0 else ''}{thousandths // 1000}.{thousandths % 1000:03d} {name}"
    raise ValueError(ps)


def percent(part, whole):
    tenths = half_up(Fraction(part * 1000, whole))
    return f"{tenths // 10}.{tenths % 10} %"


def half_up(value):
    return (2 * value.numerator + value.denominator) // (2 * value.denominator)

"""Durations and shares as profkit prints them for people."""
from fractions import Fraction


def half_away(value):
    return (2 * value.numerator + value.denominator) // (2 * value.denominator)


def human(ps):
    """Three decimals of the largest unit of which there is one, in the rounding of the digits shown."""
    for unit, size in (("s", 10**12), ("ms", 10**9), ("us", 10**6), ("ns", 10**3)):
        thousandths = half_away(Fraction(ps * 1000, size))
        if thousandths >= 1000 or unit == "ns" and ps >= 1000:
            whole = f"{thousandths // 1000:,}"
            return f"{whole}.{thousandths % 1000:03} {unit}"
    return f"{ps} ps"


def percent(part, whole):
    if whole <= 0:
        return "-"
    tenths = half_away(Fraction(part * 1000, whole))
    return f"{tenths // 10}.{tenths % 10} %"


def counted(n, what):
    return f"{n:,} {what}{'' if n == 1 else 's'}"

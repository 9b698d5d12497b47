"""What the documents say of ops is worked out here from the description in pair.py: totals, self times, programs."""
import re
from fractions import Fraction

import pair


def program_names(host):
    """{id: name of the program}, of those ids that one name has."""
    names = {}
    for plane in host.planes:
        if plane.kind != "metadata":
            continue
        for op in plane.ops.values():
            found = re.fullmatch(r".*\((\d+)\)", op.name)
            if found:
                names.setdefault(int(found[1]), set()).add(op.name)
    return {key: next(iter(held)) for key, held in names.items() if len(held) == 1}


def program_of(event):
    """What tells the programs of events with one metadata id apart: the id, else the module's name, else nothing."""
    number = event.stat("program_id")
    if number is not None:
        return "id", number
    module = event.stat("hlo_module", ("text", "ref"))
    return ("module", module) if module else None


def program_text(host, plane, op, number, module):
    if number is None and not module:
        for name, kind, value in plane.ops[op].stats if op in plane.ops else ():
            if name == "program_id" and kind in ("int", "uint"):
                number = pair.as_int64(value)
            if name == "hlo_module":
                module = value
    if number is None:
        return module or ""
    unsigned = number % (1 << 64)
    if module:
        return f"{module}({unsigned})"
    return program_names(host).get(unsigned, str(unsigned))


class Row:
    def __init__(self, op, program, order):
        self.op, self.key, self.order = op, program, order
        self.count = self.total_ps = self.self_ps = 0
        self.durations, self.module = [], ""


def clock_of(line):
    """"device" where every event that has a place in time also has both times of the device."""
    here = [e for e in line.events if e.occurrences is None]
    if not any(e.stat("device_duration_ps") is not None for e in line.events):
        return "aligned"
    whole = all(e.stat("device_duration_ps") is not None and e.stat("device_offset_ps") is not None for e in here)
    return "device" if whole else "mixed"


def own_times(spans):
    """What each (start, end) has to itself: every instant belongs to the one that began last; of equal starts to the
    shorter, then to the later in the file."""
    own = [0] * len(spans)
    borders = sorted({at for span in spans for at in span})
    for from_ps, to_ps in zip(borders, borders[1:]):
        running = [(start, -end, i) for i, (start, end) in enumerate(spans) if start <= from_ps and end >= to_ps]
        if running:
            own[max(running)[-1]] += to_ps - from_ps
    return own


def total(line, keeps=lambda event: True):
    """(rows, events, busy_ps, sum of durations, clock) of a line, of the events that are kept."""
    kept = [e for e in line.events if keeps(e)]
    clock = clock_of(type(line)(line.key, line.name, 0, kept, line.kind))
    rows, orders, spans, modules = {}, {}, [], {}
    for e in kept:
        key = program_of(e)
        if key is not None and key not in orders:
            orders[key] = len(orders) + 1
            modules[key] = e.stat("hlo_module", ("text", "ref")) or ""
        row = rows.setdefault((e.op, key), Row(e.op, key, orders.get(key, 0)))
        row.module = modules.get(key, "")
        duration = e.stat("device_duration_ps")
        duration = e.duration_ps if duration is None else duration
        row.total_ps += duration
        if e.occurrences is not None:
            row.count += e.occurrences
            continue
        row.count += 1
        row.durations.append(duration)
        start = e.stat("device_offset_ps") if clock == "device" else e.start_ps
        spans.append((start, start + duration, row))
    for (_, _, row), own in zip(spans, own_times([s[:2] for s in spans])):
        row.self_ps += own
    if not spans:
        for row in rows.values():
            row.self_ps = row.total_ps
    busy = sum(row.self_ps for row in rows.values())
    return list(rows.values()), len(kept), busy, sum(r.total_ps for r in rows.values()), clock


def order(rows, by="total"):
    first = {"total": lambda r: 0, "self": lambda r: r.self_ps, "count": lambda r: r.count}[by]
    return sorted(rows, key=lambda r: (-first(r), -r.total_ps, r.op, r.order))


def last_number(stats, name):
    found = [s for s in stats if s[0] == name]
    if not found:
        return None
    return found[-1][2] if found[-1][1] in ("int", "uint") else 0


def is_half(op):
    """The start or the done of a transfer: not as long as the transfer."""
    name = (op.display_name or op.name).lstrip("%")
    return re.match(r"[a-z-]+-(start|done)([ .=]|$)", name) is not None


def rate(amount, row):
    if amount is None or row.total_ps <= 0:
        return None
    return Fraction(amount * row.count * 10**12, row.total_ps)


# 10^12 operations and 10^9 bytes a second, as the makers of devices say: for planes that do not.
SHEETS = {"tpu v5 lite": (197, 819)}


def peaks(plane):
    found = {s[0]: s[2] for s in plane.stats}
    flops = found.get("peak_teraflops_per_second")
    bandwidth = found.get("peak_hbm_bw_gigabytes_per_second")
    device = found.get("device_type_string", found.get("device_vendor", ""))
    known = SHEETS.get(device.lower(), (None, None))
    flops, bandwidth = (sheet if said is None else said for said, sheet in zip((flops, bandwidth), known))
    return (device, None if flops is None else Fraction(flops) * 10**12,
            Fraction(bandwidth) * 10**9 if bandwidth is not None else
            Fraction(found["memory_bandwidth"]) if "memory_bandwidth" in found else None)


def name_fits(plane, key, wanted):
    op = plane.ops.get(key)
    return not wanted or op is not None and (wanted in op.name or wanted in op.display_name)


def line_document(place, keeps, name="", limit=0):
    """What the ops document says of a line, or None where no event of it is kept."""
    file, p, n, host, plane, line = place
    rows, events, busy, durations, clock = total(line, keeps)
    if not events:
        return None
    device, peak_flops, peak_bytes = peaks(plane)
    written = []
    for row in order(r for r in rows if name_fits(plane, r.op, name)):
        op = plane.ops.get(row.op, pair.Op(""))
        half = is_half(op)
        flops = None if half else rate(last_number(op.stats, "flops"), row)
        moved = None if half else rate(last_number(op.stats, "bytes_accessed"), row)
        written.append(
            {
                "metadata_id": str(row.op),
                "name": op.name,
                "display_name": op.display_name,
                "program": program_text(
                    host, plane, row.op, row.key[1] if row.key and row.key[0] == "id" else None, row.module
                ),
                "count": row.count,
                "total_ps": row.total_ps,
                "self_ps": row.self_ps,
                "min_ps": min(row.durations, default=0),
                "max_ps": max(row.durations, default=0),
                "flops_per_s": flops,
                "flops_share": None if flops is None or peak_flops is None else flops / peak_flops,
                "bytes_per_s": moved,
                "bytes_share": None if moved is None or peak_bytes is None else moved / peak_bytes,
                "stats": pair.stat_map(op.stats),
            }
        )
    shown = written[:limit] if limit else written
    return {"file": file, "plane": p, "line": n, "plane_name": plane.name, "line_name": line.title, "kind": line.kind,
            "clock": clock, "events": events, "events_cut": 0, "duration_sum_ps": durations, "busy_ps": busy, "device_type": device,
            "peak_flops_per_s": peak_flops, "peak_hbm_bytes_per_s": peak_bytes, "ops": shown,
            "ops_left_out": len(written) - len(shown)}

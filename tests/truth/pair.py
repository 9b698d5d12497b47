"""The capture that the tests of ops, steps, collectives and their kin share, and what they all read off it.

Two hosts of one run. Their clocks begin at other times, and their devices tell times of their own. Names repeat among
programs, planes and hosts; times are equal, touch, nest and overlap.
"""
import json

import hlo
import truth
import xspace as x

ORIGIN_NS = {"alpha": 1_700_000_000_000_000_000, "beta": 1_700_000_000_000_250_000}
SCREENS = truth.ROOT / "tests" / "truth" / "expected"
BIG_ID = 12190760917235803885  # as XLA makes them: above what int64 holds


class Ev:
    """An event. `start_ps` counts from the line's base; stats are (name, kind, value), of a ref the text."""

    def __init__(self, op, start_ps, duration_ps, *stats, occurrences=None):
        self.op, self.start_ps, self.duration_ps, self.stats = op, start_ps, duration_ps, stats
        self.occurrences = occurrences

    def stat(self, name, kinds=("int", "uint")):
        """The value of the last stat of that name that has one of these kinds; a number as int64."""
        found = [s for s in self.stats if s[0] == name]
        if not found or found[-1][1] not in kinds:
            return None
        return as_int64(found[-1][2]) if found[-1][1] in ("int", "uint") else found[-1][2]


class Line:
    def __init__(self, key, name, base_ps, events, kind, display_name="", display_id=0):
        self.key, self.name, self.base_ps, self.events, self.kind = key, name, base_ps, events, kind
        self.display_name, self.display_id = display_name, display_id

    @property
    def title(self):
        return self.name or self.display_name


class Op:
    """What events share by their metadata id."""

    def __init__(self, name, display_name="", stats=(), children=(), own=b""):
        self.name, self.display_name, self.stats, self.children = name, display_name, list(stats), list(children)
        self.own = own


class Plane:
    def __init__(self, key, name, kind, lines, ops, stats=()):
        self.key, self.name, self.kind, self.lines, self.ops, self.stats = key, name, kind, lines, ops, list(stats)
        self.stat_ids = {}
        every = [s for line in lines for e in line.events for s in e.stats]
        every += [s for op in ops.values() for s in op.stats] + self.stats
        for name_of_stat, kind_of_stat, value in every:
            self.stat_ids.setdefault(name_of_stat, len(self.stat_ids) + 1)
            if kind_of_stat == "ref":
                self.stat_ids.setdefault(value, len(self.stat_ids) + 1)

    def stat_bytes(self, stat):
        name, kind, value = stat
        if kind == "ref":
            return x.stat(self.stat_ids[name], self.stat_ids[value], "ref")
        return x.stat(self.stat_ids[name], value, kind if kind in ("uint", "bytes") else None)


class Host:
    def __init__(self, name, planes, relative=False, errors=(), warnings=()):
        """relative: the lines tell their time since the start of the host's profile, not since 1970."""
        self.name, self.planes, self.relative, self.errors, self.warnings = name, planes, relative, errors, warnings

    def timestamp_ns(self, line):
        since = ORIGIN_NS["alpha"] - (ORIGIN_NS[self.name] if self.relative else 0)
        assert line.base_ps % 1000 == 0
        return since + line.base_ps // 1000

    def bytes(self):
        planes = []
        for plane in self.planes:
            parts = []
            for line in plane.lines:
                events = [x.event(e.op, None if e.occurrences is not None else e.start_ps, e.duration_ps,
                                  [plane.stat_bytes(s) for s in e.stats], occurrences=e.occurrences)
                          for e in line.events]
                parts.append(x.line(line.key, line.name, events, self.timestamp_ns(line), line.display_name,
                                    line.display_id))
            parts += [
                x.event_metadata(
                    key, op.name, op.display_name, [plane.stat_bytes(s) for s in op.stats], op.children, op.own
                )
                for key, op in plane.ops.items()
            ]
            parts += [x.stat_metadata(key, name) for name, key in plane.stat_ids.items()]
            parts += [x.message(6, plane.stat_bytes(s)) for s in plane.stats]
            planes.append(x.plane(plane.key, plane.name, *parts))
        return x.space(*planes, errors=self.errors, warnings=self.warnings, hostnames=[self.name])


def as_int64(n):
    return n - (1 << 64) if n >= 1 << 63 else n


def device_times(offset_ps, duration_ps, kind="uint"):
    return ("device_offset_ps", kind, offset_ps), ("device_duration_ps", kind, duration_ps)


# ---- operations: those of both devices, with the same ids on every plane ----

(
    FUSION,
    COPY,
    ALL_REDUCE,
    GATHER_START,
    GATHER_DONE,
    WHILE,
    QUOTED,
    BITCAST,
    PERMUTE,
    REDUCE_START,
    REDUCE_DONE,
    COPY_START,
    SEND,
) = range(1, 14)
STEP_OP, OTHER_STEP, MODULE_STEP, MODULE_EVAL = 21, 22, 31, 32
NO_ENTRY = 99  # events with this id name nothing

OPS = {
    FUSION: Op(
        "%fusion.1 = bf16[8,128]{1,0} fusion(%p0), kind=kLoop",
        "fusion.1",
        [
            ("hlo_category", "ref", "loop fusion"),
            ("flops", "int", 1 << 20),
            ("bytes_accessed", "uint", 1 << 12),
            ("tf_op", "text", 'jit(step)/mul, "a"'),
        ],
    ),
    COPY: Op(
        "%copy.2 = f32[4]{0} copy(%p1)",
        "copy.2",
        [("hlo_category", "text", "data formatting"), ("bytes_accessed", "int", 512), ("raw", "bytes", b"\x00\xff")],
    ),
    ALL_REDUCE: Op(
        "%all-reduce.3 = f32[8]{0} all-reduce(%x)",
        "",
        [("flops", "int", 1), ("hlo_category", "text", "all-reduce"), ("flops", "int", 64)],
    ),  # the last counts
    GATHER_START: Op(
        "all-gather-start.4", "all-gather-start.4", [("hlo_category", "text", "all-gather-start"), ("flops", "int", 7)]
    ),
    GATHER_DONE: Op(
        "all-gather-done.4", "", [("hlo_category", "text", "all-gather-done"), ("bytes_accessed", "int", 9)]
    ),
    WHILE: Op("while.6", "", [("program_id", "uint", BIG_ID), ("ratio", "double", 0.5)]),
    QUOTED: Op('über, "quoted"', "", [("hlo_module", "ref", "jit_own")]),
    BITCAST: Op("%bitcast.8 = f32[4] bitcast(%p)", "", []),
    PERMUTE: Op("collective-permute.9.clone", "", [("hlo_category", "text", "custom")]),
    REDUCE_START: Op("%reduce-scatter-start.2 = f32[] x()", "", []),
    REDUCE_DONE: Op("%reduce-scatter-done.2 = f32[] x()", "", []),
    COPY_START: Op("%copy-start.5 = f32[] x()", "", [("hlo_category", "text", "copy-start")]),
    SEND: Op("%send-start.7 = f32[] x()", "", [("hlo_category", "ref", "send fusion")]),
    STEP_OP: Op("7", "", []),
    OTHER_STEP: Op("warmup", "", []),
    MODULE_STEP: Op("jit_step(7)", "", []),
    MODULE_EVAL: Op("jit_eval(9)", "", []),
    -4: Op("below zero", "", [("flops", "double", 2.5)]),
}

TPU = [("device_type_string", "text", "TPU v5 lite"), ("peak_teraflops_per_second", "double", 256.0),
       ("peak_hbm_bw_gigabytes_per_second", "double", 1024.0), ("device_vendor", "text", "not asked")]


def program(number, kind="uint"):
    return ("program_id", kind, number)


def alpha_planes():
    # The device's clock begins elsewhere and runs slower than the timeline, in which everything is twice as long.
    def both(op, start_ps, duration_ps, *stats):
        return Ev(op, 2 * start_ps, 2 * duration_ps, *device_times(900 + start_ps, duration_ps), *stats)

    ops_0 = Line(3, "XLA Ops", 2_000_000, [
        both(WHILE, 0, 4096),                       # around the next three
        both(FUSION, 0, 1024, program(7)),          # begins with it
        both(COPY, 1024, 512, program(7)),          # touches fusion.1
        both(FUSION, 2048, 2048, program(9)),       # of another program, to the end of the loop
        both(BITCAST, 4096, 0, program(7)),         # an instant at the border
        both(FUSION, 4096, 1024, program(7, "int")),
        both(ALL_REDUCE, 5120, 2048, program(7)),
        both(ALL_REDUCE, 7168, 1024, program(9)),
        both(QUOTED, 8192, 512, program(BIG_ID)),
        both(QUOTED, 8704, 512, program(-3, "int")),
        both(NO_ENTRY, 9216, 100),
        both(GATHER_START, 9400, 50, program(7)),
        both(GATHER_DONE, 10_000, 700, program(7)),
        both(REDUCE_DONE, 11_000, 300, program(7)),
        both(-4, 12_000, 250, program(7)),
        Ev(COPY, 0, 333, program(7), occurrences=3),  # a total without a place in time
    ], "ops")
    async_0 = Line(4, "Async XLA Ops", 2_000_000, [
        Ev(GATHER_START, 18_800, 100, ("flow", "uint", 5), ("hlo_op", "text", "all-gather-start.4")),
        Ev(GATHER_DONE, 20_000, 1_400, ("flow", "uint", 5), ("device_duration_ps", "uint", 650)),
        # One event from start to done, which the done operation on the ops line ends with.
        Ev(COPY_START, 21_000, 1_600, ("flow", "int", 6), ("hlo_op", "ref", "reduce-scatter-done.2")),
        Ev(COPY_START, 21_000, 900, ("flow", "int", 8)),  # the other half is missing
        Ev(REDUCE_DONE, 23_000, 40, ("flow", "uint", BIG_ID), ("device_duration_ps", "int", 17)),
        Ev(SEND, 100, 200),                         # without a flow
        Ev(GATHER_START, 30_000, 10, ("flow", "uint", 9)),
        Ev(GATHER_START, 29_000, 5_000, ("flow", "uint", 9)),  # began before, stands later; ends last
        Ev(GATHER_DONE, 30_000, 500, ("flow", "uint", 9)),
        Ev(SEND, 0, 60, occurrences=2),
    ], "async")
    steps_0 = Line(1, "Steps", 2_000_000, [
        Ev(OTHER_STEP, 8_192, 12_000),              # not in the order of time
        Ev(STEP_OP, 0, 8_192),
        Ev(OTHER_STEP, 20_192, 12_000, ("step_num", "int", 42)),
    ], "steps")
    modules_0 = Line(2, "XLA Modules", 2_000_000, [
        Ev(MODULE_STEP, 0, 8_192), Ev(MODULE_EVAL, 8_192, 4_096), Ev(MODULE_STEP, 20_192, 12_000)], "modules")
    # Only some events have the device's times, so that starts are those of the timeline.
    ops_1 = Line(3, "XLA Ops", 5_000_000, [
        Ev(FUSION, 1_000, 1_000, ("device_duration_ps", "uint", 512), program(7)),
        Ev(FUSION, 1_400, 2_000, *device_times(77, 1024), program(9)),  # overlaps what came before
        Ev(COPY, 1_600, 300),                       # has no time of the device
        Ev(COPY, 1_600, 300),                       # the same again
        Ev(PERMUTE, 4_000, 128, ("hlo_module", "text", "jit_a")),
        Ev(PERMUTE, 4_128, 128, program(7), ("hlo_module", "text", "jit_b")),
    ], "ops")
    steps_1 = Line(1, "Steps", 5_000_000, [Ev(STEP_OP, 0, 1_500), Ev(STEP_OP, 1_500, 2_600)], "steps")
    derived = Line(-559038737, "Steps of the host", 1_000, [Ev(1, 0, 77)], "derived")
    host_ops = {
        1: Op("train step", "", []), 2: Op("infeed", "", [("kind", "text", "host")]), 3: Op("infeed", "", []),
        4: Op("", "", []), 5: Op("PjRt, \"execute\" ö", "", []), 6: Op("zero", "", []),
    }
    python = Line(-5, "python", 1_000_000, [
        Ev(1, 0, 40_000_000, ("step_num", "int", 3)), Ev(2, 10, 500, ("bytes", "uint", (1 << 63) + 5)),
        Ev(2, 600, 500, ("bytes", "int", -5), ("bytes", "double", 0.25)), Ev(3, 2_000, 400), Ev(4, 3_000, 7),
        Ev(2, 0, 60, occurrences=4)], "thread")
    worker = Line(17, "", 1_500_000, [Ev(5, 0, 1_200, ("note", "ref", "shared text"), ("raw", "bytes", b"\x01\xab")),
                                      Ev(6, 1_200, 0, ("empty", "text", ""))], "thread", "worker, 1", 4)
    gpu_ops = {
        1: Op("void ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "", []),
        2: Op("void gemm<float, 4>(float*)", "", []),
        3: Op("ncclDevKernel_AllGather_RING_LL", "", []),
    }
    gpu = Plane(40, "/device:GPU:3", "device", [
        Line(16, "Stream #16(Kernel)", 0, [Ev(2, 0, 5_000), Ev(1, 5_000, 2_000), Ev(3, 7_000, 900)], "stream"),
        Line(17, "Stream #17(Kernel)", 0, [Ev(1, 100, 2_500), Ev(1, 9_000, 0)], "stream"),
    ], gpu_ops, [("device_vendor", "text", "Nvidia"), ("memory_bandwidth", "uint", 1 << 40)])
    return [
        Plane(10, "/device:TPU:0", "device", [steps_0, modules_0, ops_0, async_0], OPS, TPU),
        Plane(11, "/device:TPU:1", "device", [steps_1, ops_1], OPS, [("device_type_string", "ref", "TPU v5 lite")]),
        gpu,
        Plane(0, "/host:CPU", "host", [python, worker, derived], host_ops),
        Plane(12, "/host:metadata", "metadata", [], {
            7: Op("jit_step(7)", "", [("Hlo Proto", "bytes", hlo.proto("jit_step", 7))]),
            9: Op("jit_eval(9)", "", [("Hlo Proto", "bytes", hlo.proto("jit_eval", 9, extra=True))]),
            10: Op("jit_other(9)", "", []),         # so that 9 alone names nothing
            BIG_ID - (1 << 64): Op(f"jit_big({BIG_ID})", "", []),
        }),
        Plane(13, "Task Environment", "environment", [], {}, [("profile_start_time", "uint", ORIGIN_NS["alpha"])]),
    ]


def beta_planes():
    # No times of the device and no programs: the operations' own stats tell the program.
    ops_0 = Line(3, "XLA Ops", 300_000_000, [
        Ev(FUSION, 5_000, 2048), Ev(WHILE, 0, 1024),  # out of order
        Ev(FUSION, 7_048, 2048), Ev(QUOTED, 7_048, 2048), Ev(QUOTED, 20_000, 4096), Ev(COPY, 20_000, 1024),
        Ev(ALL_REDUCE, 30_000, 4096), Ev(ALL_REDUCE, 34_096, 0),
    ], "ops")
    async_0 = Line(4, "Async XLA Ops", 300_000_000, [
        Ev(COPY_START, 0, 100, ("flow", "uint", 5)), Ev(REDUCE_START, 50, 100, ("flow", "uint", 6))], "async")
    ops_1 = Line(3, "XLA Ops", 310_000_000, [
        Ev(FUSION, 0, 64, program(9), ("hlo_module", "ref", "jit_eval")),
        Ev(FUSION, 64, 64, program(9)),
        Ev(FUSION, 128, 256, ("hlo_module", "text", "jit_eval")),
        Ev(FUSION, 384, 256, ("hlo_module", "ref", "jit_eval")),
        Ev(COPY, 640, 128, program(7)), Ev(COPY, 768, 128, program(8)), Ev(COPY, 896, 128),
    ], "ops")
    modules_0 = Line(
        2, "XLA Modules", 300_000_000, [Ev(MODULE_STEP, 0, 10_000), Ev(MODULE_STEP, 10_000, 30_000)], "modules"
    )
    modules_1 = Line(2, "XLA Modules", 310_000_000, [Ev(MODULE_EVAL, 0, 640, ("step_num", "uint", 5))], "modules")
    host_ops = {1: Op("train step", "", []), 2: Op("infeed", "", [])}
    return [
        Plane(10, "/device:TPU:0", "device", [modules_0, ops_0, async_0], OPS, TPU),
        Plane(11, "/device:TPU:1", "device", [modules_1, ops_1], OPS, TPU),
        Plane(0, "/host:CPU", "host", [Line(1, "python", 250_000_000, [
            Ev(1, 0, 1_000, ("step_num", "int", 4)), Ev(2, 100, 50, ("bytes", "text", "many"))], "thread")], host_ops),
        Plane(12, "/host:metadata", "metadata", [], {
            7: Op("jit_step(7)", "", [("Hlo Proto", "bytes", hlo.proto("jit_step", 7))]),
        }),
        Plane(13, "Task Environment", "environment", [], {}, [("profile_start_time", "uint", ORIGIN_NS["beta"])]),
    ]


HOSTS = [Host("alpha", alpha_planes()), Host("beta", beta_planes(), relative=True, warnings=["late by 250 us"])]


# ---- what all documents have ----

def path_of(folder, host):
    return f"{folder}/plugins/profile/run1/{host.name}.xplane.pb"


def files(folder):
    return [{"path": path_of(folder, host), "family": "xspace", "export_of": -1} for host in HOSTS]


# About how many events of an XSpace a document's verdict is, where not about some.
CHECKED = {"report": "all", "modules": "none", "metadata": "none"}


def frame(name, status="ok", reason=None, version=1):
    return {"schema": f"profkit.{name}", "version": version, "status": status, "reason": reason}


def stat_value(stat):
    _, kind, value = stat
    if kind in ("int", "uint"):
        return str(value)
    return value.hex() if kind == "bytes" else value


def stat_map(stats):
    """By name: of equal names the last, at its place."""
    last = {s[0]: i for i, s in enumerate(stats)}
    return {s[0]: stat_value(s) for i, s in enumerate(stats) if last[s[0]] == i}


KINDS = {"int": "int64", "uint": "uint64", "text": "str", "ref": "ref", "double": "double", "bytes": "bytes"}


def stat_list(plane, stats):
    rows = []
    for s in stats:
        row = {"name": s[0], "metadata_id": str(plane.stat_ids[s[0]]), "kind": KINDS[s[1]], "value": stat_value(s)}
        if s[1] == "ref":
            row["ref"] = str(plane.stat_ids[s[2]])
        rows.append(row)
    return rows


def lines(kinds=None, name=None, hosts=None):
    """(file, plane position, line position, host, plane, line) of all lines that have events."""
    for file, host in enumerate(hosts or HOSTS):
        for p, plane in enumerate(host.planes):
            for n, line in enumerate(plane.lines):
                if line.events and (kinds is None or line.kind in kinds) and (name is None or name in line.title):
                    yield file, p, n, host, plane, line


def placed(line, e):
    """Start on the capture's clock, or None."""
    return None if e.occurrences is not None else line.base_ps + e.start_ps


def in_window(start_ps, duration_ps, from_ps, to_ps):
    """Half open: what only touches the window from before is outside; an instant at its start is inside."""
    if start_ps is None:
        return from_ps is None and to_ps is None
    if to_ps is not None and start_ps >= to_ps:
        return False
    return from_ps is None or start_ps >= from_ps or start_ps + duration_ps > from_ps


def name_of(plane, key):
    return plane.ops[key].name if key in plane.ops else ""


class PairCase(truth.Case):
    """Asks the command and the C ABI for the same document."""

    def setUp(self):
        super().setUp()
        self.folder = self.scratch / "log"
        for host in HOSTS:
            self.write(path_of("log", host), host.bytes())

    def ask(self, document, /, *options, status=0, **filters):
        """The document of the command, which that of the C ABI equals. `filters` are those of the C ABI."""
        text = truth.run(document, self.folder, "--json", *options, status=status)
        self.check_abi(document, text, **filters)
        return self.without_checked(truth.parsed(text), CHECKED.get(document, "some"), options)

    def without_checked(self, found, word, options):
        """How many events the verdict is about is the same for all questions of a kind: tested here for every document."""
        narrowed = set(options) & {"--plane", "--line", "--name", "--host", "--time", "--step"}
        if found["schema"] == "profkit.tree" and options[:2] == ("--limit", 0) and not narrowed:
            word = "all"
        if word == "all" and narrowed:
            word = "some"
        if found["status"] in ("ok", "partial", "absent") and "damage" in found:
            self.check(found.pop("events_checked"), word)
        return found

    def check_abi(self, document, text, /, **filters):
        if truth.is_sanitized():
            return
        if "name" in filters:
            filters["event"] = filters.pop("name")
        with truth.library().open(str(self.folder)) as profile:
            found = profile.document_bytes(document, **filters)
        if found.rstrip() != text.encode().rstrip():
            self.check(truth.parsed(found.decode()), json.loads(text))
            self.fail("the two documents are written differently")

    def check_screen(self, name, *arguments, status=0):
        """What a command shows without a terminal is the whole text of expected/NAME.txt."""
        command, *options = arguments
        found = truth.run(command, "log", *options, status=status, cwd=self.scratch)
        self.check_text(found, (SCREENS / f"{name}.txt").read_text(encoding="utf-8"))

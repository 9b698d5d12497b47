"""Two hosts of an XSpace run, each with two GPUs whose streams run programs with ops of the same names.

host0: GPU 0 has a line of modules, which are its steps; GPU 1 has none, and no step of the host stands in for them.
host1: begins 0.7 ms later. Its host marks steps by number, and its GPUs are launched by calls with correlation ids.
"""
import xspace as x
from idle_model import Capture, Device, Kernel, Span, Window

BASE = 1_700_000_000_000_000_000
KINDS = {"gemm_kernel": ("gemm_kernel", "compute"), "softmax,\"wide\"µ": ("softmax,\"wide\"µ", "compute"),
         "MemcpyD2H": ("MemcpyD2H", "copy"), "ncclKernel_AllReduce": ("ncclKernel_AllReduce", "comm")}
MEANINGS = {"cuStreamSynchronize": ("sync_wait", True, False), "$threading.py:1 wait": (None, False, False),
            "$lib.py:9 lock.acquire": ("lock", False, False), "ncclAllReduce": ("comm_host_wait", False, True)}
CORRELATION, STEP = 1, 2


class Host:
    """Times are ps from BASE."""

    def __init__(self, base_ns, first_thread):
        self.base_ns, self.first_thread = base_ns, first_thread
        self.spans, self.threads, self.device_planes, self.found = [], {}, [], []
        self.lines, self.first_events = [], {}  # the latter: begin of a line -> its first event

    def key(self, names, name):
        return names.setdefault(name, len(names) + 1)

    def device(self, name, lines, modules=()):
        """`lines`: name -> [(kernel, start, duration, launch or None, correlation)]. The first ids of streams stand in
        the names of the lines."""
        names, parts, kernels = {}, [], []
        for line, events in lines.items():
            stream = int(line.split("#")[1].split("(")[0])
            own = []
            for op, start, duration, launch, correlation in events:
                stats = [x.stat(CORRELATION, correlation, "uint")] if correlation else []
                offset = start - (self.base_ns - BASE) * 1000
                own.append(x.event(self.key(names, op), offset, duration, stats))
                op_type, kind = KINDS[op]
                kernels.append((Kernel(op, start, duration, op_type, kind, "", stream, launch=launch), own[-1]))
            parts.append(x.line(stream, line, own, self.base_ns))
            self.lines.append(parts[-1])
        if modules:
            parts.append(x.line(99, "XLA Modules", [x.event(self.key(names, n), s - (self.base_ns - BASE) * 1000, d)
                                                    for n, s, d in modules], self.base_ns))
        parts += [x.event_metadata(key, op) for op, key in names.items()]
        parts += [x.stat_metadata(CORRELATION, "correlation_id")]
        self.device_planes.append(x.plane(len(self.device_planes) + 1, name, *parts))
        self.found.append(kernels)

    def bytes(self, threads, steps=()):
        """`threads`: name -> [(span, start, duration, kind, correlation)]."""
        names, lines = {}, []
        for number, (line, events) in enumerate(threads.items()):
            own = []
            for op, start, duration, kind, correlation in events:
                stats = [x.stat(CORRELATION, correlation, "uint")] if correlation else []
                own.append(x.event(self.key(names, op), start - (self.base_ns - BASE) * 1000, duration, stats))
                self.spans.append(Span(op, start, duration, self.first_thread + number, kind))
            if number == 0:
                for op, start, duration, step in steps:
                    own.append(x.event(self.key(names, op), start - (self.base_ns - BASE) * 1000, duration,
                                       [x.stat(STEP, step)]))
            lines.append(x.line(number + 1, line, own, self.base_ns))
        host = x.plane(7, "/host:CPU", *lines, *(x.event_metadata(key, op) for op, key in names.items()),
                       x.stat_metadata(CORRELATION, "correlation_id"), x.stat_metadata(STEP, "step_num"))
        return x.space(host, *self.device_planes)


def place(host, data):
    """Where each kernel's event stands in the file."""
    for line in host.lines:
        # An event's offset is where the one before it ends; of the first one that may be where its line begins.
        start = data.index(line)
        body = start + 2 if line[1] < 128 else start + 3
        host.first_events[body] = data.index(next(e for kernels in host.found for _, e in kernels if e in line))
    for kernels in host.found:
        for kernel, event in kernels:
            assert data.count(event) == 1
            kernel.row = data.index(event)
    return [[k for k, _ in kernels] for kernels in host.found]


def capture():
    us, ms = 1_000_000, 1_000_000_000
    a, b = Host(BASE, 0), Host(BASE + 700_000, 2)
    first = []
    for n in range(3):
        at = 2 * ms + n * 4 * ms
        first += [("gemm_kernel", at + 300 * us, 500 * us + n, None, 0), ("gemm_kernel", at + 800 * us + n, 200 * us, None, 0),
                  ("softmax,\"wide\"µ", at + 2_000 * us, 999_999_999 + n, None, 0)]
    a.device("/device:GPU:0", {
        "Stream #14(Compute)": first,
        "Stream #20(MemcpyD2H)": [("MemcpyD2H", 2 * ms + 1_200 * us + n * 4 * ms, 100 * us + 1, None, 0) for n in range(3)]},
        [(f"jit_step({1234 + n})", 2 * ms + n * 4 * ms, 3_500 * us) for n in range(3)])
    a.device("/device:GPU:1", {"Stream #14(Compute)": [("gemm_kernel", 3 * ms, 400 * us + 7, None, 0),
                                                       ("gemm_kernel", 5 * ms, 900 * us + 8, None, 0)]})
    data_a = a.bytes({"main": [("jax.jit", 2 * ms, 1_500 * us, "op", 0), ("cuStreamSynchronize", 3_250 * us, 800 * us,
                                                                          "runtime", 0),
                               ("$lib.py:9 lock.acquire", 6 * ms, 400 * us, "frame", 0)],
                      "worker": [("ncclAllReduce", 4_100 * us, 600 * us, "op", 0)]})
    # What the second host launches: a call on its main thread for each kernel but one.
    calls, streams = [], {}
    for device in (0, 1):
        kernels = []
        for n in range(3):
            at = 3 * ms + n * 3 * ms
            for i, (op, off, duration) in enumerate((("gemm_kernel", 200, 300), ("ncclKernel_AllReduce", 450, 350),
                                                     ("softmax,\"wide\"µ", 1_400, 600 + n))):
                launch, correlation = (at + 20 * us + 400 * i * us + device * us, None), 100 * device + 10 * n + i + 1
                if device == 1 and n == 1 and i == 2:
                    kernels.append((op, at + off * us, duration * us, None, 0))
                    continue
                took = 5 * us + i
                calls.append(("cuLaunchKernel", launch[0], took, "runtime", correlation))
                kernels.append((op, at + off * us, duration * us, (launch[0], launch[0] + took, 2), correlation))
        streams[device] = {"Stream #7(Compute)": [k for k in kernels if not k[0].startswith("nccl")],
                           "Stream #9(Collectives)": [k for k in kernels if k[0].startswith("nccl")]}
        b.device(f"/device:GPU:{device}", streams[device])
    steps = [("train", 3 * ms + n * 3 * ms, 2_400 * us, 40 + n) for n in range(3)]
    data_b = b.bytes({"main": calls + [("PjRtExecute", 3_500 * us, 700 * us, "op", 0)],
                      "side": [("PjRtExecute", 4_000 * us, 400 * us, "op", 0)]}, steps)
    k0, k1 = place(a, data_a)
    k2, k3 = place(b, data_b)
    windows0 = [Window(f"jit_step#{n}", 2 * ms + n * 4 * ms, 6 * ms + n * 4 * ms, "line", 5_500 * us + n * 4 * ms) for n in
                range(3)]
    windows0[2].end, windows0[2].open = max(k.end for k in k0), True
    whole = [Window("capture", min(k.start for k in k1), max(k.end for k in k1), "none", open=True)]
    def launched(kernels):
        out = []
        for n in range(3):
            of = [k for k in kernels if k.launch and 3 * ms + n * 3 * ms <= k.launch[0] < 6 * ms + n * 3 * ms]
            out.append(Window(str(40 + n), min(k.start for k in of), None, "numbered_step", 5_400 * us + n * 3 * ms, 40 + n))
        for w, following in zip(out, out[1:]):
            w.end = following.start
        out[-1].end, out[-1].open = max(k.end for k in kernels), True
        return out
    windows2, windows3 = launched(k2), launched(k3)
    names = ["/device:GPU:0", "/device:GPU:1"]
    devices = [Device(names[0], "gpu", k0, windows0, "line", 0, -1, 0), Device(names[1], "gpu", k1, whole, "none", 0, -1, 0),
               Device(names[0], "gpu", k2, windows2, "launches", 1, -1, 1),
               Device(names[1], "gpu", k3, windows3, "launches", 1, -1, 1)]
    return devices, [a.spans, b.spans], [a.first_events, b.first_events], {"host0.xplane.pb": data_a, "host1.xplane.pb": data_b}


def described():
    devices, hosts, first_events, files = capture()
    groups = [[(2, 0), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2)], [(0, 0), (0, 1), (0, 2)], [(1, 0)]]
    for device in devices:
        for w in device.windows:
            w.parts_missing = "no op recurs evenly, and no gap parts the step"
    return Capture(devices, hosts, BASE, groups, stacks=True, runtime=True, meanings=MEANINGS), first_events, files

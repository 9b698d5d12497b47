"""Random traces of PyTorch: ops, steps and collectives of devices, and of hosts alone, under random windows and steps."""
import json
import random
import sys

import trace_model as model
import truth

SEEDS = range(1, 26)
US = 1_000_000
NAMES = ["gemm", "void norm<float>(int)", "copy_kernel", "µ", "z", "ncclDevKernel_Generic", "ncclDevKernel_AllReduce_Sum_f32"]
TOLD = ["allreduce", "_allgather_base", "send", "broadcast", "reduce_scatter", None]


def times(r, count, widest, longest):
    """Starts and lengths, many of them equal, in no order; some lines have one that nests deeply."""
    if r.random() < 0.2:
        return [(i, max(2 * count - 2 * i, 0)) for i in range(count)]
    found = [(r.randrange(widest), r.choice([0, 1, longest, r.randrange(longest + 1)])) for _ in range(count)]
    if r.random() < 0.5:
        found.sort(key=r.choice([lambda f: f[0], lambda f: (f[0], -f[1]), lambda f: (-f[0], f[1])]))
    return found


class RandomTraces(truth.Case):
    def capture(self, r):
        """Events, and the lines that they make."""
        events, lines = [], []
        for plane, device in enumerate(r.sample(range(9), r.randrange(1, 4))):
            for position, stream in enumerate(r.sample(range(30), r.randrange(1, 4))):
                line = model.Line(0, plane, position, f"GPU {device}", f"stream {stream}", [], device=device)
                for start, size in times(r, r.choice([1, 9, 60, 300]), r.choice([20, 400, 4_000]), r.choice([1, 9, 200])):
                    name = r.choice(NAMES)
                    is_comm = "nccl" in name
                    told = r.choice(TOLD) if is_comm else None
                    bare = name.removeprefix("void ").split("<")[0]
                    op = model.Op(name, "comm" if is_comm else "compute", (told or bare) if is_comm else "")
                    line.runs.append(model.Run(op, start * US, size * US, len(events)))
                    events.append({"ph": "X", "cat": "kernel", "name": name, "pid": device, "tid": stream, "ts": start,
                                   "dur": size, "args": {"device": device, "stream": stream,
                                                         **({"Collective name": told} if told else {})}})
                lines.append(line)
        return events, lines

    def steps(self, r, events):
        """Steps of the host, which may lie over each other; their numbers are their own."""
        found = []
        for number in r.sample(range(50), r.randrange(0, 5)):
            start, size = r.randrange(0, 300), r.randrange(0, 120)
            found.append((start, number, size))
            events.insert(r.randrange(len(events) + 1), {
                "ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{number}", "pid": 77_777, "tid": 1, "ts": start,
                "dur": size, "args": {}})
        return [(start * US, (start + size) * US, number) for start, number, size in sorted(found)]

    def ask(self, command, path, *options):
        return truth.parsed(truth.run(command, path, "--json", "--limit", 0, *options))

    @staticmethod
    def last_end(lines, device, start, end):
        """Of the last step on a device whose kernels have no launches: with its mark, or what the device runs on with until it first rests
        for 50 us; None where the mark has no end."""
        if end == start:
            return None
        last, busy = end, None
        for run in sorted((run for line in lines if line.device == device for run in line.runs), key=lambda run: run.start):
            if run.start >= end and (busy is None or run.start - busy >= 50 * US):
                break
            busy = run.end if busy is None else max(busy, run.end)
            if run.start >= start:
                last = max(last, run.end)
        return last

    def test_devices(self):
        for seed in SEEDS:
            r = random.Random(seed)
            events, lines = self.capture(r)
            steps = self.steps(r, events)
            # Processes are numbered as they are seen.
            seen = list(dict.fromkeys(e["pid"] for e in events))
            for line in lines:
                line.plane = seen.index(line.device)
            path = self.write(f"{seed}.json", json.dumps({"schemaVersion": 1, "traceEvents": events}))
            with self.subTest(seed=seed):
                self.check(self.ask("ops", path)["lines"], model.ops_lines(lines))
                self.check(self.ask("collectives", path)["ops"], model.collective_rows(lines))
                self.check([[s["name"], s["index"], s["start_ps"], s["start_ps"] + s["duration_ps"]]
                            for s in self.ask("steps", path)["steps"]],
                           [[f"ProfilerStep#{number}", n, start, end] for n, (start, end, number) in enumerate(steps)])
                # On a device a step is what begins until the next one does; of two that begin together the first has nothing.
                for n, (start, marked, _) in enumerate(steps):
                    end = {line.device: steps[n + 1][0] if n + 1 < len(steps) else self.last_end(lines, line.device, start, marked)
                           for line in lines}
                    self.check(self.ask("ops", path, "--step", n)["lines"], model.ops_lines(
                        lines, lambda line, run, at=start, end=end: model.begins_in(run, (at, end[line.device]))))
                ends = sorted(at for line in lines for run in line.runs for at in (run.start, run.end))
                for _ in range(3):
                    window = sorted(r.sample([at + r.choice([-1, 0, 1]) for at in ends], 2))
                    if window[0] < window[1] and window[0] >= 0 and window[0] <= ends[-1] and window[1] > ends[0]:
                        self.check(self.ask("ops", path, "--time", f"{window[0]}ps:{window[1]}ps")["lines"],
                                   model.ops_lines(lines, lambda line, run, w=window: model.in_window(run, w)))

    def test_hosts(self):
        for seed in SEEDS:
            r = random.Random(1000 + seed)
            events, lines = [], []
            for plane, pid in enumerate(r.sample(range(90, 99), r.randrange(1, 3))):
                for position in range(r.randrange(1, 4)):
                    line = model.Line(0, plane, position, f"process {pid}", f"thread {position}", [], "thread", "host")
                    for start, size in times(r, r.choice([1, 9, 60, 300]), r.choice([20, 400]), r.choice([1, 9, 200])):
                        line.runs.append(model.Run(model.Op(r.choice(NAMES[:5]), "op"), start * US, size * US, len(events)))
                        events.append({"ph": "X", "cat": "cpu_op", "name": line.runs[-1].op.name, "pid": pid, "tid": position,
                                       "ts": start, "dur": size, "args": {}})
                    lines.append(line)
            path = self.write(f"{seed}.json", json.dumps({"schemaVersion": 1, "traceEvents": events}))
            with self.subTest(seed=seed):
                self.check(self.ask("ops", path)["lines"], model.ops_lines(lines))


if __name__ == "__main__":
    truth.main(sys.modules[__name__])

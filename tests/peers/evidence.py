"""What the reasons of reasons.toml say, read off the captures themselves: with neither profkit nor the peer.

Each function is told where captures are (`at(name)`, None for one that this machine lacks) and what the peer said
(`said(peer, capture, table)`), and asserts. It returns whether there was something to look at.
"""
import collections
import functools
import gzip
import json
import math
import pathlib
import sys
from decimal import Decimal

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "truth"))
import proto_reader as proto  # pylint: disable=wrong-import-position,import-error
from wire import every  # pylint: disable=wrong-import-position,import-error


@functools.lru_cache(maxsize=2)
def trace(path):
    content = path.read_bytes()
    return json.loads(gzip.decompress(content) if path.suffix == ".gz" else content, parse_float=Decimal, strict=False)["traceEvents"]


def reads(name):
    """For a function that looks at one capture, whose path takes the place of `at`."""
    def of(check):
        @functools.wraps(check)
        def run(at, said):
            path = at(name)
            if path:
                check(path, said)
            return bool(path)
        return run
    return of


def kernels(path):
    return [e for e in trace(path) if e.get("ph") == "X" and e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]


def microseconds(ps):
    return Decimal(ps) / 10**6


def covered(events):
    total, until = Decimal(0), None
    for start, end in sorted((e["ts"], e["ts"] + e["dur"]) for e in events):
        if until is None or start > until:
            until = start
        if end > until:
            total, until = total + end - until, end
    return total


def plain(value):
    return value[1] if isinstance(value, tuple) else value


@functools.lru_cache(maxsize=2)
def planes(path):
    """[(name, {event: (name, stats)}, [(line, [(name, start, length, stats)])])]"""
    out = []
    for p in every(path.read_bytes(), 1):
        stat_names = {proto.one(m, 1): proto.text(proto.one(m, 2), 2) for m in every(p, 5)}
        stats = lambda body, number, names=stat_names: {k: plain(v) for k, v in proto.stats(every(body, number), names)}
        kinds = {proto.one(m, 1): (proto.text(proto.one(m, 2), 2), stats(proto.one(m, 2), 5)) for m in every(p, 4)}
        lines = [(proto.text(line, 2), [(kinds[proto.one(e, 1)][0], proto.one(e, 2, 0), proto.one(e, 3, 0), stats(e, 4))
                                        for e in every(line, 4)]) for line in every(p, 3)]
        out.append((proto.text(p, 2), kinds, lines))
    return out


def device_events(path):
    return [e for name, _, lines in planes(path) if name.startswith("/device") for line, events in lines for e in events
            if line.startswith("Stream")]


@functools.lru_cache(maxsize=2)
def instructions(path):
    """{(program id, instruction): (opcode, operator, operands' dimensions)}"""
    out = {}
    for name, kinds, _ in planes(path):
        if name != "/host:metadata":
            continue
        for program, stats in kinds.values():
            for value in stats.values():
                if not isinstance(value, bytes):
                    continue
                by_id = {}
                for computation in every(proto.one(value, 1), 3):
                    for i in every(computation, 2):
                        by_id[proto.one(i, 35)] = i
                for i in by_id.values():
                    operands = [dimensions(by_id[o]) for o in packed(i, 36) if o in by_id]
                    key = program.rpartition("(")[2].rstrip(")"), proto.text(i, 1)
                    out[key] = proto.text(i, 2), proto.text(proto.one(i, 7, b""), 2), operands, dimensions(i)
    return out


def packed(message, number):
    """Repeated varints, packed or one by one."""
    out = []
    for value in every(message, number):
        if isinstance(value, int):
            out.append(value)
            continue
        at = 0
        while at < len(value):
            shift = one = 0
            while True:
                byte = value[at]
                one, shift, at = one | (byte & 127) << shift, shift + 7, at + 1
                if byte < 128:
                    break
            out.append(one)
    return out


def dimensions(instruction):
    return packed(proto.one(instruction, 3, b""), 3)


def ops_of_cpus(at, said):
    looked = False
    for name in ("cpu_mlp_train", "cpu_two_process_rank0", "cpu_mlp_nohlo"):
        if at(name):
            looked = True
            named = [e for plane, _, lines in planes(at(name)) if plane == "/host:CPU" for _, events in lines for e in events
                     if "hlo_op" in e[3]]
            assert len(named) > 10, name
            assert not said("xprof", name, "hlo_stats")
    return looked


@reads("jax08_gemm_mi300")
def library_products(path, said):
    opcode, _, (left, right), _ = instructions(path)["49", "custom-call.1"]
    assert (opcode, left, right) == ("custom-call", [8192, 4096], [4096, 8192])
    theirs = said("xprof", "jax08_gemm_mi300", "hlo_stats")["49 custom-call.1"]
    assert (theirs["flops"], theirs["bytes"], theirs["count"]) == (0, 0, 3)
    assert 2 * 8192 * 4096 * 8192 * 3 == 1649267441664


@reads("jax08_attention_mi300")
def conversion_of_one_element(path, said):
    theirs = said("xprof", "jax08_attention_mi300", "hlo_stats")
    assert instructions(path)["45", "wrapped_convert"][2:] == ([[]], [])  # one element in, one out
    assert theirs["45 wrapped_convert"]["flops"] == 3 * theirs["45 wrapped_convert"]["count"]
    assert theirs["53 loop_convert_fusion"]["flops"] == 46 * 100663296


@reads("tpu_v6e_inference")
def halves_of_copies(path, said):
    rate = None
    for name, kinds, _ in planes(path):
        if name == "/device:TPU:0":
            said_bytes = {n.split(" ")[0].lstrip("%"): s.get("bytes_accessed") for n, s in kinds.values() if "copy-" in n[:12]}
            assert said_bytes["copy-start.4"] == said_bytes["copy-done.4"] == 5 * 2**30
            rate = next(s for n, s in kinds.values() if n.startswith("%copy-start.4"))
    assert rate
    theirs = said("xprof", "tpu_v6e_inference", "hlo_stats")
    start, done = (theirs[f"12190760917235803885 copy-{half}.4"] for half in ("start", "done"))
    assert start["bytes"] == done["bytes"] == 400 * 5 * 2**30
    assert start["bytes"] / start["total_ps"] * 1e12 / 2**30 > 8e8


@reads("jax_te_fused_attn")
def overlap_on_a_stream(path, said):
    events = sorted((start, start + length) for _, start, length, _ in device_events(path))
    cut = [min(a[1], b[1]) - b[0] for a, b in zip(events, events[1:]) if b[0] < a[1]]
    assert (len(cut), sum(cut)) == (6, 458_000)
    theirs = said("xprof", "jax_te_fused_attn", "hlo_stats").values()
    assert all(op["self_ps"] == op["total_ps"] for op in theirs)


@reads("jax08_gemm_mi300")
def kernels_of_dot_general(path, said):
    of_op = [e for e in device_events(path) if e[3].get("name", "").endswith("dot_general")]
    theirs = said("xprof", "jax08_gemm_mi300", "framework_op_stats")["device dot_general"]
    assert (len(of_op), sum(e[2] for e in of_op)) == (18, theirs["self_ps"])
    assert theirs["count"] == 3


def operators_that_only_events_name(at, said):
    looked = False
    for capture, op, operator in (("jax_te_fused_attn", ("17", "loop_reduce_fusion.3"), "transpose"),
                                  ("jax08_attention_mi300", ("92", "loop_convert_fusion"), "tanh")):
        path = at(capture)
        if path:
            looked = True
            assert instructions(path)[op][1] == ""
            names = {e[3]["name"] for e in device_events(path)
                     if (str(e[3].get("program_id")), e[3].get("hlo_op")) == op}
            assert {n.rpartition("/")[2] for n in names} == {operator}, names
            assert f"device {operator}" not in said("xprof", capture, "framework_op_stats") or operator == "transpose"
    return looked


def operators_that_only_the_program_names(at, _):
    looked = False
    for capture, op, of_event, operator in (
            ("jax_te_fused_attn", ("17", "gemm_fusion_dot.1"), "jit(loss_fn)", "dot_general"),
            ("jax_te_fused_attn", ("17", "gemm_fusion_dot.7"), "jit(loss_fn)", "transpose"),
            ("jax08_attention_mi300", ("43", "loop_sqrt_fusion"), "jit(sqrt)", "sqrt")):
        path = at(capture)
        if path:
            looked = True
            assert instructions(path)[op][1].rpartition("/")[2] == operator
            assert {e[3]["name"] for e in device_events(path)
                    if (str(e[3].get("program_id")), e[3].get("hlo_op")) == op} == {of_event}
    return looked


@reads("jax08_gemm_mi300")
def copies_of_no_program(path, _):
    free = [e for e in device_events(path) if "hlo_op" not in e[3]]
    assert (len(free), sum(e[2] for e in free)) == (12, 60_240_000)


@reads("jax08_gemm_mi300")
def launches_on_the_host(path, said):
    launches = [e for name, _, lines in planes(path) if name == "/host:CPU" for _, events in lines for e in events
                if e[3].get("tf_op") == "XlaModule:"]
    theirs = said("xprof", "jax08_gemm_mi300", "framework_op_stats")["host XlaModule:XlaModule"]
    assert (len(launches), sum(e[2] for e in launches)) == (theirs["count"], theirs["self_ps"])
    assert not any("XlaModule" in e[0] for e in launches)


@reads("gpu_tf_2020_8gpu")
def host_operators_of_2020(path, said):
    counts, took = collections.Counter(), collections.Counter()
    for name, _, lines in planes(path):
        if name == "/host:CPU":
            for _, events in lines:
                for e in events:
                    counts[e[0]] += 1
                    took[e[0]] += e[2]
    theirs = {op.removeprefix("host "): r for op, r in said("xprof", "gpu_tf_2020_8gpu", "framework_op_stats").items()}
    assert sum(counts[op] == 1 and r["count"] == 2 for op, r in theirs.items()) == 448
    assert all(took[op] == r["self_ps"] for op, r in theirs.items())


@reads("gpu_tf_2020_8gpu")
def device_events_of_2020(path, said):
    events = device_events(path)
    assert (len(events), sum(e[2] for e in events)) == (1556, 30_162_105_000)
    assert not [op for op in said("xprof", "gpu_tf_2020_8gpu", "framework_op_stats") if op.startswith("device")]


@reads("jax08_gemm_mi300")
def opcode_of_copy(path, _):
    assert instructions(path)["1", "copy.1"][0] == "copy"


@reads("b200_eager")
def operator_with_a_stream(path, _):
    named = [e for e in trace(path) if e.get("name", "").startswith("triton_poi_fused_add_bitwise_and")]
    assert [(e["cat"], e["dur"], e["args"]["stream"]) for e in named] == [("cpu_op", Decimal("74.391"), 0), ("kernel", Decimal("1.984"), 7)]


@reads("b200_eager")
def all_reduces_of_multimem(path, _):
    named = [e for e in kernels(path) if "multimem_all_reduce_kernel" in e["name"]]
    assert (len(named), sum(e["dur"] for e in named)) == (73, Decimal("2119.548"))


@reads("rank0_apr_03")
def exact_idle_time(path, said):
    events = kernels(path)
    span = max(e["ts"] + e["dur"] for e in events) - min(e["ts"] for e in events)
    idle = span - covered(events)
    assert abs(idle - microseconds(7_574_738_000)) < Decimal("0.001")
    assert said("hta", "rank0_apr_03", "temporal_breakdown")["idle"]["self_ps"] == 7_574_786_000


@reads("nccl_data")
def memsets_either_way(path, said):
    events = kernels(path)
    comm = [e for e in events if "nccl" in e["name"]]
    sets = [e for e in events if e["cat"] == "gpu_memset"]
    computing = [e for e in events if e["cat"] == "kernel" and "nccl" not in e["name"]]
    assert (covered(computing), covered(computing + comm) - covered(computing)) == (Decimal("115655.847"), Decimal("39559.468"))
    theirs = said("tracelens", "nccl_data", "gpu_timeline")
    with_sets = covered(computing + sets)
    for name, took in (("computation_time", with_sets), ("exposed_comm_time", covered(computing + sets + comm) - with_sets)):
        assert abs(took - microseconds(theirs[name]["self_ps"])) / took < Decimal("1e-6")


@reads("rank0_apr_03")
def exact_time_of_neg(path, said):
    ids = {e["args"]["External id"] for e in trace(path) if e.get("cat") == "cpu_op" and e["name"] == "aten::neg"}
    assert sum(e["dur"] for e in kernels(path) if e["args"].get("External id") in ids) == Decimal("15.680")
    assert said("tracelens", "rank0_apr_03", "kernel_launchers")["aten::neg"]["self_ps"] == 16_000_000


@reads("rank0_apr_03")
def launch_inside_mul(path, said):
    events = trace(path)
    outer = next(e for e in events if e.get("cat") == "cpu_op" and e["name"].endswith("reducer::mul_out"))
    inner = next(e for e in events if e.get("cat") == "cpu_op" and e["name"] == "aten::mul" and e["tid"] == outer["tid"]
                 and outer["ts"] <= e["ts"] < outer["ts"] + outer["dur"])
    launch = next(e for e in events if e.get("name") == "cudaLaunchKernel" and e["tid"] == outer["tid"]
                  and outer["ts"] <= e["ts"] < outer["ts"] + outer["dur"])
    assert inner["ts"] <= launch["ts"] and launch["ts"] + launch["dur"] <= inner["ts"] + inner["dur"]
    assert launch["args"]["External id"] == inner["args"]["External id"] != outer["args"]["External id"]
    assert said("tracelens", "rank0_apr_03", "kernel_launchers")["torch::distributed::reducer::mul_out"]["count"] == 1


@reads("nccl_data")
def kernels_of_nccl(path, _):
    assert sum("nccl" in e["name"] for e in kernels(path)) == 21


@reads("mi300_sglang_decode")
def kernels_of_no_operator(path, said):
    ids = {e["args"].get("External id") for e in trace(path) if e.get("cat") == "cpu_op"}
    free = [e for e in kernels(path) if e["args"].get("External id") not in ids]
    theirs = said("tracelens", "mi300_sglang_decode", "kernel_launchers")
    assert len(free) == sum(r["count"] for op, r in theirs.items() if op.startswith("hip")), len(free)


@reads("h100_bert_small")
def bias_of_addmm(path, said):
    dims = [[512], [141, 2048], [2048, 512], [], []]
    calls = [e for e in trace(path) if e.get("name") == "aten::addmm" and e["args"]["Input Dims"] == dims]
    assert len(calls) == 4 and all(e["args"]["Input type"][0] == "c10::BFloat16" for e in calls)
    theirs = said("tracelens", "h100_bert_small", "perf_metrics")[f"aten::addmm {json.dumps(dims)}"]
    assert theirs["flops"] == 4 * (2 * 141 * 2048 * 512 + 141 * 512)
    assert theirs["bytes"] == 4 * 2 * (512 + 141 * 2048 + 2048 * 512 + 141 * 512)


@reads("mi300_sglang_decode")
def copies_that_a_memcpy_does(path, said):
    size = {"int": 4, "long int": 8}
    dims = [[32], [32], []]
    calls = {e["args"]["External id"]: e for e in trace(path) if e.get("name") == "aten::copy_" and e["args"].get("Input Dims") == dims}
    moved = collections.Counter()
    for e in kernels(path):
        call = calls.get(e["args"].get("External id"))
        if call:
            moved[e["cat"]] += 32 * sum(size[t] for t in call["args"]["Input type"][:2])
    theirs = said("tracelens", "mi300_sglang_decode", "perf_metrics")[f"aten::copy_ {json.dumps(dims)}"]
    assert moved == {"kernel": 32 * 24, "gpu_memcpy": 32 * 48} and sum(moved.values()) == 2304 == theirs["bytes"] + 32 * 16
    assert theirs["flops"] == 4 * 32


def causal_attention(at, said):
    looked = False
    name = "aten::_scaled_dot_product_flash_attention"
    for capture, causal in (("h100_bert_small", False), ("h100_qwen", True)):
        path = at(capture)
        if path:
            looked = True
            calls = [e["args"] for e in trace(path) if e.get("name") == name]
            assert {c["Concrete Inputs"][4] for c in calls} == {str(causal)}
            b, h, length, size = calls[0]["Input Dims"][0]
            theirs = said("tracelens", capture, "perf_metrics")[f"{name} {json.dumps(calls[0]['Input Dims'])}"]
            assert theirs["flops"] * (2 if causal else 1) == len(calls) * 4 * b * h * length * length * size
    return looked


@reads("dlrm_worker0")
def what_a_sum_writes(path, said):
    sums = [e for e in trace(path) if e.get("cat") == "cpu_op" and e["name"] == "aten::sum" and len(e["args"]["Input Dims"]) == 4]
    assert sums and not any("Concrete Inputs" in e["args"] for e in sums)
    theirs = said("tracelens", "dlrm_worker0", "perf_metrics")
    for e in sums:
        shapes, types = e["args"]["Input Dims"], e["args"]["Input type"]
        if types[0] == "float" and (told := theirs.get(f"aten::sum {json.dumps(shapes)}")):
            calls = told["flops"] // max(1, math.prod(shapes[0]))
            assert told["bytes"] == calls * 4 * (math.prod(shapes[0]) + 1)


@reads("dlrm_worker0")
def operators_without_a_rule(path, said):
    names = {e["name"] for e in trace(path) if e.get("cat") == "cpu_op"}
    ours = {f"aten::{op}" for op in ("add_", "sqrt", "addcmul_", "addcdiv_", "mul", "div_", "clamp_min", "threshold_backward", "sigmoid")}
    assert ours <= names
    assert not {op.split()[0] for op in said("tracelens", "dlrm_worker0", "perf_metrics")} & ours


@reads("h100_bert_small")
def operators_are_there(path, said):
    names = collections.Counter(e["name"] for e in trace(path) if e.get("cat") == "cpu_op")
    assert names["aten::gelu"] and names["aten::eq"] and names["aten::layer_norm"] == names["aten::native_layer_norm"]
    assert not any(op.startswith("aten::gelu") for op in said("tracelens", "h100_bert_small", "perf_metrics"))


@reads("resnet50_2021")
def categories_of_2021(path, _):
    found = collections.Counter(e.get("cat") for e in trace(path))
    assert (found["Kernel"], found["Memset"], found["Memcpy"], found["kernel"]) == (8772, 312, 12, 0)

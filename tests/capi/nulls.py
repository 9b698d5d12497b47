#!/usr/bin/env python3
"""NULL for every pointer of every function: nulls.py LIBPROFKIT.SO SOURCE_ROOT

First everything is NULL or 0, then the object is a real one and everything else NULL, then one pointer at a time is
NULL where the rest is real. Nothing may crash; what fails says so through `err`, and what needs an object refuses.
The functions and their parameters come from profkit.h, so a new one is tried as well.
"""
import ctypes as c
import faulthandler
import os
import pathlib
import sys
import tempfile

LIBRARY, ROOT = (os.path.abspath(argument) for argument in sys.argv[1:3])
os.environ["PROFKIT_LIBRARY"] = LIBRARY
sys.dont_write_bytecode = True
sys.path[:0] = [str(pathlib.Path(ROOT) / "bindings"), str(pathlib.Path(ROOT) / "bindings" / "python" / "src")]

import declarations  # noqa: E402  pylint: disable=wrong-import-position
import profkit  # noqa: E402  pylint: disable=wrong-import-position
from profkit import _declarations as d, _library as l  # noqa: E402  pylint: disable=wrong-import-position

DATA = pathlib.Path(ROOT) / "tests" / "data"
HEADER = declarations.Header(declarations.HEADER.read_text(encoding="utf-8"))
STRUCTS = {name for name, _, _ in HEADER.structs}
ARROW = set(declarations.ARROW)
# What takes NULL for an object, and does what it would without one.
NOTHING_TO_DO = {"pk_status_name", "pk_error_code"}


def objects(scratch):
    """One of each kind of object, by the name of its type; they keep each other alive."""
    tpu = profkit.open(DATA / "xspace" / "tpu_v6e_inference.xplane.pb")
    probed = profkit.open(DATA / "neutrino" / "block_sched")
    probe = probed.neutrino()
    writer = profkit.XSpaceWriter(scratch / "made.xplane.pb")
    clock = profkit.Clock([profkit.ClockPair(0, 0), profkit.ClockPair(1000, 1000)], reference=True)
    merge = profkit.combine_traces([DATA / "xspace" / "jax08_gemm_mi300.xplane.pb"], scratch / "merged.xplane.pb",
                                   correction="none", keep_going=True)
    chrome = profkit.open(DATA / "kineto" / "h100_bert_small.pt.trace.json.gz")
    try:
        profkit.open(scratch / "absent")
    except profkit.NotFound as why:
        error = why._handle  # pylint: disable=protected-access
    made = {"pk_profile": tpu, "pk_memory": tpu.memory(), "pk_bubbles": tpu.bubbles(), "pk_activity": tpu.kernels(),
            "pk_module_list": tpu.modules(), "pk_architecture": tpu.architecture(), "pk_probe": probe,
            "pk_probe_records": probe.records(0, 0), "pk_chrome_reader": chrome.chrome_events(),
            "pk_validation": profkit.validate(tpu), "pk_clock": clock, "pk_merge": merge, "pk_xspace_writer": writer,
            "pk_xspace_push": profkit.PushReader(lambda line, events: None), "pk_cancel_token": profkit.CancelToken()}
    table = tpu.table("ops")._opened()  # pylint: disable=protected-access
    return made, {**{name: made_of._h.address for name, made_of in made.items()},  # pylint: disable=protected-access
                  "pk_error": error.address, "pk_table": table.address}, (error, table)


def is_err(parameter):
    return parameter.base == "pk_error" and len(parameter.pointers) == 2


def is_object(parameter):
    return len(parameter.pointers) == 1 and parameter.base not in STRUCTS | ARROW | set(declarations.SCALARS) | {
        "char", "void"}


class Caller:
    def __init__(self, function, parameters):
        self.name, self.parameters = function.name, parameters
        self.base, self.pointers = function.base, function.pointers
        self.function = getattr(l.lib, function.name)

    def __call__(self, given):
        """`given`: a value for each parameter but err. The status, and whether err told it, with err and without."""
        arguments = list(given)
        slot = c.c_void_p(1)
        told = any(is_err(parameter) for parameter in self.parameters)
        with_slot = self.function(*arguments, *([c.byref(slot)] if told else []))
        code = None
        if told:
            code = l.lib.pk_error_code(slot.value) if with_slot < 0 else slot.value
            if with_slot < 0:
                l.lib.pk_error_free(slot)
            self.function(*arguments, *[None])
        return with_slot, code

    def without_err(self):
        return [parameter for parameter in self.parameters if not is_err(parameter)]


def nothing(parameter):
    if parameter.pointers or parameter.base in ("void",):
        return None
    if parameter.base in STRUCTS:
        return getattr(d, parameter.base)()
    if parameter.base == "pk_write_callback":
        return d.pk_write_callback()
    return 0


def real(parameter, handles, kept):
    """A value that the function can use; options and texts stay NULL, which is legal."""
    if parameter.base == "pk_write_callback":
        kept.append(d.pk_write_callback(lambda user, data, size: 0))
        return kept[-1]
    if not parameter.pointers:
        return nothing(parameter)
    if is_object(parameter):
        return handles.get(parameter.base)
    if parameter.base in STRUCTS and not parameter.base.endswith(("_options", "_query", "_callbacks", "_cursor", "_hooks")):
        kept.append(getattr(d, parameter.base)())
        return c.byref(kept[-1])
    if parameter.base in declarations.SCALARS:
        kept.append((c.c_int64 * 4)())
        return c.cast(kept[-1], c.POINTER(getattr(c, declarations.SCALARS[parameter.base][0])))
    return None


def told(caller, status, code, problems, what):
    if status < 0 and code != status and any(is_err(p) for p in caller.parameters):
        problems.append(f"{caller.name} {what}: {status}, but err says {code}")
    if status >= 0 and code:
        problems.append(f"{caller.name} {what}: {status} with an error")


def check(caller, handles, problems):
    """The three ways to leave something out; gives the number of calls."""
    parameters = caller.without_err()
    fails = caller.base == "pk_status"
    status, code = caller([nothing(parameter) for parameter in parameters])
    calls = 1
    if fails:
        told(caller, status, code, problems, "with nothing")
        if status != d.PK_E_INVALID_ARGUMENT and caller.name not in NOTHING_TO_DO:
            problems.append(f"{caller.name} with nothing gives {status}")
    elif caller.base in declarations.SCALARS and not caller.pointers and caller.name.endswith("_count") and status != 0:
        problems.append(f"{caller.name}(NULL) is {status}")
    elif caller.base == "char" and status is None:
        problems.append(f"{caller.name} gives NULL for a text")
    elif caller.base == "pk_str" and status.size != 0:
        problems.append(f"{caller.name} gives text of nothing")
    if not parameters or not is_object(parameters[0]) or parameters[0].base not in handles or caller.name.endswith("_free"):
        return calls
    if caller.name == "pk_profile_ref":
        return calls
    given = [nothing(parameter) for parameter in parameters]
    given[0] = handles[parameters[0].base]
    status, code = caller(given)
    calls += 1
    if fails:
        told(caller, status, code, problems, "with its object alone")
    for at, parameter in enumerate(parameters):
        if not parameter.pointers and parameter.base != "pk_write_callback":
            continue
        kept = []
        given = [real(other, handles, kept) for other in parameters]
        given[at] = nothing(parameter)
        status, code = caller(given)
        calls += 1
        if fails:
            told(caller, status, code, problems, f"without {parameter.name}")
            if at == 0 and status != d.PK_E_INVALID_ARGUMENT and caller.name not in NOTHING_TO_DO:
                problems.append(f"{caller.name} without {parameter.name} gives {status}")
    return calls


def main():
    faulthandler.enable()
    problems = []
    calls = 0
    with tempfile.TemporaryDirectory() as scratch:
        made, handles, error = objects(pathlib.Path(scratch))
        for function, parameters, _ in HEADER.functions:
            calls += check(Caller(function, parameters), handles, problems)
        # Everything still works.
        assert made["pk_profile"].document("info")["status"] == "ok" and error[0].address
        made.clear()
    print(*problems, sep="\n")
    print(f"{len(HEADER.functions)} functions, {calls} calls")
    print(f"{0 if problems else 1} passed, {len(problems)} failed, 0 skipped")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())

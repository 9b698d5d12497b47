"""What the tests of captures with two of everything share: all that is read of a capture is compared, field by field.

A test describes what ran and works out what has to be read of it; nothing here is computed by profkit.
"""
import os
import pathlib
import subprocess
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "truth"))
import truth  # noqa: E402  pylint: disable=wrong-import-position

DUMP = ""  # activity_dump; set by main()


def device(name, kind, rows, streams, **more):
    return {"name": name, "type": kind, "file": 0, "plane": None, "ordinal": None, "rank": None, "world_size": 0, "host_group": 0,
            "graph_launched": 0, "graph_launched_ps": 0, "timestamp_resolution_ps": 1000, "has_waits": False, "has_shapes": False,
            "has_classes": True, "has_launches": False, "steps_truncated": False, "recorded_stacks": None, "recorded_shapes": None,
            "parallel_sizes": [], "totals": [], **more, "streams": streams, "kernels": len(rows), "rows": rows}


def stream(number, plane, line, name=None, kind="stream", clock="none"):
    return {"id": number, "name": name or f"stream {number}", "kind": kind, "plane": plane, "line": line, "by_own_clock": clock}


def row(name, start_ps, duration_ps, source_row, **more):
    return {"name": name, "op_type": name, "kind": "compute", "core": "", "step": "", "start_ps": start_ps, "duration_ps": duration_ps,
            "wait_ps": None, "launch_ps": None, "launch_end_ps": None, "launch_thread": None, "source_row": source_row, "stream": None,
            "flags": [], "op": "", "outer_op": "", "module": "", "source": "", "phase": "", **more}


def details(**more):
    return {"input_shapes": "", "output_shapes": "", "input_dtypes": "", "group": "", "group_name": "", "group_ranks": "",
            "group_size": 0, "group_sequence": None, "root_rank": None, "source_rank": None, "target_rank": None, "block_dim": None,
            "counters": {}, **more}


def host(spans, **more):
    return {"file": 0, "writer": "unknown", "unplaced_spans": 0, "recorder": "", "hostname": "", "devices": [], "rank": None,
            "world_size": 0, "backend": "", "notes_of_model": [], "launches": [0, 0, 0], "unrecorded": [], **more, "spans": spans}


def marker(name, number, start_ps, end_ps, source, **more):
    return {"host_group": 0, "device": None, "thread": None, "name": name, "whole_name": "", "number": number, "start_ps": start_ps,
            "end_ps": end_ps, "source": source, **more}


def total(op_type, core, kind, calls, duration_ps, **more):
    return {"op_type": op_type, "core": core, "kind": kind, "calls": calls, "duration_ps": duration_ps, "self_ps": None, "full_name": "",
            "category": "", "framework_op": "", "program": "", "program_id": 0, "flops": 0, "bytes": 0, **more}


def taken(variant, rows, **more):
    """An input."""
    return {"file": 0, "variant": variant, "rows": rows, "rejected": 0, "reject_reasons": {}, "first_rejected_line": 0,
            "first_rejected_byte": None, "unknown_columns": [], "missing_columns": [], "notes": [], "incomplete": [], "last_ps": None,
            "why_empty": "", "is_fallback": False, "damage": None, **more}


class Case(truth.Case):
    def dump(self, path, *options):
        """All that is read of the path, the same with several threads."""
        found = [subprocess.run([DUMP, "--threads", threads, *options, str(path)], stdout=subprocess.PIPE, check=True).stdout
                 for threads in ("1", "4")]
        self.assertEqual(*found)
        return truth.parsed(found[0].decode())


def main(module):
    global DUMP  # pylint: disable=global-statement
    DUMP = os.path.abspath(sys.argv[1])
    loader = unittest.defaultTestLoader
    suite = loader.loadTestsFromNames(sys.argv[2:], module) if sys.argv[2:] else loader.loadTestsFromModule(module)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(suite)
    failed = len(truth.tests_of(result.failures + result.errors))
    print(f"{result.testsRun - failed} passed, {failed} failed, 0 skipped")
    sys.exit(1 if failed else 0)


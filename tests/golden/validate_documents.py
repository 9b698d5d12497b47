#!/usr/bin/env python3
"""Validates every document of many inputs against docs/schemas, and that a field has one type everywhere.

validate_documents.py WRITE_DOCUMENT

The schemas allow further fields, because documents grow; here a field that no schema describes fails. Inputs are the
vendored captures, files broken on purpose, and the large corpus where it is there. Without the Python package
jsonschema the test is skipped.
"""
import copy
import json
import os
import pathlib
import subprocess
import sys
import tempfile

SKIPPED = 77
DOCUMENTS = ["report", "info", "tree", "metadata", "steps", "ops", "modules", "framework", "collectives", "memory",
             "bubbles", "architecture", "neutrino", "brief", "explain", "op_groups"]
# Maps whose values have the type their key decides; their schemas say so.
BY_KEY = {"stats"}


def closed(schema):
    """The schema with every described object closed to further fields."""
    if isinstance(schema, list):
        return [closed(s) for s in schema]
    if not isinstance(schema, dict):
        return schema
    result = {k: closed(v) for k, v in schema.items()}
    if "properties" in result and "additionalProperties" not in result and result.get("type") == "object":
        result["additionalProperties"] = False
    return result


def closed_document(schema):
    result = closed(schema)
    for key in ("if", "then", "else"):   # those speak of the same object again
        if key in schema:
            result[key] = schema[key]
    return result


def validators(folder):
    import jsonschema
    schemas = {path.stem: json.loads(path.read_text()) for path in sorted(folder.glob("*.json"))}
    for schema in schemas.values():
        jsonschema.Draft202012Validator.check_schema(schema)
    strict = {name: copy.deepcopy(schema) if name == "error" else closed_document(schema)
              for name, schema in schemas.items()}
    by_id = {schema["$id"]: schema for schema in strict.values()}
    try:
        import referencing
        import referencing.jsonschema
        registry = referencing.Registry().with_resources(
            (i, referencing.jsonschema.DRAFT202012.create_resource(s)) for i, s in by_id.items())
        made = {n: jsonschema.Draft202012Validator(s, registry=registry) for n, s in strict.items()}
    except ImportError:   # jsonschema before 4.18
        made = {n: jsonschema.Draft202012Validator(s, resolver=jsonschema.RefResolver(s["$id"], s, store=by_id))
                for n, s in strict.items()}
    return made


def types_of(value, path, into):
    """Adds (path, type) of every value; null is the absence of a value."""
    if isinstance(value, dict):
        into.setdefault(path, set()).add("object")
        for key, item in value.items():
            last = path.rsplit("/", 1)[-1]
            if last in BY_KEY or (key == "value" and last == "stats[]"):
                continue
            if key == "value" and last == "facts[]":  # one type a name
                types_of(item, f"{path}/value of {value['name']}", into)
                continue
            types_of(item, f"{path}/{key}", into)
    elif isinstance(value, list):
        into.setdefault(path, set()).add("array")
        for item in value:
            types_of(item, path + "[]", into)
    elif value is not None:
        kind = "boolean" if isinstance(value, bool) else "string" if isinstance(value, str) else "number"
        into.setdefault(path, set()).add(kind)


def small_inputs(folder, source):
    """Small files that break in different ways, and a whole one that holds a module alone."""
    whole = (source / "jax" / "two_process_rank0" / "plugins" / "profile" / "2026_11_21_06_45_11" / "vm.xplane.pb").read_bytes()
    inputs = {"empty.xplane.pb": b"", "cut.xplane.pb": whole[:20000], "noise.xplane.pb": bytes(range(1, 200)) * 9,
              "mangled.xplane.pb": whole.decode("utf-8", errors="replace").encode(), "cut.trace.json": b'{"traceEvents": [{"ph": "X"',
              "bad_name.xplane.pb": bytes.fromhex("0a0a 1208 ff2f686f 73743a58".replace(" ", "")),
              "cut.hlo_proto.pb": bytes.fromhex("0a20 0a05 6a69745f66 2807".replace(" ", "")),
              "whole.hlo_proto.pb": bytes.fromhex("0a09 0a05 6a69745f66 2807".replace(" ", ""))}
    for name, content in inputs.items():
        (folder / name).write_bytes(content)
    (folder / "nothing").mkdir()
    return [folder / name for name in inputs] + [folder / "nothing", folder / "missing", folder]


def main():
    writer = sys.argv[1]
    try:
        import jsonschema   # noqa: F401
    except ImportError:
        print("SKIPPED schemas: no Python package jsonschema")
        return SKIPPED
    root = pathlib.Path(os.environ.get("PROFKIT_SOURCE_ROOT", pathlib.Path(__file__).resolve().parents[2]))
    checks = validators(root / "docs" / "schemas")
    given = os.environ.get("PROFKIT_CORPUS")
    corpus = pathlib.Path(given) if given else root / ".." / "shared"
    data = root / "tests" / "data"
    inputs = sorted((data / "xspace").glob("*.pb")) + sorted((data / "jax").iterdir())
    sets = corpus / "oracles" / "xspace-and-memory" / "in"
    inputs += [sets / name for name in ("bad_trunc", "bad_utf8mangled", "syn_anatomy", "syn_statkinds",
                                        "tpu2_hlo", "two_xplanes") if (sets / name).exists()]
    inputs += sorted((corpus / "captures" / "kineto").glob("*.json.gz"))[:1]
    inputs += sorted((data / "neutrino").iterdir())
    failed = passed = 0
    types = {}
    statuses = set()
    with tempfile.TemporaryDirectory() as temporary:
        inputs += small_inputs(pathlib.Path(temporary), data)
        for path in inputs:
            asked = [(name, [writer, name, str(path), "3"]) for name in DOCUMENTS]
            for name, command in asked:
                done = subprocess.run(command, stdout=subprocess.PIPE, check=False)
                document = json.loads(done.stdout)
                if name == "explain" and command[1] == name:
                    asked += [(name, [writer, "finding", str(path), f["id"]]) for f in document.get("findings", [])]
                types_of(document, name, types)
                statuses.add((name, document["status"]))
                errors = sorted(checks[name].iter_errors(document), key=lambda e: list(map(str, e.absolute_path)))
                for error in errors[:5]:
                    print(f"FAILED {name} of {path.name}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
                failed += bool(errors)
                passed += not errors
    for path, kinds in sorted(types.items()):
        if len(kinds) > 1:
            failed += 1
            print(f"FAILED {path} has several types: {sorted(kinds)}")
    for name in DOCUMENTS:
        for status in ("ok", "partial", "absent", "error"):
            # Of a capture that can be opened these always have something; a folder without one is an error.
            if (name, status) in (("report", "absent"), ("brief", "absent"), ("info", "absent")):
                continue
            if (name, status) == ("neutrino", "ok") and "toml" in os.environ.get("PROFKIT_LEFT_OUT", ""):
                continue
            if (name, status) not in statuses:
                failed += 1
                print(f"FAILED no input gave {name} the status {status}")
    print(f"{passed} passed, {failed} failed, 0 skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""check_names.py PROTOC SOURCE_ROOT: fails when src/core/formats/protobuf/proto_names.cpp is not what proto/field_names.py makes now."""
import pathlib
import subprocess
import sys
import tempfile

protoc, root = sys.argv[1], pathlib.Path(sys.argv[2])
schemas = [root / "proto" / name for name in ("pk_xplane.proto", "pk_hlo.proto", "pk_op_stats.proto")]
with tempfile.TemporaryDirectory() as scratch:
    made = pathlib.Path(scratch) / "proto_names.cpp"
    command = [sys.executable, root / "proto" / "field_names.py", protoc]
    subprocess.run([*command, made, *schemas], check=True)
    if made.read_bytes() != (root / "src/core/formats/protobuf/proto_names.cpp").read_bytes():
        sys.exit("src/core/formats/protobuf/proto_names.cpp is out of date; make it again:\n"
                 "  python3 proto/field_names.py protoc src/core/formats/protobuf/proto_names.cpp "
                 + " ".join(f"proto/{s.name}" for s in schemas))

#!/usr/bin/env python3
"""What each document says of a file of which nothing can be read: the same fault, and where in the file it stands."""
import gzip
import sys

import truth

DOCUMENTS = {"ops": "ops", "report": "report", "report --brief": "brief", "info": "info", "tree": "tree", "metadata": "metadata",
             "steps": "steps", "roofline": "op_groups", "modules": "modules", "framework": "framework", "collectives": "collectives",
             "memory": "memory", "bubbles": "bubbles", "architecture": "architecture", "validate": "validate", "neutrino": "neutrino",
             "explain": "explain"}


class Errors(truth.Case):
    def check_all(self, path, **expected):
        for command, document in DOCUMENTS.items():
            word, *options = command.split()
            with self.subTest(command=command):
                found = truth.loads(truth.run(word, path, *options, "--json", status=4))
                self.assertEqual(found["reason"], found["message"])
                self.check({key: found[key] for key in ("schema", "status", "code", "path", "byte_offset")}, {
                    "schema": f"profkit.{document}", "status": "error", "code": "damaged", "path": str(path), **expected})

    def test_a_trace_that_is_no_json(self):
        """Its first event is none: the fault is where that should begin, however many bytes come before it."""
        for before in ('{"traceEvents": [', '{"schemaVersion": 1, "names": "größe", "traceEvents": ['):
            path = self.write("a.pt.trace.json", before + "}")
            self.check_all(path, byte_offset=len(before.encode()))

    def test_a_packed_file_that_is_cut(self):
        """It stands where the content ends: 10 bytes of head and 5 of a block that is stored as it is come before that."""
        content = gzip.compress(bytes(range(256)) * 8, compresslevel=0, mtime=0)
        for kept in (1000, 1777):
            path = str(self.write("a.bin.gz", content[:10 + 5 + kept]))
            found = truth.loads(truth.run("info", "--why", path, "--json", status=4))
            self.assertEqual((found["status"], found["code"], found["path"], found["byte_offset"]), ("error", "damaged", path, kept))
            self.assertEqual(found["files"][0]["damage"]["byte_offset"], kept)


if __name__ == "__main__":
    truth.main(sys.modules[__name__])

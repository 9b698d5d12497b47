"""The C functions that take what hosts recorded: which field counts under which flag, rows of later releases, what is refused."""
import ctypes
import math
import sys

import truth

FAR = (1 << 63) - 1


class Calls(truth.Case):
    def setUp(self):
        super().setUp()
        self.lib = truth.library()
        import profkit._declarations as declared  # pylint: disable=import-outside-toplevel
        import profkit._library as calls          # pylint: disable=import-outside-toplevel
        self.declared, self.calls = declared, calls
        self.made = self.lib.TraceBuilder("lab")
        self.addCleanup(self.made.close)
        self.builder = self.made._h               # pylint: disable=protected-access
        host = self.made.host("a")
        device = self.made.device(host, "GPU 0")
        self.made.stream(device, 7)
        self.made.thread(host, "p", "main")
        self.made.counter("power", device=device)
        self.made.allocator("pool", device=device)

    def finished(self):
        profile = self.made.finish()
        self.addCleanup(profile.close)
        return profile

    def add(self, kind, *rows, more=b"", less=0):
        """Rows of `kind` ("kernel"), each a dict of its fields; after each stand the bytes `more` of a later release."""
        row_of, function = getattr(self.declared, f"pk_trace_{kind}"), getattr(self.calls.lib, f"pk_trace_builder_add_{kind}s")
        size, keep, written = ctypes.sizeof(row_of), [], b""
        for fields in rows:
            row = row_of()
            for name, value in fields.items():
                if isinstance(value, str):
                    keep.append(self.calls.borrowed(value.encode()))
                    value = keep[-1]
                setattr(row, name, value)
            written += bytes(row) + more
        at = ctypes.cast(ctypes.c_char_p(written), ctypes.POINTER(row_of))
        self.calls.check(function, self.builder, at, size + len(more) - less, len(rows))

    def refuses(self, why, kind, *rows, error=None, **layout):
        with self.assertRaisesRegex(error or self.lib.InvalidArgument, why):
            self.add(kind, *rows, **layout)

    def test_fields_under_flags(self):
        """Without its flag a field says nothing, whatever stands in it; 0 is a value under a flag."""
        has_kind, has_launch = 1, 2
        for flags, kind, launch in ((0, 99, 5), (0, -1, FAR), (has_kind, 0, 5), (has_kind, 4, 5), (has_launch, 99, 0), (has_launch, -7, -5),
                                    (has_kind | has_launch, self.declared.PK_KERNEL_COPY, 9)):
            self.add("kernel", {"name": "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "start_ps": 10, "flags": flags, "kind": kind,
                                "launch_ps": launch})
        self.add("step", {"name": "a", "start_ps": 1, "number": -9}, {"name": "b", "start_ps": 2, "number": 9},
                 {"name": "c", "start_ps": 3, "number": 0, "flags": 1}, {"name": "d", "start_ps": 4, "number": FAR, "flags": 1})
        profile = self.finished()
        self.assertEqual([(row["kind"], row["launch_ps"]) for row in profile.table("kernels").to_dicts()],
                         [("comm", None), ("comm", None), ("compute", None), ("other", None), ("comm", 0), ("comm", -5), ("copy", 9)])
        self.assertEqual([(s["name"], s["step_num"]) for s in profile.document("steps")["steps"]],
                         [("a", None), ("b", None), ("c", "0"), ("d", str(FAR))])

    def test_hosts_and_devices(self):
        """Likewise: a number without its flag may be anything."""
        kinds, calls, out = self.declared, self.calls, ctypes.c_uint32()
        for flags, rank, origin in ((0, -4, -4), (1, 0, -4), (2, -4, 0)):
            given = calls.options(kinds.pk_trace_host, flags=flags, rank=rank, origin_unix_ns=origin)
            calls.check(calls.lib.pk_trace_builder_add_host, self.builder, ctypes.byref(given), ctypes.byref(out))
        self.assertEqual(out.value, 3)
        for flags, ordinal, accelerator in ((0, -4, 0), (1, 0, 3)):
            given = calls.options(kinds.pk_trace_device, flags=flags, ordinal=ordinal, accelerator=accelerator, host=2)
            calls.check(calls.lib.pk_trace_builder_add_device, self.builder, ctypes.byref(given), ctypes.byref(out))
            self.add("kernel", {"name": "k", "stream": self.made.stream(out.value, 1)})
        rows = self.finished().table("devices").to_dicts()
        self.assertEqual([(row["file"], row["rank"], row["accelerator"], row["ordinal"]) for row in rows][-2:],
                         [(2, 0, "other", None), (2, 0, "npu", 0)])

    def test_ranges(self):
        """The last kind of each is taken, the next is not; nor is one below none."""
        for kind, field, last, flags in (("kernel", "kind", 4, {"flags": 1}), ("span", "kind", 5, {}), ("span", "launches", 3, {})):
            self.add(kind, {field: last, **flags})
            for wrong in (last + 1, -1):
                self.refuses(f"row 1: there is no kind {wrong} of", kind, flags, {field: wrong, **flags})
        self.refuses("row 0: its number is negative", "step", {"number": -1, "flags": 1})
        for value in (math.inf, -math.inf, math.nan):
            self.refuses("row 0: the value is no number", "value", {"value": value})
        self.add("value", {"value": 1.7976931348623157e308}, {"value": -5e-324})

    def test_what_is_not_known(self):
        """Flags that this release does not know, and reserved fields that are not 0."""
        unknown = self.lib.Unsupported
        for kind, known in (("kernel", 31), ("step", 1), ("allocation", 1)):
            self.add(kind, {"flags": known})
            self.refuses("row 1: ", kind, {}, {"flags": known + 1}, error=unknown)
        for kind in ("kernel", "span", "value"):
            self.refuses("row 0: reserved is not 0", kind, {"reserved": 1})

    def test_rows_of_later_releases(self):
        """What stands after the fields known here may be there as long as it is 0; rows that are shorter are refused."""
        for kind in ("kernel", "span", "step", "value", "allocation"):
            self.add(kind, {}, {}, more=bytes(16))
            self.refuses("row 0 has fields that this release does not know", kind, {}, {}, more=bytes(15) + b"\x01",
                         error=self.lib.Unsupported)
            self.refuses("row_size is ", kind, {}, less=1)
            self.add(kind)
        self.add("kernel", {"name": "one", "start_ps": 5}, {"name": "two", "start_ps": 6}, more=bytes(8))
        self.assertEqual([row["name"] for row in self.finished().table("kernels").to_dicts()], ["", "", "one", "two"])

    def test_numbers_of_parts(self):
        """There is one of each: number 0."""
        for kind, part in (("kernel", "stream"), ("span", "thread"), ("step", "thread"), ("value", "counter"), ("allocation", "allocator")):
            self.add(kind, {part: 0})
            self.refuses(f"row 1: there is no {part} 1: 1 were added", kind, {part: 0}, {part: 1})

    def test_texts(self):
        """A text without a place must be empty; an empty one is fine."""
        nowhere = self.declared.pk_str(None, 3)
        for kind, field in (("kernel", "name"), ("span", "name"), ("step", "name"), ("allocation", "op")):
            self.refuses("row 0: its text is NULL, and its size is not 0", kind, {field: nowhere})
            self.add(kind, {field: self.declared.pk_str(None, 0)}, {field: ""})


if __name__ == "__main__":
    truth.main(sys.modules[__name__])

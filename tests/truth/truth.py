"""What the tests of this folder share: running the command, the C ABI, and an exact comparison of documents.

Each test is called as test_NAME.py PROFKIT LIBPROFKIT [TEST ...].
"""
import decimal
import fractions
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import fields

ROOT = pathlib.Path(os.environ.get("PROFKIT_SOURCE_ROOT", pathlib.Path(__file__).resolve().parents[2]))
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "bindings" / "python" / "src"))
CORPUS = pathlib.Path(os.environ.get("PROFKIT_CORPUS", ROOT.parent / "shared"))
PROFKIT = ""  # the command; set by main()
LIBRARY = ""  # libprofkit; set by main()


class Text:
    """Stands in an expected document for a text that differs by machine or version: `check` accepts any text there."""


def corpus(place):
    """A file or folder of the large corpus; a test that gets here without it is skipped."""
    if not (CORPUS / place).exists():
        raise unittest.SkipTest("needs PROFKIT_CORPUS")
    return CORPUS / place


def is_sanitized():
    """Whether the build under test is: then Python cannot load its library, and only the command is asked."""
    return "PROFKIT_SANITIZED" in os.environ


def library_path():
    """libprofkit; a test that gets here in a sanitized build is skipped."""
    if is_sanitized():
        raise unittest.SkipTest("Python cannot load a sanitized library")
    return LIBRARY


def library():
    """The Python binding, on the library under test. It needs nothing but the standard library."""
    os.environ["PROFKIT_LIBRARY"] = library_path()
    import profkit  # pylint: disable=import-outside-toplevel
    return profkit


def run(*arguments, status=0, cwd=None, stderr=False):
    """Standard output of `profkit ARGUMENTS`, run in the folder `cwd`, or what it says on standard error; any other exit status is
    an error."""
    environment = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "TERM")}
    done = subprocess.run([PROFKIT, *map(str, arguments)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, env=environment, timeout=120, check=False, cwd=cwd)
    if done.returncode != status:
        raise AssertionError(f"profkit {' '.join(map(str, arguments))} ended with {done.returncode}, not {status}:\n"
                             f"{done.stdout.decode()}\n{done.stderr.decode()}")
    return (done.stderr if stderr else done.stdout).decode("utf-8")


def parsed(text):
    """JSON with its numbers as they are written."""
    return fields.placed(json.loads(text, parse_float=decimal.Decimal))


def loads(text):
    """JSON with numbers as Python has them."""
    return fields.placed(json.loads(text))


def rows(table, text):
    """Lines of JSON: the rows of that table."""
    return fields.placed([json.loads(line) for line in text.splitlines()], ("table." + table,))


def differences(found, expected, place="", decimals=None):
    """Every place where a document is not what it should be, in words.

    Nothing is left out: a field that is not expected differs, too. A float or Fraction in `expected` is met by a number
    that is it, rounded to a double or to as many decimals as were printed.
    """
    here = place or "the document"
    if isinstance(expected, Text) or expected is Text:
        return [] if isinstance(found, str) else [f"{here}: {found!r} is no text"]
    if isinstance(expected, dict) and isinstance(found, dict):
        out = [f"{place}.{key}: missing, {expected[key]!r} is expected" for key in expected if key not in found]
        out += [f"{place}.{key}: {found[key]!r} is not expected" for key in found if key not in expected]
        for key in expected:
            if key in found:
                out += differences(found[key], expected[key], f"{place}.{key}")
        return out
    if isinstance(expected, (list, tuple)) and isinstance(found, list):
        out = []
        if len(found) != len(expected):
            out.append(f"{here}: {len(found)} entries, {len(expected)} are expected")
        for i, (ours, theirs) in enumerate(zip(found, expected)):
            out += differences(ours, theirs, f"{place}[{i}]")
        return out
    if isinstance(expected, (float, fractions.Fraction, decimal.Decimal)) and not isinstance(found, bool) \
            and isinstance(found, (int, decimal.Decimal)):
        return [] if same_number(found, fractions.Fraction(expected)) else [f"{here}: {found}, not {float(expected)!r}"]
    if type(found) is type(expected) and found == expected:
        return []
    return [f"{here}: {found!r}, not {expected!r}"]


def same_number(found, expected):
    if fractions.Fraction(found) == expected or float(found) == float(expected):
        return True
    if not isinstance(found, decimal.Decimal) or found.as_tuple().exponent >= 0:
        return False
    unit = fractions.Fraction(10) ** found.as_tuple().exponent
    return float(found) != float(expected) and abs(fractions.Fraction(found) - expected) * 2 <= unit


def limited(limit, *lists, texts=0):
    """What a document says of lists that were not written whole: (path, written, total) of each."""
    return {"limit": limit, "texts": texts,
            "lists": [{"list": path, "written": written, "total": total} for path, written, total in sorted(lists)]}


def with_limited(document, limit):
    """The document with its `limited`, as far as the counts beside its lists tell what was left out."""
    counts = {}

    def look(value, path):
        if isinstance(value, list):
            for item in value:
                look(item, path + "[]")
        elif isinstance(value, dict):
            for key, item in value.items():
                place = f"{path}.{key}" if path else key
                look(item, place)
                if isinstance(item, list):
                    total = value["stat_count"] if key == "stats" and "stat_count" in value else None
                    total = len(item) + value.get(key + "_left_out", 0) if total is None else total
                    written, all_of_them = counts.get(place, (0, 0))
                    counts[place] = (written + len(item), all_of_them + total)
    look(document, "")
    cut = [(path, *count) for path, count in counts.items() if count[0] != count[1]]
    return {**document, "limited": limited(limit, *cut)} if cut else document


def cut(document, limit, whole=()):
    """The document with no list longer than the limit but those of these names, and what is left out told."""
    counts = {}

    def shorter(value, path):
        if isinstance(value, list):
            return [shorter(item, path + "[]") for item in value]
        if not isinstance(value, dict):
            return value
        made = {}
        for key, item in value.items():
            place = f"{path}.{key}" if path else key
            kept = item[:limit] if isinstance(item, list) and key not in whole else item
            made[key] = shorter(kept, place)
            if isinstance(item, list):
                written, total = counts.get(place, (0, 0))
                counts[place] = (written + len(kept), total + len(item))
        return made
    made = shorter(document, "")
    left_out = [(path, *count) for path, count in counts.items() if count[0] != count[1]]
    return {**made, "limited": limited(limit, *left_out)} if left_out else made


def needs(part):
    """For a test of what a build may leave out (an option of meson_options.txt, by its name)."""
    return unittest.skipIf(part in os.environ.get("PROFKIT_LEFT_OUT", "").split(), f"built without {part}")


class Case(unittest.TestCase):
    """A test with a folder of its own."""
    maxDiff = None

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def write(self, name, content):
        path = self.scratch / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def check(self, found, expected):
        """Every field of `found` is that of `expected`, and there are no others."""
        wrong = differences(found, expected)
        if wrong:
            self.fail(f"{len(wrong)} differences:\n" + "\n".join(wrong[:40]))
        fields.note(found, expected)

    def assertEqual(self, first, second, msg=None):
        super().assertEqual(first, second, msg)
        if isinstance(first, (dict, list)):
            fields.note(*((first, second) if fields.is_placed(first) else (second, first)))

    def check_text(self, found, expected):
        """Two texts are equal, line by line."""
        self.assertEqual(found.splitlines(), expected.splitlines())
        self.assertEqual(found, expected)


def tests_of(outcomes):
    """The tests of which parts ended so: each counts once."""
    return {getattr(case, "test_case", case) for case, _ in outcomes}


def main(module):
    global PROFKIT, LIBRARY  # pylint: disable=global-statement
    PROFKIT, LIBRARY = (os.path.abspath(argument) for argument in sys.argv[1:3])
    loader = unittest.defaultTestLoader
    names = sys.argv[3:]
    suite = loader.loadTestsFromNames(names, module) if names else loader.loadTestsFromModule(module)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(suite)
    for _, reason in result.skipped:
        print(f"SKIPPED {reason}")
    if not names:
        fields.save(pathlib.Path(sys.argv[0]).stem)
    failing = tests_of(result.failures + result.errors)
    failed, skipped = len(failing), len(tests_of(result.skipped) - failing)
    print(f"{result.testsRun - failed - skipped} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)

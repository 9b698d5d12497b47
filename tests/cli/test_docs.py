#!/usr/bin/env python3
"""What the documents show is what the command prints, their links lead somewhere, and they build as a site: test_docs.py PROFKIT"""
import html.parser
import pathlib
import re
import subprocess
import sys
import tempfile

import harness
from harness import ROOT, Case, run

DOCS = ROOT / "docs"
STARTS = sorted((DOCS / "start").glob("*.md"))
FOLDERS = ("bench", "bindings", "capi", "cmake", "docs", "examples", "include", "proto", "schema", "scripts", "src", "tests", "tools")
WRITTEN_FOR_THE_SITE = {"docs/reference/c.md", "docs/reference/commands.md"}
PACKAGES = ROOT / "build" / "python" / "bin" / "python3"


def blocks(text, kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", text, re.S | re.M)


def links(text):
    """Targets of links, but for what stands in code."""
    plain = re.sub(r"^```.*?^```$|`[^`\n]*`", "", text, flags=re.S | re.M)
    return re.findall(r"\]\(([^)\s]+)\)", plain)


def anchors(text):
    """What headings are called in links; one that is there twice has a number."""
    found = set()
    for heading in re.findall(r"^#+ +(.+?) *$", re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M), re.M):
        name = first = re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        number = 0
        while name in found:
            number += 1
            name = f"{first}-{number}"
        found.add(name)
    return found


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.ids, self.links = set(), []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        values = dict(attrs)
        self.ids.update(v for k, v in attrs if k in ("id", "name"))
        if tag in ("a", "link", "script", "img"):
            self.links.append(values.get("href") or values.get("src") or "")


class DocumentsTest(Case):
    def check_console(self, page, block):
        """Each command prints the lines below it, in that order; "…" stands for lines that are left out."""
        for part in re.split(r"^(?=\$ )", block, flags=re.M):
            if not part:
                continue
            command, _, shown = part.partition("\n")
            self.assertTrue(command.startswith("$ profkit "), command)
            done = subprocess.run(["bash", "-c", command[2:].replace("profkit", '"$0"', 1), harness.PROFKIT], cwd=ROOT, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
            self.assertIn(done.returncode, (0, 1), command)
            printed = [line.rstrip() for line in done.stdout.splitlines()]
            at, exact = 0, True
            for line in shown.splitlines():
                if line == "…":
                    exact = False
                    continue
                self.assertIn(line, printed[at:], f"{page.name}: {command}")
                found = printed.index(line, at)
                self.assertTrue(found == at or not exact, f"{page.name}: {command}: lines before {line!r} are left out without …")
                at, exact = found + 1, True

    def test_quick_starts(self):
        self.assertGreaterEqual(len(STARTS), 8)
        shown = 0
        for page in STARTS:
            for block in blocks(page.read_text(encoding="utf-8"), "console"):
                with self.subTest(page=page.name, block=block.partition("\n")[0]):
                    self.check_console(page, block)
                    shown += 1
        self.assertGreaterEqual(shown, 12)

    def test_commands_are_spelled_right(self):
        """Every command and option that a document names is one."""
        known = {command: run(command, "--help").out for command in harness.COMMANDS + ["dump", "merge", "validate", "neutrino"]}
        for page in sorted(DOCS.rglob("*.md")):
            for words in re.findall(r"`profkit ([a-z]+)((?: [^`]*)?)`", page.read_text(encoding="utf-8")):
                with self.subTest(page=page.name, words=words):
                    if words[0] in known:
                        for option in re.findall(r" (--[a-z-]+)", words[1]):
                            self.assertIn(option, known[words[0]])

    def test_links(self):
        """Links lead to a file, and to a heading where they name one; so do the paths of sources that stand in backticks."""
        self.assertEqual(anchors("# A `b-c` (d)\n\n## Two _words_\n\n## A `b-c` (d)\n"), {"a-b-c-d", "two-_words_", "a-b-c-d-1"})
        self.assertEqual(links("[a](b.md#c) `[x](no)`\n```\n[y](no)\n```\n[z](d.md)"), ["b.md#c", "d.md"])
        pages = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md"), *ROOT.glob("bindings/*/README.md"),
                        *ROOT.glob("examples/*/README.md")])
        self.assertGreater(len(pages), 40)
        for page in pages:
            text = page.read_text(encoding="utf-8")
            for link in links(text):
                target, _, anchor = link.partition("#")
                if re.match(r"[a-z]+:", target):
                    continue
                with self.subTest(page=str(page.relative_to(ROOT)), link=link):
                    place = (page.parent / target).resolve() if target else page
                    if str(place.relative_to(ROOT)) in WRITTEN_FOR_THE_SITE:
                        continue
                    self.assertTrue(place.exists(), "there is no such file")
                    if anchor:
                        self.assertIn(anchor, anchors(place.read_text(encoding="utf-8")), "there is no such heading")
            for path in re.findall(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]*)`", text):
                if not re.search("AREA|NAME", path):  # these stand for any
                    with self.subTest(page=str(page.relative_to(ROOT)), path=path):
                        self.assertTrue((ROOT / path).exists() or (page.parent / path).exists(), "there is no such file")

    def test_every_document_is_on_the_site(self):
        listed = set(re.findall(r": (\S+\.md)$", (ROOT / "scripts" / "mkdocs.yml").read_text(encoding="utf-8"), re.M))
        present = {str(page.relative_to(DOCS)) for page in DOCS.rglob("*.md")}
        self.assertEqual(listed - {"reference/c.md", "reference/commands.md"}, present)

    def test_site(self):
        """Built from a copy: two tests at once do not meet."""
        if not PACKAGES.exists() or subprocess.run([PACKAGES, "-c", "import mkdocs"], stderr=subprocess.DEVNULL, check=False).returncode:
            self.skipTest("no MkDocs to build the site with")
        with tempfile.TemporaryDirectory() as scratch:
            root = pathlib.Path(scratch)
            for name in ("docs", "scripts", "include"):
                (root / name).symlink_to(ROOT / name)
            (root / "build").mkdir()
            (root / "build" / "python").symlink_to(PACKAGES.parent.parent)
            script = root / "site"
            script.write_text((ROOT / "scripts" / "site").read_text(encoding="utf-8").replace(
                "pathlib.Path(__file__).resolve().parent.parent", f"pathlib.Path({str(root)!r})"), encoding="utf-8")
            (root / "scripts").unlink()
            (root / "scripts").mkdir()
            (root / "scripts" / "mkdocs.yml").write_text((ROOT / "scripts" / "mkdocs.yml").read_text(encoding="utf-8"), encoding="utf-8")
            done = subprocess.run([sys.executable, script], capture_output=True, text=True, check=False)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            pages = {page: Page(page.read_text(encoding="utf-8")) for page in (root / "build" / "site").rglob("*.html")}
            self.assertGreater(len(pages), 25)
            for page, content in pages.items():
                for link in content.links:
                    target, _, anchor = link.partition("#")
                    if not target or "://" in target or page.name in ("404.html", "search.html"):
                        continue
                    place = (page.parent / target.partition("?")[0]).resolve()
                    self.assertTrue(place.exists(), f"{page.name}: {link}")
                    if anchor and place.suffix == ".html":
                        self.assertIn(anchor, pages[place].ids, f"{page.name}: {link}")
            header = (ROOT / "include" / "profkit" / "profkit.h").read_text(encoding="utf-8")
            reference = (root / "build" / "site" / "reference" / "c.html").read_text(encoding="utf-8")
            for function in re.findall(r"^PK_API [^(]*?(pk_\w+)\(", header, re.M):
                self.assertIn(function, reference)


if __name__ == "__main__":
    harness.main(sys.modules[__name__])

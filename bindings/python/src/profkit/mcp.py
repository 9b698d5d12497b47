"""A Model Context Protocol server: what profiles below one folder say, in answers that an agent can hold.

    python -m profkit.mcp --root DIR

It speaks over standard input and output, reads only, and opens nothing outside DIR. Needs the package `mcp`
(pip install profkit[mcp]).
"""
import argparse
import json
import os
import pathlib
import sys
from typing import Annotated, Any, Callable, Literal, Optional, Union

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from ._library import version
from .errors import Error
from .keywords import Filters
from .profile import Profile, open as open_profile

#: About the most that an answer takes.
MAX_BYTES = 24_000
MAX_ENTRIES = 200

INSTRUCTIONS = """Profiles of ML accelerators: XSpace (JAX, TensorFlow), PyTorch Kineto traces, Ascend, Neutrino.
Begin with `files` to see what there is, then `report` on a file or a folder of one run: where the time went, what was found.
`explain` gives one finding with its evidence and what happened around it. `document` answers one question in detail.
Times are picoseconds from the zero of the capture (`_ps`), sizes are bytes."""

Path = Annotated[str, Field(description="A profile, or the folder of a run, relative to the root of the server")]
Text = Annotated[Optional[str], Field(description="Keeps what has this text in its name")]
Step = Annotated[Optional[int], Field(ge=0, description="Keeps one step, by its position")]
Instant = Annotated[Optional[int], Field(description="In ps from the zero of the capture")]
Question = Literal["info", "tree", "metadata", "steps", "ops", "modules", "framework", "collectives", "memory", "bubbles",
                   "architecture", "neutrino"]


class Root:
    """The folder below which everything lies."""

    def __init__(self, folder: Union[str, "os.PathLike[str]"]) -> None:
        self.folder = pathlib.Path(folder).resolve(strict=True)
        if not self.folder.is_dir():
            raise NotADirectoryError(f"{self.folder} is no folder")

    def place(self, path: str) -> pathlib.Path:
        """Where `path` leads, links followed. ToolError: nowhere, or out of the root; which of the two it does not say."""
        try:
            found: Optional[pathlib.Path] = (self.folder / path).resolve(strict=True)
        except (OSError, RuntimeError, ValueError):
            found = None
        if found is None or not self.holds(found):
            raise ToolError(f"{path!r}: there is no such file or folder below the root, and links that lead out of it count as none; "
                            "`files` lists what there is")
        return found

    def holds(self, place: pathlib.Path) -> bool:
        return place == self.folder or self.folder in place.parents

    def open(self, path: str) -> Profile:
        place = self.place(path)
        # A link inside the folder of a run may lead anywhere.
        links = (pathlib.Path(at, name) for at, folders, names in os.walk(place) for name in folders + names)
        if any(link.is_symlink() and not self.holds(link.resolve()) for link in links):
            raise ToolError(f"{path!r} has links that lead out of the root of this server")
        try:
            return open_profile(place)
        except Error as why:
            raise ToolError(f"{path}: {why}") from None


def read_only(title: str) -> ToolAnnotations:
    return ToolAnnotations(title=title, read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False)


def attempt(write: Callable[[], bytes]) -> dict[str, Any]:
    """The document that it writes. ToolError: why the library cannot answer."""
    try:
        found: dict[str, Any] = json.loads(write())
        return found
    except (Error, ValueError) as why:
        raise ToolError(str(why)) from None


def make_server(root: Union[str, "os.PathLike[str]"]) -> MCPServer:
    """The server, for a host that runs it over a transport of its own."""
    below = Root(root)
    server: MCPServer = MCPServer("profkit", instructions=INSTRUCTIONS, version=version())

    @server.tool(annotations=read_only("Files below the root"))
    def files(folder: Annotated[str, Field(description="Relative to the root")] = ".") -> dict[str, Any]:
        """What a folder holds: folders first, then files with their sizes. At most 200 entries."""
        place = below.place(folder)
        if not place.is_dir():
            raise ToolError(f"{folder!r} is a file: give it to `report`")
        entries: list[dict[str, Any]] = []
        inside = [e for e in os.scandir(place) if below.holds(pathlib.Path(e.path).resolve())]
        for entry in sorted(inside, key=lambda e: (not e.is_dir(), e.name)):
            path = str(pathlib.Path(entry.path).relative_to(below.folder))
            entries.append({"path": path, "bytes": None if entry.is_dir() else entry.stat().st_size})
        return {"folder": folder, "entries": entries[:MAX_ENTRIES], "left_out": max(len(entries) - MAX_ENTRIES, 0)}

    @server.tool(annotations=read_only("Report"))
    def report(path: Path, host: Text = None, plane: Text = None, line: Text = None, name: Text = None, step: Step = None,
               from_ps: Instant = None, to_ps: Instant = None) -> dict[str, Any]:
        """What matters most about a capture, in 16 KB: whether it is complete, where the time of its devices went
        (`summary.verdict`), the costliest ops, and what was found, with ids for `explain`."""
        filters: Filters = {"host": host, "plane": plane, "line": line, "event": name, "step": step, "from_ps": from_ps, "to_ps": to_ps}
        with below.open(path) as profile:
            return attempt(lambda: profile.document_bytes("brief", **filters))

    @server.tool(annotations=read_only("Explain a finding"))
    def explain(path: Path, finding: Annotated[Optional[str], Field(description="Its id; without one all are listed")] = None
                ) -> dict[str, Any]:
        """One finding of the report: what it says and how sure that is, its evidence, the kernels and host calls around it,
        and what helps. In 8 KB."""
        with below.open(path) as profile:
            return attempt(lambda: profile.finding_document_bytes(finding) if finding
                           else profile.document_bytes("explain"))

    @server.tool(annotations=read_only("One question in detail"))
    def document(path: Path, question: Question, host: Text = None, plane: Text = None, line: Text = None, name: Text = None,
                 step: Step = None, from_ps: Instant = None, to_ps: Instant = None,
                 limit: Annotated[int, Field(ge=1, le=100, description="Items of each list, as far as they fit")] = 20
                 ) -> dict[str, Any]:
        """The answer to one question, in 24 KB: ops (busiest first), steps, bubbles (when devices waited and why), memory,
        collectives, modules, framework (host events), architecture (what model ran), info, tree, metadata, neutrino.
        `limited` says which lists are not whole."""
        filters: Filters = {"host": host, "plane": plane, "line": line, "event": name, "step": step, "from_ps": from_ps, "to_ps": to_ps}
        with below.open(path) as profile:
            return attempt(lambda: profile.document_bytes(question, limit=limit, max_bytes=MAX_BYTES, **filters))

    return server


def main(arguments: Optional[list[str]] = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m profkit.mcp", description="Answers agents about profiles, over MCP on "
                                     "standard input and output.")
    parser.add_argument("--root", required=True, metavar="DIR", help="nothing outside of it is opened")
    given = parser.parse_args(arguments)
    try:
        server = make_server(given.root)
    except OSError as why:
        print(f"profkit.mcp: {why}", file=sys.stderr)
        return 2
    server.run("stdio")
    return 0


if __name__ == "__main__":
    sys.exit(main())

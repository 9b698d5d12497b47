"""A Model Context Protocol server: what profiles below one folder say, in answers that an agent can hold.

    python -m profkit.mcp --root DIR

It speaks over standard input and output, reads only, and opens nothing outside DIR. Needs the package `mcp`
(pip install profkit[mcp]).
"""
import argparse
import heapq
import json
import os
import pathlib
import shlex
import statistics
import sys
from typing import Annotated, Any, Callable, Dict, Iterator, List, Literal, Optional, Union, get_args

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import Field

from ._library import version
from .errors import Error
from .keywords import Filters
from .merging import validate
from .profile import Profile, open as open_profile

#: About the most that an answer takes, and of it the document: the rest is for calls that give what was cut.
MAX_BYTES = 24_000
MAX_DOCUMENT_BYTES = 20_000
MAX_REPORT_BYTES = 16_000
MAX_EXPLAIN_BYTES = 8_000
#: Of a report, for its calls; and the most rows of its lists.
MAX_CALLS_BYTES = 4_000
BRIEF_ROWS = 10
MAX_ENTRIES = 200
#: Of the document that a list is taken from; its lists end at what is asked for.
MAX_SOURCE_BYTES = 1 << 26
#: Rows of each list of a document, tried one after another.
ROWS_TO_TRY = (5, 3, 2, 10, 20, 50, 100, 200)
#: Of a text, and of a list inside an entry.
MAX_TEXT = 300
MAX_INNER = 5

INSTRUCTIONS = """Profiles of ML accelerators: XSpace (JAX, TensorFlow), PyTorch Kineto traces, Ascend, Neutrino.
Begin with `files` to see what there is, then `report` on a file or a folder of one run: where the time went, what was found.
`explain` gives one finding with its evidence and what happened around it. `document` answers one question in detail, `rows` gives kernels,
gaps and other tables row by row, `compare` sets two captures side by side. Where an answer was cut, `more` has the calls for the rest.
Times are picoseconds from the zero of the capture (`_ps`), sizes are bytes."""

Path = Annotated[str, Field(description="A profile, or the folder of a run, relative to the root of the server")]
Text = Annotated[Optional[str], Field(description="Keeps what has this text in its name")]
Step = Annotated[Optional[int], Field(ge=0, description="Keeps one step, by its position")]
Instant = Annotated[Optional[int], Field(description="In ps from the zero of the capture")]
By = Annotated[Optional[str], Field(description="Of op_groups and roofline: kernel, op, module, range, phase, source, shape, category, "
                                                "program, …; several with commas between them are a tree")]
Offset = Annotated[int, Field(ge=0, description="How many to pass over")]
Limit = Annotated[int, Field(ge=1, le=200, description="The most to give, as far as they fit")]
Question = Literal["info", "tree", "metadata", "steps", "ops", "op_groups", "roofline", "modules", "framework", "collectives", "memory",
                   "bubbles", "architecture", "nodes", "neutrino"]
Source = Literal[Question, "report", "explain"]
#: Those whose rows can be written as JSON.
RowTable = Literal["kernels", "gaps", "steps", "causes", "device_time", "ops", "devices", "collectives", "collective_calls", "modules",
                   "allocators", "live_buffers", "files", "facts", "findings", "op_groups"]


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


def attempt(answer: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """ToolError: why the library cannot answer."""
    try:
        return answer()
    except (Error, ValueError) as why:
        raise ToolError(str(why)) from None


def size_of(answer: Any) -> int:
    return len(json.dumps(answer))


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    """How a tool of this server is called."""
    return {"tool": tool, "arguments": {name: value for name, value in arguments.items() if value is not None}}


def with_more(answer: dict[str, Any], calls: List[dict[str, Any]], most: int) -> dict[str, Any]:
    """With `more`: of the calls those that fit, each once."""
    answer["more"] = more = []
    left = most - size_of(answer)
    for each in calls:
        left -= size_of(each) + 2
        if left < 0:
            break
        if each not in more:
            more.append(each)
    return answer


def lists_of(value: Any, at: str = "") -> Iterator[tuple[str, List[Any]]]:
    """The lists of a document with their names, as `limited` has them: "lines[].ops"."""
    for name, held in value.items():
        if isinstance(held, dict):
            yield from lists_of(held, f"{at}{name}.")
        elif isinstance(held, list):
            yield at + name, held
            for each in held:
                if isinstance(each, dict):
                    yield from lists_of(each, f"{at}{name}[].")


def cut(value: dict[str, Any], rows: Dict[str, int], at: str = "") -> dict[str, Any]:
    """With so many rows of each list, by its name; `ops_left_out` beside `ops` counts those that go."""
    def part(name: str, held: Any) -> Any:
        if isinstance(held, dict):
            return cut(held, rows, f"{at}{name}.")
        if isinstance(held, list):
            return [cut(each, rows, f"{at}{name}[].") if isinstance(each, dict) else each for each in held[:rows[at + name]]]
        of = value.get(name.removesuffix("_left_out")) if name.endswith("_left_out") else None
        return held + max(len(of) - rows[at + name.removesuffix("_left_out")], 0) if isinstance(of, list) and isinstance(held, int) else held
    return {name: part(name, held) for name, held in value.items()}


def counted(document: dict[str, Any]) -> Dict[str, int]:
    """The rows of each list; those of lists inside of rows together."""
    rows: Dict[str, int] = {}
    for name, held in lists_of(document):
        rows[name] = rows.get(name, 0) + len(held)
    return rows


def fitted(whole: dict[str, Any], most: int) -> Optional[dict[str, Any]]:
    """A document in so many bytes. Each list has a row, then, as far as they fit, 5 and then more; lists of short rows come first, lists
    inside of rows last. Thresholds, which are settings, are left out. None: a row of each list is too much."""
    apart = {name: whole[name] for name in ("limited", "more") if name in whole}
    document = {name: held for name, held in whole.items() if name not in ("thresholds", *apart)}
    held = counted(document)
    row_bytes = {name: size_of(one) / max(len(one), 1) for name, one in lists_of(document)}
    rows = dict.fromkeys(sorted(held, key=lambda name: ("[]" in name, row_bytes[name])), 1)
    lists = {one["list"]: one for one in apart.get("limited", {}).get("lists", []) if one["list"] not in ("thresholds", "more")}

    def shown() -> dict[str, Any]:
        made = cut(document, rows)
        written = counted(made)
        less = [{**lists.get(name, {"list": name, "total": total}), "written": written.get(name, 0)} for name, total in held.items()
                if name in lists or written.get(name, 0) < total]
        less += [one for name, one in lists.items() if name not in held]
        if less:
            made["limited"] = {"limit": 0, "texts": 0, **apart.get("limited", {}), "lists": sorted(less, key=lambda one: one["list"])}
        return made

    if size_of(shown()) > most:
        return None
    for number in ROWS_TO_TRY:
        for name in rows:
            before, rows[name] = rows[name], max(rows[name], number)
            if size_of(shown()) > most:
                rows[name] = before
    return {**shown(), **({"more": apart["more"]} if "more" in apart else {})}


def bounded(most: int, make: Callable[[int], dict[str, Any]]) -> dict[str, Any]:
    """The document that `make(bytes)` gives, in so many bytes."""
    return fitted(make(MAX_SOURCE_BYTES), most) or make(most)


def document_of(profile: Profile, question: str, by: Optional[str], finding: Optional[str], limit: int, max_bytes: int,
                filters: Filters) -> dict[str, Any]:
    """What the library says to a question of this interface."""
    if question in ("op_groups", "roofline"):
        return profile.op_groups(by or "kernel", limit=limit, max_bytes=max_bytes, **filters)
    if question == "explain" and finding is not None:
        return profile.finding_document(finding, limit=limit, max_bytes=max_bytes, **filters)
    if question != "nodes":
        return profile.document(question, limit=limit, max_bytes=max_bytes, **filters)
    if any(value is not None for value in filters.values()):
        raise ValueError("nodes are compared whole: leave out the filters")
    while True:  # it has no bound of its own
        found = validate(profile, limit=limit).document()
        if limit <= 1 or size_of(found) <= max_bytes:
            return found
        limit //= 2


def calls_for_rest(document: dict[str, Any], question: str, **arguments: Any) -> List[dict[str, Any]]:
    """For each list that is not whole. What is inside of others is gone over anew: of each of these the first are there."""
    cut = (document.get("limited") or {}).get("lists", [])
    return [call("entries", question=question, list=one["list"], **arguments,
                 offset=None if "[]" in one["list"] or one["written"] == 0 or "," in (arguments.get("by") or "") else one["written"])
            for one in cut if one["list"] != "more"]


def call_of_command(command: str, path: str) -> Optional[dict[str, Any]]:
    """The call that gives what a command of `profkit` prints; None: there is none."""
    try:
        _, name, _, *given = shlex.split(command)
    except ValueError:
        return None
    name = "nodes" if name == "validate" else name
    options = {option: value for option, value in zip(given, given[1:]) if option.startswith("--")}
    if name == "explain":
        return call("explain", path=path, finding=given[0] if given and not given[0].startswith("-") else None)
    if name == "ops" and "--by" in options:
        return call("document", path=path, question="op_groups", by=options["--by"])
    if name not in get_args(Question):
        return None
    times = [text[:-2] for text in options.get("--time", "").split(":") if text.endswith("ps") and text[:-2].lstrip("-").isdigit()]
    from_ps, to_ps = map(int, times) if len(times) == 2 else (None, None)
    return call("document", path=path, question=name, from_ps=from_ps, to_ps=to_ps)


def with_calls(document: dict[str, Any], path: str, most: int, rest: List[dict[str, Any]]) -> dict[str, Any]:
    """With calls in the place of the commands that a document names."""
    instead = [call_of_command(one["command"], path) for one in document.get("more") or []]
    return with_more(document, rest + [one for one in instead if one is not None], most)


def entries_at(value: Any, names: List[str], at: List[int]) -> Iterator[dict[str, Any]]:
    """What stands in the lists that "lines[].ops" names, with the positions of the outer ones. What has names is a list of these."""
    inside = value.get(names[0].removesuffix("[]")) if isinstance(value, dict) else None
    if inside is None:
        return
    if len(names) > 1 and names[0].endswith("[]"):
        for position, each in enumerate(inside):
            yield from entries_at(each, names[1:], at + [position])
    elif len(names) > 1:
        yield from entries_at(inside, names[1:], at)
    elif isinstance(inside, (dict, list)):
        for each in ({"name": name, "value": held} for name, held in inside.items()) if isinstance(inside, dict) else inside:
            yield {**({"at": at} if at else {}), "entry": each}


def shortened(value: Any) -> Any:
    """With long texts and inner lists cut."""
    if isinstance(value, str):
        return value if len(value) <= MAX_TEXT else value[:MAX_TEXT] + "…"
    if isinstance(value, list):
        return [shortened(each) for each in value[:MAX_INNER]]
    return {name: shortened(each) for name, each in value.items()} if isinstance(value, dict) else value


def as_many_as_fit(rows: List[Any], most: int) -> List[Any]:
    """The first rows, texts shortened; at least one, so that who asks for the rest comes to an end."""
    fit: List[Any] = []
    for row in map(shortened, rows):
        most -= size_of(row) + 2
        if most < 0 and fit:
            break
        fit.append(row if most >= 0 else {"too_long_bytes": size_of(row)})
    return fit


def rows_of(profile: Profile, table: str, columns: Optional[List[str]], longest: bool, most: int, filters: Filters) -> List[dict[str, Any]]:
    """The first rows of a table, or those that take longest; no more are held."""
    source = profile.table(table, columns=columns, **filters)  # type: ignore[arg-type]
    if not longest:
        return source._first(most)[0]
    kept: List[Any] = []
    held = bytearray()
    position = 0

    def take(part: bytes) -> None:
        nonlocal position
        held.extend(part)
        *lines, left = held.split(b"\n")
        held[:] = left
        for line in lines:
            row = json.loads(line)
            if "duration_ps" not in row and "start_ps" not in row:
                raise ValueError(f"rows of {table} have no start_ps, end_ps or duration_ps to be ordered by")
            length = row["duration_ps"] if "duration_ps" in row else row["end_ps"] - row["start_ps"]
            position += 1
            (heapq.heappush if len(kept) < most else heapq.heappushpop)(kept, (length or 0, -position, row))

    source.write(take, "json")
    return [row for _, _, row in sorted(kept, key=lambda one: one[:2], reverse=True)]


def numbers_of(profile: Profile, filters: Filters) -> dict[str, Any]:
    """What two captures are compared by."""
    steps: dict[str, List[int]] = {}
    for step in profile.document("steps", limit=0, **filters).get("steps", []):
        steps.setdefault(step["source"], []).append(step["duration_ps"])
    time: dict[tuple[bool, str, Optional[str]], List[float]] = {}
    for row in profile.document("bubbles", limit=0, **filters).get("time", []):
        if row["device"] is None:
            held = time.setdefault((row["in_steps"], row["use"], row["cause"]), [0, 0.0])
            held[0], held[1] = held[0] + row["time_ps"], held[1] + 100 * row["share"]
    groups = profile.op_groups("kernel", limit=0, **filters)
    return {"steps": steps, "time": time, "self_ps": groups.get("self_ps", 0),
            "ops": {op["name"]: op for op in groups.get("groups", [])}, "summary": profile.document("brief", **filters)["summary"]}


def compared(first: dict[str, Any], second: dict[str, Any], offset: int, limit: int) -> dict[str, Any]:
    """Each number of both, and how much larger that of the second is."""
    def more(a: Optional[float], b: Optional[float]) -> Optional[float]:
        return round(100 * (b / a - 1), 2) if a and b is not None else None

    def step(of: dict[str, Any], source: str) -> dict[str, Any]:
        lengths = of["steps"].get(source, [])
        return {"count": len(lengths), "median_ps": int(statistics.median(lengths)) if lengths else None}

    def op(of: dict[str, Any], name: str) -> dict[str, Any]:
        found = of["ops"].get(name)
        if found is None:
            return {"count": 0, "self_ps": 0, "percent": 0.0, "each_ps": None}
        return {"count": found["count"], "self_ps": found["self_ps"], "percent": round(100 * found["self_ps"] / max(of["self_ps"], 1), 3),
                "each_ps": found["self_ps"] // max(found["count"], 1)}

    steps = []
    for source in sorted({*first["steps"], *second["steps"]}):
        a, b = step(first, source), step(second, source)
        steps.append({"source": source, "first": a, "second": b, "longer_percent": more(a["median_ps"], b["median_ps"])})
    time = []
    for key in sorted({*first["time"], *second["time"]}, key=str):
        (a_ps, a_share), (b_ps, b_share) = first["time"].get(key, (0, 0.0)), second["time"].get(key, (0, 0.0))
        time.append({"in_steps": key[0], "use": key[1], "cause": key[2], "first_ps": a_ps, "second_ps": b_ps, "first_percent": round(a_share, 3),
                     "second_percent": round(b_share, 3), "more_points": round(b_share - a_share, 3)})
    time.sort(key=lambda row: (not row["in_steps"], -abs(row["more_points"])))
    names = sorted({*first["ops"], *second["ops"]}, key=lambda name: (-max(op(first, name)["percent"], op(second, name)["percent"]), name))
    ops = []
    for name in names[offset:offset + limit]:
        a, b = op(first, name), op(second, name)
        ops.append({"name": name, "first": a, "second": b, "longer_percent": more(a["each_ps"], b["each_ps"])})
    return {"first": {key: first["summary"][key] for key in ("verdict", "devices", "software")},
            "second": {key: second["summary"][key] for key in ("verdict", "devices", "software")},
            "steps": steps, "time": time, "ops": ops, "ops_total": len(names)}


def make_server(root: Union[str, "os.PathLike[str]"]) -> MCPServer:
    """The server, for a host that runs it over a transport of its own."""
    below = Root(root)
    server: MCPServer = MCPServer("profkit", instructions=INSTRUCTIONS, version=version())

    @server.tool(annotations=read_only("Files below the root"))
    def files(folder: Annotated[str, Field(description="Relative to the root")] = ".", offset: Offset = 0) -> dict[str, Any]:
        """What a folder holds: folders first, then files with their sizes. At most 200 entries."""
        place = below.place(folder)
        if not place.is_dir():
            raise ToolError(f"{folder!r} is a file: give it to `report`")
        entries: list[dict[str, Any]] = []
        inside = [e for e in os.scandir(place) if below.holds(pathlib.Path(e.path).resolve())]
        for entry in sorted(inside, key=lambda e: (not e.is_dir(), e.name)):
            path = str(pathlib.Path(entry.path).relative_to(below.folder))
            entries.append({"path": path, "bytes": None if entry.is_dir() else entry.stat().st_size})
        left_out = max(len(entries) - offset - MAX_ENTRIES, 0)
        return {"folder": folder, "entries": entries[offset:offset + MAX_ENTRIES], "left_out": left_out,
                "more": [call("files", folder=folder, offset=offset + MAX_ENTRIES)] if left_out else []}

    @server.tool(annotations=read_only("Report"))
    def report(path: Path, host: Text = None, plane: Text = None, line: Text = None, name: Text = None, step: Step = None,
               from_ps: Instant = None, to_ps: Instant = None) -> dict[str, Any]:
        """What matters most about a capture, in 16 KB: whether it is complete, where the time of its devices went
        (`summary.verdict`), the costliest ops, and what was found, with ids for `explain`. `more` has the calls for what was cut."""
        filters: Filters = {"host": host, "plane": plane, "line": line, "event": name, "step": step, "from_ps": from_ps, "to_ps": to_ps}
        with below.open(path) as profile:
            found = attempt(lambda: bounded(MAX_REPORT_BYTES - MAX_CALLS_BYTES,
                                            lambda most: profile.document("brief", limit=BRIEF_ROWS, max_bytes=most, **filters)))
        rest = calls_for_rest(found, "report", path=path, host=host, plane=plane, line=line, name=name, step=step, from_ps=from_ps, to_ps=to_ps)
        return with_calls(found, path, MAX_REPORT_BYTES, rest)

    @server.tool(annotations=read_only("Explain a finding"))
    def explain(path: Path, finding: Annotated[Optional[str], Field(description="Its id; without one all are listed")] = None
                ) -> dict[str, Any]:
        """One finding of the report: what it says and how sure that is, its evidence, the kernels and host calls around it,
        and what helps. In 8 KB."""
        with below.open(path) as profile:
            found = attempt(lambda: bounded(MAX_EXPLAIN_BYTES, lambda most: profile.finding_document(finding, max_bytes=most) if finding
                                            else profile.document("explain", max_bytes=most)))
        return with_calls(found, path, MAX_BYTES, calls_for_rest(found, "explain", path=path, finding=finding))

    @server.tool(annotations=read_only("One question in detail"))
    def document(path: Path, question: Question, by: By = None, host: Text = None, plane: Text = None, line: Text = None, name: Text = None,
                 step: Step = None, from_ps: Instant = None, to_ps: Instant = None,
                 limit: Annotated[int, Field(ge=1, le=100, description="Items of each list, as far as they fit")] = 20
                 ) -> dict[str, Any]:
        """The answer to one question, in 24 KB: ops (busiest first), op_groups (ops summed `by` what they share), roofline (what bounds
        ops), steps, bubbles (when devices waited and why), memory, collectives, modules, framework (host events), architecture
        (what model ran), nodes (whether collectives of several nodes are in a possible order, who comes last), info, tree, metadata,
        neutrino. `limited` says which lists are not whole, `more` has the calls for the rest."""
        filters: Filters = {"host": host, "plane": plane, "line": line, "event": name, "step": step, "from_ps": from_ps, "to_ps": to_ps}
        with below.open(path) as profile:
            found = attempt(lambda: bounded(MAX_DOCUMENT_BYTES, lambda most: document_of(profile, question, by, None, limit, most, filters)))
        rest = calls_for_rest(found, question, path=path, by=by, host=host, plane=plane, line=line, name=name, step=step, from_ps=from_ps,
                              to_ps=to_ps)
        return with_more(found, rest, MAX_BYTES)

    @server.tool(annotations=read_only("A list of a document"))
    def entries(path: Path, question: Source, list: Annotated[str, Field(description="As `limited` names it: \"lines[].ops\"")],  # pylint: disable=redefined-builtin
                offset: Offset = 0, limit: Limit = 100, by: By = None,
                finding: Annotated[Optional[str], Field(description="Of explain: its id")] = None, host: Text = None, plane: Text = None,
                line: Text = None, name: Text = None, step: Step = None, from_ps: Instant = None, to_ps: Instant = None
                ) -> dict[str, Any]:
        """One list of a document from any place on, in 24 KB: what `report`, `explain` and `document` cut. Where it lies in others, `at` says
        in which of each. Lists inside an entry end after 5: ask for them by their own name."""
        filters: Filters = {"host": host, "plane": plane, "line": line, "event": name, "step": step, "from_ps": from_ps, "to_ps": to_ps}
        with below.open(path) as profile:
            def found_up_to(most: int) -> tuple[dict[str, Any], List[Any]]:
                found = attempt(lambda: document_of(profile, question, by, finding, most, MAX_SOURCE_BYTES, filters))
                return found, [*entries_at(found, list.split("."), [])]

            found, all_of_it = found_up_to(offset + limit)
            lists = {one["list"]: one["total"] for one in (found.get("limited") or {}).get("lists", [])}
            # Outer lists may hold too few; and of a tree the rows of the longest times come first, not the first rows.
            if list in lists and (len(all_of_it) < offset + limit or "," in (by or "")):
                found, all_of_it = found_up_to(0)
        if not all_of_it and list not in lists:
            raise ToolError(f"{question} of {path} has no list {list!r} with entries: `limited` of the document names those that are not whole")
        rest = {"path": path, "question": question, "list": list, "by": by, "finding": finding, "host": host, "plane": plane, "line": line,
                "name": name, "step": step, "from_ps": from_ps, "to_ps": to_ps}
        shown = as_many_as_fit(all_of_it[offset:offset + limit], MAX_DOCUMENT_BYTES)
        total, end = max(lists.get(list, 0), len(all_of_it)), offset + len(shown)
        return {"question": question, "list": list, "total": total, "offset": offset, "entries": shown,
                "more": [call("entries", **rest, offset=end)] if shown and end < total else []}

    @server.tool(annotations=read_only("Rows of a table"))
    def rows(path: Path, table: RowTable, longest: Annotated[bool, Field(description="The longest first, else in their order")] = False,
             columns: Annotated[Optional[List[str]], Field(description="Those that are wanted; without them all")] = None,
             offset: Offset = 0, limit: Limit = 50, host: Text = None, plane: Text = None, line: Text = None, name: Text = None,
             step: Step = None, from_ps: Instant = None, to_ps: Instant = None) -> dict[str, Any]:
        """Rows of a table, in 24 KB: kernels (each run of a kernel or copy on a device), gaps (each time a device waited, with its cause),
        steps, device_time, ops, collectives and others. A row leaves out what is not known. A table takes the filters that fit it and says
        which do not."""
        filters: Filters = {"host": host, "plane": plane, "line": line, "event": name, "step": step, "from_ps": from_ps, "to_ps": to_ps}
        wanted = offset + limit + 1
        with below.open(path) as profile:
            found: dict[str, Any] = attempt(lambda: {"rows": rows_of(profile, table, columns, longest, wanted, filters)})
        known = [{name: value for name, value in row.items() if value is not None} for row in found["rows"][offset:offset + limit]]
        shown = as_many_as_fit(known, MAX_DOCUMENT_BYTES)
        rest = call("rows", path=path, table=table, longest=longest, columns=columns, offset=offset + len(shown), limit=limit, host=host,
                    plane=plane, line=line, name=name, step=step, from_ps=from_ps, to_ps=to_ps)
        return {"table": table, "offset": offset, "rows": shown, "more": [rest] if len(found["rows"]) > offset + len(shown) else []}

    @server.tool(annotations=read_only("Two captures side by side"))
    def compare(path: Path, other: Annotated[str, Field(description="The second capture, relative to the root of the server")],
                offset: Offset = 0, limit: Limit = 15, host: Text = None, plane: Text = None, step: Step = None) -> dict[str, Any]:
        """Two captures by what their documents say, in 24 KB: the median step of each kind of step, the uses of device time, and ops
        with their shares and their time of one execution, the largest share first. `longer_percent`: by how much the second takes longer;
        `more_points`: percentage points. It says nothing of why: look into both."""
        filters: Filters = {"host": host, "plane": plane, "step": step}
        with below.open(path) as first, below.open(other) as second:
            found = attempt(lambda: compared(numbers_of(first, filters), numbers_of(second, filters), offset, limit))
        found["ops"] = as_many_as_fit(found["ops"], MAX_DOCUMENT_BYTES - size_of({**found, "ops": []}))
        end = offset + len(found["ops"])
        return {**found, "more": [call("compare", path=path, other=other, offset=end, limit=limit, host=host, plane=plane, step=step)]
                if end < found["ops_total"] and found["ops"] else []}

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

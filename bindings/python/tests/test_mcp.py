"""The server for agents, asked by the protocol's own client over standard input and output."""
import asyncio
import collections
import html
import json
import os
import sys

import pytest

import profkit

pytest.importorskip("mcp", reason="the package mcp is not installed")
from mcp import Client, StdioServerParameters  # pylint: disable=wrong-import-position

pytestmark = pytest.mark.skipif("PROFKIT_SANITIZED" in os.environ, reason="each session starts Python anew: the plain build is asked")

CAPTURE = "xspace/tpu_v6e_inference.xplane.pb"
TRACE = "kineto/h100_bert_small.pt.trace.json.gz"


def session(root, *calls, to_the_end=False):
    """What the tools say to (name, arguments): (whether it is an error, the document or the message). to_the_end: and to the first call
    that `more` names, and so on."""
    async def ask():
        server = StdioServerParameters(command=sys.executable, args=["-m", "profkit.mcp", "--root", str(root)],
                                       env=dict(os.environ))
        async with Client(server) as client:
            answers = []
            waiting = list(calls)
            while waiting:
                name, arguments = waiting.pop(0)
                said = await client.call_tool(name, arguments)
                text = said.content[0].text
                assert said.is_error or said.structured_content == json.loads(text)
                answers.append((said.is_error, text if said.is_error else json.loads(text)))
                if to_the_end and not said.is_error:
                    waiting += [(more["tool"], more["arguments"]) for more in answers[-1][1]["more"][:1]]
            return answers, (await client.list_tools()).tools
    return asyncio.run(ask())


def answers(root, *calls):
    return session(root, *calls)[0]


def pages(root, name, **arguments):
    """The answer and those that give the rest."""
    said = session(root, (name, arguments), to_the_end=True)[0]
    assert not any(failed for failed, _ in said), said
    assert all(len(json.dumps(answer)) <= 24_000 for _, answer in said)
    return [answer for _, answer in said]


def without_more(answer):
    return {name: value for name, value in answer.items() if name != "more"}


def is_begin_of(said, whole):
    """Whether an answer says what the whole document says, with rows and ends of texts left out."""
    if isinstance(said, dict):
        return all(name in ("limited", "more") or is_begin_of(value, whole[name]) or name.endswith("_left_out") and
                   value + len(said[name[:-9]]) == whole[name] + len(whole[name[:-9]]) for name, value in said.items())
    if isinstance(said, list):
        return len(said) <= len(whole) and all(map(is_begin_of, said, whole))
    return said == whole or isinstance(said, str) and said.endswith("…") and whole.startswith(said[:-1])


def rows_of_lists(said, at=""):
    """How many rows each list has, those in rows of others together."""
    rows = collections.Counter()
    for name, value in said.items():
        if isinstance(value, dict):
            rows += rows_of_lists(value, f"{at}{name}.")
        elif isinstance(value, list):
            rows[at + name] += len(value)
            for each in value:
                rows += rows_of_lists(each, f"{at}{name}[].") if isinstance(each, dict) else collections.Counter()
    return rows


def check_limits(said, whole):
    """`limited` names each list that is not whole with the rows of both, and no other."""
    here, there = (rows_of_lists({**document, "limited": None, "more": None}) for document in (said, whole))
    cut = {one["list"]: (one["written"], one["total"]) for one in (said.get("limited") or {}).get("lists", [])}
    shown = {name: (here[name], total) for name, total in there.items() if here[name] < total and name != "thresholds"
             and name.rsplit("[]", 1)[0] + "[]" not in {f"{outer}[]" for outer in cut if here[outer] < there[outer]}}
    assert {name: cut.get(name) for name in shown} == shown
    assert all(written < total for written, total in cut.values())


def test_tools_say_what_they_take(data):
    _, tools = session(data)
    assert {tool.name for tool in tools} == {"files", "report", "explain", "document", "entries", "rows", "compare"}
    for tool in tools:
        assert tool.description and tool.annotations.read_only_hint
        assert tool.input_schema["type"] == "object"
    schema = next(tool for tool in tools if tool.name == "document").input_schema
    assert set(schema["required"]) == {"path", "question"}
    assert "bubbles" in schema["properties"]["question"]["enum"]


def test_a_conversation(data):
    (_, listed), (_, report), (_, findings) = answers(
        data, ("files", {"folder": "kineto"}), ("report", {"path": TRACE}), ("explain", {"path": TRACE}))
    assert TRACE in [entry["path"] for entry in listed["entries"]]
    with profkit.open(data / TRACE) as profile:
        whole = profile.document("brief", limit=0, max_bytes=1 << 26)
        assert is_begin_of(report, whole) and set(whole) - set(report) <= {"limited"}
        check_limits(report, whole)
        assert without_more(findings) == without_more(profile.document("explain"))
        ids = [finding["id"] for finding in findings["findings"]]
        assert ids
        for (failed, said), expected in zip(answers(data, *[("explain", {"path": TRACE, "finding": i}) for i in ids]), ids):
            assert not failed and is_begin_of(said, profile.finding_document(expected, limit=0, max_bytes=1 << 26))
            assert len(json.dumps(said)) <= 12_000


def test_what_was_cut_can_be_asked(data):
    """Every call that an answer names is one of this server, for each list that is not whole, and is answered."""
    said = answers(data, ("report", {"path": TRACE}), ("document", {"path": TRACE, "question": "bubbles"}),
                   ("explain", {"path": TRACE, "finding": "bubbles.idle"}))
    assert "limited" not in said[0][1] and "limited" in said[1][1]
    for (_, answer), tool in zip(said, ("explain", "entries", "document")):
        assert answer["more"][0]["tool"] == tool and "profkit " not in json.dumps(answer["more"])
        cut = {one["list"] for one in (answer.get("limited") or {}).get("lists", []) if one["list"] != "more"}
        assert {more["arguments"]["list"] for more in answer["more"] if more["tool"] == "entries"} == cut
    calls = [(more["tool"], more["arguments"]) for _, answer in said for more in answer["more"]]
    assert ("document", {"path": TRACE, "question": "op_groups", "by": "op"}) in calls
    for (failed, answer), (tool, arguments) in zip(answers(data, *calls), calls):
        assert not failed, answer
        assert tool != "entries" or answer["entries"] and answer["offset"] == arguments.get("offset", 0)


@pytest.mark.parametrize("question, given, name", [("ops", {}, "lines[].ops"), ("steps", {}, "steps"), ("bubbles", {}, "devices[].gaps.top_gap_windows"),
                                                   ("op_groups", {"by": "device,kernel"}, "groups"), ("roofline", {}, "groups")])
def test_the_rest_of_a_list(data, question, given, name):
    """Page by page it is the whole list: nothing twice, nothing left out."""
    with profkit.open(data / CAPTURE) as profile:
        whole = profile.op_groups(given.get("by", "kernel"), limit=0) if "groups" in name else profile.document(question, limit=0)
    entries = [whole]
    for part in name.split("."):
        entries = [inner for each in entries for inner in ([each[part]] if not part.endswith("[]") else each[part[:-2]])]
    entries = [each for held in entries for each in held]
    said = pages(data, "entries", path=CAPTURE, question=question, list=name, limit=40, **given)
    found = [entry["entry"] for page in said for entry in page["entries"]]
    numbers = [{key: value for key, value in entry.items() if isinstance(value, int)} for entry in entries]
    assert [{key: value for key, value in entry.items() if isinstance(value, int)} for entry in found] == numbers
    assert all(page["total"] == len(entries) for page in said)
    if question == "ops":
        assert [entry["at"] for page in said for entry in page["entries"]] == [
            [at] for at, line in enumerate(whole["lines"]) for _ in line["ops"]]


def test_rows(data):
    with profkit.open(data / TRACE) as profile:
        kernels, gaps = profile.table("kernels").to_dicts(), profile.table("gaps").to_dicts()
    said = pages(data, "rows", path=TRACE, table="kernels", columns=["name", "start_ps", "duration_ps"])
    assert len(said) > 1 and [row["start_ps"] for page in said for row in page["rows"]] == [row["start_ps"] for row in kernels]
    said = pages(data, "rows", path=TRACE, table="gaps", longest=True, limit=20)
    assert "null" not in json.dumps(said) and any(value is None for row in gaps for value in row.values())
    lengths = sorted((row["end_ps"] - row["start_ps"] for row in gaps), reverse=True)
    assert [row["end_ps"] - row["start_ps"] for page in said for row in page["rows"]] == lengths and len(said) > 1
    (_, some), *refused = answers(data, ("rows", {"path": TRACE, "table": "ops", "name": "flash"}),
                                  ("rows", {"path": TRACE, "table": "kernels", "name": "flash"}),
                                  ("rows", {"path": TRACE, "table": "ops", "longest": True}))
    assert {row["name"] for row in some["rows"]} == {row["name"] for row in kernels if "flash" in row["name"]}
    assert all(failed for failed, _ in refused) and "no filter by name" in refused[0][1] and "ordered" in refused[1][1]


def test_nodes(data, two_nodes, tmp_path):
    run = tmp_path / "run" / "plugins" / "profile" / "day"
    run.mkdir(parents=True)
    for path in two_nodes:
        path.rename(run / path.name)
    (_, nodes), (failed, message) = answers(tmp_path, ("document", {"path": "run", "question": "nodes"}),
                                            ("document", {"path": "run", "question": "nodes", "step": 0}))
    with profkit.open(tmp_path / "run") as both:
        assert without_more(nodes) == {**profkit.validate(both, limit=20).document()} and len(nodes["nodes"]) == 2
    assert failed and "filters" in message


def write_steps(path, step_us, ops):
    with profkit.XSpaceWriter(path) as writer:
        writer.hostname("host")
        with writer.plane("/device:TPU:0"):
            with writer.line("Steps", id=0, timestamp_ns=0):
                for at in range(4):
                    writer.event(str(at), offset_ps=at * step_us * 1_000_000, duration_ps=step_us * 1_000_000)
            with writer.line("XLA Ops", id=1, timestamp_ns=0):
                for at in range(4):
                    begin = at * step_us * 1_000_000
                    for name, duration_us in ops:
                        writer.event(name, offset_ps=begin, duration_ps=duration_us * 1_000_000)
                        begin += duration_us * 1_000_000


def test_compare(tmp_path):
    write_steps(tmp_path / "a.xplane.pb", 100, [("same", 40), ("slower", 20), ("gone", 40)])
    write_steps(tmp_path / "b.xplane.pb", 150, [("same", 40), ("slower", 30), ("new", 5)])
    first, *rest = pages(tmp_path, "compare", path="a.xplane.pb", other="b.xplane.pb", limit=3)
    assert [(step["first"], step["second"], step["longer_percent"]) for step in first["steps"]] == [
        ({"count": 4, "median_ps": 100_000_000}, {"count": 4, "median_ps": 150_000_000}, 50.0)]
    uses = {}
    for row in first["time"]:
        uses[row["use"]] = [uses.get(row["use"], [0, 0])[0] + row["first_percent"], uses.get(row["use"], [0, 0])[1] + row["second_percent"]]
    assert uses["compute"] == pytest.approx([100, 50]) and uses["idle"] == pytest.approx([0, 50])
    ops = {op["name"]: op for page in (first, *rest) for op in page["ops"]}
    assert len(rest) == 1 and first["ops_total"] == 4 and [op["name"] for op in first["ops"]] == ["same", "gone", "slower"]
    assert ops["slower"]["longer_percent"] == 50.0 and ops["same"]["longer_percent"] == 0.0
    assert ops["slower"]["first"] == {"count": 4, "self_ps": 80_000_000, "percent": 20.0, "each_ps": 20_000_000}
    assert ops["new"]["first"]["count"] == 0 and ops["new"]["longer_percent"] is None
    assert ops["gone"]["second"] == {"count": 0, "self_ps": 0, "percent": 0.0, "each_ps": None}


def test_documents_fit(data):
    questions = ["info", "tree", "metadata", "steps", "ops", "op_groups", "roofline", "modules", "framework", "collectives", "memory", "bubbles",
                 "architecture", "nodes", "neutrino"]
    said = answers(data, *[("document", {"path": path, "question": q, "limit": 100}) for path in (CAPTURE, TRACE)
                           for q in questions])
    for failed, document in said:
        assert not failed and len(json.dumps(document)) <= 24_000
    (failed, ops), = answers(data, ("document", {"path": CAPTURE, "question": "ops", "plane": "TPU:0", "limit": 2}))
    with profkit.open(data / CAPTURE) as profile:
        assert not failed and is_begin_of(ops, profile.document("ops", plane="TPU:0", limit=0))
        assert len(ops["lines"][0]["ops"]) == 2
        whole = profile.document("bubbles", limit=100, max_bytes=1 << 26)
    bubbles = said[11][1]
    assert bubbles["schema"] == "profkit.bubbles" and is_begin_of(bubbles, whole) and set(whole) - set(bubbles) <= {"thresholds", "limited"}
    check_limits(bubbles, whole)


def test_findings_come_before_long_tables(data):
    """Lists of short rows have 5 of them before any other has more, and the settings take no room."""
    (_, said), = answers(data, ("document", {"path": TRACE, "question": "bubbles", "limit": 100}))
    assert "thresholds" not in said
    assert min(len(said["recommendations"]), len(said["time"]), len(said["structures"])) >= 5 and len(said["steps"]) == 1
    assert said["anomaly_discovery"]["bubble_windows"] and said["ops"]["by_total_cost"]


def test_one_answer(data):
    """Agents, notebooks and documents name the same first cause."""
    (_, report), (_, bubbles), (_, findings) = answers(
        data, ("report", {"path": TRACE}), ("document", {"path": TRACE, "question": "bubbles"}), ("explain", {"path": TRACE}))
    with profkit.open(data / TRACE) as profile:
        leading = profile.document("bubbles")["leading_cause"]
        assert html.escape(profile.document("brief")["summary"]["verdict"]) in html.unescape(profile._repr_html_())  # pylint: disable=protected-access
    assert leading["cause"] == "launch_bound" and leading == report["summary"]["idle"]["leading_cause"] == bubbles["leading_cause"]
    assert next(f["id"] for f in findings["findings"] if f["id"].startswith("bubbles.")) == "bubbles.cause.launch_bound"


def test_what_was_cut_is_asked_of_this_server(data):
    (_, ops), = answers(data, ("document", {"path": CAPTURE, "question": "ops", "plane": "TPU:0", "limit": 2}))
    assert ops["more"][0] == {"tool": "entries", "arguments": {"path": CAPTURE, "question": "ops", "list": "lines[].ops", "plane": "TPU:0"}}


@pytest.mark.parametrize("path", ["../outside.xplane.pb", "/etc/passwd", "link", "folder", "not there", "a\0b"])
def test_nothing_outside_the_root(tmp_path, data, path):
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    outside = tmp_path / "outside.xplane.pb"
    outside.write_bytes((data / CAPTURE).read_bytes())
    (root / "link").symlink_to(outside)
    (root / "folder" / "host.xplane.pb").symlink_to(outside)
    (failed, message), = answers(root, ("report", {"path": path}))
    assert failed and "root" in message, message
    (failed, listed), = answers(root, ("files", {}))
    assert not failed and [entry["path"] for entry in listed["entries"]] == ["folder"]


def test_a_link_inside_the_root_is_followed(tmp_path, data):
    (tmp_path / "a.xplane.pb").write_bytes((data / CAPTURE).read_bytes())
    (tmp_path / "b.xplane.pb").symlink_to(tmp_path / "a.xplane.pb")
    (failed, report), = answers(tmp_path, ("report", {"path": "b.xplane.pb"}))
    assert not failed and report["schema"] == "profkit.brief"


def test_mistakes_are_explained(data, tmp_path):
    (tmp_path / "empty.txt").write_bytes(b"nothing")
    (failed, message), = answers(tmp_path, ("report", {"path": "empty.txt"}))
    assert failed and "empty.txt" in message
    said = answers(data, ("explain", {"path": TRACE, "finding": "no.such"}), ("document", {"path": TRACE, "question": "poetry"}),
                   ("document", {"path": TRACE, "question": "ops", "plane": "no such plane"}), ("files", {"folder": TRACE}))
    assert all(failed for failed, _ in said)
    assert "no.such" in said[0][1] and "no such plane" in said[2][1] and "report" in said[3][1]


def test_a_root_that_is_none(tmp_path, capsys):
    from profkit import mcp  # pylint: disable=import-outside-toplevel
    assert mcp.main(["--root", str(tmp_path / "missing")]) == 2
    assert "missing" in capsys.readouterr().err

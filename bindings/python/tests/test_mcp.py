"""The server for agents, asked by the protocol's own client over standard input and output."""
import asyncio
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


def session(root, *calls):
    """What the tools say to (name, arguments): (whether it is an error, the document or the message)."""
    async def ask():
        server = StdioServerParameters(command=sys.executable, args=["-m", "profkit.mcp", "--root", str(root)],
                                       env=dict(os.environ))
        async with Client(server) as client:
            answers = []
            for name, arguments in calls:
                said = await client.call_tool(name, arguments)
                text = said.content[0].text
                assert said.is_error or said.structured_content == json.loads(text)
                answers.append((said.is_error, text if said.is_error else json.loads(text)))
            return answers, (await client.list_tools()).tools
    return asyncio.run(ask())


def answers(root, *calls):
    return session(root, *calls)[0]


def test_tools_say_what_they_take(data):
    _, tools = session(data)
    assert {tool.name for tool in tools} == {"files", "report", "explain", "document"}
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
        assert report == profile.document("brief")
        assert findings == profile.document("explain")
        ids = [finding["id"] for finding in findings["findings"]]
        assert ids
        for (failed, said), expected in zip(answers(data, *[("explain", {"path": TRACE, "finding": i}) for i in ids]), ids):
            assert not failed and said == profile.finding_document(expected)


def test_documents_fit(data):
    questions = ["info", "tree", "metadata", "steps", "ops", "modules", "framework", "collectives", "memory", "bubbles",
                 "architecture", "neutrino"]
    said = answers(data, *[("document", {"path": path, "question": q, "limit": 100}) for path in (CAPTURE, TRACE)
                           for q in questions])
    for failed, document in said:
        assert not failed and len(json.dumps(document)) <= 24_000
    (failed, ops), = answers(data, ("document", {"path": CAPTURE, "question": "ops", "plane": "TPU:0", "limit": 2}))
    with profkit.open(data / CAPTURE) as profile:
        assert not failed and ops == profile.document("ops", plane="TPU:0", limit=2)


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

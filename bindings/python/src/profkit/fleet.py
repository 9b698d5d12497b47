"""Rows of many captures: one table over all of them, as Arrow batches, as a Parquet dataset, for DuckDB.

    for batch in profkit.fleet.scan("captures/**/*.xplane.pb", "ops", columns=["name", "self_ps"]):
        ...
    profkit.fleet.write_dataset("s3://bucket/captures", "ops.parquet", "ops")
    profkit.sql("select name, sum(self_ps) / 1e12 as s from ops group by name", "captures/")

A capture that cannot be read is a row whose column `error` says why; no other capture is lost for it.
Needs pyarrow; fsspec for URIs that are no local paths.
"""
import fnmatch
import functools
import glob
import hashlib
import json
import os
import pathlib
import queue
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterable, Iterator, List, Mapping, NamedTuple, Optional, Sequence, Set, Tuple, Union

from ._library import Calls, check, encoded_path, lib
from .errors import Error
from .merging import validate
from .profile import open as open_profile
from .profile import open_buffer
from .tables import NUMBERS, TableName, number_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .keywords import Filters

Where = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]

#: Names of files that a folder of a store is searched for; of a local folder the contents of files count.
CAPTURE_FILES = ("*.xplane.pb", "*.xplane.pb.gz", "*.trace.json", "*.trace.json.gz", "*.pt.trace.json.zst")
#: The rows of a batch at most.
BATCH_ROWS = 65536

# An XSpace without a line: its tables have their columns and no row.
_EMPTY_XSPACE = b"\n\x0b\x08\x01\x12\x07profkit"


class Capture(NamedTuple):
    """A capture, and what changes when it is written anew."""
    uri: str
    size_bytes: int
    version: str  #: time of the last change in ns, or what the store says of it


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


def _captures_among(names: Sequence[str]) -> List[str]:
    """The captures among the files of a folder. X.trace.json repeats X.xplane.pb, where both are there."""
    spaces = {name.partition(".xplane.pb")[0] for name in names if _matches(name, ("*.xplane.pb", "*.xplane.pb.gz"))}
    repeats = {f"{space}.trace.json{end}" for space in spaces for end in ("", ".gz")}
    return [name for name in names if name not in repeats and _matches(name, CAPTURE_FILES)]


def _local(path: str) -> Capture:
    if os.path.isdir(path):
        inside = [os.stat(os.path.join(folder, name)) for folder, _, names in os.walk(path) for name in names]
        return Capture(path, sum(s.st_size for s in inside), str(max((s.st_mtime_ns for s in inside), default=0)))
    found = os.stat(path)
    return Capture(path, found.st_size, str(found.st_mtime_ns))


def _local_captures(where: str) -> Iterator[str]:
    if any(c in where for c in "*?[") and not os.path.exists(where):
        yield from (path for path in glob.iglob(where, recursive=True))
        return
    parts: List[bytes] = []
    calls = Calls()
    calls.run(lambda: check(lib.pk_captures_write, encoded_path(where), calls.writer(parts.append), None))
    yield from (os.fsdecode(path) for path in b"".join(parts).split(b"\0")[:-1])


def _remote_captures(where: str, storage: Mapping[str, Any]) -> Iterator[Capture]:
    import fsspec  # pylint: disable=import-outside-toplevel

    store, path = fsspec.core.url_to_fs(where, **storage)
    if any(c in path for c in "*?["):
        found = store.glob(path, detail=True)
    elif store.isdir(path):
        by_folder: Dict[str, List[str]] = {}
        held = store.find(path, detail=True)
        for name in held:
            folder, _, own = name.rpartition("/")
            by_folder.setdefault(folder, []).append(own)
        found = {f"{folder}/{own}": held[f"{folder}/{own}"] for folder, names in by_folder.items() for own in _captures_among(names)}
    else:
        found = {path: store.info(path)}
    for name, info in found.items():
        if info.get("type") == "directory":
            continue
        version = next((str(info[key]) for key in ("etag", "ETag", "mtime", "LastModified", "last_modified", "created")
                        if info.get(key)), "")
        yield Capture(store.unstrip_protocol(name), int(info.get("size") or 0), version)


def captures(where: Where, *, storage_options: Optional[Mapping[str, Any]] = None) -> List[Capture]:
    """The captures at paths, patterns ("runs/**/*.xplane.pb") and fsspec URIs ("s3://…"), each once, by URI. In a local
    folder they are found by what files hold, in one of a store by CAPTURE_FILES; a local one without any is a capture itself. A path
    where nothing is stays: reading it gives the error."""
    found: Dict[str, Capture] = {}
    for one in [where] if isinstance(where, (str, os.PathLike)) else where:
        text = os.fspath(one)
        if "://" in text:
            found.update((capture.uri, capture) for capture in _remote_captures(text, storage_options or {}))
            continue
        for path in _local_captures(text):
            try:
                found[path] = _local(path)
            except OSError:
                found[path] = Capture(path, 0, "")
    return sorted(found.values())


class Scan:
    """One table of many captures. Each time it is gone over, the captures are read anew."""

    def __init__(self, of: Sequence[Capture], table: str, columns: Optional[Sequence[str]], workers: int,
                 storage: Mapping[str, Any], filters: Mapping[str, Any]) -> None:
        self.captures = list(of)
        number_of(table)
        self._table: Any = table
        self._storage, self._workers = dict(storage), workers
        self._given: Dict[str, Any] = {"batch_rows": BATCH_ROWS, "plain_text": True, "signed": True, "allow_empty": True, **filters}
        if columns is not None:
            self._given["columns"] = [name for name in columns if name not in ("uri", "error")]
            if not self._given["columns"]:
                raise ValueError("columns names at least one column of the table")
        self._schema: Any = None

    @property
    def schema(self) -> Any:
        """`uri`, the columns of the table, `error`; a pyarrow.Schema. Text is plain and numbers are signed, as all engines read."""
        import pyarrow as pa  # pylint: disable=import-outside-toplevel

        if self._schema is None:
            with open_buffer(_EMPTY_XSPACE) as empty:
                own = pa.RecordBatchReader.from_stream(empty.table(self._table, **self._given)).schema
            self._schema = pa.schema([pa.field("uri", pa.string()), *own,
                                      pa.field("error", pa.string())])
        return self._schema

    def read(self, capture: Capture) -> Iterator[Any]:
        """The batches of one capture. Where it ends early, what was intact comes first and a row with the error last."""
        import pyarrow as pa  # pylint: disable=import-outside-toplevel

        schema = self.schema
        try:
            with self._opened(capture.uri) as profile:
                for batch in pa.RecordBatchReader.from_stream(profile.table(self._table, **self._given)):
                    if batch.num_rows == 0:
                        continue
                    uri = pa.array([capture.uri], pa.string()).take(pa.array([0] * batch.num_rows, pa.int32()))
                    yield pa.RecordBatch.from_arrays([uri, *batch.columns, pa.nulls(batch.num_rows, pa.string())], schema=schema)
        except (Error, OSError, pa.ArrowException) as wrong:
            yield self._row_of_error(capture, str(wrong))

    def read_uris(self, batches: Iterable[Any]) -> Iterator[Any]:
        """The batches of the captures named by the column `uri` of Arrow batches, for engines that map batches (mapInArrow of Spark)."""
        for batch in batches:
            for uri in batch.column("uri").to_pylist():
                yield from self.read(Capture(uri, 0, ""))

    def __iter__(self) -> Iterator[Any]:
        """Batches in the order of the captures; up to `workers` of these are read at a time."""
        stopped = threading.Event()
        with ThreadPoolExecutor(self._workers, thread_name_prefix="profkit-fleet") as pool:
            waiting: "queue.SimpleQueue[Tuple[queue.Queue[Any], Any]]" = queue.SimpleQueue()
            left = iter(self.captures)

            def begin() -> bool:
                capture = next(left, None)
                if capture is None:
                    return False
                into: "queue.Queue[Any]" = queue.Queue(maxsize=4)
                waiting.put((into, pool.submit(self._fill, capture, into, stopped)))
                return True

            begun = sum(begin() for _ in range(2 * self._workers))
            try:
                while begun > 0:
                    into, task = waiting.get()
                    for batch in iter(into.get, None):
                        yield batch
                    task.result()
                    begun += begin() - 1
            finally:
                stopped.set()

    def _fill(self, capture: Capture, into: "queue.Queue[Any]", stopped: threading.Event) -> None:
        def put(item: Any) -> bool:
            while not stopped.is_set():
                try:
                    into.put(item, timeout=0.1)
                    return True
                except queue.Full:
                    pass
            return False

        try:
            for batch in self.read(capture):
                if not put(batch):
                    return
        finally:
            put(None)

    def reader(self) -> Any:
        """A pyarrow.RecordBatchReader over all rows. It is read once."""
        import pyarrow as pa  # pylint: disable=import-outside-toplevel

        return pa.RecordBatchReader.from_batches(self.schema, iter(self))

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> Any:
        """A new stream over all rows, as often as somebody asks; `requested_schema` is not heeded, as the interface allows."""
        return self.reader().__arrow_c_stream__()

    def to_pyarrow(self) -> Any:
        """All rows as a pyarrow.Table."""
        return self.reader().read_all()

    def _opened(self, uri: str) -> Any:
        # Captures are read side by side: one thread each.
        if "://" not in uri:
            return open_profile(uri, threads=1)
        import fsspec  # pylint: disable=import-outside-toplevel

        with fsspec.open(uri, "rb", compression=None, **self._storage) as stream:
            return open_buffer(stream.read(), uri, threads=1)

    def _row_of_error(self, capture: Capture, message: str) -> Any:
        import pyarrow as pa  # pylint: disable=import-outside-toplevel

        row = {"uri": capture.uri, "error": message or "unknown error"}
        return pa.RecordBatch.from_arrays([pa.array([row.get(field.name)], field.type) for field in self.schema], schema=self.schema)


class _Errors:
    """What is wrong with captures: rows of a scan with an error, without its columns."""

    def __init__(self, of: Scan) -> None:
        self._of = of

    def __arrow_c_stream__(self, requested_schema: Optional[object] = None) -> Any:
        import pyarrow as pa  # pylint: disable=import-outside-toplevel

        schema = pa.schema([pa.field("uri", pa.string()), pa.field("message", pa.string())])
        wrong = (batch.filter(batch.column("error").is_valid()) for batch in self._of)
        batches = (pa.RecordBatch.from_arrays([batch.column("uri"), batch.column("error")], schema=schema) for batch in wrong)
        return pa.RecordBatchReader.from_batches(schema, batches).__arrow_c_stream__()


def _table_of_captures(of: Sequence[Capture]) -> Any:
    import pyarrow as pa  # pylint: disable=import-outside-toplevel

    return pa.table({"uri": pa.array([capture.uri for capture in of], pa.string())})


def _table_of_waits(of: Sequence[Capture]) -> Any:
    """Whom the ranks of a run wait for; a run is what stands in one folder."""
    import pyarrow as pa  # pylint: disable=import-outside-toplevel

    folders: Dict[str, List[str]] = {}
    for capture in of:
        folders.setdefault(os.path.dirname(capture.uri) or ".", []).append(capture.uri)
    rows = []
    for uri in (folder if len(inside) > 1 else inside[0] for folder, inside in sorted(folders.items()) if "://" not in folder):
        try:
            with open_profile(uri) as run:
                arrivals = validate(run, limit=0).document().get("arrivals")
        except Error:
            continue  # what is wrong with a capture is said elsewhere
        if not arrivals or not (arrivals["judged"] or arrivals["unjudged"]):
            continue
        late = [row for row in arrivals["devices"]
                if (row["node"], row["device"]) == (arrivals["latest_node"], arrivals["latest_device"])]
        who = f"rank {arrivals['latest_rank']}" if arrivals["latest_rank"] is not None else f"node {arrivals['latest_node']}"
        rows.append({"uri": uri, "who": who if late else None, "times_last": late[0]["times_last"] if late else None,
                     "judged": arrivals["judged"], "not_judged": sum(each["calls"] for each in arrivals["unjudged"]),
                     "waited_for_ps": late[0]["waited_for_ps"] if late else None, "waited_ps": arrivals["waited_ps"],
                     "text": arrivals["text"]})
    number, text = pa.int64(), pa.string()
    return pa.Table.from_pylist(rows, pa.schema([("uri", text), ("who", text), ("times_last", number), ("judged", number),
                                                 ("not_judged", number), ("waited_for_ps", number), ("waited_ps", number),
                                                 ("text", text)]))


def _all_workers() -> int:
    return min(os.cpu_count() or 1, 32)


def scan(where: Where, table: TableName = "ops", *, columns: Optional[Sequence[str]] = None, workers: Optional[int] = None,
         storage_options: Optional[Mapping[str, Any]] = None, **filters: "Unpack[Filters]") -> Scan:
    """One table over all captures at `where` (see captures()). columns: those of the table that are wanted; filters: as those
    of Profile.table(), host, plane, event, step, from_ps, …. workers: captures that are read at a time."""
    return Scan(captures(where, storage_options=storage_options), table, columns,
                workers or _all_workers(), storage_options or {}, filters)


def sql(query: str, where: Where, *, workers: Optional[int] = None, storage_options: Optional[Mapping[str, Any]] = None,
        **filters: "Unpack[Filters]") -> Any:
    """Asks DuckDB: the tables in the query are those of profkit (docs/tables.md) over all captures at `where`, with `uri` first and
    `error` last, `waits` (whom the ranks of each folder wait for), `captures` (uri) and `errors` (uri, message: what is wrong with each of them). Only columns that the query names are read; filters are those of scan(). Gives a relation of DuckDB, which reads
    the captures each time it is asked for rows. Needs duckdb and pyarrow."""
    import duckdb  # pylint: disable=import-outside-toplevel

    found = captures(where, storage_options=storage_options)
    connection = duckdb.connect()
    spoken = re.sub(r"--[^\n]*", "", query)
    words = set(re.findall(r"\w+", spoken.lower()))
    # "*" stands for all columns, but not in count(*) and in a product.
    all_columns = re.search(r"(?:\bselect|\bdistinct|,|\.)\s*\*", spoken, re.IGNORECASE) is not None
    scan_of = functools.partial(Scan, found, workers=workers or _all_workers(), storage=storage_options or {}, filters=filters)
    for name in sorted(words & set(NUMBERS)):
        whole = scan_of(name, None)
        named = [] if all_columns else [column for column in whole.schema.names[1:-1] if column in words]
        connection.register(name, scan_of(name, named) if named else whole)
    if "waits" in words:
        connection.register("waits", _table_of_waits(found))
    if "captures" in words:
        connection.register("captures", _table_of_captures(found))
    if "errors" in words:
        connection.register("errors", _Errors(scan_of("ops", ["file"])))
    return connection.sql(query)


#: Questions that people ask of a fleet, by name: queries for sql(), to be taken as they are or as a start. `profkit fleet` asks the
#: same: each is a query of SQLite, too.
QUESTIONS: Dict[str, str] = {path.stem: path.read_text("utf-8")
                             for path in sorted((pathlib.Path(__file__).parent / "questions").glob("*.sql"))}


def ask(question: str, where: Where, **given: Any) -> Any:
    """The answer to one of QUESTIONS, as of sql()."""
    if question not in QUESTIONS:
        raise ValueError(f"there is no question {question!r}: choose one of {', '.join(QUESTIONS)}")
    return sql(QUESTIONS[question], where, **given)


_MANIFEST = "_profkit.json"


class Written(NamedTuple):
    """What write_dataset() did."""
    captures: int         #: all that the dataset holds
    captures_read: int    #: those that were new or had changed
    rows: int             #: of these
    errors: int           #: captures of these that could not be read, or not to their end
    files: int            #: Parquet files of the dataset


def write_dataset(where: Where, root: Union[str, "os.PathLike[str]"], table: TableName = "ops", *,
                  columns: Optional[Sequence[str]] = None, partition: Optional[Callable[[str], Mapping[str, str]]] = None,
                  captures_per_file: int = 256, workers: Optional[int] = None,
                  storage_options: Optional[Mapping[str, Any]] = None, **filters: "Unpack[Filters]") -> Written:
    """Writes one table over all captures to a Parquet dataset at the local folder `root`. partition: from the URI of a capture
    to folders ({"day": "2026-11-27"} is "day=2026-11-27/"). A file holds up to captures_per_file captures.

    Begun again, after an end or an interruption, it reads the captures that are new or changed, and the others of their file;
    files of captures that are gone are taken away. A file appears when it is complete. One process writes at a time."""
    import pyarrow.parquet as pq  # pylint: disable=import-outside-toplevel

    found = scan(where, table, columns=columns, workers=workers, storage_options=storage_options, **filters)
    folder = pathlib.Path(root)
    folder.mkdir(parents=True, exist_ok=True)
    asked = {"table": table, "columns": list(columns) if columns is not None else None, "filters": filters}
    known = _read_manifest(folder / _MANIFEST, asked)
    by_file = _files_of(found.captures, known, partition, captures_per_file)
    for name in set(known) - set(by_file):
        (folder / name).unlink(missing_ok=True)
        del known[name]
    read = rows = errors = 0
    for name, members in by_file.items():
        if known.get(name) == [list(capture) for capture in members] and (folder / name).exists():
            continue
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        part = target.with_name("." + target.name + ".part")
        try:
            with pq.ParquetWriter(part, found.schema, compression="zstd") as writer:
                for batch in Scan(members, table, columns, found._workers, storage_options or {}, filters):
                    failed = batch.num_rows - batch.column("error").null_count
                    errors += failed
                    rows += batch.num_rows - failed
                    writer.write_batch(batch)
            part.replace(target)
        finally:
            part.unlink(missing_ok=True)
        read += len(members)
        known[name] = [list(capture) for capture in members]
        _write_manifest(folder / _MANIFEST, asked, known)
    _write_manifest(folder / _MANIFEST, asked, known)
    return Written(len(found.captures), read, rows, errors, len(by_file))


def _read_manifest(path: pathlib.Path, asked: Mapping[str, Any]) -> Dict[str, List[List[Any]]]:
    try:
        held = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return {}
    if held.get("asked") != json.loads(json.dumps(asked)):
        raise ValueError(f"{path}: the dataset was written for {held.get('asked')}, not for {asked}; write to another folder")
    files: Dict[str, List[List[Any]]] = held["files"]
    return files


def _write_manifest(path: pathlib.Path, asked: Mapping[str, Any], files: Mapping[str, Any]) -> None:
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps({"asked": asked, "files": files}), "utf-8")
    part.replace(path)


# Captures stay in the file in which they are; new ones go to files of their own.
def _files_of(of: Sequence[Capture], known: Mapping[str, List[List[Any]]],
              partition: Optional[Callable[[str], Mapping[str, str]]], most: int) -> Dict[str, List[Capture]]:
    by_uri = {capture.uri: capture for capture in of}
    files: Dict[str, List[Capture]] = {}
    placed: Set[str] = set()
    for name, held in known.items():
        here = [by_uri[uri] for uri, _, _ in held if uri in by_uri]
        placed.update(capture.uri for capture in here)
        if here:
            files[name] = here
    new: Dict[str, List[Capture]] = {}
    for capture in of:
        if capture.uri not in placed:
            keys = partition(capture.uri) if partition is not None else {}
            new.setdefault("/".join(f"{key}={value}" for key, value in keys.items()), []).append(capture)
    for place, members in new.items():
        for at in range(0, len(members), most):
            some = members[at:at + most]
            digest = hashlib.sha256("\n".join(capture.uri for capture in some).encode()).hexdigest()[:16]
            files[(place + "/" if place else "") + f"part-{digest}.parquet"] = some
    return files

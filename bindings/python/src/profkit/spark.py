"""Captures as a Spark table, on Spark 4.1 and later:

    spark.dataSource.register(profkit.spark.CaptureSource)
    ops = spark.read.format("profkit").option("table", "ops").load("s3://bucket/captures")
    ops.groupBy("name").sum("self_ps")

Options: `path` (load() sets it; several with commas between them), `table` (default ops), `columns` (with commas between
them), `captures_per_task` (default 32), and filters of profkit.fleet.scan(): `host`, `plane`, `line`, `event`, `step`,
`from_ps`, `to_ps`, `limit`. `storage.NAME` goes to fsspec. The columns `uri` and `error` are always there: a capture that
cannot be read is a row with its error. With the option `pushdown` = "true", for which the session has to allow
spark.sql.python.filterPushdown.enabled, host, plane, line and name that equal a text are heeded while reading; Spark checks
them again.
"""
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Sequence, Tuple

from pyspark.sql.datasource import DataSource, DataSourceReader, EqualTo, InputPartition

from . import fleet

_TEXT_FILTERS = ("host", "plane", "line", "event")
# Columns that filters of profkit go by, and the tables that take all of these.
_HANDED_DOWN = {"host": "host", "plane": "plane", "line": "line", "name": "event"}
_TABLES_WITH_FILTERS = ("ops",)
_NUMBER_FILTERS = ("step", "from_ps", "to_ps", "limit")


class _Captures(InputPartition):
    def __init__(self, of: Sequence[fleet.Capture]) -> None:
        super().__init__(None)
        self.of = list(of)


def _storage(options: Mapping[str, str]) -> Dict[str, str]:
    return {key[len("storage."):]: value for key, value in options.items() if key.startswith("storage.")}


def _scan_of(options: Mapping[str, str], of: Sequence[fleet.Capture], filters: Mapping[str, Any]) -> fleet.Scan:
    columns = [name.strip() for name in options["columns"].split(",")] if options.get("columns") else None
    given: Dict[str, Any] = {name: options[name] for name in _TEXT_FILTERS if options.get(name)}
    given.update((name, int(options[name])) for name in _NUMBER_FILTERS if options.get(name))
    return fleet.Scan(of, options.get("table", "ops"), columns, 1, _storage(options), {**filters, **given})


class CaptureReader(DataSourceReader):
    """Tasks of some captures each."""

    def __init__(self, options: Mapping[str, str]) -> None:
        self.options, self.filters = dict(options), {}  # type: Dict[str, str], Dict[str, Any]

    def partitions(self) -> Sequence[InputPartition]:
        where = [path.strip() for path in self.options["path"].split(",")]
        found = fleet.captures(where, storage_options=_storage(self.options))
        most = int(self.options.get("captures_per_task") or 32)
        return [_Captures(found[at:at + most]) for at in range(0, len(found), most)] or [_Captures([])]

    def read(self, partition: InputPartition) -> Iterator[Any]:
        assert isinstance(partition, _Captures)
        scan = _scan_of(self.options, partition.of, self.filters)
        for capture in partition.of:
            yield from scan.read(capture)


class FilteringReader(CaptureReader):
    """Heeds filters while reading. Spark refuses any reader that can, unless its session allows it."""

    def pushFilters(self, filters: List[Any]) -> Iterable[Any]:  # pylint: disable=invalid-name
        """A filter of profkit keeps what contains a text, so what it keeps Spark has to look at again."""
        names = _HANDED_DOWN if self.options.get("table", "ops") in _TABLES_WITH_FILTERS else {}
        for one in filters:
            if isinstance(one, EqualTo) and len(one.attribute) == 1 and isinstance(one.value, str) and one.value:
                wanted = names.get(one.attribute[0])
                if wanted is not None and not self.options.get(wanted):
                    self.filters.setdefault(wanted, one.value)
            yield one


class CaptureSource(DataSource):
    """The data source "profkit"."""

    @classmethod
    def name(cls) -> str:
        return "profkit"

    def schema(self) -> Any:
        from pyspark.sql.pandas.types import from_arrow_schema  # pylint: disable=import-outside-toplevel

        return from_arrow_schema(_scan_of(self.options, [], {}).schema)

    def reader(self, schema: Any) -> CaptureReader:
        if not self.options.get("path"):
            raise ValueError("say where the captures are: spark.read.format(\"profkit\").load(PATH)")
        is_filtering = self.options.get("pushdown", "").lower() == "true"
        return FilteringReader(self.options) if is_filtering else CaptureReader(self.options)

"""The enumerations of the C ABI."""
from enum import IntEnum, IntFlag


class Family(IntEnum):
    """The format of a file."""
    UNKNOWN = 0
    XSPACE = 1
    CHROME_TRACE = 2
    HLO_PROTO = 3
    OP_STATS = 4
    ASCEND_KERNELS = 5
    ASCEND_TABLE = 6
    ASCEND_JSON = 7
    ASCEND_DATABASE = 8
    NEUTRINO = 16
    OWN = 17

    @classmethod
    def _missing_(cls, value: object) -> "Family":
        return cls.UNKNOWN


class PlaneKind(IntEnum):
    """What a plane stands for."""
    DEVICE = 0
    HOST = 1
    METADATA = 2
    CUSTOM = 3
    ENVIRONMENT = 4
    OTHER = 5

    @classmethod
    def _missing_(cls, value: object) -> "PlaneKind":
        return cls.OTHER


class LineKind(IntEnum):
    """What the events of a line mean. Never sum a DERIVED line with the line whose time it repeats."""
    STEPS = 0
    MODULES = 1
    OPS = 2
    ASYNC = 3
    STREAM = 4
    DERIVED = 5
    COUNTER = 6
    THREAD = 7
    OTHER = 8

    @classmethod
    def _missing_(cls, value: object) -> "LineKind":
        return cls.OTHER


class StatOrigin(IntFlag):
    """Where a stat was written."""
    EVENT = 1
    METADATA = 2
    PLANE = 4


class KernelKind(IntEnum):
    """What a kernel counts as."""
    COMPUTE = 0
    AICPU = 1
    COMM = 2
    COPY = 3
    OTHER = 4

    @classmethod
    def _missing_(cls, value: object) -> "KernelKind":
        return cls.OTHER


class Accelerator(IntEnum):
    """What a device is."""
    OTHER = 0
    TPU = 1
    GPU = 2
    NPU = 3


class SpanKind(IntEnum):
    """What a span of a host is."""
    OP = 0
    RUNTIME = 1
    FRAME = 2
    ANNOTATION = 3
    GC = 4
    OTHER = 5


class LaunchKind(IntEnum):
    """What a call of a host gave to a device."""
    BY_NAME = 0
    KERNEL = 1
    COPY = 2
    GRAPH = 3


class Status(IntEnum):
    """What a document says of itself in its field `status`."""
    OK = 0
    PARTIAL = 1
    ABSENT = 2
    ERROR = 3

"""Writes an HloProto, part by part. Field numbers: hlo.proto and xla_data.proto of XLA."""
from wire import message, number, varint


def numbers(field, values):
    """A packed list."""
    return message(field, b"".join(varint(v) for v in values)) if values else b""


def tile(*dimensions):
    return numbers(1, dimensions)


def layout(minor_to_major=(), tiles=(), bits=0, space=0, tail=0):
    out = numbers(1, minor_to_major) + b"".join(message(6, t) for t in tiles)
    for field, value in ((7, bits), (8, space), (16, tail)):
        out += number(field, value) if value else b""
    return out


def shape(element_type, dimensions=(), own_layout=None, elements=(), dynamic=()):
    """element_type: a number of xla.PrimitiveType; 13 is a tuple of `elements`."""
    out = number(2, element_type) + numbers(3, dimensions) + b"".join(message(4, e) for e in elements)
    out += message(5, own_layout) if own_layout is not None else b""
    return out + numbers(6, [int(d) for d in dynamic])


def op_metadata(op_name="", source_file="", source_line=0, frame=0):
    out = message(2, op_name) if op_name else b""
    out += message(3, source_file) if source_file else b""
    out += number(4, source_line) if source_line else b""
    return out + (number(15, frame) if frame else b"")


def instruction(key, name, opcode, its_shape=b"", metadata=b"", operands=(), more=b""):
    return message(
        2,
        message(1, name),
        message(2, opcode),
        message(3, its_shape),
        message(7, metadata),
        number(35, key),
        numbers(36, operands),
        more,
    )


def replica_groups(*groups):
    """A field of an instruction."""
    return b"".join(message(49, numbers(1, group)) for group in groups)


def source_target_pairs(*pairs):
    """A field of an instruction."""
    return b"".join(message(52, number(1, source), number(2, target)) for source, target in pairs)


def replicas_on(*devices):
    """A field of a module of one partition: the device of each replica."""
    return message(15, number(1, len(devices)), number(2, 1), message(3, numbers(1, devices)))


def computation(key, name, *instructions):
    return message(3, message(1, name), *instructions, number(5, key))


def schedule(sequences):
    """{computation: ids of instructions in the order in which they run}"""
    return message(7, *(message(1, number(1, key), message(2, numbers(1, ids))) for key, ids in sequences.items()))


def module(name, key, *parts, entry=1):
    return message(1, message(1, name), number(5, key), number(6, entry), *parts)


F32 = 11


def proto(name, key, extra=False):
    """A small program: two computations; one instruction more where `extra` is asked."""
    array = shape(F32, [8, 128], layout([1, 0]))
    inner = computation(2, "inner", instruction(1, "p", "parameter", array))
    body = [instruction(10, "p0", "parameter", array), instruction(11, "fusion.1", "fusion", array, b"", [10])]
    if extra:
        body.append(instruction(12, "copy.2", "copy", array, b"", [11]))
    return module(name, key, inner, computation(1, "main", *body), schedule({1: [10, 11]}))

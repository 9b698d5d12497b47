"""Makes the schema the views are compared with out of one in proto/: the same messages, minus what no view reads.

In proto2 strings are not checked for UTF-8, and enums become int32, as in proto3 any value is kept: names in profiles
are bytes, and a newer writer's enum values count.
"""
import argparse
import re

FIELD = re.compile(r'^(\s*)(repeated |optional )?([\w.]+|map<\w+, \w+>) (\w+) = (\d+);$')


def convert(text, omitted):
    enums = set(re.findall(r'^\s*enum (\w+) \{', text, re.M))
    seen = set()
    stack = []
    out = []
    for line in text.splitlines():
        opening = re.match(r'^\s*(message|enum|oneof) (\w+) \{', line)
        if opening:
            stack.append(opening.groups())
        inside_enum = bool(stack) and stack[-1][0] == 'enum'
        closing = line.strip() == '}'
        if closing:
            stack.pop()
        if inside_enum:
            continue
        field = FIELD.match(line)
        if not field:
            line = line.replace('syntax = "proto3"', 'syntax = "proto2"')
            out.append(line.replace('package profkit.fixture.', 'package profkit.oracle.'))
            continue
        indent, label, kind, name, number = field.groups()
        path = '.'.join(block for what, block in stack if what == 'message') + '.' + name
        if path in omitted:
            seen.add(path)
            continue
        if kind in enums:
            kind = 'int32'
        if not label:
            label = '' if kind.startswith('map<') or stack[-1][0] == 'oneof' else 'optional '
        out.append(f'{indent}{label}{kind} {name} = {number};')
    if seen != omitted:
        raise SystemExit(f'not in the schema: {sorted(omitted - seen)}')
    # An oneof that lost all its members is no longer legal.
    return re.sub(r'\n\s*oneof \w+ \{\n\s*\}', '', '\n'.join(out)) + '\n'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('schema')
    parser.add_argument('output')
    parser.add_argument('--omit', help='file with one Message.field a line')
    args = parser.parse_args()
    omitted = set()
    if args.omit:
        with open(args.omit) as lines:
            omitted = {line.split('#')[0].strip() for line in lines} - {''}
    with open(args.schema) as schema:
        text = convert(schema.read(), omitted)
    with open(args.output, 'w') as output:
        output.write(text)


main()

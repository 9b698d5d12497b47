#!/usr/bin/env python3
"""Checks scripts/cost on the build that runs this: its folders add up, and what is known to be there is named."""
import pathlib
import re
import subprocess
import sys

SCRIPT, BUILD = map(pathlib.Path, sys.argv[1:3])

done = subprocess.run([sys.executable, SCRIPT, BUILD], capture_output=True, text=True)
problems = [] if done.returncode == 0 else [f"status {done.returncode}: {done.stderr}"]
parts = {part.split("\n", 1)[0]: part for part in done.stdout.split("\n\n")}
whole = re.search(r"([\d,]+) s of them compile", done.stdout)
folders = dict((name, int(count.replace(",", ""))) for count, name in
               re.findall(r"^ *([\d,]+) s  (\S+)$", parts.get("By folder", ""), re.MULTILINE))
if not whole or abs(int(whole.group(1).replace(",", "")) - sum(folders.values())) > len(folders) + 10:
    problems.append(f"the folders add up to {sum(folders.values())}, not to {whole and whole.group(1)}")
lines = re.findall(r"^ *([\d,]+) lines  (\S+)$", parts.get("The heaviest headers, by the lines that all units read of them", ""), re.MULTILINE)
if len(lines) != 10 or not all(pathlib.PurePath(name).suffix in (".hpp", ".h", ".inc") for _, name in lines):
    problems.append(f"these are not ten headers: {lines}")
if [int(count.replace(",", "")) for count, _ in lines] != sorted((int(count.replace(",", "")) for count, _ in lines), reverse=True):
    problems.append(f"the heaviest header does not come first: {lines}")
print(*problems, done.stdout if problems else "", sep="\n")
print(f"{int(not problems)} passed, {int(bool(problems))} failed, 0 skipped")
sys.exit(1 if problems else 0)

#!/usr/bin/env python3
"""Checks scripts/cost on the build that runs this: its folders add up, and what is known to be there is named."""
import importlib.machinery
import importlib.util
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
# What grew is said from 3 % on; what shrank, or is new, is not.
loader = importlib.machinery.SourceFileLoader("cost", str(SCRIPT))
cost = importlib.util.module_from_spec(importlib.util.spec_from_loader("cost", loader))
sys.dont_write_bytecode = True
loader.exec_module(cost)
grown = cost.growth({"a": 100, "b": 100, "c": 100, "d": 1}, {"a": 103, "b": 104, "c": 50, "e": 9})
if grown != ["4.0 % more b: 104, before 100"]:
    problems.append(f"what grew: {grown}")
sizes = cost.sizes(BUILD)
if len(sizes) != 4 or min(sizes.values()) < 100_000:
    problems.append(f"sizes: {sizes}")
print(*problems, done.stdout if problems else "", sep="\n")
print(f"{int(not problems)} passed, {int(bool(problems))} failed, 0 skipped")
sys.exit(1 if problems else 0)

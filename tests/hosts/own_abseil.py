#!/usr/bin/env python3
"""Hosts that have linked an abseil of their own: own_abseil.py LIBPROFKIT.SO SOURCE_ROOT CAPTURE CXX...

Three programs print the same report: one without abseil, one with the system's, and one with another release, whose names
stand in another inline namespace. That one is made from the system's archives: their symbols are renamed. What each
reference is bound to is read from the loader; every name of abseil must be bound to one copy in all of the process, and
none of profkit's to the other release's.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77
OTHER = "h0st_lts"


def run(*command, **options):
    return subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True, **options).stdout


def skip(reason):
    print(f"SKIPPED abseil: {reason}\n0 passed, 0 failed, 1 skipped")
    sys.exit(SKIPPED)


def names_of_abseil(nm_text):
    return {name for name in re.findall(r"\s(_Z\S*)", nm_text) if "4absl" in name}


def mangled(namespace):
    return f"{len(namespace)}{namespace}"


class System:
    """The abseil that is installed."""

    def __init__(self, compiler):
        found = subprocess.run([*compiler, "-E", "-dM", "-xc++", "-"], input="#include <absl/base/options.h>\n",
                               capture_output=True, text=True, check=False)
        named = re.search(r"ABSL_OPTION_INLINE_NAMESPACE_NAME (\w+)", found.stdout)
        if not named:
            skip("no headers of abseil, or one without an inline namespace")
        self.namespace = named.group(1)
        self.header = next(pathlib.Path(path) for path in re.findall(
            r'"(/[^"]*absl/base/options\.h)"', run(*compiler, "-E", "-xc++", "-", input="#include <absl/base/options.h>\n")))
        asked = subprocess.run(["pkg-config", "--static", "--libs", "absl_flat_hash_map"], capture_output=True, text=True,
                               check=False)
        named_by_it = dict.fromkeys(re.findall(r"-l(absl_\w+)", asked.stdout))
        archives = [pathlib.Path(run(*compiler, f"-print-file-name=lib{name}.a").strip()) for name in named_by_it]
        self.archives = [archive for archive in archives if archive.is_absolute()]
        if not self.archives or len(self.archives) < len(archives):
            skip("no archives of abseil to link into a host")


def renamed(system, folder):
    """The same archives and headers under the inline namespace OTHER."""
    (folder / "include" / "absl" / "base").mkdir(parents=True)
    options = system.header.read_text(encoding="utf-8")
    assert system.namespace in options
    (folder / "include" / "absl" / "base" / "options.h").write_text(options.replace(system.namespace, OTHER),
                                                                    encoding="utf-8")
    names = set()
    for archive in system.archives:
        names |= names_of_abseil(run("nm", archive))
    changed = {name: name.replace(mangled(system.namespace), mangled(OTHER)) for name in names}
    (folder / "names").write_text("".join(f"{old} {new}\n" for old, new in sorted(changed.items()) if old != new),
                                  encoding="ascii")
    archives = []
    for archive in system.archives:
        archives.append(folder / archive.name)
        run("objcopy", f"--redefine-syms={folder / 'names'}", archive, archives[-1])
    return archives


def bindings(program, capture, environment):
    """{(file that refers, name): file that it is bound to} of abseil's names."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([program, capture], check=True, capture_output=True,
                       env=dict(environment, LD_DEBUG="bindings", LD_DEBUG_OUTPUT=f"{folder}/log", LD_BIND_NOW="1"))
        text = "".join(path.read_text(encoding="utf-8", errors="replace") for path in pathlib.Path(folder).iterdir())
    found = re.findall(r"binding file (\S+) \[\d+\] to (\S+) \[\d+\]: \S+ symbol `(_Z\w*4absl\w*)'", text)
    return {(os.path.basename(user), name): os.path.basename(provider) for user, provider, name in found}


def binding_problems(found, system):
    """Names of one release that are bound to two copies, and names of profkit that are of the other release."""
    copies = {}
    for (user, name), provider in found.items():
        copies.setdefault(name, set()).add(provider)
        if user.startswith("libprofkit") and mangled(system.namespace) not in name:
            yield f"libprofkit refers to {name}"
        if mangled(OTHER) in name and not provider.startswith("host_"):
            yield f"{user} finds {name} of the host's abseil in {provider}"
        if mangled(OTHER) in name and not user.startswith("host_"):
            yield f"{user} uses {name} of the host's abseil"
    for name, providers in copies.items():
        if len(providers) > 1:
            yield f"{name} comes from {', '.join(sorted(providers))}"


def main(library, root, capture, *compiler):
    library = os.path.abspath(library)
    for tool in ("nm", "objcopy", "pkg-config"):
        if not shutil.which(tool):
            skip(f"no {tool} here")
    system = System(compiler)
    problems = []
    shown = names_of_abseil(run("nm", "-D", "--defined-only", library))
    if shown:
        problems.append(f"libprofkit exports {', '.join(sorted(shown))}")
    # The check must be able to fail.
    name = f"_ZN4absl{mangled(OTHER)}1fEv"
    assert len(list(binding_problems({("libprofkit.so.0", name): "host_other"}, system))) == 2
    assert list(binding_problems({("a", "_ZN4absl1fEv"): "a", ("b", "_ZN4absl1fEv"): "b"}, system))
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        (folder / "libprofkit.so.0").symlink_to(library)
        environment = dict(os.environ, LD_LIBRARY_PATH=str(folder))
        group = lambda archives: ["-Wl,--start-group", *archives, "-Wl,--end-group"]
        hosts = {
            "host_without": [],
            "host_system": ["-DHOST_HAS_ABSEIL", *group(system.archives)],
            "host_other": ["-DHOST_HAS_ABSEIL", f"-I{folder / 'include'}", *group(renamed(system, folder))],
        }
        reports = {}
        for host, arguments in hosts.items():
            # -rdynamic: the host shows all it has, the worst case.
            run(*compiler, "-std=c++17", "-O1", f"-I{root}/include", pathlib.Path(root) / "tests/hosts/abseil_host.cpp",
                "-o", folder / host, "-rdynamic", *arguments, folder / "libprofkit.so.0", "-pthread",
                f"-Wl,-rpath-link,{folder}")
            done = subprocess.run([folder / host, capture], env=environment, capture_output=True, check=False)
            reports[host] = done.stdout
            if done.returncode != 0 or not done.stdout:
                problems.append(f"{host}: exit {done.returncode}: {done.stderr.decode()}")
            elif host != "host_without":
                found = bindings(folder / host, capture, environment)
                problems += [f"{host}: {problem}" for problem in binding_problems(found, system)]
                own = names_of_abseil(run("nm", "--defined-only", folder / host))
                release = mangled(OTHER if host == "host_other" else system.namespace)
                if not any("container_internal" in name and release in name for name in own):
                    problems.append(f"{host} has no abseil of its own")
                print(f"{host}: {len(own)} names of abseil, {len(found)} bound while it ran")
        problems += [f"{host} reports something else" for host in hosts if reports[host] != reports["host_without"]]
    print(*problems, sep="\n")
    print(f"{3 - min(3, len(problems))} passed, {len(problems)} failed, 0 skipped")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))

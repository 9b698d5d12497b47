# Shared by the scripts beside it; sourced, not run.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build_root=$root/build

say() { printf '%s\n' "$*" >&2; }

# Of build/release, which scripts/report makes without tests, and scripts/test adds them to.
release_options=(--buildtype=release -Dtests=enabled -Dexamples=enabled -Djoined=true)

# configure NAME [MESON OPTION ...]: sets up build/NAME, or changes the options of the one that is there.
configure() {
  local dir=$build_root/$1
  shift
  mkdir -p "$build_root"
  # A folder that another version of Meson made, or that was left half set up, is made anew.
  if [ ! -e "$dir/build.ninja" ] || ! meson configure "$dir" "$@" >"$dir.log" 2>&1; then
    rm -rf "$dir"
    logged "$dir.log" meson setup "$dir" "$root" "$@"
  fi
}

# compile NAME [TARGET ...]
compile() {
  local dir=$build_root/$1
  shift
  ninja -C "$dir" "$@" 2>&1 | python3 "$root/scripts/progress.py" "$dir.log" building || failed "$dir.log" "ninja -C $dir"
}

# logged LOG COMMAND ...: the output goes to LOG; a failure shows its end.
logged() {
  local log=$1
  shift
  "$@" >"$log" 2>&1 || failed "$log" "$*"
}

# failed LOG COMMAND
failed() {
  say "failed: $2"
  tail -n 40 "$1" >&2
  say "the whole log: $1"
  return 1
}

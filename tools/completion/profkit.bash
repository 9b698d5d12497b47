# bash completion for profkit, written by scripts/generate
_profkit() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= word
  local options= arguments= commands='report explain info tree metadata steps ops roofline modules framework collectives memory bubbles architecture export rows sql fleet merge validate diff snapshot neutrino dump'
  COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case " $commands help " in *" $word "*) command=$word; break ;; esac
  done
  case $command in
    '') COMPREPLY=($(compgen -W "$commands help --help --version" -- "$current")); return ;;
    help) COMPREPLY=($(compgen -W "$commands" -- "$current")); return ;;
    report)
      options='--brief --host --node --plane --line --name --step --time --limit --json -o --output
        --wide --color -q --quiet --run --io --strict --fail-on --redact --aliases -j --threads
        -h --help'
      case $previous in
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --run) COMPREPLY=($(compgen -W 'all' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --fail-on) COMPREPLY=($(compgen -W 'incomplete' -- "$current")); return ;;
        --host|--node|--plane|--line|--name|--step|--time|--limit|-j|--threads) return ;;
      esac ;;
    explain)
      options='--host --node --plane --line --name --step --time --limit --json -o --output --wide
        --color -q --quiet --run --io --strict --fail-on --redact --aliases -j --threads -h
        --help'
      case $previous in
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --run) COMPREPLY=($(compgen -W 'all' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --fail-on) COMPREPLY=($(compgen -W 'incomplete' -- "$current")); return ;;
        --host|--node|--plane|--line|--name|--step|--time|--limit|-j|--threads) return ;;
      esac ;;
    info)
      options='--why --host --node --plane --line --name --step --time --limit --json -o --output
        --wide --color -q --quiet --run --io --strict --fail-on --redact --aliases -j --threads
        -h --help'
      case $previous in
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --run) COMPREPLY=($(compgen -W 'all' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --fail-on) COMPREPLY=($(compgen -W 'incomplete' -- "$current")); return ;;
        --host|--node|--plane|--line|--name|--step|--time|--limit|-j|--threads) return ;;
      esac ;;
    tree)
      options='--host --node --plane --line --name --step --time --limit --json -o --output --wide
        --color -q --quiet --run --io --strict --fail-on --redact --aliases -j --threads -h
        --help'
      case $previous in
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --run) COMPREPLY=($(compgen -W 'all' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --fail-on) COMPREPLY=($(compgen -W 'incomplete' -- "$current")); return ;;
        --host|--node|--plane|--line|--name|--step|--time|--limit|-j|--threads) return ;;
      esac ;;
    metadata)
      options='--host --node --plane --line --name --step --time --limit --json -o --output --wide
        --color -q --quiet --run --io --strict --fail-on --redact --aliases -j --threads -h
        --help'
      case $previous in
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --run) COMPREPLY=($(compgen -W 'all' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --fail-on) COMPREPLY=($(compgen -W 'incomplete' -- "$current")); return ;;
        --host|--node|--plane|--line|--name|--step|--time|--limit|-j|--threads) return ;;
      esac ;;
    steps)
      options='--host --node --plane --line --name --step --time --limit --json -o --output --wide
        --color -q --quiet --run --io --strict --fail-on --redact --aliases -j --threads -h
        --help'
      case $previous in
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --run) COMPREPLY=($(compgen -W 'all' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --fail-on) COMPREPLY=($(compgen -W 'incomplete' -- "$current")); return ;;
        --host|--node|--plane|--line|--name|--step|--time|--limit|-j|--threads) return ;;
      esac ;;
    ops)
      options='--by --sort --host --node --plane --line --name --step --time --limit --json -o --output
        --wide --color -q --quiet --run --io --strict --fail-on --redact --aliases -j --threads
        -h --help'
      case $previous in
        --by) COMPREPLY=($(compgen -W 'kernel function instruction op outer-op module module-kind range source phase shape step kind category program stream device' -- "$current")); return ;;
        --sort) COMPREPLY=($(compgen -W 'total self count' -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --run) COMPREPLY=($(compgen -W 'all' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --fail-on) COMPREPLY=($(compgen -W 'incomplete' -- "$current")); return ;;
        --host|--node|--plane|--line|--name|--step|--time|--limit|-j|--threads) return ;;
      esac ;;
    roofline)
      options='--svg --by --host --node --plane --line --name --step --time --limit --json -o --output
        --wide --color -q --quiet --run --io --strict --fail-on --redact --aliases -j --threads
        -h --help'
      case $previous in
        --by) COMPREPLY=($(compgen -W 'kernel function instruction op outer-op module module-kind range source phase shape step kind category program stream device' -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --run) COMPREPLY=($(compgen -W 'all' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --fail-on) COMPREPLY=($(compgen -W 'incomplete' -- "$current")); return ;;
        --host|--node|--plane|--line|--name|--step|--time|--limit|-j|--threads) return ;;
      esac ;;
    modules)
      options='--dump --host --node --plane --line --name --step --time --limit --json -o --output
        --wide --color -q --quiet --run --io --strict --fail-on --redact --aliases -j --threads
        -h --help'
      case $previous in
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --run) COMPREPLY=($(compgen -W 'all' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --fail-on) COMPREPLY=($(compgen -W 'incomplete' -- "$current")); return ;;
        --dump|--host|--node|--plane|--line|--name|--step|--time|--limit|-j|--threads) return ;;
      esac ;;
    framework)
      options='--sort --svg --host --node --plane --line --name --step --time --limit --json -o
        --output --wide --color -q --quiet --run --io --strict --fail-on --redact --aliases -j
        --threads -h --help'
      case $previous in
        --sort) COMPREPLY=($(compgen -W 'total self count' -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --run) COMPREPLY=($(compgen -W 'all' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --fail-on) COMPREPLY=($(compgen -W 'incomplete' -- "$current")); return ;;
        --host|--node|--plane|--line|--name|--step|--time|--limit|-j|--threads) return ;;
      esac ;;
    collectives)
      options='--host --node --plane --line --name --step --time --limit --json -o --output --wide
        --color -q --quiet --run --io --strict --fail-on --redact --aliases -j --threads -h
        --help'
      case $previous in
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --run) COMPREPLY=($(compgen -W 'all' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --fail-on) COMPREPLY=($(compgen -W 'incomplete' -- "$current")); return ;;
        --host|--node|--plane|--line|--name|--step|--time|--limit|-j|--threads) return ;;
      esac ;;
    memory)
      options='--module --space --top --no-runtime --fit --what-if --curve --host --node --step
        --all-trace --step-policy --persistent-threshold-steps --include-host-pools
        --time-samples --limit --json -o --output --wide --color -q --quiet --svg --run --io
        --strict --fail-on --redact --aliases -j --threads -h --help'
      case $previous in
        --space) COMPREPLY=($(compgen -W 'HBM VMEM Sflag CMEM SMEM Host SparseCore' -- "$current")); return ;;
        --what-if) COMPREPLY=($(compgen -W 'remat= offload=' -- "$current")); return ;;
        --step-policy) COMPREPLY=($(compgen -W 'peak last first' -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --run) COMPREPLY=($(compgen -W 'all' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --fail-on) COMPREPLY=($(compgen -W 'incomplete' -- "$current")); return ;;
        --module|--top|--fit|--curve|--host|--node|--step|--persistent-threshold-steps|--time-samples|--limit|-j|--threads) return ;;
      esac ;;
    bubbles)
      options='--plane --device --window-policy --step-pattern --step --name --time --threshold
        --thresholds --limit --json -o --output --wide --color -q --quiet --svg --run --io
        --strict --fail-on --redact --aliases -j --threads -h --help'
      case $previous in
        --window-policy) COMPREPLY=($(compgen -W 'whole guide marker device' -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --run) COMPREPLY=($(compgen -W 'all' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --fail-on) COMPREPLY=($(compgen -W 'incomplete' -- "$current")); return ;;
        --plane|--device|--step-pattern|--step|--name|--time|--threshold|--limit|-j|--threads) return ;;
      esac ;;
    architecture)
      options='--plane --device --step-pattern --facts --csv --markdown --svg --limit --json -o
        --output --wide --color -q --quiet --run --io --strict --fail-on --redact --aliases -j
        --threads -h --help'
      case $previous in
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --run) COMPREPLY=($(compgen -W 'all' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --fail-on) COMPREPLY=($(compgen -W 'incomplete' -- "$current")); return ;;
        --plane|--device|--step-pattern|--limit|-j|--threads) return ;;
      esac ;;
    export)
      options='--host --node --plane --line --name --step --time --format --compat --waits -o --output
        --color -q --quiet --run --io --strict --fail-on --redact --aliases -j --threads -h
        --help'
      case $previous in
        --format) COMPREPLY=($(compgen -W 'trace.json trace.json.gz pftrace xspace csv' -- "$current")); return ;;
        --compat) COMPREPLY=($(compgen -W 'xla' -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --run) COMPREPLY=($(compgen -W 'all' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --fail-on) COMPREPLY=($(compgen -W 'incomplete' -- "$current")); return ;;
        --host|--node|--plane|--line|--name|--step|--time|-j|--threads) return ;;
      esac ;;
    rows)
      options='--host --node --plane --line --name --step --time --columns --format --json -o --output
        --limit --color -q --quiet --run --io --strict --fail-on --redact --aliases -j --threads
        -h --help'
      arguments='files devices ops steps kernels gaps causes collectives modules allocators live_buffers live_curve probe_launches device_time facts collective_calls findings op_groups'
      case $previous in
        --format) COMPREPLY=($(compgen -W 'csv json' -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --run) COMPREPLY=($(compgen -W 'all' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --fail-on) COMPREPLY=($(compgen -W 'incomplete' -- "$current")); return ;;
        --host|--node|--plane|--line|--name|--step|--time|--columns|--limit|-j|--threads) return ;;
        -o|--output|--aliases) arguments= ;;
      esac ;;
    sql)
      options='-f --file --tables --format --json -o --output --wide --color -q --quiet --strict -j
        --threads -h --help'
      case $previous in
        --format) COMPREPLY=($(compgen -W 'table csv json' -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        -j|--threads) return ;;
      esac ;;
    fleet)
      options='--question --limit --json -o --output --wide --color -q --quiet --strict -j --threads -h
        --help'
      case $previous in
        --question) COMPREPLY=($(compgen -W 'coverage uses causes waits stragglers regressions clocks links headroom ops' -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --limit|-j|--threads) return ;;
      esac ;;
    merge)
      options='--traces --snapshots --offsets --run-metadata --run-dir --auto-discover --keep-going
        --io -j --threads --no-correction --correction --normalize --align --max-bound
        --no-drift --scale-durations --tracer-host-threads -o --output --trace-json --svg
        --write-offsets --validate --plane-scheme --plane-prefix --keep-order --print-events
        --print-collectives --json --color -q --quiet -h --help'
      case $previous in
        --run-dir) compopt -o filenames 2>/dev/null; COMPREPLY=($(compgen -d -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --correction) COMPREPLY=($(compgen -W 'clock walltime none' -- "$current")); return ;;
        --normalize) COMPREPLY=($(compgen -W 'min node0 none' -- "$current")); return ;;
        --align) COMPREPLY=($(compgen -W 'collectives' -- "$current")); return ;;
        --plane-scheme) COMPREPLY=($(compgen -W 'seed rocm node' -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        -j|--threads|--max-bound|--plane-prefix) return ;;
      esac ;;
    validate)
      options='--traces --bound --time --align --max-bound --fail-on -o --output --csv --svg --limit
        --json --wide --color -q --quiet --run --io --strict -j --threads -h --help'
      case $previous in
        --align) COMPREPLY=($(compgen -W 'collectives' -- "$current")); return ;;
        --fail-on) COMPREPLY=($(compgen -W 'violations' -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --bound|--time|--max-bound|--limit|--run|-j|--threads) return ;;
      esac ;;
    diff)
      options='--before --after --fail-on -o --output --limit --json --markdown --wide --color -q
        --quiet --run --io --strict -j --threads -h --help'
      case $previous in
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --fail-on|--limit|--run|-j|--threads) return ;;
      esac ;;
    snapshot)
      options='-o --output --color -q --quiet --run --io --strict -j --threads -h --help'
      case $previous in
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --run|-j|--threads) return ;;
      esac ;;
    neutrino)
      options='--launch --map --block --lane --as --csv --svg --limit --json -o --output --wide --color
        -q --quiet --run --io --strict --fail-on --redact --aliases -j --threads -h --help'
      arguments='launches kernels maps records schedule bytes density progress overhead log'
      case $previous in
        --as) COMPREPLY=($(compgen -W 'block_sched gmem_bytes tensorop program_progress dmat' -- "$current")); return ;;
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --run) COMPREPLY=($(compgen -W 'all' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --fail-on) COMPREPLY=($(compgen -W 'incomplete' -- "$current")); return ;;
        --launch|--map|--block|--lane|--limit|-j|--threads) return ;;
        --svg|-o|--output|--aliases) arguments= ;;
      esac ;;
    dump)
      options='--type --limit --json -o --output --color -q --quiet --io --strict -h --help'
      case $previous in
        --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
        --io) COMPREPLY=($(compgen -W 'map read' -- "$current")); return ;;
        --type|--limit) return ;;
      esac ;;
  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *)
      compopt -o filenames 2>/dev/null
      COMPREPLY=($(compgen -W "$arguments" -- "$current") $(compgen -f -- "$current"))
      ;;
  esac
}
complete -F _profkit profkit

# bash completion for profkit
_profkit() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= word
  COMPREPLY=()
  for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in
      report|info|tree|metadata|steps|ops|modules|framework|collectives|chrome|memory|export|validate|neutrino|merge|bubbles|architecture|dump|help) command=$word; break ;;
    esac
  done

  case $previous in
    --io) COMPREPLY=($(compgen -W 'auto map read' -- "$current")); return ;;
    --correction) COMPREPLY=($(compgen -W 'clock walltime none' -- "$current")); return ;;
    --normalize) COMPREPLY=($(compgen -W 'min node0 none' -- "$current")); return ;;
    --plane-scheme) COMPREPLY=($(compgen -W 'seed rocm node' -- "$current")); return ;;
    --color) COMPREPLY=($(compgen -W 'auto always never' -- "$current")); return ;;
    --fail-on) COMPREPLY=($(compgen -W 'incomplete violations' -- "$current")); return ;;
    --sort) COMPREPLY=($(compgen -W 'total self count' -- "$current")); return ;;
    --run) COMPREPLY=($(compgen -W 'all' -- "$current")); return ;;
    --step-policy) COMPREPLY=($(compgen -W 'peak last first' -- "$current")); return ;;
    --compat) COMPREPLY=($(compgen -W 'reference xla' -- "$current")); return ;;
    --format) COMPREPLY=($(compgen -W 'trace.json trace.json.gz pftrace xspace csv' -- "$current")); return ;;
    --match) COMPREPLY=($(compgen -W 'auto occurrence' -- "$current")); return ;;
    --align) COMPREPLY=($(compgen -W 'collectives' -- "$current")); return ;;
    --bound|--max-bound) return ;;
    --as) COMPREPLY=($(compgen -W 'block_sched gmem_bytes tensorop program_progress dmat' -- "$current")); return ;;
    --launch|--map|--block|--lane) return ;;
    --what-if) COMPREPLY=($(compgen -W 'remat= offload=' -- "$current")); return ;;
    --window-policy) COMPREPLY=($(compgen -W 'guide marker device' -- "$current")); return ;;
    --space) COMPREPLY=($(compgen -W 'HBM VMEM Sflag CMEM SMEM Host SparseCore' -- "$current")); return ;;
    --module|--top|--fit|--curve|--persistent-threshold-steps|--time-samples) return ;;
    --device|--step-pattern|--threshold) return ;;
    --host|--plane|--line|--name|--step|--time|--limit|-j|--threads|--type) return ;;
    --dump) [ "$command" = modules ] && return ;;
  esac

  if [ -z "$command" ]; then
    COMPREPLY=($(compgen -W 'report info tree metadata steps ops modules framework collectives chrome memory export validate neutrino merge bubbles architecture dump help
      --help --version' -- "$current"))
    return
  fi
  if [ "$command" = help ]; then
    COMPREPLY=($(compgen -W 'report info tree metadata steps ops modules framework collectives chrome memory export validate neutrino merge bubbles architecture dump' -- "$current"))
    return
  fi
  case $current in
    -*)
      local options='--limit --json -o --output --wide --color -q --quiet --io --strict -h --help'
      case $command in
        dump) options+=' --type' ;;
        export) options+=' --format --compat --host --plane --line --name --step --time --run --fail-on -j --threads' ;;
        validate) options+=' --traces --match --bound --time --align --max-bound --fail-on --csv --compat --run -j --threads' ;;
        merge) options='--traces --snapshots --offsets --run-metadata --run-dir --auto-discover --keep-going --no-correction
          --correction --normalize --no-drift --scale-durations --tracer-host-threads --trace-json --validate --plane-scheme
          --plane-prefix --keep-order --print-events --print-collectives --compat --json -o --output --color -q --quiet --io
          -j --threads -h --help' ;;
        memory) options+=' --module --space --top --no-runtime --fit --what-if --curve --host --step --all-trace --step-policy
          --persistent-threshold-steps --include-host-pools --time-samples --compat --run --fail-on -j --threads' ;;
        neutrino) options+=' --launch --map --block --lane --as --csv --svg --run --fail-on -j --threads' ;;
        bubbles) options+=' --plane --device --window-policy --step-pattern --threshold --thresholds --compat --run --fail-on
          -j --threads' ;;
        architecture) options+=' --plane --device --step-pattern --markdown --run --fail-on -j --threads' ;;
        *) options+=' --host --plane --line --name --step --time --run --fail-on -j --threads' ;;
      esac
      [ "$command" = info ] && options+=' --why'
      [ "$command" = ops ] && options+=' --sort'
      [ "$command" = modules ] && options+=' --dump'
      COMPREPLY=($(compgen -W "$options" -- "$current"))
      ;;
    *)
      [ "$command" = neutrino ] && COMPREPLY=($(compgen -W 'launches kernels maps records schedule bytes density
        progress overhead log' -- "$current"))
      compopt -o filenames 2>/dev/null
      COMPREPLY+=($(compgen -f -- "$current"))
      ;;
  esac
}
complete -F _profkit profkit

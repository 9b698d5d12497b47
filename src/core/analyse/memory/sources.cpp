#include "sources.hpp"

#include "hosts.hpp"
#include "spaces.hpp"

#include <formats/xspace/embedded_modules.hpp>
#include <trace/filters/select.hpp>
#include <trace/stats.hpp>
#include <base/affix.hpp>
#include <base/contained.hpp>
#include <base/paths.hpp>
#include <base/thread_pool.hpp>

#include <algorithm>
#include <set>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {
namespace {

struct candidate {
  std::string_view blob;
  program_home home = program_home::unknown;
  std::string label;  // without directories and endings
  module_source source;
};

bool cut_ending(std::string& name, std::string_view ending) {
  if (name.size() <= ending.size() || name.compare(name.size() - ending.size(), ending.size(), ending) != 0)
    return false;
  name.resize(name.size() - ending.size());
  return true;
}

// Where the programs of a process of an XSpace run. Ops of a host's own programs are events of its threads.
program_home home_of(const xspace_index& space, std::string_view process) {
  program_home home = program_home::unknown;
  bool any_device = false, ops_on_host = false;
  for (const plane_index& plane : space.planes) {
    if (merged_host_of(plane) != process) continue;
    ops_on_host = ops_on_host || (plane.kind == plane_kind::host && !stat_ids(plane, "hlo_op").empty());
    if (plane.kind != plane_kind::device && plane.kind != plane_kind::custom) continue;
    any_device = true;
    if (contains(plane.name, "TPU:")) home = program_home::tpu;
    if (contains(plane.name, "GPU:")) home = program_home::gpu;
  }
  return any_device ? home : ops_on_host ? program_home::host : program_home::unknown;
}

// Of all XSpaces of a capture, where they agree.
program_home home_of(const profile& p) {
  std::optional<program_home> common;
  for (std::size_t file = 0; file < p.file_count(); ++file) {
    const xspace_index* space = p.xspace(file);
    std::set<std::string> processes;
    for (const plane_index& plane : space->planes) processes.insert(merged_host_of(plane));
    for (const std::string& process : processes) {
      const program_home home = home_of(*space, process);
      if (common && *common != home) return program_home::unknown;
      common = home;
    }
  }
  return common.value_or(program_home::unknown);
}

// The compiler that wrote a dump says in its name what it compiles for: "module_0012.jit_f.cpu_after_optimizations".
program_home home_in(std::string_view dump_name) {
  if (ends_with(dump_name, "cpu_after_optimizations")) return program_home::host;
  if (ends_with(dump_name, "gpu_after_optimizations")) return program_home::gpu;
  return program_home::unknown;
}

class finder {
 public:
  finder(const profile& p, const memory_options& o) : profile_(p), options_(o) {}

  void run() {
    for (std::size_t file = 0; file < profile_.file_count(); ++file) {
      if (!host_fits(profile_, file, options_.host)) continue;
      const file_content held = content_of(profile_.what().files[file].family);
      if (held != file_content::planes && held != file_content::module) continue;
      files.push_back(static_cast<std::uint32_t>(file));
      for (const plane_index& plane : profile_.xspace(file)->planes)
        if (plane.kind == plane_kind::metadata && host_fits(profile_, file, plane, options_.host)) add_embedded(file, plane);
      if (held == file_content::module) add_file(file);
    }
  }
  std::vector<candidate> candidates;
  std::vector<std::uint32_t> files;

 private:
  void add_embedded(std::size_t file, const plane_index& plane) {
    const std::string host = merged_host_of(plane);
    const program_home home = home_of(*profile_.xspace(file), host);
    for_each_embedded_module(plane, [&](const event_metadata_view& entry, std::string_view blob) {
      candidate c;
      c.blob = blob;
      c.home = home;
      c.label = std::string(entry.name());
      c.source = source_of(file, "embedded", c.label);
      if (!host.empty()) c.source.host = host;
      candidates.push_back(std::move(c));
    });
  }

  void add_file(std::size_t file) {
    candidate c;
    c.blob = profile_.bytes(file);
    std::string name(last_part_of(profile_.what().files[file].path));
    const bool dump = cut_ending(name, ".hlo.pb");
    if (!dump) cut_ending(name, ".hlo_proto.pb");
    c.source = source_of(file, dump ? "xla_dump" : "hlo_proto", name);
    c.home = dump ? home_in(name) : program_home::unknown;
    if (c.home == program_home::unknown) {
      if (!common_home_) common_home_ = home_of(profile_);
      c.home = *common_home_;
    }
    if (!dump) c.label = name;  // "module_0012.jit_f.cpu_after_optimizations" is not the name of a program
    candidates.push_back(std::move(c));
  }

  [[nodiscard]] module_source source_of(std::size_t file, const char* kind, const std::string& entry) const {
    module_source s;
    s.file = static_cast<std::uint32_t>(file);
    s.path = profile_.what().files[file].path;
    s.host = profile_.what().files[file].host;
    s.kind = kind;
    s.entry_name = entry;
    return s;
  }

  const profile& profile_;
  const memory_options& options_;
  std::optional<program_home> common_home_;  // of the whole capture, once somebody asks
};

// "12" of "jit_f(12)"; "" when there is none.
std::string program_id_in(const std::string& label) {
  if (label.empty() || label.back() != ')') return {};
  const std::size_t open = label.rfind('(');
  if (open == std::string::npos) return {};
  std::string id = label.substr(open + 1, label.size() - open - 2);
  const std::size_t digits = !id.empty() && id.front() == '-' ? 1 : 0;
  if (id.size() == digits || id.find_first_not_of("0123456789", digits) != std::string::npos) return {};
  return id;
}

bool same_memory(const module_memory& a, const module_memory& b) {
  if (a.n_logical_buffers != b.n_logical_buffers || a.n_buffer_allocations != b.n_buffer_allocations ||
      a.all_allocations_bytes != b.all_allocations_bytes || a.spaces.size() != b.spaces.size())
    return false;
  for (std::size_t i = 0; i < a.spaces.size(); ++i) {
    const space_memory &x = a.spaces[i], &y = b.spaces[i];
    if (x.color != y.color || x.total_bytes != y.total_bytes || x.peak_bytes != y.peak_bytes ||
        x.peak_event != y.peak_event || x.temp_bytes != y.temp_bytes || x.indefinite_bytes != y.indefinite_bytes)
      return false;
  }
  return true;
}

bool same_program(const module_memory& a, const module_memory& b, bool ids_known) {
  if (a.name != b.name || a.module_id != b.module_id) return false;
  return !ids_known || a.program_id == b.program_id;
}

void merge_into(module_memory& into, module_memory& from) {
  if (into.home != from.home) into.home = program_home::unknown;
  for (module_source& s : from.sources) {
    s.same_bytes = from.blob == into.blob;
    into.sources.push_back(std::move(s));
  }
}

std::int64_t peak_of(const module_memory& m, std::int64_t color = 0) {
  const space_memory* s = m.space(color);
  return s == nullptr ? 0 : s->peak_bytes;
}
std::int64_t total_of(const module_memory& m, std::int64_t color = 0) {
  const space_memory* s = m.space(color);
  return s == nullptr ? 0 : s->total_bytes;
}

}  // namespace

result<found_modules> find_modules(const profile& p, const memory_options& o, const hooks& host) {
  finder f(p, o);
  f.run();
  // Equal bytes are studied once. Bytes of a length that only one has are not hashed.
  hash_map<std::size_t, std::size_t> of_length;
  for (const candidate& c : f.candidates) ++of_length[c.blob.size()];
  std::vector<std::size_t> first_of(f.candidates.size());
  std::vector<std::size_t> distinct;
  hash_map<std::string_view, std::size_t> seen;
  for (std::size_t i = 0; i < f.candidates.size(); ++i) {
    first_of[i] = distinct.size();
    if (of_length[f.candidates[i].blob.size()] > 1)
      first_of[i] = seen.try_emplace(f.candidates[i].blob, distinct.size()).first->second;
    if (first_of[i] == distinct.size()) distinct.push_back(i);
  }
  struct studied_program {
    std::unique_ptr<program_study> study;
    module_memory facts;
  };
  auto studied = map_items<studied_program>(distinct.size(), host, [&](std::size_t i) -> result<studied_program> {
    return contained([&]() -> result<studied_program> {
      studied_program s;
      s.study = study_program(f.candidates[distinct[i]].blob);
      s.facts = facts_of(*s.study);
      return s;
    });
  });
  if (!studied) return std::move(studied).error();

  found_modules out;
  out.files = std::move(f.files);
  constexpr std::size_t max_variants = 100;  // of one name and id that a module is compared with
  hash_map<std::string, std::vector<std::size_t>> by_name;
  std::vector<bool> id_known;
  std::vector<std::size_t> place_of(distinct.size(), 0);  // + 1; 0: not placed yet
  for (std::size_t i = 0; i < f.candidates.size(); ++i) {
    candidate& c = f.candidates[i];
    const module_memory& shared = (*studied)[first_of[i]].facts;
    if (shared.damage) {
      fault why = *shared.damage;
      why.path = c.source.path;
      why.message = (c.source.entry_name.empty() ? std::string() : c.source.entry_name + ": ") + why.message;
      if (c.source.kind == "embedded" && why.byte_offset != no_offset)
        why.byte_offset += static_cast<std::uint64_t>(c.blob.data() - p.bytes(c.source.file).data());
      out.damage.push_back({c.source.file, std::move(why)});
    }
    if (place_of[first_of[i]] != 0) {
      module_memory& known = out.modules[place_of[first_of[i]] - 1];
      c.source.same_bytes = known.blob == c.blob;
      if (known.home != c.home) known.home = program_home::unknown;
      known.sources.push_back(std::move(c.source));
      continue;
    }
    module_memory m = shared;
    const std::string id = program_id_in(c.label);
    m.home = c.home;
    m.program_id = id.empty() ? std::to_string(m.module_id) : id;
    if (m.name.empty()) m.name = c.label.empty() ? c.source.entry_name : c.label.substr(0, c.label.rfind('('));
    m.label = id.empty() ? m.name + '(' + m.program_id + ')' : c.label;
    if (m.damage) m.damage->path = c.source.path;
    m.sources.push_back(std::move(c.source));
    bool merged = false;
    std::vector<std::size_t>& namesakes = by_name[m.name + '/' + std::to_string(m.module_id)];
    for (std::size_t n = 0; n < namesakes.size() && n < max_variants && !merged; ++n) {
      const std::size_t other = namesakes[n];
      module_memory& known = out.modules[other];
      if (!same_program(known, m, id_known[other] && !id.empty())) continue;
      const bool comparable = known.has_buffer_assignment && m.has_buffer_assignment && !known.damage && !m.damage;
      if (comparable && !same_memory(known, m)) {
        m.differs_from = known.label + " in " + known.sources.front().path;
        continue;
      }
      if (known.damage || m.damage) continue;  // a damaged copy is listed beside the sound one
      if (!known.has_buffer_assignment && m.has_buffer_assignment) std::swap(known, m);
      merge_into(known, m);
      place_of[first_of[i]] = other + 1;
      merged = true;
    }
    if (merged) continue;
    namesakes.push_back(out.modules.size());
    out.modules.push_back(std::move(m));
    id_known.push_back(!id.empty());
    place_of[first_of[i]] = out.modules.size();
  }
  for (studied_program& s : *studied) out.studies[s.study->code.blob.data()] = std::move(s.study);
  if (!o.name.empty())
    out.modules.erase(std::remove_if(out.modules.begin(), out.modules.end(),
                                     [&](const module_memory& m) { return m.label.find(o.name) == std::string::npos; }),
                      out.modules.end());
  std::stable_sort(out.modules.begin(), out.modules.end(), [](const module_memory& a, const module_memory& b) {
    if (peak_of(a) != peak_of(b)) return peak_of(a) > peak_of(b);
    if (total_of(a) != total_of(b)) return total_of(a) > total_of(b);
    if (a.has_buffer_assignment != b.has_buffer_assignment) return a.has_buffer_assignment;
    return a.label < b.label;
  });
  return out;
}

result<std::size_t> choose_module(const std::vector<module_memory>& modules, const std::string& wanted,
                                  std::int64_t color, std::string& how) {
  const auto lower = [&](std::size_t a, std::size_t b) {
    return std::pair(peak_of(modules[a], color), total_of(modules[a], color)) <
           std::pair(peak_of(modules[b], color), total_of(modules[b], color));
  };
  if (wanted.empty()) {
    how = "the module with the highest peak in memory space " + std::to_string(color) + ", of " +
          std::to_string(modules.size());
    std::size_t best = 0;
    for (std::size_t i = 1; i < modules.size(); ++i)
      if (lower(best, i)) best = i;
    return best;
  }
  const auto matches = [&](auto&& fits) {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < modules.size(); ++i)
      if (fits(modules[i])) found.push_back(i);
    return found;
  };
  std::vector<std::size_t> found = matches([&](const module_memory& m) { return m.label == wanted; });
  if (found.empty())
    found = matches([&](const module_memory& m) {
      return m.name == wanted || m.program_id == wanted || std::to_string(m.module_id) == wanted;
    });
  if (found.empty()) found = matches([&](const module_memory& m) { return m.label.find(wanted) != std::string::npos; });
  if (found.empty()) {
    fault f;
    f.code = fault_code::not_found;
    f.message = "no module has the name or id '" + wanted + "'";
    f.hint = "the modules are:";
    constexpr std::size_t most = 20;
    for (std::size_t i = 0; i < modules.size() && i < most; ++i) f.hint += ' ' + modules[i].label;
    if (modules.size() > most) f.hint += " …";
    return f;
  }
  how = "asked for as '" + wanted + "'";
  if (found.size() > 1)
    how += "; of " + std::to_string(found.size()) + " modules that fit, the one with the highest peak";
  return *std::max_element(found.begin(), found.end(), lower);
}

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

// Which trace, launches, record files and maps a query means.
#include <neutrino/export/parts.hpp>

#include <base/contained.hpp>

#include <algorithm>
#include <charconv>
#include <numeric>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

std::optional<std::size_t> position_in(const std::string& text) noexcept {
  std::size_t n = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, n);
  return read.ec == std::errc() && read.ptr == end ? std::optional(n) : std::nullopt;
}

fault not_there(const char* what, const std::string& wanted, std::string hint) {
  return {fault_code::invalid_argument, std::string("there is no ") + what + " \"" + wanted + '"', "", no_offset,
          std::move(hint)};
}

bool has(const probe_shape& shape, std::initializer_list<const char*> names) noexcept {
  return std::any_of(names.begin(), names.end(), [&](const char* name) { return shape.find(name) != nullptr; });
}

// How well a map serves the slice: 0 not at all, more is better.
int rank_for(probe_slice slice, const probe_bin_map& map, bool named) noexcept {
  const probe_shape& shape = *map.shape;
  const bool schedules = find_schedule_fields(shape).has_value();
  const bool pages = has(shape, {"clock", "clk"}) && has(shape, {"addr", "address"});
  switch (slice) {
    case probe_slice::schedule: return schedules ? 1 : 0;
    case probe_slice::density: return pages ? 1 : 0;
    case probe_slice::bytes:
      if (shape.fields.empty()) return 0;
      if (has(shape, {"sync_bytes", "async_bytes", "count", "bytes"})) return 3;
      return named                                                                                               ? 2
             : (map.place.flags & probe_raw_words) == 0 && !schedules && !pages && !has(shape, {"clock", "clk"}) ? 1
                                                                                                                 : 0;
    case probe_slice::progress:
      if (shape.fields.empty()) return 0;
      if (has(shape, {"clock", "clk"}) && !pages) return 2;
      return named ? 1 : 0;
    default: return 1;
  }
}

const char* wanted_by(probe_slice slice) noexcept {
  switch (slice) {
    case probe_slice::schedule: return "no map has the fields of a block schedule: start, elapsed, and cuid or smid";
    case probe_slice::density: return "no map has the fields of page references: clock and addr";
    case probe_slice::bytes:
      return "no map has fields that count: sync_bytes, async_bytes or count (--map names any map)";
    case probe_slice::progress: return "no map has samples of a clock (--map names any map)";
    default: return "there is no record file with a map";
  }
}

class target_finder {
 public:
  target_finder(const profile& p, const probe_query& query) : p_(p), query_(query) {}

  result<probe_target> run() {
    for (std::size_t file = 0; file < p_.file_count(); ++file) {
      found_.file = file;
      if (result<void> opened = open(file); !opened) return std::move(opened).error();
      if (found_.trace == nullptr) continue;
      if (result<void> kept = find_launches(); !kept) return std::move(kept).error();
      if (result<void> kept = find_maps(); !kept) return std::move(kept).error();
      return std::move(found_);
    }
    found_.absent = json::why_no_probes(p_);
    return std::move(found_);
  }

 private:
  result<void> open(std::size_t file) {
    found_.trace = p_.neutrino(file);
    if (query_.assume == probe_tool::none || found_.trace == nullptr) return {};
    probe_trace_options options;
    options.assume = query_.assume;
    options.io = p_.what().io;
    options.bounds = p_.what().bounds;
    auto opened = probe_trace::open(p_.what().files[file].path, options);
    if (!opened) return std::move(opened).error();
    found_.owned = std::move(opened).value();
    found_.trace = found_.owned.get();
    return {};
  }

  result<void> find_launches() {
    const probe_trace& trace = *found_.trace;
    if (query_.launch.empty()) {
      found_.launches.resize(trace.launches.size());
      std::iota(found_.launches.begin(), found_.launches.end(), std::size_t{0});
      found_.bins.resize(trace.bins.size());
      std::iota(found_.bins.begin(), found_.bins.end(), std::size_t{0});
      return {};
    }
    const auto names_it = [&](const std::string& name) {
      return name == query_.launch || name == query_.launch + ".bin";
    };
    for (std::size_t i = 0; i < trace.bins.size(); ++i)
      if (names_it(trace.bins[i].name)) found_.bins.push_back(i);
    if (!found_.bins.empty()) {
      for (const std::size_t bin : found_.bins)
        if (trace.bins[bin].launch >= 0) found_.launches.push_back(static_cast<std::size_t>(trace.bins[bin].launch));
      return {};
    }
    const auto number = position_in(query_.launch);
    if (!number || *number >= trace.launches.size())
      return not_there("launch", query_.launch,
                       "launches are numbered from 0 to " +
                           std::to_string(trace.launches.empty() ? 0 : trace.launches.size() - 1) +
                           ", or named by their record file");
    found_.launches.push_back(*number);
    if (trace.launches[*number].bin >= 0) found_.bins.push_back(static_cast<std::size_t>(trace.launches[*number].bin));
    return {};
  }

  result<void> find_maps() {
    const auto number = position_in(query_.map);
    bool known = query_.map.empty();
    std::vector<std::pair<int, probe_target::place>> ranked;
    int best = 0;
    std::string names;
    for (const std::size_t bin : found_.bins) {
      const auto& maps = found_.trace->bins[bin].maps;
      for (std::size_t map = 0; map < maps.size(); ++map) {
        const bool fits = query_.map.empty() || maps[map].shape->name == query_.map || number == map;
        if (!fits) {
          if (names.size() < 200 && names.find(maps[map].shape->name) == std::string::npos)
            names += (names.empty() ? "" : ", ") + maps[map].shape->name;
          continue;
        }
        known = true;
        const int rank = rank_for(query_.slice, maps[map], !query_.map.empty());
        if (rank == 0) continue;
        best = std::max(best, rank);
        ranked.push_back({rank, {bin, map}});
      }
    }
    if (!known && !found_.bins.empty() && !names.empty()) return not_there("map", query_.map, "the maps are: " + names);
    for (const auto& [rank, place] : ranked)
      if (rank == best) found_.maps.push_back(place);
    if (found_.maps.empty()) found_.absent = wanted_by(query_.slice);
    return {};
  }

  const profile& p_;
  const probe_query& query_;
  probe_target found_;
};

}  // namespace

result<probe_target> find_probe_target(const profile& p, const probe_query& query) {
  return contained([&] { return target_finder(p, query).run(); });
}

namespace json {

result<held_map> hold_map(const probe_target& target, std::size_t index) {
  held_map found;
  const probe_target::place at = target.maps[index];
  found.bin = &target.trace->bins[at.bin];
  found.map = &found.bin->maps[at.map];
  auto held = target.trace->hold(at.bin);
  if (!held) return std::move(held).error();
  found.held = std::move(held).value();
  return found;
}

std::vector<std::string> flag_names(std::uint32_t flags) {
  std::vector<std::string> names;
  for (unsigned bit = 0; bit < probe_flag_count; ++bit)
    if ((flags >> bit & 1) != 0) names.emplace_back(probe_flag_name(bit));
  return names;
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

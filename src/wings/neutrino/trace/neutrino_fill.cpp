// Neutrino trace to timeline: the launches as the host saw them, and the blocks of each launch on the multiprocessors.
#include <formats/neutrino/neutrino_fill.hpp>

#include <profkit/core/probe.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class trace_filler {
 public:
  trace_filler(const probe_trace& trace, const profile& p, std::size_t file, track_sink& into, const hooks& host)
      : trace_(trace), into_(into), host_(host) {
    track_.file = static_cast<std::uint32_t>(file);
    origin_ns_ = p.origin_unix_ns();
  }

  result<void> fill() {
    if (result<void> filled = fill_launches(); !filled) return filled;
    for (std::size_t i = 0; i < trace_.bins.size(); ++i)
      if (result<void> filled = fill_bin(i); !filled) return filled;
    if (damage_) return std::move(*damage_);
    if (const fault* damage = trace_.first_damage()) return *damage;
    return {};
  }

 private:
  // The start of a launch, ps from the capture's origin; 0 when the log does not have it.
  [[nodiscard]] std::int64_t start_of(const probe_launch* launch) const noexcept {
    if (launch == nullptr || !launch->time_ns || !origin_ns_) return 0;
    return relative_ps(*launch->time_ns, *origin_ns_).value_or(0);
  }
  [[nodiscard]] std::string name_of(std::int32_t kernel) const {
    return kernel < 0 ? "unknown kernel" : trace_.kernels[static_cast<std::size_t>(kernel)].name();
  }

  result<void> fill_launches() {
    std::vector<track_event> events;
    for (std::size_t i = 0; i < trace_.launches.size(); ++i) {
      const probe_launch& launch = trace_.launches[i];
      if (!launch.time_ns || !origin_ns_) continue;
      const auto start = relative_ps(*launch.time_ns, *origin_ns_);
      if (!start) continue;
      const std::int64_t length = std::max<std::int64_t>(launch.kernel_ps.value_or(0), 0);
      events.push_back({*start, length, into_.intern(name_of(launch.kernel)), track_event_kind::span, i, {}});
    }
    if (events.empty()) return {};
    track t = track_;
    t.plane = t.line = 0;
    t.plane_type = plane_kind::host;
    t.line_type = line_kind::modules;
    t.plane_name = into_.intern("Neutrino driver");
    t.line_name = into_.intern("launches");
    return into_.add_events(into_.add_track(t), events.data(), events.size());
  }

  result<void> fill_bin(std::size_t index) {
    const probe_bin& bin = trace_.bins[index];
    for (const probe_bin_map& map : bin.maps) {
      if (!find_schedule_fields(*map.shape)) continue;
      auto held = trace_.hold(index);
      if (!held) {
        if (!damage_) damage_ = std::move(held).error();
        return {};
      }
      auto found = analyse_block_schedule(map, held->bytes, {}, host_);
      if (!found) {
        if (found.error().code == fault_code::unsupported) continue;
        return std::move(found).error();
      }
      if (result<void> filled = fill_schedule(index, map, *found); !filled) return filled;
    }
    return {};
  }

  // One track a slot: blocks of a multiprocessor run side by side. Clocks of multiprocessors are not comparable, so
  // each begins with the launch; a global clock keeps what lies between them. A tick is drawn as 1 ns.
  result<void> fill_schedule(std::size_t index, const probe_bin_map& map, const block_schedule& found) {
    const probe_bin& bin = trace_.bins[index];
    const probe_launch* launch = bin.launch < 0 ? nullptr : &trace_.launches[static_cast<std::size_t>(bin.launch)];
    const std::int64_t base = start_of(launch);
    std::uint64_t first = ~std::uint64_t{0};
    for (const sm_schedule& sm : found.sms) first = std::min(first, sm.first_start);
    track t = track_;
    t.plane = static_cast<std::int32_t>(index) + 1;
    t.plane_type = plane_kind::custom;
    t.line_type = line_kind::other;
    t.plane_name = into_.intern(name_of(bin.kernel) + " (" + bin.name + ", " + map.shape->name + ", " +
                                (found.clock == probe_clock::global_ns ? "ns)" : "1 ns = 1 cycle)"));
    few_ = found.blocks <= max_named_blocks;
    std::vector<track_event> events;
    std::int32_t line = 0;
    for (const sm_schedule& sm : found.sms) {
      const std::uint64_t zero = found.clock == probe_clock::global_ns ? first : sm.first_start;
      std::vector<scheduled_block> blocks = sm.blocks;
      std::stable_sort(blocks.begin(), blocks.end(),
                   [](const scheduled_block& a, const scheduled_block& b) { return a.slot < b.slot; });
      auto next = blocks.begin();
      for (std::uint32_t slot = 0; slot < sm.slots; ++slot) {
        t.line = line++;
        t.stream = static_cast<std::int64_t>(std::min<std::uint64_t>(sm.sm, 0x7fffffffffffffff));
        t.line_name = into_.intern("SM " + std::to_string(sm.sm) + " slot " + std::to_string(slot));
        events.clear();
        for (; next != blocks.end() && next->slot == slot; ++next) add(events, base, zero, *next);
        if (events.empty()) continue;
        if (result<void> added = into_.add_events(into_.add_track(t), events.data(), events.size()); !added)
          return added;
      }
    }
    return {};
  }

  void add(std::vector<track_event>& events, std::int64_t base, std::uint64_t zero, const scheduled_block& block) {
    const auto ps = [](std::uint64_t ticks) -> std::optional<std::int64_t> {
      if (ticks > static_cast<std::uint64_t>(max_relative_ns)) return std::nullopt;
      return static_cast<std::int64_t>(ticks) * ps_per_ns;
    };
    const auto start = ps(block.start - zero), length = ps(block.end - block.start);
    if (!start || !length) return;
    const auto at = checked_add(base, *start);
    if (!at || !checked_add(*at, *length)) return;
    const string_id name = into_.intern(few_ ? "block " + std::to_string(block.block) : std::string("block"));
    events.push_back({*at, *length, name, track_event_kind::span, block.block, {}});
  }

  // Names are interned: a launch of millions of blocks names none of them.
  static constexpr std::uint64_t max_named_blocks = 100000;

  const probe_trace& trace_;
  track_sink& into_;
  const hooks& host_;
  track track_;
  std::optional<std::int64_t> origin_ns_;
  std::optional<fault> damage_;
  bool few_ = true;
};

}  // namespace

result<void> fill_from_neutrino(const profile& p, std::size_t file, track_sink& into, const tracks_wanted& wanted) {
  const probe_trace* trace = p.neutrino(file);
  if (trace == nullptr) return p.file_fault(file) != nullptr ? result<void>(*p.file_fault(file)) : result<void>();
  return trace_filler(*trace, p, file, into, *wanted.host).fill();
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

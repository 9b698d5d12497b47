// What stands for the readers of Neutrino traces in a build without them: such a trace is recognised and not read.
#include <formats/neutrino/neutrino_fill.hpp>
#include <profkit/core/probe_trace.hpp>

#include <base/left_out.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

result<std::shared_ptr<const probe_trace>> probe_trace::open(const std::string& path, const probe_trace_options&) {
  return built_without("Neutrino", "neutrino", path);
}
result<held_bytes> probe_trace::hold(std::size_t) const { return built_without("Neutrino", "neutrino"); }
const fault* probe_trace::first_damage() const noexcept { return nullptr; }
bool probe_trace::anything_intact() const noexcept { return false; }

result<void> fill_from_neutrino(const profile& p, std::size_t file, track_sink&, const tracks_wanted&) {
  return built_without("Neutrino", "neutrino", p.what().files[file].path);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

// Commands to look at next.
#include <analyse/report/parts.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

std::string shell_word(std::string_view text) {
  const bool plain = !text.empty() && text.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                          "0123456789_@%+=:,./-") == std::string_view::npos;
  if (plain && text.front() != '-') return std::string(text);
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + '\'';
}

namespace report {
namespace {

std::string on_plane(std::string_view plane) {
  return classify_plane(plane) == plane_kind::device ? " --plane " + shell_word(short_plane_name(plane)) : std::string();
}

// The step that lies furthest above its median; a step of a trace is the host's, and kernels run later than it.
const step_group* widest_group(const std::vector<step_group>& groups) {
  const auto spread = [](const step_group& g) { return g.times.max_ps - g.times.median_ps; };
  const auto widest = std::max_element(groups.begin(), groups.end(), [&](const step_group& a, const step_group& b) {
    return spread(a) < spread(b);
  });
  if (widest == groups.end() || widest->times.count < 2) return nullptr;
  const step_source source = widest->first.source;
  return source == step_source::profiler_step || source == step_source::annotation ? nullptr : &*widest;
}

// Whether kernels can be named by the operators that launched them.
bool has_operators(const report_parts& parts) {
  if (!parts.bubbles || !parts.bubbles->of) return false;
  const activity& of = *parts.bubbles->of;
  const auto is_pytorch = [](const activity_host& h) { return h.writer == trace_writer::pytorch; };
  const auto is_linked = [](const activity_device& d) { return d.has_launches; };
  return std::any_of(of.hosts().begin(), of.hosts().end(), is_pytorch) && std::any_of(of.devices().begin(), of.devices().end(), is_linked);
}

}  // namespace

bool has_work(const report_parts& parts) {
  if (has_operators(parts)) {
    const auto& devices = parts.bubbles->of->devices();
    return std::any_of(devices.begin(), devices.end(), [](const activity_device& d) { return d.has_shapes; });
  }
  if (parts.ops.source == "XLA Ops") return true;
  const auto is_whole = [](const module_row& m) { return m.instructions > 0; };
  return parts.ops.source == "device streams" && std::any_of(parts.modules.modules.begin(), parts.modules.modules.end(), is_whole);
}

std::vector<next_command> next_commands(const report_parts& parts, const report_summary& summary,
                                        const std::vector<finding>& findings) {
  std::vector<next_command> all;
  if (!findings.empty()) all.push_back({"explain PATH", "what was found, one by one, with its evidence"});
  if (has_operators(parts))
    all.push_back({"ops PATH --by op", "the time of kernels by the operator that launched them"});
  else if (const ops_line* busiest = busiest_line(parts); busiest != nullptr)
    all.push_back({"ops PATH --sort self" + (parts.ops.lines.size() > 1 ? on_plane(busiest->plane_name) : ""),
                   "every op by self time"});
  if (has_work(parts) && (!summary.roofline || summary.roofline->is_of_use()))
    all.push_back({"roofline PATH", "what bounds ops, and how near they come to it"});
  if (!summary.modules.empty()) {
    const module_total& first = summary.modules.front();
    if (first.runs == 0)
      all.push_back({"modules PATH", "every program"});
    else if (first.instructions > 0)
      all.push_back({"modules PATH --dump " + shell_word(first.name.substr(0, first.name.find('('))),
                     "the program in full"});
  }
  if (const step_group* widest = widest_group(summary.steps))
    all.push_back({"ops PATH --step " + std::to_string(widest->longest) + on_plane(widest->first.plane_name),
                   "the longest step alone"});
  if (!parts.collectives.ops.empty() || !parts.collectives.async.empty())
    all.push_back({"collectives PATH", "what devices wait for each other"});
  if (parts.bubbles && parts.bubbles->found.significant)
    all.push_back({"bubbles PATH", "where devices wait, and what may be the cause"});
  if (parts.model) all.push_back({"architecture PATH", "layers, passes and streams of the model"});
  if (parts.memory && (parts.memory->hlo || parts.memory->runtime))
    all.push_back({"memory PATH", "what fills the memory, and what could leave it"});
  if (all.empty()) all.push_back({"info PATH", "every plane and line"});
  all.push_back({"report PATH --json", "all of this and more, for programs"});
  return all;
}

}  // namespace report
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

#include <model/export/drawings.hpp>

#include <export/markdown/table.hpp>
#include <export/shortened.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace markdown {
namespace {

constexpr std::size_t drawn_columns = 72;

char letter_of(layer_role r) noexcept {
  switch (r) {
    case layer_role::attention: return 'A';
    case layer_role::projection: return 'P';
    case layer_role::tp_comm: return 'C';
    case layer_role::norm: return 'N';
    case layer_role::dense_ffn: return 'F';
    case layer_role::moe_routing: return 'R';
    case layer_role::expert_dispatch: return 'D';
    case layer_role::ep_comm: return 'X';
    case layer_role::expert_ffn: return 'E';
    case layer_role::post_ffn_norm: return 'M';
    case layer_role::next_layer_prep: return 'Q';
    case layer_role::output_head: return 'H';
    case layer_role::sampling: return 'S';
    case layer_role::other: break;
  }
  return 'o';
}

// The column of an instant in [from, to].
std::size_t column_of(std::int64_t at_ps, std::int64_t from_ps, std::int64_t to_ps, std::size_t columns) {
  if (at_ps <= from_ps || to_ps <= from_ps) return 0;
  const double share = static_cast<double>(at_ps - from_ps) / static_cast<double>(to_ps - from_ps);
  return std::min(static_cast<std::size_t>(share * static_cast<double>(columns)), columns - 1);
}

std::string padded(std::string text, std::size_t columns) {
  const std::size_t has = terminal_width(text);
  if (has < columns) text.append(columns - has, ' ');
  return text;
}

// "0 … 2.788 ms", as wide as what it stands under.
std::string ruler_to(std::int64_t length_ps, std::size_t columns) {
  const std::string end = human_duration(length_ps);
  return '0' + std::string(columns > end.size() + 1 ? columns - 1 - end.size() : 1, ' ') + end;
}

// Which role has most of a stream's time in each column.
class lane_row {
 public:
  void add(const lane_kernel& k, std::int64_t from_ps, std::int64_t to_ps) {
    const std::int64_t end = saturating_end(k);
    const std::size_t first = column_of(k.start_ps, from_ps, to_ps, drawn_columns);
    const std::size_t last = column_of(std::max(end - 1, k.start_ps), from_ps, to_ps, drawn_columns);
    const double width = static_cast<double>(to_ps - from_ps) / static_cast<double>(drawn_columns);
    for (std::size_t c = first; c <= last; ++c) {
      const double left = static_cast<double>(from_ps) + width * static_cast<double>(c);
      const double part =
          std::min(static_cast<double>(end), left + width) - std::max(static_cast<double>(k.start_ps), left);
      times_[c][static_cast<std::size_t>(k.role)] += std::max(part, 1.0);
    }
  }
  [[nodiscard]] std::string text(std::set<layer_role>& used) const {
    std::string row(drawn_columns, '.');
    for (std::size_t c = 0; c < drawn_columns; ++c) {
      const auto most = std::max_element(times_[c].begin(), times_[c].end());
      if (*most <= 0) continue;
      const auto role = static_cast<layer_role>(most - times_[c].begin());
      used.insert(role);
      row[c] = letter_of(role);
    }
    return row;
  }

 private:
  static std::int64_t saturating_end(const lane_kernel& k) {
    return k.start_ps + std::max<std::int64_t>(k.duration_ps, 0);
  }
  std::array<std::array<double, layer_role_count>, drawn_columns> times_{};
};

}  // namespace

std::string ranges_text(const layer_type& t) {
  constexpr std::size_t most = 12;
  std::string text;
  for (std::size_t i = 0; i < t.ranges.size() && i < most; ++i) {
    const layer_range& r = t.ranges[i];
    text += (i == 0 ? "" : ", ") + std::to_string(r.first);
    if (r.last != r.first) text += '-' + std::to_string(r.last);
  }
  if (t.ranges.size() > most) text += ", and " + std::to_string(t.ranges.size() - most) + " more ranges";
  return text;
}

std::string draw_lanes(const device_architecture& d) {
  const model_pipeline& p = d.pipeline;
  if (p.sample.empty() || p.sample_end_ps <= p.sample_start_ps) return "";
  std::map<std::uint32_t, lane_row> rows;
  for (const lane_kernel& k : p.sample) rows[k.lane].add(k, p.sample_start_ps, p.sample_end_ps);
  std::size_t names = 6;
  for (const auto& [lane, row] : rows)
    names = std::max(names, std::min<std::size_t>(terminal_width(d.streams[lane].name), 16));
  std::set<layer_role> used;
  std::string ruler(drawn_columns, ' ');
  for (std::uint32_t l = p.first_layer; l <= p.last_layer; ++l) {
    const std::size_t at = column_of(d.layers[l].start_ps, p.sample_start_ps, p.sample_end_ps, drawn_columns);
    const std::string mark = '|' + std::string(d.layer_word()) + ' ' + std::to_string(d.layers[l].index);
    for (std::size_t i = 0; i < mark.size() && at + i < drawn_columns; ++i) ruler[at + i] = mark[i];
  }
  std::string text = std::string(names, ' ') + "  " + ruler + '\n';
  for (const auto& [lane, row] : rows)
    text += padded(shortened(d.streams[lane].name, names), names) + "  " + row.text(used) + '\n';
  text += std::string(names, ' ') + "  " + ruler_to(p.sample_end_ps - p.sample_start_ps, drawn_columns) + "\n\n";
  std::string line;
  for (const layer_role r : used) {
    const std::string one = std::string(1, letter_of(r)) + " " + layer_role_title(r);
    if (line.size() + one.size() > 90) {
      text += line + '\n';
      line.clear();
    }
    line += (line.empty() ? "" : "   ") + one;
  }
  return text + line + "   . idle\n";
}

std::string draw_model(const device_architecture& d) {
  constexpr std::size_t inside = 58;
  std::string text;
  const auto line = [&](const std::string& words) { text += "| " + padded(words, inside) + " |\n"; };
  const std::string edge = '+' + std::string(inside + 2, '-') + "+\n";
  std::size_t drawn = 0;
  for (std::uint32_t at = 0; at < d.layouts.size(); ++at) {
    const layer_layout& layout = d.layouts[at];
    if (layout.cut && std::any_of(d.layouts.begin(), d.layouts.end(), [](const layer_layout& l) { return !l.cut; }))
      continue;
    if (++drawn > 4) break;
    if (!text.empty()) text += '\n';
    text += std::string(model_phase_name(layout.phase)) + ", " + grouped(layout.passes) +
            (layout.passes == 1 ? " pass" : " passes") + ", " + std::to_string(layout.layers) + ' ' + d.layer_word() + "s\n";
    // Ranges of all types in the order of layers.
    struct part {
      layer_range range;
      const layer_type* type;
    };
    std::vector<part> parts;
    for (const layer_type& t : d.types)
      if (t.layout == at)
        for (const layer_range& r : t.ranges) parts.push_back({r, &t});
    std::sort(parts.begin(), parts.end(), [](const part& a, const part& b) { return a.range.first < b.range.first; });
    text += edge;
    constexpr std::size_t max_parts = 24;
    for (std::size_t i = 0; i < parts.size() && i < max_parts; ++i) {
      const layer_range& r = parts[i].range;
      const std::uint32_t count = r.last - r.first + 1;
      const std::string word = d.layer_word();
      const std::string where = count == 1 ? word + ' ' + std::to_string(r.first)
                                           : word + "s " + std::to_string(r.first) + '-' + std::to_string(r.last) +
                                                 " (x" + std::to_string(count) + ")";
      line(padded(where, 24) + d.type_text(parts[i].type->kind, parts[i].type->sampling));
      const auto anatomy = std::find_if(d.anatomies.begin(), d.anatomies.end(), [&](const layer_anatomy& a) {
        return a.kind == parts[i].type->kind && a.sampling == parts[i].type->sampling &&
               a.phase == parts[i].type->phase;
      });
      if (anatomy != d.anatomies.end()) {
        std::string roles;
        std::set<layer_role> named;
        for (const tree_node& n : anatomy->tree) {
          if (n.role == layer_role::other || !named.insert(n.role).second) continue;
          const std::string title = layer_role_title(n.role);
          if (roles.size() + title.size() + 6 > inside) {
            line("  " + roles);
            roles.clear();
          }
          roles += (roles.empty() ? (named.size() == 1 ? "" : "> ") : " > ") + title;
        }
        if (!roles.empty()) line("  " + roles);
      }
      text += edge;
    }
    if (parts.size() > max_parts) text += "  ... " + std::to_string(parts.size() - max_parts) + " more ranges\n";
  }
  return text;
}

std::string draw_timeline(const device_architecture& d) {
  constexpr std::size_t most = 16, columns = 60;
  if (d.passes.empty()) return "";
  const std::int64_t from = d.passes.front().start_ps, to = d.passes.back().end_ps;
  std::string text;
  for (std::size_t i = 0; i < d.passes.size() && i < most; ++i) {
    const model_pass& p = d.passes[i];
    const std::size_t first = column_of(p.start_ps, from, to, columns), last = column_of(p.end_ps, from, to, columns);
    std::string bar(columns, '.');
    const char fill = p.phase == model_phase::prefill ? 'P' : p.phase == model_phase::decode ? 'D' : '=';
    for (std::size_t c = first; c <= last; ++c) bar[c] = fill;
    std::string label = "pass " + std::to_string(i);
    label.resize(std::max<std::size_t>(label.size(), 9), ' ');
    text += label + bar + "  " + human_duration(p.wall_ps()) + ", " + d.layer_word() + "s " +
            std::to_string(d.layers[p.first_layer].index) + '-' + std::to_string(d.layers[p.last_layer].index) + '\n';
  }
  if (d.passes.size() > most) text += "... " + grouped(std::uint64_t{d.passes.size() - most}) + " more passes\n";
  text += std::string(9, ' ') + ruler_to(to - from, columns) + '\n';
  return text;
}

}  // namespace markdown
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

// Offsets of a cluster's clocks: JSON lines as GraphCalc writes them, in both spellings.
#include <profkit/core/clock.hpp>
#include <profkit/time.hpp>

#include <base/contained.hpp>
#include <base/hash_map.hpp>
#include <formats/chrome/chrome_text.hpp>
#include <formats/chrome/json_elements.hpp>
#include <formats/chrome/json_fields.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr int six_digits = 6;  // what a C++ stream prints of a double by default

// A decimal number as written: how many digits count, and where the first and the last of them stand.
struct written_number {
  int digits = 0;
  int first_exponent = 0, last_exponent = 0;
};
written_number look_at_digits(std::string_view raw) noexcept {
  written_number w;
  int point = 0, exponent = 0;
  bool after_point = false, seen = false;
  std::size_t i = 0;
  int significant = 0, trailing = 0, before_point = 0, leading_zeros_after = 0;
  for (; i < raw.size(); ++i) {
    const char c = raw[i];
    if (c == '-' || c == '+') continue;
    if (c == '.') {
      after_point = true;
      continue;
    }
    if (c < '0' || c > '9') break;
    if (!seen && c == '0') {
      if (after_point) ++leading_zeros_after;
      continue;
    }
    seen = true;
    ++significant;
    trailing = c == '0' ? trailing + 1 : 0;
    if (after_point)
      ++point;
    else
      ++before_point;
  }
  if (i < raw.size() && (raw[i] == 'e' || raw[i] == 'E')) {
    ++i;
    if (i < raw.size() && raw[i] == '+') ++i;
    std::from_chars(raw.data() + i, raw.data() + raw.size(), exponent);
    exponent = std::clamp(exponent, -400, 400);
  }
  w.digits = significant - trailing;
  w.first_exponent = (before_point > 0 ? before_point - 1 : -leading_zeros_after - 1) + exponent;
  w.last_exponent = -(point + (before_point > 0 ? 0 : leading_zeros_after)) + exponent;
  return w;
}

// Half of 10^exponent ns in ps, rounded up.
std::int64_t half_of_digit_ps(int exponent_ns) noexcept {
  std::int64_t half = 500;
  for (; exponent_ns > 0 && half < std::numeric_limits<std::int64_t>::max() / 10; --exponent_ns) half *= 10;
  for (; exponent_ns < 0 && half > 0; ++exponent_ns) half = (half + 9) / 10 == 1 && half < 10 ? 0 : (half + 9) / 10;
  return half;
}

double number_as_double(std::string_view raw) noexcept {
  double value = 0;
  std::from_chars(raw.data(), raw.data() + raw.size(), value);
  return value;
}

class reader {
 public:
  reader(std::string path, const offset_read_options& o) : path_(std::move(path)), o_(o) {}

  result<offset_table> run(std::string_view text) {
    const char* const begin = text.data();
    bool any = false;
    while (!text.empty()) {
      const std::size_t newline = text.find('\n');
      const std::string_view line = trim_json_space(text.substr(0, newline));
      at_ = offset_of(begin, text);
      ++line_;
      text.remove_prefix(newline == std::string_view::npos ? text.size() : newline + 1);
      if (line.empty()) continue;
      any = true;
      if (line.size() > o_.bounds.max_string_bytes) return wrong("the line is longer than any offsets are");
      if (!is_json_object(line)) {
        ++table_.broken_lines;
        continue;
      }
      if (auto ok = take_line(line); !ok) return std::move(ok).error();
    }
    if (!any) return wrong_file("the file is empty: no header and no offsets");
    if (!table_.has_header && table_.rows.empty())
      return wrong_file("the file holds no header and no offsets; each line should be one JSON object");
    settle_resolution();
    return std::move(table_);
  }

 private:
  static std::uint64_t offset_of(const char* begin, std::string_view at) noexcept {
    return static_cast<std::uint64_t>(at.data() - begin);
  }
  fault wrong_file(std::string what) const {
    fault f;
    f.code = fault_code::damaged;
    f.path = path_;
    f.message = std::move(what);
    f.byte_offset = 0;
    f.hint = "Expected: a header {\"meta\":true,\"nodes\":[…]} and a row of offset_ns for each node and round.";
    return f;
  }
  fault wrong(const std::string& what) const {
    fault f = wrong_file("line " + std::to_string(line_) + ": " + what);
    f.byte_offset = at_;
    return f;
  }

  // What Python takes for true.
  static bool is_truthy(std::string_view raw) {
    if (raw.empty() || raw == "false" || raw == "null" || raw == "\"\"" || raw == "[]" || raw == "{}") return false;
    if (raw == "true") return true;
    const auto n = json_integer(raw);
    return !n || *n != 0 || number_as_double(raw) != 0;
  }

  result<void> take_line(std::string_view line) {
    return is_truthy(json_member(line, "meta")) ? take_header(line) : take_row(line);
  }

  result<void> take_header(std::string_view line) {
    const std::string_view nodes = json_member(line, "nodes");
    if (nodes.empty()) {
      // The header of a probe file names its own node.
      if (json_member(line, "node_id").empty()) return {};
      table_.has_header = true;
      return take_start(line, false);
    }
    table_.has_header = true;
    if (const std::string run = json_string(json_member(line, "run_id")); !run.empty()) table_.run_id = run;
    header_ids_.clear();
    json_elements each(nodes);
    while (each.next()) {
      if (!is_json_object(each.value())) return wrong("a node of the header is no JSON object");
      if (auto ok = take_start(each.value(), true); !ok) return ok;
    }
    if (!each.ok()) return wrong("'nodes' of the header is no JSON array");
    return {};
  }

  // Ids are numbers. One in quotes is understood.
  std::optional<std::int64_t> node_id_of(std::string_view raw) {
    if (const auto id = json_integer(raw)) return id;
    if (!is_json_string(raw)) return std::nullopt;
    const auto id = json_scaled_integer(raw);
    if (id && !warned_of_string_ids_) {
      warned_of_string_ids_ = true;
      table_.warnings.push_back("line " + std::to_string(line_) + ": node_id is a string; it is read as a number");
    }
    return id;
  }

  result<void> take_start(std::string_view node, bool listed) {
    const std::string_view raw_id = json_member(node, "node_id");
    if (raw_id.empty()) return wrong("a node of the header has no node_id");
    const auto id = node_id_of(raw_id);
    if (!id) return wrong("node_id " + std::string(raw_id.substr(0, 40)) + " of the header is no number");
    node_start start;
    start.node_id = *id;
    if (auto ok = take_time(node, "start_walltime_ns", *id, start.walltime_ns); !ok) return ok;
    if (auto ok = take_time(node, "start_gpu_ns", *id, start.gpu_ns); !ok) return ok;
    auto known =
        std::find_if(table_.nodes.begin(), table_.nodes.end(), [&](const node_start& n) { return n.node_id == *id; });
    if (listed && !header_ids_.insert(*id).second) {
      if (known->walltime_ns != start.walltime_ns || known->gpu_ns != start.gpu_ns)
        return wrong("node " + std::to_string(*id) + " stands twice in the header, with different start times");
      table_.warnings.push_back("line " + std::to_string(line_) + ": node " + std::to_string(*id) +
                                " stands twice in the header");
    }
    if (known == table_.nodes.end())
      table_.nodes.push_back(start);
    else
      *known = start;
    return {};
  }

  // A start time in quotes is understood as well; anything else would leave device times without a zero.
  result<void> take_time(std::string_view node, const char* name, std::int64_t id, std::optional<std::int64_t>& into) {
    const std::string_view raw = json_member(node, name);
    into = json_integer(raw);
    if (into || !is_json_given(raw)) return {};
    if (is_json_string(raw)) into = json_scaled_integer(raw);
    if (!into)
      return wrong(std::string(name) + " of node " + std::to_string(id) + " is " + std::string(raw.substr(0, 40)) +
                   "; expected a whole number of nanoseconds");
    if (!warned_of_string_times_)
      table_.warnings.push_back("line " + std::to_string(line_) + ": " + name +
                                " is a string; it is read as a number of nanoseconds");
    warned_of_string_times_ = true;
    return {};
  }

  result<void> take_row(std::string_view line) {
    offset_row row;
    std::string_view id, midpoint, from, to, offset;
    json_members members(line);
    while (members.next()) {
      const std::string_view key = members.key(), value = members.value();
      if (key == "node_id")
        id = value;
      else if (key == "midpoint_sys_ns")
        midpoint = value;
      else if (key == "window_start_ns")
        from = value;
      else if (key == "window_end_ns")
        to = value;
      else if (key == "offset_ns")
        offset = value;
      else if (key == "round_id")
        row.round_id = json_integer(value);
      else if (key == "window_id")
        row.window_id = json_integer(value);
      else if (key == "drift_ppm")
        row.drift_ppt = json_integer(value, 6);
      else if (key == "residual")
        row.residual_ps = json_integer(value, 3);
      else if (key == "rtt_ns")
        row.round_trip_ps = json_integer(value, 3);
      else if (key == "reachable")
        row.reachable = value != "false";
      else if (key == "converged")
        row.converged = value != "false";
    }
    if (row.residual_ps && *row.residual_ps < 0) row.residual_ps = std::nullopt;
    if (row.round_trip_ps && *row.round_trip_ps < 0) row.round_trip_ps = std::nullopt;
    if (id.empty()) return {};  // belongs to no node
    const auto node = node_id_of(id);
    if (!node) return wrong("node_id is no number");
    row.node_id = *node;
    if (auto ok = take_midpoint(row, midpoint, from, to); !ok) return ok;
    if (!offset.empty()) {
      const auto ps = json_integer(offset, 3);
      if (!ps) return wrong("offset_ns is " + std::string(offset.substr(0, 40)) + "; expected a number of nanoseconds");
      row.offset_ps = *ps;
      digits_.push_back(look_at_digits(offset));
    } else {
      digits_.emplace_back();
    }
    table_.unreachable_rows += !row.reachable;
    table_.unconverged_rows += row.reachable && !row.converged;
    table_.rows_without_midpoint += !row.has_midpoint;
    table_.rows.push_back(row);
    return {};
  }

  result<void> take_midpoint(offset_row& row, std::string_view midpoint, std::string_view from, std::string_view to) {
    if (!midpoint.empty() && midpoint != "null") {
      const auto ns = json_integer(midpoint);
      if (!ns) return wrong("midpoint_sys_ns is " + std::string(midpoint.substr(0, 40)) + "; expected a number");
      row.midpoint = {*ns, 0};
      row.spelled_midpoint = true;
      return {};
    }
    if (from.empty() || to.empty()) {
      row.has_midpoint = false;
      return {};
    }
    const auto start = json_integer(from), end = json_integer(to);
    if (!start || !end) return wrong("the window is no pair of numbers");
    const auto length = checked_sub(*end, *start);
    if (!length) return wrong("the window is longer than a clock can say");
    std::int64_t half = *length / 2, rest = *length % 2;
    if (rest < 0) {
      --half;
      rest += 2;
    }
    row.midpoint = {*start + half, static_cast<std::int32_t>(rest * (ps_per_ns / 2))};
    return {};
  }

  // Offsets of six digits are rounded to them; in a file that has longer ones, a short one is exact.
  void settle_resolution() {
    const bool short_numbers =
        std::all_of(digits_.begin(), digits_.end(), [](const written_number& w) { return w.digits <= six_digits; });
    for (std::size_t i = 0; i < table_.rows.size(); ++i) {
      const written_number& w = digits_[i];
      if (w.digits == 0) continue;
      table_.rows[i].resolution_ps =
          half_of_digit_ps(short_numbers ? w.first_exponent - (six_digits - 1) : w.last_exponent);
    }
  }

  std::string path_;
  const offset_read_options& o_;
  offset_table table_;
  std::vector<written_number> digits_;
  hash_set<std::int64_t> header_ids_;
  std::uint64_t line_ = 0, at_ = 0;
  bool warned_of_string_ids_ = false, warned_of_string_times_ = false;
};

}  // namespace

const node_start* offset_table::start_of(std::int64_t node_id) const noexcept {
  for (const node_start& n : nodes)
    if (n.node_id == node_id) return &n;
  return nullptr;
}

result<offset_table> read_offsets(std::string_view text, std::string path, const offset_read_options& o) {
  return contained([&] { return reader(std::move(path), o).run(text); });
}

std::vector<offset_row> resolve_midpoints(const offset_table& table, std::int64_t reference_node) {
  struct round {
    clock_instant midpoint;
    bool ambiguous = false;
  };
  hash_map<std::int64_t, round> rounds;
  for (const offset_row& row : table.rows) {
    if (row.node_id != reference_node || !row.round_id || !row.has_midpoint) continue;
    const auto [known, is_new] = rounds.try_emplace(*row.round_id, round{row.midpoint, false});
    if (!is_new &&
        (known->second.midpoint.ns != row.midpoint.ns || known->second.midpoint.sub_ps != row.midpoint.sub_ps))
      known->second.ambiguous = true;
  }
  std::vector<offset_row> rows;
  rows.reserve(table.rows.size());
  for (const offset_row& row : table.rows) {
    if (!row.reachable || !row.has_midpoint) continue;
    rows.push_back(row);
    offset_row& r = rows.back();
    const auto known = r.round_id ? rounds.find(*r.round_id) : rounds.end();
    if (known != rounds.end() && !known->second.ambiguous) {
      r.midpoint = known->second.midpoint;
    } else if (r.node_id != reference_node && r.drift_ppt) {
      // Whose clock the window is in is not known: wrong by the drift over the offset.
      const double error =
          std::abs(static_cast<double>(r.offset_ps)) * std::abs(static_cast<double>(*r.drift_ppt)) / 1e12;
      if (error < 1e18) r.resolution_ps = saturating_add(r.resolution_ps, static_cast<std::int64_t>(error));
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
               [](const offset_row& a, const offset_row& b) { return a.node_id < b.node_id; });
  return rows;
}

std::vector<offset_row> rows_of_node(const std::vector<offset_row>& resolved, std::int64_t node_id) {
  const auto first = std::lower_bound(resolved.begin(), resolved.end(), node_id,
                                      [](const offset_row& r, std::int64_t id) { return r.node_id < id; });
  const auto last = std::upper_bound(first, resolved.end(), node_id,
                                     [](std::int64_t id, const offset_row& r) { return id < r.node_id; });
  return {first, last};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

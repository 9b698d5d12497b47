#include <formats/ascend/ascend_rank.hpp>

#include <profkit/core/chrome.hpp>
#include <profkit/csv.hpp>
#include <profkit/decimal.hpp>
#include <formats/ascend/ascend_kernels.hpp>
#include <formats/ascend/ascend_names.hpp>
#include <formats/ascend/csv_index.hpp>
#include <formats/ascend/table_row.hpp>
#include <formats/chrome/chrome_text.hpp>
#include <formats/chrome/json_elements.hpp>
#include <formats/chrome/json_splitter.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

fault broken_json(const activity_input& input, std::string_view bytes, const char* at, const char* expected) {
  const auto offset = at >= bytes.data() && at <= bytes.data() + bytes.size()
                          ? static_cast<std::uint64_t>(at - bytes.data())
                          : no_offset;
  return {fault_code::damaged, std::string("text that is no JSON: expected ") + expected, input.path, offset,
          "what came before was read"};
}

std::optional<bool> flag_of(std::string_view raw) noexcept {
  if (raw == "true") return true;
  if (raw == "false") return false;
  return std::nullopt;
}

std::string_view without_mark(std::string_view bytes) noexcept {
  if (bytes.substr(0, 3) == "\xef\xbb\xbf") bytes.remove_prefix(3);
  return trim_json_space(bytes);
}

// Times of an operation as communication.json writes them.
class communication_reader {
 public:
  communication_reader(std::string_view bytes, std::int64_t zero_us, std::int64_t shift_ps, std::uint32_t device,
                       activity_parts& into, activity_input& input)
      : bytes_(bytes), zero_us_(zero_us), shift_ps_(shift_ps), device_(device), into_(into), input_(input) {}

  void run() {
    const std::string_view text = without_mark(bytes_);
    if (!text.empty() && text.front() == '[') {
      read_list(text);
      return;
    }
    if (text.empty()) {
      input_.damage = broken_json(input_, bytes_, bytes_.data(), "an object of steps; the file is empty");
      return;
    }
    const char* const end = text.data() + text.size();
    const char* const past = each_member(text.data(), end, [&](std::string_view key, const char* kinds) {
      const string_id step = step_of(key);
      return each_member(kinds, end, [&](std::string_view kind, const char* operations) {
        const bool collective = kind != "p2p";
        return each_member(operations, end, [&](std::string_view name, const char* operation) {
          return read_operation(operation, end, name, step, collective);
        });
      });
    });
    if (past != nullptr && skip_json_space(past, end) != end) stop_at(past);
  }

 private:
  string_id step_of(std::string_view key) {
    constexpr std::string_view prefix = "step";
    if (key.substr(0, prefix.size()) == prefix) key.remove_prefix(prefix.size());
    return into_.strings.intern(key);
  }

  // Members of the object at `at`, one after the other: its end is not looked for beforehand. `read` gives the end of
  // the value it is called with, or null after damage; so does this.
  template <class Read>
  const char* each_member(const char* at, const char* end, Read&& read) {
    if (at == end || *at != '{') return skip_value(at, end);
    at = skip_json_space(at + 1, end);
    for (bool first = true;; first = false) {
      if (at != end && *at == '}') return at + 1;
      if (!first) {
        if (at == end || *at != ',') return stop_at(at);
        at = skip_json_space(at + 1, end);
      }
      if (at == end || *at != '"') return stop_at(at);
      const json_value_end key = end_of_string(at, end);
      if (key.why != json_end::found) return stop_at(at);
      const std::string_view name(at + 1, static_cast<std::size_t>(key.end - at) - 2);
      at = skip_json_space(key.end, end);
      if (at == end || *at != ':') return stop_at(at);
      at = read(name, skip_json_space(at + 1, end));
      if (at == nullptr) return nullptr;
      at = skip_json_space(at, end);
    }
  }

  const char* skip_value(const char* at, const char* end) {
    const json_value_end value = end_of_value(at, end, limits{}.max_nesting);
    return value.why == json_end::found ? value.end : stop_at(at);
  }
  const char* stop_at(const char* at) {
    if (!input_.damage) input_.damage = broken_json(input_, bytes_, at, "an object of operations");
    return nullptr;
  }

  const char* read_operation(const char* at, const char* end, std::string_view key, string_id step, bool collective) {
    if (at == end || *at != '{') return skip_value(at, end);
    const json_value_end last = end_of_value(at, end, limits{}.max_nesting);
    if (last.why != json_end::found) return stop_at(at);
    if (key == "Total Op Info") return last.end;  // their sum
    const std::string_view text(at, static_cast<std::size_t>(last.end - at));
    std::string_view time_info, link_info;
    each_json_member(splitter_, text, [&](std::string_view name, std::string_view value) {
      if (name == "Communication Time Info") time_info = value;
      if (name == "Communication Bandwidth Info") link_info = value;
    });
    times_ = {};
    each_json_member(splitter_, time_info, [this](std::string_view name, std::string_view value) {
      const auto* const found = std::find(time_names.begin(), time_names.end(), name);
      if (found != time_names.end()) times_[static_cast<std::size_t>(found - time_names.begin())] = value;
    });
    communication_row row;
    row.step = step;
    row.collective = collective;
    take_links(link_info, row);
    const std::string_view name = json_text(std::string_view(key.data() - 1, key.size() + 2), scratch_);
    const auto group = name.find('@');
    row.op = into_.strings.intern(name.substr(0, group));
    if (group != std::string_view::npos) row.group = into_.strings.intern(name.substr(group + 1));
    take(row);
    return last.end;
  }

  void take_links(std::string_view text, communication_row& row) {
    std::vector<std::pair<std::string_view, std::string_view>> links;
    each_json_member(splitter_, text, [&](std::string_view name, std::string_view value) { links.emplace_back(name, value); });
    for (const auto& [name, value] : links) {
      communication_link link;
      constexpr int of_megabyte = 6;
      link.bytes = json_scaled_integer(json_member(value, "Transit Size(MB)"), of_megabyte).value_or(0);
      link.transit_ps = span_of(json_member(value, "Transit Time(ms)"), 3).value_or(0);
      if (link.bytes <= 0 && link.transit_ps <= 0) continue;
      link.link = into_.strings.intern(name);
      row.links.push_back(link);
    }
  }

  void take(communication_row& row) {
    ++input_.rows;
    row.device = device_;
    row.start_ps = start_of(times_[0]);
    const auto elapsed = span_of(times_[1], 3);
    if (!elapsed || *elapsed < 0) {
      reject_row(input_, "no elapsed time", 0);
      return;
    }
    row.elapsed_ps = *elapsed;
    row.transit_ps = span_of(times_[2], 3).value_or(0);
    row.wait_ps = span_of(times_[3], 3).value_or(0);
    row.synchronization_ps = span_of(times_[4], 3).value_or(0);
    row.idle_ps = span_of(times_[5], 3).value_or(0);
    into_.communication.push_back(row);
  }

  // A flat list of operations, as some documentation shows it.
  void read_list(std::string_view text) {
    const char* const end = text.data() + text.size();
    const char* at = skip_json_space(text.data() + 1, end);
    while (at != end && *at == '{') {
      const json_value_end last = end_of_value(at, end, limits{}.max_nesting);
      if (last.why != json_end::found) break;
      const std::string_view item(at, static_cast<std::size_t>(last.end - at));
      communication_row row;
      row.op = into_.strings.intern(json_text(json_member(item, "collective_name"), scratch_));
      row.device = device_;
      row.start_ps = start_of(json_member(item, "start_timestamp_us"));
      row.wait_ps = span_of(json_member(item, "wait_time_us"), 0).value_or(0);
      row.transit_ps = span_of(json_member(item, "transit_time_us"), 0).value_or(0);
      ++input_.rows;
      if (const auto elapsed = span_of(json_member(item, "elapse_time_us"), 0); elapsed && *elapsed >= 0) {
        row.elapsed_ps = *elapsed;
        into_.communication.push_back(row);
      } else {
        reject_row(input_, "no elapsed time", 0);
      }
      at = skip_json_space(last.end, end);
      if (at != end && *at == ',') at = skip_json_space(at + 1, end);
    }
    if (at == end || *at != ']') {
      input_.damage = broken_json(input_, bytes_, at, "an operation, or the end of the list");
    }
  }

  [[nodiscard]] std::int64_t start_of(std::string_view raw) const {
    decimal_time t;
    if (raw.empty() || !parse_microseconds(raw, t)) return no_time_ps;
    const auto at = ps_since(t, zero_us_);
    return at ? checked_add(*at, shift_ps_).value_or(no_time_ps) : no_time_ps;
  }

  // Of units of 10^exponent µs.
  static std::optional<std::int64_t> span_of(std::string_view raw, int exponent) {
    return raw.empty() ? std::nullopt : json_scaled_integer(raw, 6 + exponent);
  }

  static constexpr std::array<std::string_view, 6> time_names = {"Start Timestamp(us)", "Elapse Time(ms)",
                                                                 "Transit Time(ms)",    "Wait Time(ms)",
                                                                 "Synchronization Time(ms)", "Idle Time(ms)"};

  std::string_view bytes_;
  std::int64_t zero_us_, shift_ps_;
  std::uint32_t device_;
  activity_parts& into_;
  activity_input& input_;
  std::string scratch_;
  std::array<std::string_view, 6> times_;  // of an operation, in the order of time_names
  json_splitter splitter_;
};

struct step_column {
  std::string_view name;
  std::int64_t step_trace_row::*member;
};
constexpr step_column step_columns[] = {
    {"Computing", &step_trace_row::computing_ps},
    {"Communication(Not Overlapped)", &step_trace_row::exposed_ps},
    {"Overlapped", &step_trace_row::overlapped_ps},
    {"Communication", &step_trace_row::communication_ps},
    {"Free", &step_trace_row::free_ps},
    {"Stage", &step_trace_row::stage_ps},
    {"Preparing", &step_trace_row::preparing_ps},
};

}  // namespace

void read_ascend_info(std::string_view bytes, ascend_settings& into, activity_input& input) {
  const std::string_view text = without_mark(bytes);
  json_splitter splitter;
  const bool sound = each_json_member(splitter, text, [&](std::string_view key, std::string_view value) {
    ++input.rows;
    if (key == "rank_id") {
      const auto rank = json_scaled_integer(value);
      if (rank && *rank >= 0 && *rank <= INT32_MAX) into.rank = static_cast<std::int32_t>(*rank);
    }
    if (key != "config") return;
    const std::string_view common = json_member(value, "common_config");
    into.stacks = flag_of(json_member(common, "with_stack"));
    into.shapes = flag_of(json_member(common, "record_shapes"));
    std::string scratch;
    const std::string_view level =
        json_text(json_member(json_member(value, "experimental_config"), "_profiler_level"), scratch);
    into.level0 = level == "Level0" || level == "Level_none";
    if (!level.empty()) input.notes.push_back("profiler_level=" + std::string(level));
  });
  if (!sound || text.empty()) input.damage = broken_json(input, bytes, text.data(), "an object of settings");
}

// A number of ranks, or 1 and 0 for a switch.
[[nodiscard]] static std::optional<std::int64_t> parallel_size_of(std::string_view raw) {
  if (const auto flag = flag_of(raw)) return *flag ? 1 : 0;
  const auto size = json_scaled_integer(raw);
  return size && *size > 0 ? size : std::nullopt;
}

void read_ascend_metadata(std::string_view bytes, ascend_settings& into, activity_input& input) {
  const std::string_view text = without_mark(bytes);
  json_splitter splitter;
  std::string scratch;
  const auto take_sizes = [&](std::string_view sizes_text) {
    for (json_members sizes(sizes_text); sizes.next();) {
      input.notes.push_back(std::string(sizes.key()) + "=" + std::string(json_text(sizes.value(), scratch)));
      if (const auto size = parallel_size_of(sizes.value()); size && sizes.key() != "rank")
        into.parallel_sizes.emplace_back(sizes.key(), *size);
      if (sizes.key() != "rank" || into.rank >= 0) continue;
      const auto rank = json_scaled_integer(sizes.value());
      if (rank && *rank >= 0 && *rank <= INT32_MAX) into.rank = static_cast<std::int32_t>(*rank);
    }
  };
  const auto take_groups = [&](std::string_view groups_text) {
    for (json_members groups(groups_text); groups.next();) {
      const std::string name(json_text(json_member(groups.value(), "group_name"), scratch));
      input.notes.push_back("group " + name + "=" + std::string(json_member(groups.value(), "global_ranks")));
      std::int64_t members = 0;
      for (json_elements ranks(json_member(groups.value(), "global_ranks")); ranks.next();) ++members;
      if (members > 0) into.parallel_sizes.emplace_back("group " + name, members);
    }
  };
  const bool sound = each_json_member(splitter, text, [&](std::string_view key, std::string_view value) {
    ++input.rows;
    if (key == "distributed_args") take_sizes(value);
    if (key == "parallel_group_info") take_groups(value);
  });
  if (!sound || text.empty()) input.damage = broken_json(input, bytes, text.data(), "an object of settings");
}

void read_ascend_communication(std::string_view bytes, std::int64_t zero_us, std::int64_t shift_ps,
                               std::uint32_t device, activity_parts& into, activity_input& input) {
  communication_reader(bytes, zero_us, shift_ps, device, into, input).run();
}

void read_ascend_step_trace(std::string_view bytes, const std::vector<std::pair<std::int64_t, std::uint32_t>>& devices,
                            activity_parts& into, activity_input& input) {
  constexpr std::size_t max_columns = 64;
  std::array<std::string_view, max_columns> fields;
  std::array<std::size_t, std::size(step_columns)> at;
  at.fill(no_column);
  std::size_t step_at = no_column, device_at = no_column;
  csv_reader reader = fast_csv_reader(bytes);
  if (!reader.next(fields.data(), fields.size())) {
    input.damage = fault{fault_code::damaged, "the table is empty", input.path, 0, ""};
    return;
  }
  const std::size_t header_columns = reader.fields(), columns = std::min(header_columns, fields.size());
  for (std::size_t i = 0; i < columns; ++i) {
    const std::string_view name = csv_trimmed(fields[i]);
    if (name == "Step") step_at = i;
    if (name == "Device_id") device_at = i;
    for (std::size_t c = 0; c < at.size(); ++c) {
      if (name == step_columns[c].name) at[c] = i;
    }
  }
  for (std::size_t c = 0; c < at.size(); ++c) {
    if (at[c] == no_column && step_columns[c].name != "Preparing") {
      input.missing_columns.emplace_back(step_columns[c].name);
    }
  }
  while (reader.next(fields.data(), fields.size())) {
    ++input.rows;
    if (const char* const why = row_damage(reader, bytes, header_columns, columns)) {
      reject_row(input, why, reader.line());
      continue;
    }
    if (!input.missing_columns.empty()) continue;
    step_trace_row row;
    bool sound = true;
    for (std::size_t c = 0; c < at.size() && sound; ++c) {
      if (at[c] == no_column) continue;
      const auto ps = decimal_scaled_integer(csv_trimmed(fields[at[c]]), 6);
      sound = ps.has_value() || step_columns[c].name == "Preparing";
      if (ps) row.*step_columns[c].member = *ps;
    }
    if (!sound) {
      reject_row(input, "a time is no number", reader.line());
      continue;
    }
    const std::string_view step =
        step_at == no_column ? std::string_view() : ascend_step_id(csv_trimmed(fields[step_at]));
    row.step = is_no_value(step) ? 0 : into.strings.intern(step);
    const auto ordinal = device_at == no_column ? std::nullopt : decimal_scaled_integer(csv_trimmed(fields[device_at]));
    const auto device = std::find_if(devices.begin(), devices.end(),
                                     [number = ordinal.value_or(0)](const auto& d) { return d.first == number; });
    if (ordinal && device != devices.end()) {
      row.device = device->second;
    } else if (!devices.empty() && (!ordinal || devices.front().first < 0)) {
      row.device = devices.front().second;
    } else {
      continue;  // nothing to check it with
    }
    into.step_trace.push_back(row);
  }
}

void count_ascend_rows(std::string_view bytes, const char* variant, activity_input& input) {
  input.variant = variant;
  std::string_view field;
  csv_reader reader = fast_csv_reader(bytes);
  if (!reader.next(&field, 1)) {
    input.damage = fault{fault_code::damaged, "the table is empty", input.path, 0, ""};
    return;
  }
  const std::size_t columns = reader.fields();
  while (reader.next(&field, 1)) {
    ++input.rows;
    const char* const why = row_damage(reader, bytes, columns, columns);
    if (why != nullptr) reject_row(input, why, reader.line());
  }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

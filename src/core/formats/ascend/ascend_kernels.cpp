#include <formats/ascend/ascend_kernels.hpp>

#include <profkit/csv.hpp>
#include <profkit/decimal.hpp>
#include <base/progress.hpp>
#include <formats/activity_store.hpp>
#include <formats/ascend/ascend_names.hpp>
#include <formats/ascend/column_strings.hpp>
#include <formats/ascend/csv_index.hpp>
#include <formats/ascend/table_row.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t max_streams = std::numeric_limits<std::uint16_t>::max();
constexpr std::uint64_t rows_between_looks = 4096;

// What kernels of the same op, shapes, width and counters share. Those counters are means, weighted by duration.
class shared_details {
 public:
  using key = std::array<std::uint32_t, 9>;

  shared_details(std::size_t counters, std::size_t details) : sums_of_one_(counters), base_(details) {}

  // 1 + index into `details`; a new one is made by `make`.
  template <class Make>
  std::uint32_t find(const key& k, std::vector<kernel_details>& details, Make&& make) {
    const auto found = known_.find(k);
    if (found != known_.end()) return found->second;
    details.push_back(make());
    places_.push_back(none);
    const auto id = static_cast<std::uint32_t>(details.size());
    known_.emplace(k, id);
    return id;
  }
  void add(std::uint32_t id, std::size_t counter, double value, double weight) {
    const std::size_t at = place_of(id) * sums_of_one_ + counter;
    sums_[at] += value * weight;
    weights_[at] += weight;
  }

  void settle(std::vector<kernel_details>& details, const std::vector<string_id>& names) const {
    for (std::size_t i = 0; i < places_.size(); ++i) {
      if (places_[i] == none) continue;
      for (std::size_t c = 0; c < sums_of_one_; ++c) {
        const std::size_t at = places_[i] * sums_of_one_ + c;
        if (weights_[at] > 0) details[base_ + i].counters.emplace_back(names[c], sums_[at] / weights_[at]);
      }
    }
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  std::uint32_t place_of(std::uint32_t id) {
    std::uint32_t& at = places_[id - 1 - base_];
    if (at == none) {
      at = static_cast<std::uint32_t>(sums_.size() / sums_of_one_);
      sums_.resize(sums_.size() + sums_of_one_);
      weights_.resize(sums_.size());
    }
    return at;
  }

  std::size_t sums_of_one_, base_;  // details before the first of these
  hash_map<key, std::uint32_t> known_;
  std::vector<std::uint32_t> places_;  // of the sums; most collectives have none
  std::vector<double> sums_, weights_;
};

// Nothing of one that is not there.
std::optional<double> counter_of(std::string_view text) noexcept {
  if (text == "0.0" || text == "0") return 0;  // most are
  if (text.empty() || text == "N/A") return std::nullopt;
  const auto micro = decimal_scaled_integer(csv_trimmed(text), 6);
  return micro ? std::optional<double>(static_cast<double>(*micro) * 1e-6) : std::nullopt;
}

class table_reader {
 public:
  table_reader(std::string_view bytes, const ascend_clock& clock, std::int64_t shift_ps, bool keep_details,
               string_table& strings, ascend_devices& devices, activity_input& input)
      : bytes_(bytes),
        reader_(fast_csv_reader(bytes)),
        clock_(clock),
        shift_ps_(shift_ps),
        keep_details_(keep_details),
        strings_(strings),
        devices_(devices),
        input_(input),
        names_(strings),
        types_(strings),
        cores_(strings),
        steps_(strings),
        in_shapes_(strings),
        out_shapes_(strings),
        in_types_(strings),
        out_types_(strings) {}

  result<void> run(const hooks& host) {
    if (!begin()) return {};
    progress_meter meter(host, bytes_.size());
    for (std::uint64_t n = 0; reader_.next(fields_.data(), fields_.size()); ++n) {
      if (n % rows_between_looks == 0) {
        if (auto go_on = meter.step(reader_.offset()); !go_on) return go_on;
        if (n == rows_between_looks) make_room();
      }
      ++input_.rows;
      if (const char* const why = take_row()) reject_row(input_, why, reader_.line());
    }
    finish();
    return {};
  }

 private:
  bool begin() {
    fields_.resize(max_csv_columns);
    if (!reader_.next(fields_.data(), fields_.size())) {
      input_.damage = fault{fault_code::damaged, "the table is empty: expected a header with the columns' names",
                            input_.path, 0, "export the capture again"};
      return false;
    }
    header_text_ = bytes_.substr(reader_.offset(), reader_.end_offset() - reader_.offset());
    header_ = bind_ascend_header(fields_.data(), std::min(reader_.fields(), fields_.size()));
    header_.columns = reader_.fields();
    input_.variant = header_.variant;
    is_task_list_ = header_.variant == "task_time";
    input_.unknown_columns = header_.unknown;
    input_.missing_columns = header_.missing();
    for (const std::string& name : header_.repeated) {
      input_.notes.push_back("the column \"" + name + "\" is there twice: the first one counts");
    }
    is_statistic_ = header_.is_statistic() && input_.missing_columns.empty();
    totals_only_ = is_statistic_ || (header_.has(ascend_column::duration) && header_.has(ascend_column::name) &&
                                     !header_.has(ascend_column::start));
    if (totals_only_) {
      input_.notes.push_back("no column of start times: ops are totals, so idle time is not known");
    } else if (!input_.missing_columns.empty()) {
      say_what_is_missing();
      return false;
    }
    for (const auto& [name, without] : header_.missing_wanted()) {
      input_.missing_columns.emplace_back(name);
      input_.notes.push_back("no column \"" + std::string(name) + "\": " + without);
    }
    std::size_t last = 0;
    for (const std::size_t at : header_.at) {
      if (at != no_column) last = std::max(last, at);
    }
    if (!keep_details_) header_.counters.clear();
    for (const auto& c : header_.counters) {
      last = std::max(last, c.at);
      counter_names_.push_back(strings_.intern(c.name));
    }
    fields_.resize(last + 1);
    for (const ascend_column c :
         {ascend_column::name, ascend_column::start, ascend_column::duration, ascend_column::count}) {
      if (header_.has(c)) times_end_ = std::max(times_end_, header_[c]);
    }
    return true;
  }

  void say_what_is_missing() {
    std::string names;
    for (const std::string& name : input_.missing_columns) names += (names.empty() ? "" : ", ") + name;
    input_.damage = fault{fault_code::damaged, "the table lacks the columns " + names, input_.path, 0,
                          "expected the header of kernel_details.csv or op_summary*.csv"};
  }

  // For as many rows as the first ones suggest, so that rows are not copied from one place to the next.
  void make_room() {
    const double grows = static_cast<double>(bytes_.size()) / static_cast<double>(reader_.offset());
    for (device_kernels& d : devices_.all()) {
      const double expected = static_cast<double>(d.rows.size()) * grows * 1.05;
      d.rows.reserve(std::min(static_cast<std::size_t>(expected), bytes_.size() / sizeof(kernel_row)));
    }
  }

  [[nodiscard]] std::string_view field(ascend_column c) const noexcept {
    return header_.has(c) ? fields_[header_[c]] : std::string_view();
  }

  // The row is taken, or why it is not.
  [[nodiscard]] const char* take_row() {
    const std::size_t count = reader_.fields();
    if (count != header_.columns || reader_.cut() || reader_.spans_lines()) {
      // Some writers leave fields at the end away; what counts is that the times are there, and whole.
      const bool may_be_short = reader_.terminated() && !reader_.spans_lines();
      const char* const why =
          row_damage(reader_, bytes_, header_.columns, may_be_short ? times_end_ + 1 : header_.columns);
      if (why != nullptr) return broken_row(why);
      for (std::size_t i = count; i < fields_.size(); ++i) fields_[i] = {};
    }
    if (totals_only_) return take_total();
    kernel_row row;
    if (is_task_list_ && is_no_kernel(csv_trimmed(field(ascend_column::task_type)))) {
      ++marks_;
      return nullptr;
    }
    if (const char* const why = take_times(row)) return why;
    row.source_row = reader_.line();
    row.name = names_.id_of(field(ascend_column::name));
    row.core = cores_.id_of(field(ascend_column::core));
    if (row.core == 0) row.core = cores_.id_of(field(ascend_column::task_type));
    row.step = step_of_row();
    take_type(row);
    device_kernels& into = device_of_row();
    take_class(row, into);
    if (const auto id = integer(ascend_column::stream)) {
      if (const auto index = into.stream_of(*id, strings_)) {
        row.stream = *index;
        row.flags = static_cast<std::uint8_t>(row.flags | kernel_has_stream);
      }
    }
    if (keep_details_) row.details = take_details(row, into);
    into.any_wait = into.any_wait || row.wait_ps != no_time_ps;
    into.rows.push_back(row);
    return nullptr;
  }

  [[nodiscard]] const char* take_total() {
    const std::string_view text = csv_trimmed(field(ascend_column::duration));
    decimal_time t;
    if (is_no_value(text)) return no_duration;
    if (!parse_microseconds_text(text, t, header_.unit(ascend_column::duration)))
      return repeated_header_or("the duration is no number");
    const auto length = ps_since(t, 0);
    if (!length || *length < 0) return "the duration is negative or out of reach";
    const std::int64_t calls = is_statistic_ ? integer(ascend_column::count).value_or(0) : 1;
    if (calls <= 0) return "no count of calls";
    kernel_row row;
    row.name = names_.id_of(field(ascend_column::name));
    row.core = cores_.id_of(field(ascend_column::core));
    if (row.core == 0) row.core = cores_.id_of(field(ascend_column::task_type));
    take_type(row);
    device_kernels& into = device_of_row();
    take_class(row, into);
    std::vector<op_total>& all = into.device.totals;
    const auto [at, added] = into.totals.try_emplace(std::uint64_t{row.op_type} << 32 | row.core, all.size());
    if (added) all.push_back({row.op_type, row.core, row.kind, 0, 0});
    all[at->second].calls += static_cast<std::uint64_t>(calls);
    all[at->second].duration_ps = saturating_add(all[at->second].duration_ps, *length);
    return nullptr;
  }

  const char* broken_row(const char* why) {
    // A lost quote swallows rows: give them back, as long as that does not mean reading the file again and again.
    if (reader_.spans_lines() || reader_.cut()) {
      const std::size_t swallowed = reader_.end_offset() - reader_.offset();
      if (bytes_.find('\n', reader_.offset()) != std::string_view::npos && reread_ + swallowed <= bytes_.size()) {
        reread_ += swallowed;
        reader_.resume_after_first_line();
      }
    }
    return why;
  }

  // The device counts ns: decimals beyond them come from the writer's doubles and would tear open gaps.
  static std::int64_t whole_ns(std::int64_t ps) noexcept {
    const std::int64_t rest = ((ps % ps_per_ns) + ps_per_ns) % ps_per_ns;
    return ps - rest + (2 * rest >= ps_per_ns ? ps_per_ns : 0);
  }

  const char* take_times(kernel_row& row) {
    const std::string_view start = csv_trimmed(field(ascend_column::start));
    const std::string_view duration = csv_trimmed(field(ascend_column::duration));
    if (is_no_value(start)) return no_start_time;
    if (is_no_value(duration)) return no_duration;
    decimal_time t;
    if (!parse_microseconds_text(start, t, header_.unit(ascend_column::start)))
      return repeated_header_or("the start time is no number");
    if (t.us < 0) return "the start time is negative";
    const auto at = ps_since(t, clock_.zero_us);
    const auto shifted = at ? checked_add(*at, shift_ps_) : std::nullopt;
    if (!parse_microseconds_text(duration, t, header_.unit(ascend_column::duration)))
      return "the duration is no number";
    const auto length = ps_since(t, 0);
    if (length && *length < 0) return "the duration is negative";
    if (!shifted || !length || !checked_add(*shifted, *length)) return "the time lies out of reach (106 days)";
    row.start_ps = whole_ns(*shifted);
    row.duration_ps = whole_ns(*length);
    const auto point = start.rfind('.');
    if (point != std::string_view::npos && start.size() - point > 3) fine_starts_ = true;
    const std::string_view wait = csv_trimmed(field(ascend_column::wait));
    if (!is_no_value(wait) && parse_microseconds_text(wait, t, header_.unit(ascend_column::wait))) {
      if (const auto waited = ps_since(t, 0); waited && *waited >= 0) row.wait_ps = *waited;
    }
    return nullptr;
  }

  const char* repeated_header_or(const char* reason) {
    const std::string_view row = bytes_.substr(reader_.offset(), reader_.end_offset() - reader_.offset());
    return row == header_text_ ? "a header in the middle of the table" : reason;
  }

  void take_type(kernel_row& row) {
    row.op_type = types_.id_of(field(ascend_column::type));
    if (row.op_type != 0 && strings_.text(row.op_type) != "0") return;
    const auto found = type_of_name_.find(row.name);
    if (found != type_of_name_.end()) {
      row.op_type = found->second;
      return;
    }
    row.op_type = strings_.intern(std::string(ascend_op_type(strings_.text(row.name))));
    type_of_name_.emplace(row.name, row.op_type);
  }

  void take_class(kernel_row& row, device_kernels& into) {
    if (row.name >= classes_.size()) {
      classes_.resize(std::max<std::size_t>(strings_.size(), classes_.size() + classes_.size() / 2));
    }
    known_class& known = classes_[row.name];
    if (!known.known || known.core != row.core || known.op_type != row.op_type) {
      known = {row.core, row.op_type,
               classify_ascend(strings_.text(row.core), strings_.text(row.op_type), strings_.text(row.name)), true};
    }
    row.kind = known.is.kind;
    if (known.is.on_aicpu) row.flags = static_cast<std::uint8_t>(row.flags | kernel_on_aicpu);
    if (!known.is.from_name && row.kind != kernel_class::comm) into.any_core = true;
  }

  [[nodiscard]] std::optional<std::int64_t> integer(ascend_column c) const noexcept {
    const std::string_view text = csv_trimmed(field(c));
    return is_no_value(text) ? std::nullopt : decimal_scaled_integer(text);
  }

  string_id step_of_row() {
    const string_id written = steps_.id_of(field(ascend_column::step));
    if (written != written_step_) {
      written_step_ = written;
      const std::string_view text = strings_.text(written);
      const std::string_view id = ascend_step_id(text);
      step_ = id.size() == text.size() ? written : strings_.intern(std::string(id));
    }
    return step_;
  }

  device_kernels& device_of_row() {
    const std::string_view text = field(ascend_column::device);
    if (text != last_device_text_ || !device_known_) {
      last_device_text_ = text;
      device_known_ = true;
      last_device_ = integer(ascend_column::device).value_or(-1);
    }
    return devices_.of(last_device_, strings_);
  }

  std::uint32_t take_details(const kernel_row& row, device_kernels& into) {
    const string_id in_shapes = in_shapes_.id_of(field(ascend_column::input_shapes));
    const string_id out_shapes = out_shapes_.id_of(field(ascend_column::output_shapes));
    const string_id in_types = in_types_.id_of(field(ascend_column::input_types));
    const string_id out_types = out_types_.id_of(field(ascend_column::output_types));
    const auto blocks = integer(ascend_column::block_dim).value_or(-1);
    if (in_shapes != 0) into.device.has_shapes = true;
    // Without counters, what is said of a kernel does not depend on its name; those of collectives are all different.
    const std::uint64_t has = row.kind == kernel_class::comm ? 0 : read_counters();
    const bool counted = has != 0;
    if (in_shapes == 0 && out_shapes == 0 && blocks <= 0 && !counted) return 0;
    shared_details& shared = shared_of(into);
    const std::uint32_t id = shared.find({counted ? row.name : ~string_id{0}, counted ? row.op_type : 0, in_shapes,
                                          out_shapes, in_types, out_types, static_cast<std::uint32_t>(blocks),
                                          static_cast<std::uint32_t>(has), static_cast<std::uint32_t>(has >> 32)},
                                         into.device.details, [&] {
                                           kernel_details d;
                                           d.input_shapes = in_shapes;
                                           d.output_shapes = out_shapes;
                                           d.input_dtypes = in_types;
                                           d.block_dim = blocks;
                                           return d;
                                         });
    if (!counted) return id;
    const double weight = static_cast<double>(std::max<std::int64_t>(row.duration_ps, 1));
    for (std::size_t i = 0; i < counters_.size(); ++i) {
      if (counters_[i]) shared.add(id, i, *counters_[i], weight);
    }
    return id;
  }

  // Gives which of them the row has, a bit each; none where none was measured: all are 0 then, or not there.
  std::uint64_t read_counters() {
    std::uint64_t has = 0;
    bool measured = false;
    counters_.clear();
    for (std::size_t i = 0; i < header_.counters.size(); ++i) {
      const std::optional<double> c = counter_of(fields_[header_.counters[i].at]);
      counters_.push_back(c);
      if (c) has |= std::uint64_t{1} << std::min<std::size_t>(i, 63);
      measured |= c.value_or(0) != 0;
    }
    return measured ? has : 0;
  }

  shared_details& shared_of(const device_kernels& into) {
    const auto index = static_cast<std::size_t>(&into - devices_.all().data());
    while (shared_.size() <= index) {
      shared_.emplace_back(header_.counters.size(), devices_.all()[shared_.size()].device.details.size());
    }
    return shared_[index];
  }

  void finish() {
    if (marks_ > 0) input_.notes.push_back(std::to_string(marks_) + " rows are events of the hardware, no kernels");
    for (std::size_t i = 0; i < shared_.size(); ++i) {
      shared_[i].settle(devices_.all()[i].device.details, counter_names_);
    }
    // Times that went through a double have steps of a quarter of a microsecond around the year 2023.
    if (!totals_only_ && !fine_starts_ && input_.rows > input_.rejected) {
      for (device_kernels& d : devices_.all()) d.device.timestamp_resolution_ps = 250 * ps_per_ns;
    }
  }

  std::string_view bytes_;
  csv_reader reader_;
  ascend_clock clock_;
  std::int64_t shift_ps_;
  bool keep_details_;
  string_table& strings_;
  ascend_devices& devices_;
  activity_input& input_;
  column_strings names_, types_, cores_, steps_, in_shapes_, out_shapes_, in_types_, out_types_;
  std::vector<std::string_view> fields_;
  ascend_header header_;
  std::string_view header_text_;
  std::size_t times_end_ = 0, reread_ = 0;
  std::vector<string_id> counter_names_;
  std::vector<std::optional<double>> counters_;  // of the row
  std::vector<shared_details> shared_;  // one a device
  hash_map<string_id, string_id> type_of_name_;
  struct known_class {
    string_id core = 0, op_type = 0;
    ascend_class is;
    bool known = false;
  };
  std::vector<known_class> classes_;       // by name: what was found for it last
  string_id written_step_ = 0, step_ = 0;  // of the row before
  std::string_view last_device_text_;
  bool device_known_ = false, fine_starts_ = false, totals_only_ = false, is_statistic_ = false, is_task_list_ = false;
  std::uint64_t marks_ = 0;  // rows that are not kernels
  std::int64_t last_device_ = -1;
};

std::string_view collective_name(std::string_view name) noexcept { return name.substr(0, name.find('@')); }

}  // namespace

std::optional<std::uint16_t> device_kernels::stream_of(std::int64_t id, string_table& strings) {
  const auto found = streams.find(id);
  if (found != streams.end()) return found->second;
  if (device.streams.size() >= max_streams) return std::nullopt;
  const auto index = static_cast<std::uint16_t>(device.streams.size());
  device.streams.push_back({id, strings.intern("Stream " + std::to_string(id))});
  streams.emplace(id, index);
  return index;
}

device_kernels& ascend_devices::of(std::int64_t ordinal, string_table& strings) {
  if (last_ < devices_.size() && devices_[last_].device.ordinal == ordinal) return devices_[last_];
  for (last_ = 0; last_ < devices_.size(); ++last_) {
    if (devices_[last_].device.ordinal == ordinal) return devices_[last_];
  }
  device_kernels& added = devices_.emplace_back();
  added.device.file = file_;
  added.device.ordinal = ordinal;
  added.device.type = accelerator::npu;
  added.device.name = strings.intern(ordinal < 0 ? std::string("NPU") : "NPU " + std::to_string(ordinal));
  return added;
}

void settle_device(device_kernels& d, const string_table& strings) {
  sort_kernels(d.rows);
  for (std::size_t i = 0; i < d.rows.size();) {
    std::size_t end = i + 1;
    while (end < d.rows.size() && d.rows[end].start_ps == d.rows[i].start_ps &&
           d.rows[end].duration_ps == d.rows[i].duration_ps) {
      ++end;
    }
    // Few rows share a start and a duration, unless a file is hostile: then a name is looked for in bounded steps.
    constexpr std::size_t max_compared = 16;
    for (std::size_t a = i; a < end; ++a) {
      kernel_row& one = d.rows[a];
      if (one.kind != kernel_class::comm || (one.flags & kernel_duplicate) != 0) continue;
      for (std::size_t b = a + 1; b < std::min(end, a + max_compared); ++b) {
        kernel_row& other = d.rows[b];
        if (other.kind != kernel_class::comm || (other.flags & kernel_duplicate) != 0) continue;
        if (one.name != other.name &&
            collective_name(strings.text(one.name)) != collective_name(strings.text(other.name))) {
          continue;
        }
        kernel_row& dropped = (one.flags & kernel_has_stream) == 0 ? one : other;
        dropped.flags = static_cast<std::uint8_t>(dropped.flags | kernel_duplicate);
        if (&dropped == &one) break;
      }
    }
    i = end;
  }
  d.device.kernels = d.rows.size();
  d.device.has_waits = d.any_wait;
  d.device.has_classes = d.any_core || d.rows.empty();
}

result<void> read_ascend_kernels(std::string_view bytes, const ascend_clock& clock, std::int64_t shift_ps,
                                 bool keep_details, string_table& strings, ascend_devices& devices,
                                 activity_input& input, const hooks& host) {
  table_reader reader(bytes, clock, shift_ps, keep_details, strings, devices, input);
  return reader.run(host);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

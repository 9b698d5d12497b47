// What the fields of the document `neutrino` are found with.
#pragma once
#include <export/json/document.hpp>
#include <neutrino/export/parts.hpp>

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {

// Looks at maps that the document may show, one file after the other.
class map_reader {
 public:
  map_reader(const probe_trace& trace, const hooks& host) noexcept : trace_(trace), host_(host) {}
  [[nodiscard]] probe_survey survey(const probe_target::place& at);
  [[nodiscard]] bool was_cancelled() const noexcept { return was_cancelled_; }  // then surveys are empty

 private:
  const probe_trace& trace_;
  const hooks& host_;
  std::optional<std::size_t> held_bin_;
  held_bytes held_;
  bool was_cancelled_ = false;
};

// The lists of a trace.
struct probe_lists {
  const probe_target& target;
  const probe_trace& trace;
  map_reader& reader;
  std::vector<kernel_overhead> overhead;
};

[[nodiscard]] std::string_view description_damage_of(const probe_trace& trace) noexcept;

// "": not known.
template <class Row>
[[nodiscard]] std::string_view kernel_name_of(const Row& row, const probe_trace& trace) noexcept {
  return row.kernel < 0 ? std::string_view() : trace.kernels[static_cast<std::size_t>(row.kernel)].name();
}

[[nodiscard]] const probe_launch& launch_at(std::size_t index, const probe_lists&, const probe_trace& trace);
[[nodiscard]] std::uint64_t launch_number_of(const probe_launch& launch, const probe_trace& trace) noexcept;
[[nodiscard]] bool has_bin(const probe_launch& launch, const probe_trace&) noexcept;
[[nodiscard]] const probe_bin& bin_at(std::size_t index, const probe_lists&, const probe_trace& trace);

struct shown_probe_kernel {
  std::uint64_t kernel_index = 0;
  const probe_kernel& what;
  const probe_engine_log& engine;  // empty where there is none, as is info
  const probe_kernel_info& info;
};
[[nodiscard]] shown_probe_kernel kernel_at(const probe_kernel& kernel, const probe_lists& of);
[[nodiscard]] std::optional<std::int64_t> param_count_of(const shown_probe_kernel& kernel) noexcept;
struct lane_size {
  probe_level level = probe_level::unknown;
  std::int64_t lane_bytes = 0;
};
[[nodiscard]] lane_size lane_size_of(const std::pair<probe_level, std::int64_t>& map, const shown_probe_kernel&) noexcept;

struct shown_map {
  std::string_view bin;
  const probe_shape& shape;
  const probe_map& place;
  probe_survey survey;
};
[[nodiscard]] shown_map map_at(const probe_target::place& at, const probe_lists& of, const probe_trace& trace);
[[nodiscard]] std::vector<std::string> flags_of(const shown_map& map);

struct log_line {
  std::uint64_t line = 0;
  std::string_view text;
};
[[nodiscard]] log_line line_of(const std::pair<std::uint64_t, std::string>& sample, const probe_trace&) noexcept;

// The map of a slice of one map.
struct opened_map {
  const probe_bin& bin;
  const probe_bin_map& map;
  const probe_shape& shape;
  std::string_view bytes;  // of the file
  std::uint64_t matches = 0;
};
[[nodiscard]] std::vector<std::string> flags_of(const opened_map& map);

template <class Row>
[[nodiscard]] const std::string& name_of(const probe_shape_field& field, const Row&) noexcept {
  return field.name;
}
[[nodiscard]] probe_type type_of(const probe_shape_field& field, const shown_map&) noexcept;
[[nodiscard]] std::uint32_t declared_of(const probe_shape_field& field, const shown_map&) noexcept;

struct shown_records {
  const opened_map& map;
  const probe_query& query;
  std::uint64_t& row_count;  // is known once the rows are written
};
void write_record_rows(json_writer& out, const shown_records& of);
struct record_row {
  const probe_lane& lane;
  std::uint64_t k = 0;
  const probe_record& record;
  const std::vector<probe_field>& fields;
};
[[nodiscard]] std::optional<std::uint64_t> block_of(const record_row& row) noexcept;
[[nodiscard]] std::uint64_t value_of(const probe_field& field, const record_row& row) noexcept;

struct shown_schedule {
  const block_schedule& found;
  std::uint64_t missing_skews = 0;
};
void write_block_times(json_writer& out, const scheduled_block& block);

struct shown_totals {
  const lane_totals& found;
  probe_level level = probe_level::unknown;
  std::uint64_t missing_blocks = 0;
};
void write_histogram(json_writer& out, const log2_histogram& histogram);

[[nodiscard]] std::uint64_t page_bytes_of(const page_density&) noexcept;
void write_grid(json_writer& out, const page_density& density);

struct shown_progress {
  const lane_progress& found;
  probe_clock clock = probe_clock::unknown;
};
[[nodiscard]] std::optional<double> mean_delta_of(const shown_progress& progress) noexcept;

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

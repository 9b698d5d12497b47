#include <formats/ascend/table_index.hpp>

#include <profkit/time.hpp>

#include <base/affix.hpp>
#include <base/paths.hpp>
#include <formats/activity_input.hpp>
#include <formats/activity_parts.hpp>
#include <formats/ascend/ascend_columns.hpp>
#include <formats/ascend/ascend_kernels.hpp>
#include <formats/ascend/ascend_rank.hpp>
#include <formats/ascend/csv_index.hpp>
#include <formats/ascend/table_row.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

std::string cell_text(std::string_view field) {
  std::string decoded(field.size(), '\0');
  decoded.resize(csv_decode(field, decoded.data()));
  return std::string(csv_trimmed(decoded));
}

class table_indexer {
 public:
  table_indexer(const profile& p, std::size_t file, const hooks& host)
      : p_(p), file_(file), bytes_(p.bytes(file)), host_(host), input_(input_of(p, file, "")), fields_(max_csv_columns) {}

  result<table_index> run() {
    if (!bytes_.empty()) {
      csv_reader reader = fast_csv_reader(bytes_);
      if (reader.next(fields_.data(), fields_.size())) read_header(std::min(reader.fields(), fields_.size()));
      if (result<void> read = found_.of_kernels ? read_kernels() : judge_rows(); !read) return std::move(read).error();
      walk(reader);
      found_.rows = input_.rows;
      note_rejected(input_);
    }
    found_.damage = std::move(input_.damage);
    return std::move(found_);
  }

 private:
  void read_header(std::size_t columns) {
    const ascend_header header = bind_ascend_header(fields_.data(), columns);
    for (std::size_t i = 0; i < columns; ++i) found_.columns.emplace_back(cell_text(fields_[i]), 0);
    found_.of_kernels = p_.what().files[file_].family == file_family::ascend_kernels &&
                        header.has(ascend_column::start) && header.has(ascend_column::duration);
    for (const ascend_column c : {ascend_column::name, ascend_column::type}) {
      if (!header.has(c)) continue;
      name_at_ = header[c];
      return;
    }
    for (std::size_t i = 0; i < columns; ++i)
      if (found_.columns[i].first == "Step") name_at_ = i;  // of step_trace_time.csv
  }

  // Devices and streams by first sight, as in the timeline.
  result<void> read_kernels() {
    ascend_devices devices(static_cast<std::uint32_t>(file_));
    const std::int64_t shift_ps = p_.file_shift_ns(file_) * ps_per_ns;
    result<void> read = read_ascend_kernels(bytes_, read_ascend_clock(bytes_), shift_ps, false, found_.strings, devices,
                                            input_, host_);
    if (!read) return read;
    for (const device_kernels& d : devices.all()) add_device(d);
    place_rows();
    return {};
  }

  void add_device(const device_kernels& d) {
    table_plane& plane = found_.planes.emplace_back();
    plane.name = d.device.name;
    plane.kind = plane_kind::device;
    plane.lines.resize(d.device.streams.size() + 1);
    for (std::size_t i = 0; i < plane.lines.size(); ++i) {
      table_line& line = plane.lines[i];
      line.position = static_cast<std::int32_t>(i);
      line.kind = line_kind::stream;
      line.name = i == 0 ? found_.strings.intern("no stream") : d.device.streams[i - 1].name;
      line.id = i > 0 && d.device.streams[i - 1].id >= 0 ? d.device.streams[i - 1].id : line.position;
    }
    for (const kernel_row& row : d.rows) {
      const std::size_t line = (row.flags & kernel_has_stream) != 0 ? row.stream + std::size_t{1} : 0;
      plane.lines[line].rows.push_back({0, row.source_row, row.name, row.start_ps, row.duration_ps});
    }
    plane.lines.erase(std::remove_if(plane.lines.begin(), plane.lines.end(),
                                     [](const table_line& line) { return line.rows.empty(); }),
                      plane.lines.end());
  }

  // Kernels know the line of the file that they stand on.
  void place_rows() {
    std::vector<table_row*> rows;
    for (table_plane& plane : found_.planes)
      for (table_line& line : plane.lines)
        for (table_row& row : line.rows) rows.push_back(&row);
    std::sort(rows.begin(), rows.end(), [](const table_row* a, const table_row* b) { return a->line < b->line; });
    std::uint64_t line = 1, offset = 0;
    for (table_row* const row : rows) {
      for (; line < row->line; ++line) offset = bytes_.find('\n', offset) + 1;
      row->offset = offset;
    }
  }

  // The same verdict as that of the analyses which read such tables.
  result<void> judge_rows() {
    const std::string_view name = table_name(p_, file_);
    if (p_.what().files[file_].family == file_family::ascend_kernels) {
      ascend_devices devices(static_cast<std::uint32_t>(file_));
      string_table strings;
      return read_ascend_kernels(bytes_, {}, 0, false, strings, devices, input_, host_);
    }
    if (starts_with(name, "step_trace_time")) {
      const activity_options options;
      activity_parts parts(nullptr, options, host_, {});
      read_ascend_step_trace(bytes_, {}, parts, input_);
      return {};
    }
    count_ascend_rows(bytes_, "", input_);
    return {};
  }

  // A lost quote swallows rows: they are given back, as long as that does not mean reading the file again and again.
  void give_back_swallowed_rows(csv_reader& reader) {
    if (!reader.spans_lines() && !reader.cut()) return;
    const std::size_t swallowed = reader.end_offset() - reader.offset();
    if (reread_ + swallowed > bytes_.size()) return;
    reread_ += swallowed;
    reader.resume_after_first_line();
  }

  void walk(csv_reader& reader) {
    const std::size_t header_columns = reader.fields(), columns = found_.columns.size();
    table_line line;
    if (!found_.of_kernels) line.name = found_.strings.intern("rows");
    while (reader.next(fields_.data(), fields_.size())) {
      if (row_damage(reader, bytes_, header_columns, columns) != nullptr) {
        give_back_swallowed_rows(reader);
        continue;
      }
      const std::size_t filled = std::min(reader.fields(), columns);
      for (std::size_t i = 0; i < filled; ++i)
        if (!csv_trimmed(fields_[i]).empty()) ++found_.columns[i].second;
      if (found_.of_kernels) continue;
      table_row& row = line.rows.emplace_back();
      row.offset = reader.offset();
      row.line = reader.line();
      if (name_at_ < filled) row.name = found_.strings.intern(cell_text(fields_[name_at_]));
    }
    if (found_.of_kernels || found_.columns.empty()) return;
    table_plane& plane = found_.planes.emplace_back();
    plane.name = found_.strings.intern(table_name(p_, file_));
    plane.lines.push_back(std::move(line));
  }

  const profile& p_;
  std::size_t file_;
  std::string_view bytes_;
  const hooks& host_;
  activity_input input_;
  std::vector<std::string_view> fields_;
  std::size_t name_at_ = 0, reread_ = 0;
  table_index found_;
};

}  // namespace

std::string_view table_name(const profile& p, std::size_t file) noexcept { return last_part_of(p.what().files[file].path); }

result<table_index> index_table(const profile& p, std::size_t file, const hooks& host) {
  return table_indexer(p, file, host).run();
}

void read_table_row(std::string_view bytes, std::uint64_t offset, std::size_t columns, std::vector<std::string>& into) {
  into.assign(columns, std::string());
  std::vector<std::string_view> fields(columns);
  csv_reader reader(bytes.substr(offset));
  if (!reader.next(fields.data(), columns)) return;
  for (std::size_t i = 0; i < std::min(reader.fields(), columns); ++i) into[i] = cell_text(fields[i]);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

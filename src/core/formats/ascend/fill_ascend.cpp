// Kernel tables of Ascend to timeline: a plane a device, a line a stream, one for kernels without a stream.
#include <profkit/time.hpp>
#include <formats/activity_input.hpp>
#include <formats/ascend/ascend_fill.hpp>
#include <formats/ascend/ascend_kernels.hpp>

#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

class device_filler {
 public:
  device_filler(std::uint32_t file, string_id host, const string_table& strings, track_sink& into)
      : file_(file), host_(host), strings_(strings), into_(into) {}

  result<void> fill(const device_kernels& d, std::int32_t plane) {
    tracks_.assign(d.device.streams.size() + 1, no_track);
    rows_.assign(tracks_.size(), {});
    for (const kernel_row& row : d.rows) {
      const std::size_t line = (row.flags & kernel_has_stream) != 0 ? row.stream + std::size_t{1} : 0;
      if (tracks_[line] == no_track) tracks_[line] = add_track(d, plane, line);
      track_event event;
      event.start_ps = row.start_ps;
      event.duration_ps = row.duration_ps;
      event.name = into_.intern(strings_.text(row.name));
      event.source_row = row.source_row;
      rows_[line].push_back(event);
    }
    for (std::size_t line = 0; line < rows_.size(); ++line) {
      if (rows_[line].empty()) continue;
      if (auto added = into_.add_events(tracks_[line], rows_[line].data(), rows_[line].size()); !added) return added;
    }
    return {};
  }

 private:
  static constexpr track_id no_track = ~track_id{0};

  track_id add_track(const device_kernels& d, std::int32_t plane, std::size_t line) {
    track t;
    t.file = file_;
    t.plane = plane;
    t.line = static_cast<std::int32_t>(line);
    t.plane_type = plane_kind::device;
    t.line_type = line_kind::stream;
    t.device = static_cast<std::int32_t>(d.device.ordinal);
    t.host = host_;
    t.plane_name = into_.intern(strings_.text(d.device.name));
    if (line > 0) {
      t.stream = d.device.streams[line - 1].id;
      t.line_name = into_.intern(strings_.text(d.device.streams[line - 1].name));
    } else {
      t.line_name = into_.intern("no stream");
    }
    return into_.add_track(t);
  }

  std::uint32_t file_;
  string_id host_;
  const string_table& strings_;
  track_sink& into_;
  std::vector<track_id> tracks_;
  std::vector<std::vector<track_event>> rows_;
};

}  // namespace

result<void> fill_from_ascend(const profile& p, std::size_t file, track_sink& into, const tracks_wanted& wanted) {
  const std::string_view bytes = p.bytes(file);
  activity_input input = input_of(p, file, "");
  if (bytes.empty() && input.damage) return *input.damage;
  string_table strings;
  ascend_devices devices(static_cast<std::uint32_t>(file));
  const std::int64_t shift_ps = p.file_shift_ns(file) * ps_per_ns;
  if (auto read =
          read_ascend_kernels(bytes, read_ascend_clock(bytes), shift_ps, false, strings, devices, input, *wanted.host);
      !read) {
    return read;
  }
  device_filler filler(static_cast<std::uint32_t>(file), into.intern(p.what().files[file].host), strings, into);
  std::int32_t plane = 0;
  for (const device_kernels& d : devices.all()) {
    if (auto filled = filler.fill(d, plane++); !filled) return filled;
  }
  note_rejected(input);
  if (input.damage) return *input.damage;
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

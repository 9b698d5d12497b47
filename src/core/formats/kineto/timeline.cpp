// TensorFlow's timeline: tensorflow/python/client/timeline.py and device_tracer.cc, 1.x. Streams of GPUs are processes; every
// kernel is shown on "stream:all" and on its own stream, every copy on "memcpy" and on its own stream.
#include <formats/kineto/trace_recorder.hpp>

#include <base/affix.hpp>

#include <algorithm>
#include <charconv>
#include <limits>
#include <system_error>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::string_view compute_ending = " Compute";

// "/device:GPU:0/stream:17 Compute", "/gpu:0/memcpy Compute".
struct timeline_stream {
  std::int64_t device = -1;
  std::string_view name;    // "stream:17", "stream:all", "memcpy"
  bool may_repeat = false;  // what it has may stand on other streams, too
};

std::optional<timeline_stream> timeline_stream_of(std::string_view process) noexcept {
  if (!ends_with(process, compute_ending)) return std::nullopt;
  process.remove_suffix(compute_ending.size());
  for (const std::string_view mark : {std::string_view("/device:GPU:"), std::string_view("/gpu:")}) {
    const std::size_t at = process.rfind(mark);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = process.substr(at + mark.size());
    std::uint32_t device = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), device);
    const std::string_view name = rest.substr(static_cast<std::size_t>(end - rest.data()));
    if (error != std::errc() || device > std::numeric_limits<std::int32_t>::max() || name.size() < 2 || name.front() != '/') return std::nullopt;
    return timeline_stream{device, name.substr(1), !starts_with(name, "/stream:") || name == "/stream:all"};
  }
  return std::nullopt;
}

// The executor of TensorFlow, by device: what the host did for it.
bool is_timeline_executor(std::string_view process) noexcept {
  return ends_with(process, compute_ending) &&
         (contains(process, "/device:") || contains(process, "/gpu:") || contains(process, "/cpu:") || contains(process, "/host:"));
}

class timeline_recorder final : public trace_recorder {
 public:
  using trace_recorder::trace_recorder;

  void see_process(std::uint32_t number, process_role& role) override {
    const std::string_view name = into_.tracks.process(number).name;
    const bool is_stream = streams_.emplace_back(timeline_stream_of(name)).has_value(), is_executor = !is_stream && is_timeline_executor(name);
    if (!is_stream && !is_executor) return;
    if (is_stream) role.device_of = this;
    role.is_host = role.is_host || is_executor;
    trace_writer& writer = into_.host().writer;
    if (writer == trace_writer::unknown || writer == trace_writer::xla) writer = trace_writer::tensorflow;
  }

  std::optional<line_use> take_held(const unplaced_span& e, const held_facts&) override {
    const chrome_track& on = into_.tracks.track(e.track);
    const timeline_stream& stream = *streams_[on.process];
    gathered_device& into = into_.device_of(stream.device, accelerator::gpu, e.track);
    into.may_overlap = true;
    kernel_row row = into_.row_of(e);
    into_.set_kind(row);
    if (stream.name == "memcpy" || starts_with(into_.parts.strings.text(e.name), "MEMCPY")) row.kind = kernel_class::copy;
    // What overlaps lies on lanes, each a thread.
    into_.set_stream(row, into, e.track, {}, std::string(stream.name) + (on.number == 0 ? "" : ", lane " + on.tid));
    into_.add_kernel(into, row);
    return line_use::kernel;
  }

  void finish() override {
    for (gathered_device& d : into_.devices) leave_out_repeated(d);
  }

 private:
  // A stream is left out when others of its device have all of its rows.
  void leave_out_repeated(gathered_device& d) {
    std::vector<bool> repeats;  // by stream
    for (const std::uint32_t track : d.tracks) {
      const auto& stream = streams_[into_.tracks.track(track).process];
      repeats.push_back(stream && stream->may_repeat);
    }
    if (std::none_of(repeats.begin(), repeats.end(), [](bool may) { return may; })) return;
    const auto is_of = [](const std::vector<bool>& streams, const kernel_row& k) {
      return (k.flags & kernel_has_stream) != 0 && streams[k.stream];
    };
    const std::vector<bool> may_repeat = repeats;
    hash_set<std::pair<std::int64_t, std::int64_t>> others;
    for (const kernel_row& k : d.rows)
      if (!is_of(may_repeat, k)) others.insert({k.start_ps, k.duration_ps});
    for (const kernel_row& k : d.rows)
      if (is_of(may_repeat, k) && others.find({k.start_ps, k.duration_ps}) == others.end()) repeats[k.stream] = false;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < d.rows.size(); ++i) {
      if (is_of(repeats, d.rows[i])) continue;
      d.rows[kept] = d.rows[i];
      d.links[kept++] = d.links[i];
    }
    d.rows.resize(kept);
    d.links.resize(kept);
    for (std::size_t stream = 0; stream < repeats.size(); ++stream)
      if (repeats[stream]) into_.counts.change(d.tracks[stream], line_use::kernel, line_use::repeated);
  }

  std::vector<std::optional<timeline_stream>> streams_;  // by process
};

}  // namespace

std::unique_ptr<trace_recorder> make_timeline_recorder(gathered_trace& into) { return std::make_unique<timeline_recorder>(into); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

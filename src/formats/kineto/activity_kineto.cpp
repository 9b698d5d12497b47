// Traces of PyTorch (Kineto), of XLA's exporter, of rocprof (v1) and of TensorFlow's timeline: kernels of devices, the
// calls that launched them, host spans.
//
// Source of the arguments' names: libkineto's output_json.cpp (2021 to 2026) and real traces of CUDA, ROCm and CPU
// runs; rocprof's tblextr.py (2019 to 2024).
#include <formats/activity_parts.hpp>
#include <formats/chrome/thread_numbers.hpp>

#include <profkit/core/chrome.hpp>
#include <profkit/time.hpp>
#include <base/affix.hpp>
#include <base/collective_names.hpp>
#include <base/communication_kernels.hpp>
#include <base/format.hpp>
#include <base/hash_map.hpp>
#include <base/recent_strings.hpp>
#include <formats/activity_input.hpp>
#include <formats/activity_store.hpp>
#include <formats/call_origins.hpp>
#include <formats/kept_operators.hpp>
#include <formats/operator_work.hpp>
#include <formats/chrome/chrome_args.hpp>
#include <formats/chrome/chrome_decoder.hpp>
#include <formats/chrome/chrome_dialect.hpp>
#include <formats/chrome/chrome_tracks.hpp>
#include <formats/chrome/json_elements.hpp>
#include <formats/chrome/line_counts.hpp>
#include <formats/kineto/graph_captures.hpp>
#include <formats/kineto/grow.hpp>
#include <formats/kineto/kineto_categories.hpp>
#include <formats/kineto/launch_calls.hpp>
#include <formats/kineto/recorded_by.hpp>
#include <formats/launch_names.hpp>
#include <formats/stream_overruns.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// An event with a time and a length has no less text.
constexpr std::size_t min_event_bytes = 24;

// The arguments that are looked at, by position in `argument_names`.
enum argument : std::size_t {
  arg_device,
  arg_stream,
  arg_context,
  arg_correlation,  // of a call: these two
  arg_external,     // of an operation: this and the next four
  arg_dims,
  arg_types,
  arg_sequence,
  arg_values,
  arg_external_lower,
  arg_collective,
  arg_in_elements,
  arg_out_elements,
  arg_group_size,
  arg_dtype,
  arg_group,
  arg_group_text,
  arg_group_ranks,
  arg_group_sequence,
  arg_root,
  arg_source,
  arg_target,
  arg_graph,
  arg_graph_node,
  arguments,
};
constexpr std::string_view argument_names[arguments] = {
    "device",
    "stream",
    "context",
    "correlation",
    "External id",
    "Input Dims",
    "Input type",
    "Sequence number",
    "Concrete Inputs",
    "external id",
    "Collective name",
    "In msg nelems",
    "Out msg nelems",
    "Group size",
    "dtype",
    "Process Group Name",
    "Process Group Description",
    "Process Group Ranks",
    "Seq",
    "Root",
    "Src Rank",
    "Dst Rank",
    "graph id",
    "graph node id",
};

// Those of events without a known category, by position in `plain_names`.
enum plain_argument : std::size_t {
  plain_device,  // of rocprof: these four
  plain_gpu,
  plain_begin,
  plain_end,
  plain_own_start,  // of XLA's exporter: these three
  plain_own_duration,
  plain_step,
  plain_arguments
};
constexpr std::string_view plain_names[plain_arguments] = {
    "dev-id", "gpu-id", "BeginNs", "EndNs", "device_offset_ps", "device_duration_ps", "step_num"};

std::uint64_t id_of(std::string_view raw) noexcept {
  const auto id = raw.empty() ? std::nullopt : json_scaled_integer(raw);
  return id && *id >= 0 ? static_cast<std::uint64_t>(*id) : no_launch_id;
}

constexpr std::uint32_t no_process = chrome_tracks::none;

// The operator that launched a kernel. Of its kernels the longest stands for what it did.
struct row_operation {
  const launch_calls::operation* by = nullptr;
  bool does_work = false;
};

struct gathered_device {
  activity_device device;
  std::uint32_t process = no_process;  // of one whose number is not recorded
  std::vector<kernel_row> rows;
  std::vector<launch_link> links;  // of the rows
  std::vector<row_operation> operations;  // likewise; empty where origins are not asked for
  hash_map<std::int64_t, std::uint16_t> streams;       // by number
  hash_map<std::uint32_t, std::uint16_t> track_streams;  // by track
  std::vector<std::uint32_t> tracks;                     // by stream: that of its first kernel
  std::vector<bool> may_repeat;                          // likewise: see timeline_stream
  bool may_overlap = false;                              // kernels of one stream: a queue of rocprof, a lane
  std::vector<std::uint64_t> contexts;  // by stream: that of its first kernel
  std::vector<bool> shared_streams;     // by stream: several contexts have one of that number
  std::vector<step_marker> windows;
  std::vector<step_marker> runs, other_runs;             // of programs: those of its own line, those of other cores
  std::vector<std::pair<std::uint64_t, own_time>> own;  // by ordinal of the kernel
};

constexpr std::string_view own_modules = "XLA Modules";

// An event without a known category, until its process has a name.
struct unplaced_event {
  std::int64_t start_ps, duration_ps;
  std::uint64_t ordinal;
  string_id name;
  std::uint32_t track;
  std::uint32_t facts;  // 1 + index of what its arguments say; 0: nothing
};
// What rocprof or XLA records of an event.
struct plain_facts {
  bool by_rocprof = false;
  std::int64_t device = -1, step = -1;
  own_time own;
};

class trace_reader final : public chrome_sink {
 public:
  trace_reader(std::size_t file, activity_parts& parts)
      : parts_(parts),
        p_(*parts.from),
        file_(file),
        decoder_(p_.file_shift_ns(file) * ps_per_ns, tracks_, *this),
        group_(parts.add_host_group(file)),
        input_(input_of(p_, file, "trace.json")),
        numbers_(parts),
        names_(parts.strings),
        shapes_(parts.strings),
        types_(parts.strings) {}
  trace_reader(const trace_reader&) = delete;
  trace_reader& operator=(const trace_reader&) = delete;

  result<void> run() {
    chrome_options options;
    options.bounds = p_.what().bounds;
    options.host = parts_.host;
    const std::string_view bytes = p_.bytes(file_);
    bytes_ = bytes.size();
    if (!is_unusable(p_, input_)) {
      const result<chrome_summary> read = read_chrome(bytes, decoder_, options);
      if (read) {
        note_summary(*read, input_);
      } else if (read.error().code == fault_code::cancelled || read.error().code == fault_code::out_of_memory) {
        return read.error();
      } else if (!input_.damage) {
        input_.damage = read.error();
        input_.damage->path = input_.path;
      }
    }
    note_open();
    sort_held();
    finish();
    return {};
  }

  // [{"name": "NVIDIA H100 80GB HBM3", …}, …]
  void take_models(std::string_view json) {
    constexpr std::int64_t most = 4096;  // far above the devices of any machine
    std::vector<std::string>& models = parts_.hosts[group_].devices;
    json_elements devices(json);
    for (std::int64_t position = 0; devices.next(); ++position) {
      const std::int64_t number = json_scaled_integer(json_member(devices.value(), "id")).value_or(position);
      const std::string_view name = json_text(json_member(devices.value(), "name"), scratch_);
      if (name.empty() || number < 0 || number >= most) continue;
      const auto at = static_cast<std::size_t>(number);
      if (at >= models.size()) models.resize(at + 1);
      models[at] = name;
    }
  }

  // {"experiment": {"repo_id": "Qwen/Qwen1.5-0.5B-Chat", …}, "profiler": {"grad_mode": …}}: what scripts around the profiler add.
  void take_notes_of_model(std::string_view json) {
    static constexpr std::string_view notes[] = {"repo_id", "model_id", "model_name", "pipeline_tag", "grad_mode"};
    const auto take = [&](std::string_view key, std::string_view value) {
      if (std::find(std::begin(notes), std::end(notes), key) == std::end(notes)) return;
      if (const std::string_view text = json_text(value, scratch_); !text.empty())
        parts_.hosts[group_].notes_of_model.emplace_back(key, text);
    };
    for (json_members outer(json); outer.next();) {
      take(outer.key(), outer.value());
      if (!outer.value().empty() && outer.value().front() == '{')
        for (json_members inner(outer.value()); inner.next();) take(inner.key(), inner.value());
    }
  }

  bool header(std::string_view key, std::string_view json) override {
    note_header(key, json, input_);
    if (key == "schemaVersion" || key == "deviceProperties" || key == "distributedInfo") {
      input_.variant = "kineto";
      parts_.hosts[group_].recorder = "PyTorch (Kineto)";
      parts_.hosts[group_].writer = trace_writer::pytorch;
    }
    if (key == "deviceProperties") take_models(json);
    if (key == "host_name") parts_.hosts[group_].hostname = std::string(json_text(json, scratch_));
    if (key == "metadata" || key == "model") take_notes_of_model(json);
    if (key == "distributedInfo") {
      parts_.hosts[group_].backend = std::string(json_text(json_member(json, "backend"), scratch_));
      const auto rank = json_scaled_integer(json_member(json, "rank"));
      if (rank && *rank >= 0 && *rank <= std::numeric_limits<std::int32_t>::max()) {
        rank_ = parts_.hosts[group_].rank = static_cast<std::int32_t>(*rank);
      }
      const auto world = json_scaled_integer(json_member(json, "world_size"));
      if (world && *world > 0 && *world <= std::numeric_limits<std::int32_t>::max()) {
        world_size_ = parts_.hosts[group_].world_size = static_cast<std::int32_t>(*world);
      }
      take_groups(json_member(json, "pg_config"));
    }
    return true;
  }

  bool item(const chrome_item& found) override {
    const chrome_event& e = *found.event;
    at_byte_ = e.byte_offset;
    counts_.add(found);
    switch (found.kind) {
      case chrome_item_kind::metadata:
        if (e.name == "thread_name") numbers_.of(tracks_.thread_of(e));
        break;
      case chrome_item_kind::begin:
        if (found.defect != chrome_defect::none)
          reject(found);
        else
          numbers_.of(found.track);
        break;
      case chrome_item_kind::pair: take_pair(found); break;
      case chrome_item_kind::complete: take_span(found); break;
      // XLA's exporter ends its events with an empty object.
      case chrome_item_kind::other:
        if (e.phase == 0 && e.json.find('"') != std::string_view::npos)
          reject_event(input_, "no phase (\"ph\")", e.ordinal, e.byte_offset);
        break;
      default: break;
    }
    return true;
  }

 private:
  void reject(const chrome_item& found) { reject_item(input_, found); }

  void take_pair(const chrome_item& found) {
    if (is_unplaced(found.defect)) return reject(found);
    numbers_.of(found.track);
    if (found.defect == chrome_defect::without_begin) return reject(found);
    take_span(found);
  }

  void take_span(const chrome_item& found) {
    const chrome_event& e = *found.event;
    const kineto_category* const category = category_of(e.cat);
    if (category != nullptr && category->what == kineto_role::ignored) {
      if (found.defect == chrome_defect::none) counts_.note(found.track, line_use::bookkeeping);
      return;
    }
    if (found.defect != chrome_defect::none) return reject(found);
    if (category == nullptr) {
      is_onnx_ = is_onnx_ || e.cat == "Session" || e.cat == "Node";  // the first events of ONNX Runtime's profiles
      numbers_.of(found.track);
      unplaced_event held{found.start_ps, found.duration_ps, e.ordinal, names_.intern(e.name), found.track, 0};
      take_plain_arguments(e, held);
      held_.push_back(held);
      return;
    }
    if (!is_onnx_) parts_.hosts[group_].writer = trace_writer::pytorch;
    counts_.note(found.track, take_known(found, *category));
  }

  line_use take_known(const chrome_item& found, const kineto_category& known) {
    const chrome_event& e = *found.event;
    const kineto_category* const category = &known;
    switch (category->what) {
      case kineto_role::kernel:
      case kineto_role::copy: return take_kernel(found, *category);
      case kineto_role::device_annotation: return take_window(found, *category);
      case kineto_role::runtime: {
        const string_id name = names_.intern(e.name);
        take_call(found, name);
        return take_host(found, *category, name);
      }
      case kineto_role::host: return take_host(found, *category, names_.intern(e.name));
      case kineto_role::device_wait:
        add_span(found.start_ps, found.duration_ps, e.ordinal, names_.intern(e.name), numbers_.of(found.track),
                 category->kind);
        return line_use::device_wait;
      case kineto_role::ignored: break;
    }
    return line_use::bookkeeping;
  }

  // rocprof writes times in ns beside those of the event, which are whole µs.
  void take_plain_arguments(const chrome_event& e, unplaced_event& held) {
    std::array<std::string_view, plain_arguments> given;
    plain_arguments_.pick(e, given.data());
    const auto number = [](std::string_view raw) { return raw.empty() ? std::nullopt : json_scaled_integer(raw); };
    const auto keep_facts = [&](const plain_facts& facts) {
      if (facts_.size() >= std::numeric_limits<std::uint32_t>::max()) return;
      facts_.push_back(facts);
      held.facts = static_cast<std::uint32_t>(facts_.size());
    };
    plain_facts facts;
    if (const auto own_ps = number(given[plain_own_duration]); own_ps && *own_ps >= 0) {
      facts.own.duration_ps = *own_ps;
      facts.own.start_ps = number(given[plain_own_start]).value_or(no_time_ps);
      return keep_facts(facts);
    }
    if (const auto step = number(given[plain_step]); step && *step >= 0) {
      facts.step = *step;
      return keep_facts(facts);
    }
    const auto begin_ns = number(given[plain_begin]), end_ns = number(given[plain_end]);
    if (!begin_ns || !end_ns) return;
    const auto device = number(given[given[plain_device].empty() ? plain_gpu : plain_device]);
    facts.by_rocprof = true;
    if (device && *device >= 0 && *device <= std::numeric_limits<std::int32_t>::max()) facts.device = *device;
    keep_facts(facts);
    const auto length_ns = checked_sub(*end_ns, *begin_ns);
    if (!length_ns || *begin_ns < 0 || *length_ns < 0) return;
    const std::int64_t more_ns = *length_ns - held.duration_ps / ps_per_ns;
    if (held.duration_ps % ps_per_us != 0 || more_ns < 0 || more_ns > ps_per_us / ps_per_ns) return;
    held.duration_ps += more_ns * ps_per_ns;
  }

  // The categories met last are kept, by the ends of their names.
  const kineto_category* category_of(std::string_view name) {
    if (name.empty()) return nullptr;
    known_category& known = known_categories_[(name.size() + static_cast<unsigned char>(name.front()) +
                                               3U * static_cast<unsigned char>(name.back())) %
                                              known_categories_.size()];
    if (known.name != name) known = {std::string(name), find_kineto_category(name)};
    return known.category;
  }

  // ---- devices ----

  line_use take_kernel(const chrome_item& found, const kineto_category& category) {
    const chrome_event& e = *found.event;
    kernel_arguments_.pick(e, args_.data());
    note_device_process(tracks_.track(found.track).process);
    gathered_device& into = device_of(ordinal_of(e), category.device, found.track);
    kernel_row row;
    row.start_ps = found.start_ps;
    row.duration_ps = found.duration_ps;
    row.source_row = e.ordinal;
    row.name = names_.intern(e.name);
    const known_name& known = known_kernel(row.name);
    row.op_type = known.type;
    row.kind = category.what == kineto_role::copy ? kernel_class::copy : category.is_wait(e.name) ? kernel_class::other
                                                                                               : known.kind;
    if (!args_[arg_collective].empty()) {
      row.kind = kernel_class::comm;
      row.op_type = parts_.strings.intern(json_text(args_[arg_collective], scratch_));
      if (parts_.options.details) row.details = collective_details(into);
    }
    if (const auto stream = stream_of(e))
      set_stream(row, into, *stream, found.track);
    else if (!e.tid.text.empty())
      set_track_stream(row, into, found.track, "stream " + tracks_.track(found.track).tid, line_kind::stream);
    note_context(row, into);
    const launch_link tie{id_of(args_[arg_correlation]),
                          id_of(args_[args_[arg_external].empty() ? arg_external_lower : arg_external])};
    if (!args_[arg_graph].empty() && args_[arg_graph] != "0")  // 0: of no graph
      nodes_.insert_or_assign(e.ordinal, graph_node{id_of(args_[arg_graph]), id_of(args_[arg_graph_node])});
    make_room(into.rows, at_byte_, bytes_, min_event_bytes);
    make_room(into.links, at_byte_, bytes_, min_event_bytes);
    into.rows.push_back(row);
    into.links.push_back(tie);
    note_clock(row);
    return line_use::kernel;
  }

  void note_clock(const kernel_row& row) {
    coarse_ = coarse_ && row.start_ps % ps_per_us == 0 && row.duration_ps % ps_per_us == 0;
  }

  void note_device_process(std::uint32_t process) {
    if (process >= has_kernels_.size()) has_kernels_.resize(tracks_.processes().size());
    has_kernels_[process] = true;
  }

  [[nodiscard]] std::int64_t ordinal_of(const chrome_event& e) const {
    auto ordinal = args_[arg_device].empty() ? std::nullopt : json_scaled_integer(args_[arg_device]);
    if (!ordinal && !e.pid.is_string) ordinal = json_scaled_integer(e.pid.text);
    return ordinal.value_or(-1);
  }
  [[nodiscard]] std::optional<std::int64_t> stream_of(const chrome_event& e) const {
    auto stream = args_[arg_stream].empty() ? std::nullopt : json_scaled_integer(args_[arg_stream]);
    if (!stream && !e.tid.is_string) stream = json_scaled_integer(e.tid.text);
    return stream;
  }

  // A device without a number is identified by the process that it is shown as, where that is one.
  gathered_device& device_of(std::int64_t ordinal, accelerator type, std::uint32_t track) {
    const std::uint32_t process = ordinal >= 0 || tracks_.process_of_track(track).pid.empty()
                                      ? no_process
                                      : tracks_.track(track).process;
    const auto may_be = [type](accelerator known) { return known == type || known == accelerator::other || type == accelerator::other; };
    for (gathered_device& d : devices_) {
      if (d.device.ordinal == ordinal && d.process == process && may_be(d.device.type)) return d;
    }
    gathered_device& added = devices_.emplace_back();
    added.device.ordinal = ordinal;
    added.device.type = type;
    added.process = process;
    return added;
  }

  // Of several devices without a number each is called by its process.
  void name_devices() {
    const auto without_number = std::count_if(devices_.begin(), devices_.end(),
                                              [](const gathered_device& d) { return d.device.ordinal < 0; });
    for (gathered_device& d : devices_) {
      std::string name = d.device.type == accelerator::gpu   ? "GPU"
                         : d.device.type == accelerator::tpu ? "TPU"
                                                             : "device";
      if (d.device.ordinal >= 0) {
        name += ' ' + std::to_string(d.device.ordinal);
      } else if (without_number > 1 && d.process != no_process) {
        const chrome_trace_process& of = tracks_.process(d.process);
        name += ' ' + (of.name.empty() ? of.pid : of.name);
      }
      d.device.name = parts_.strings.intern(name);
    }
  }

  // `track`: where the kernel lies. The stream is shown where its first kernel lies.
  void set_stream(kernel_row& row, gathered_device& into, std::int64_t id, std::uint32_t track) {
    const auto found = into.streams.find(id);
    if (found != into.streams.end()) return set_stream_at(row, found->second);
    if (!add_stream(into, id, "stream " + std::to_string(id), line_kind::stream, track)) return;
    into.streams.emplace(id, last_stream(into));
    set_stream_at(row, last_stream(into));
  }
  // A thread is a stream of its own, whatever its number is.
  void set_track_stream(kernel_row& row, gathered_device& into, std::uint32_t track, const std::string& name,
                        line_kind kind) {
    const auto found = into.track_streams.find(track);
    if (found != into.track_streams.end()) return set_stream_at(row, found->second);
    const chrome_track& on = tracks_.track(track);
    if (!add_stream(into, on.number.value_or(on.position), name, kind, track)) return;
    into.track_streams.emplace(track, last_stream(into));
    set_stream_at(row, last_stream(into));
  }
  static std::uint16_t last_stream(const gathered_device& of) {
    return static_cast<std::uint16_t>(of.device.streams.size() - 1);
  }
  static void set_stream_at(kernel_row& row, std::uint16_t stream) {
    row.stream = stream;
    row.flags = static_cast<std::uint8_t>(row.flags | kernel_has_stream);
  }
  bool add_stream(gathered_device& into, std::int64_t id, const std::string& name, line_kind kind,
                  std::uint32_t track) {
    if (into.device.streams.size() >= std::numeric_limits<std::uint16_t>::max()) return false;
    activity_stream added;
    added.id = id;
    added.name = parts_.strings.intern(name);
    added.kind = kind;
    added.plane = tracks_.process_of_track(track).position;
    added.line = tracks_.track(track).position;
    into.device.streams.push_back(added);
    into.tracks.push_back(track);
    into.may_repeat.push_back(false);
    return true;
  }

  void note_context(const kernel_row& row, gathered_device& into) {
    if ((row.flags & kernel_has_stream) == 0) return;
    const std::uint64_t context = id_of(args_[arg_context]);
    if (row.stream == into.contexts.size()) {
      into.contexts.push_back(context);
      into.shared_streams.push_back(false);
    } else if (row.stream < into.contexts.size() && into.contexts[row.stream] != context) {
      into.shared_streams[row.stream] = true;
    }
  }

  // What a name says, found once a name.
  struct known_name {
    bool kernel_known = false, launch_known = false;
    std::optional<launched_work> launch;
    capture_call capture = capture_call::none;
    kernel_class kind = kernel_class::compute;
    enum : std::uint8_t { not_looked_at, no_step, a_step } step = not_looked_at;
    enum : std::uint8_t { operator_not_looked_at, passed_over, kept, kept_with_values } use = operator_not_looked_at;
    string_id type = 0;
  };
  known_name& known_of(string_id name) {
    if (name >= known_.size()) known_.resize(std::max<std::size_t>(parts_.strings.size(), 2 * known_.size()));
    return known_[name];
  }
  const known_name& known_kernel(string_id name) {
    known_name& known = known_of(name);
    if (known.kernel_known) return known;
    const std::string text(parts_.strings.text(name));
    const string_id type = parts_.strings.intern(bare_kernel_name(text));
    known.kernel_known = true;
    known.type = type;
    if (is_communication(text)) {
      known.kind = kernel_class::comm;
    } else if (text.compare(0, 6, "Memcpy") == 0 || text.compare(0, 6, "Memset") == 0) {
      known.kind = kernel_class::copy;
    }
    return known;
  }

  std::optional<std::int64_t> rank_or_number(argument from) const {
    const auto number = args_[from].empty() ? std::nullopt : json_scaled_integer(args_[from]);
    return number && *number >= 0 ? number : std::nullopt;
  }

  // As written; the recorder cuts lists of more than 30 ("[0, 1, …, ...]"), and has them whole in its head.
  string_id ranks_of(string_id group_name) {
    const std::string_view written = json_text(args_[arg_group_ranks], scratch_);
    if (written.size() > 4 && written.substr(written.size() - 4) == "...]") {
      const auto whole = whole_groups_.find(group_name);
      if (whole != whole_groups_.end()) return whole->second;
    }
    return parts_.strings.intern(written);
  }

  // [{"pg_name": "3", "ranks": [0, 4], …}, …]
  void take_groups(std::string_view json) {
    json_elements groups(json);
    while (groups.next()) {
      std::string ranks;
      json_elements members(json_member(groups.value(), "ranks"));
      while (members.next())
        if (const auto rank = json_scaled_integer(members.value())) ranks += (ranks.empty() ? "" : ", ") + std::to_string(*rank);
      const std::string_view name = json_text(json_member(groups.value(), "pg_name"), scratch_);
      note_parallel_size(std::string(json_text(json_member(groups.value(), "pg_desc"), description_)), groups.value());
      if (!name.empty() && !ranks.empty()) whole_groups_[parts_.strings.intern(name)] = parts_.strings.intern("[" + ranks + "]");
    }
  }

  // "group tp", 8: a group that says what it is for.
  void note_parallel_size(std::string description, std::string_view group) {
    if (description.empty() || description == "undefined" || description == "default_pg") return;
    const auto size = json_scaled_integer(json_member(group, "pg_size"));
    if (!size || *size <= 0) return;
    for (char& c : description) c = folded(c);
    if (const std::size_t number = description.find(':'); number != std::string::npos) description.resize(number);  // "tp:0" of vLLM
    description.insert(0, "group ");
    const auto known = std::find_if(parallel_sizes_.begin(), parallel_sizes_.end(), [&](const auto& p) { return p.first == description; });
    if (known == parallel_sizes_.end()) parallel_sizes_.emplace_back(std::move(description), *size);
  }

  std::uint32_t collective_details(gathered_device& into) {
    kernel_details d;
    const argument group = args_[arg_group_text].empty() ? arg_group : arg_group_text;
    if (!args_[group].empty()) d.group = parts_.strings.intern(json_text(args_[group], scratch_));
    if (!args_[arg_group].empty()) d.group_name = parts_.strings.intern(json_text(args_[arg_group], scratch_));
    if (!args_[arg_group_ranks].empty()) d.group_ranks = ranks_of(d.group_name);
    if (const auto number = rank_or_number(arg_group_sequence)) d.group_sequence = *number;
    for (const auto& [from, into_rank] : {std::pair(arg_root, &d.root_rank), std::pair(arg_source, &d.source_rank),
                                          std::pair(arg_target, &d.target_rank)})
      if (const auto rank = rank_or_number(from); rank && *rank <= std::numeric_limits<std::int32_t>::max())
        *into_rank = static_cast<std::int32_t>(*rank);
    const auto size = args_[arg_group_size].empty() ? std::nullopt : json_scaled_integer(args_[arg_group_size]);
    if (size && *size > 0 && *size <= std::numeric_limits<std::int32_t>::max())
      d.group_size = static_cast<std::int32_t>(*size);
    if (!args_[arg_dtype].empty()) d.input_dtypes = parts_.strings.intern(json_text(args_[arg_dtype], scratch_));
    for (const argument a : {arg_in_elements, arg_out_elements, arg_group_size}) {
      if (const auto value = args_[a].empty() ? std::nullopt : json_scaled_integer(args_[a])) {
        d.counters.emplace_back(parts_.strings.intern(argument_names[a]), static_cast<double>(*value));
      }
    }
    into.device.details.push_back(std::move(d));
    return static_cast<std::uint32_t>(into.device.details.size());
  }

  // The time in which a device worked for an annotated stretch of the host, such as a step.
  line_use take_window(const chrome_item& found, const kineto_category& category) {
    const chrome_event& e = *found.event;
    const auto step = parts_.steps.match(e.name);
    if (!step) return line_use::repeated;
    args_.fill({});
    step_marker m;
    m.host_group = group_;
    m.name = names_.intern(e.name);
    m.number = step->number;
    m.start_ps = found.start_ps;
    m.end_ps = found.start_ps + found.duration_ps;
    m.source = marker_source::device_annotation;
    device_of(ordinal_of(e), category.device, found.track).windows.push_back(m);
    return line_use::step;
  }

  // ---- hosts ----

  void take_call(const chrome_item& found, string_id name) {
    const chrome_event& e = *found.event;
    if (const capture_call what = capture_of(name); what != capture_call::none)
      captures_.note(what, numbers_.of(found.track), found.start_ps, saturating_add(found.start_ps, found.duration_ps));
    call_arguments_.pick(e, args_.data() + arg_correlation);
    const launch_link ids{id_of(args_[arg_correlation]), id_of(args_[arg_external])};
    if (ids.correlation == no_launch_id && ids.external == no_launch_id) return;
    calls_.add_call({ids.correlation, ids.external, found.start_ps,
                     saturating_add(found.start_ps, found.duration_ps), numbers_.of(found.track), name},
                    launch_of(name));
  }

  const known_name& known_call(string_id name) {
    known_name& known = known_of(name);
    if (!known.launch_known) {
      known.launch = work_launched_by(parts_.strings.text(name));
      known.capture = capture_call_of(parts_.strings.text(name));
      known.launch_known = true;
    }
    return known;
  }
  std::optional<launched_work> launch_of(string_id name) { return known_call(name).launch; }
  capture_call capture_of(string_id name) { return known_call(name).capture; }

  line_use take_host(const chrome_item& found, const kineto_category& category, string_id name) {
    const chrome_event& e = *found.event;
    std::optional<std::int64_t> autograd;
    if (category.kind == host_span_kind::op) autograd = look_at_operation(found, name);
    if (category.kind != host_span_kind::runtime && take_marker(name, found.start_ps, found.duration_ps, found.track))
      return line_use::step;
    if (autograd) autograd_.push_back({spans_.size(), *autograd});
    add_span(found.start_ps, found.duration_ps, e.ordinal, name, numbers_.of(found.track), category.kind);
    return category.kind == host_span_kind::op ? line_use::op : line_use::span;
  }

  // Keeps its shapes; gives the number that autograd has for it.
  std::optional<std::int64_t> look_at_operation(const chrome_item& found, string_id name) {
    op_arguments_.pick(*found.event, args_.data() + arg_external);
    const std::uint64_t id = id_of(args_[arg_external]);
    if (!args_[arg_dims].empty()) {
      const string_id dims = shapes_.intern(args_[arg_dims]), types = types_.intern(args_[arg_types]);
      if (parts_.options.operators) keep_operator(found, name, dims, types);
      calls_.add_operation({id, dims, types, work_of(name, dims, types), spans_.size()});
    }
    if (args_[arg_sequence].empty()) return std::nullopt;
    const auto number = json_scaled_integer(args_[arg_sequence]);
    return number && *number >= 0 ? number : std::nullopt;
  }

  void keep_operator(const chrome_item& found, string_id name, string_id dims, string_id types) {
    known_name& known = known_of(name);
    if (known.use == known_name::operator_not_looked_at) {
      const std::string_view text = parts_.strings.text(name);
      known.use = !keeps_operator(text)         ? known_name::passed_over
                  : keeps_operator_values(text) ? known_name::kept_with_values
                                                : known_name::kept;
    }
    if (known.use == known_name::passed_over) return;
    operator_call call;
    call.start_ps = found.start_ps;
    call.duration_ps = found.duration_ps;
    call.name = name;
    call.shapes = dims;
    call.types = types;
    if (known.use == known_name::kept_with_values && !args_[arg_values].empty()) call.values = parts_.strings.intern(args_[arg_values]);
    call.thread = numbers_.of(found.track);
    call.host_group = group_;
    make_room(parts_.operator_calls, at_byte_, bytes_, min_event_bytes);
    parts_.operator_calls.push_back(call);
  }

  // Calls repeat: each kind of call is looked at once.
  std::uint32_t work_of(string_id name, string_id dims, string_id types) {
    const std::string_view values = needs_values(parts_.strings.text(name)) ? args_[arg_values] : std::string_view();
    const string_id value_text = values.empty() ? 0 : parts_.strings.intern(std::string(values));
    const auto [at, is_new] = work_of_calls_.try_emplace({name, dims, types, value_text}, 0);
    if (!is_new) return at->second;
    const auto found =
        work_of_operator(parts_.strings.text(name), parts_.strings.text(dims), parts_.strings.text(types), parts_.strings.text(value_text));
    if (found) {
      works_.push_back(*found);
      at->second = static_cast<std::uint32_t>(works_.size());
    }
    return at->second;
  }

  bool take_marker(string_id name, std::int64_t start, std::int64_t length, std::uint32_t track) {
    known_name& known = known_of(name);
    if (known.step == known_name::no_step) return false;
    if (known.step == known_name::not_looked_at) {
      const std::optional<named_step> found = parts_.steps.match(parts_.strings.text(name));
      known.step = found ? known_name::a_step : known_name::no_step;
      if (!found) return false;
      step_names_.emplace(name, *found);
    }
    add_marker(name, step_names_.find(name)->second, start, length, track);
    return true;
  }

  void add_marker(string_id name, const named_step& step, std::int64_t start, std::int64_t length,
                  std::uint32_t track) {
    step_marker m;
    m.host_group = group_;
    m.thread = numbers_.of(track);
    m.name = name;
    m.number = step.number;
    m.start_ps = start;
    m.end_ps = start + length;
    m.source = step.source;
    parts_.markers.push_back(m);
    host_seen_ = true;
    last_host_ps_ = std::max(last_host_ps_, m.end_ps);
  }

  void add_span(std::int64_t start, std::int64_t length, std::uint64_t ordinal, string_id name, std::uint32_t thread,
                host_span_kind kind) {
    host_span s;
    s.start_ps = start;
    s.duration_ps = length;
    s.source_row = ordinal;
    s.name = name;
    s.thread = thread;
    s.kind = kind;
    make_room(spans_, at_byte_, bytes_, min_event_bytes);
    spans_.push_back(s);
    host_seen_ = host_seen_ || kind != host_span_kind::device_marker;
    last_host_ps_ = std::max(last_host_ps_, saturating_add(start, length));
  }

  // ---- processes without categories: XLA's exporter names its planes and lines ----

  // No damage: a capture may end while something runs.
  void note_open() {
    note_unpaired(decoder_.unpaired(), input_);
    if (decoder_.open_count() == 0) return;
    input_.notes.push_back("begins without an end, which are not counted: " + std::to_string(decoder_.open_count()) +
                           ", the first is event " + std::to_string(decoder_.first_open() + 1));
  }

  // What a process without categories is, now that it has its name.
  struct process_role {
    plane_kind kind = plane_kind::other;
    std::optional<timeline_stream> stream;
    rocprof_process rocprof = rocprof_process::unknown;
    bool executor = false;    // of TensorFlow
    bool known_lines = false;  // a line of a device that has a name of XLA
  };
  [[nodiscard]] std::vector<process_role> roles() const {
    std::vector<process_role> all;
    for (const chrome_trace_process& p : tracks_.processes()) {
      process_role& role = all.emplace_back();
      role.kind = classify_plane(p.name);
      role.stream = timeline_stream_of(p.name);
      role.executor = is_timeline_executor(p.name);
      role.rocprof = rocprof_process_of(p.name);
    }
    for (const chrome_track& t : tracks_.tracks()) {
      const line_kind kind = classify_line(plane_kind::device, t.name, t.number.value_or(0));
      if (kind == line_kind::ops || kind == line_kind::stream || kind == line_kind::async)
        all[t.process].known_lines = true;
    }
    return all;
  }

  void set_writer(const std::vector<process_role>& all) {
    trace_writer& writer = parts_.hosts[group_].writer;
    if (writer != trace_writer::unknown) return;
    for (const process_role& role : all) {
      if (role.executor || role.stream) writer = trace_writer::tensorflow;
      if (writer == trace_writer::unknown && role.kind != plane_kind::other) writer = trace_writer::xla;
    }
  }

  void sort_held() {
    has_kernels_.resize(tracks_.processes().size());
    const std::vector<process_role> all = roles();
    set_writer(all);
    std::vector<const unplaced_event*> copies;  // of no device in particular
    for (const unplaced_event& e : held_) {
      const chrome_track& on = tracks_.track(e.track);
      const process_role& role = all[on.process];
      if (is_by_rocprof(e) && role.rocprof == rocprof_process::copies && facts_[e.facts - 1].device < 0)
        copies.push_back(&e);
      else
        counts_.note(e.track, take_held(e, on, role));
    }
    // They are those of the one device that there is.
    const std::int64_t device = devices_.size() == 1 ? devices_.front().device.ordinal : -1;
    for (const unplaced_event* e : copies) {
      take_plain_kernel(*e, device, "COPY", kernel_class::copy);
      counts_.note(e->track, line_use::kernel);
    }
    for (gathered_device& d : devices_) leave_out_repeated(d);
  }

  [[nodiscard]] bool is_by_rocprof(const unplaced_event& e) const {
    return e.facts != 0 && facts_[e.facts - 1].by_rocprof;
  }

  line_use take_held(const unplaced_event& e, const chrome_track& on, const process_role& role) {
    const chrome_trace_process& of = tracks_.process(on.process);
    if (is_by_rocprof(e)) {
      parts_.hosts[group_].writer = trace_writer::rocprof;
      if (const std::int64_t device = facts_[e.facts - 1].device; device >= 0) {
        const bool copies = role.rocprof == rocprof_process::copies, waits = role.rocprof == rocprof_process::barriers;
        take_plain_kernel(e, device, copies ? "COPY" : waits ? "barriers" : "",
                          copies ? kernel_class::copy : waits ? kernel_class::other : kernel_class::compute);
        return line_use::kernel;
      }
    }
    if (role.stream) {
      take_timeline_kernel(e, *role.stream, on);
      return line_use::kernel;
    }
    if (role.kind == plane_kind::device) return take_device_event(e, on, of, role.known_lines);
    if (has_kernels_[on.process]) {
      ++unknown_on_devices_;
      return line_use::not_known;
    }
    if (role.kind != plane_kind::host && role.kind != plane_kind::other) return line_use::not_known;
    const std::int64_t step_num = e.facts == 0 ? -1 : facts_[e.facts - 1].step;
    if (take_marker(e.name, e.start_ps, e.duration_ps, e.track)) {
      if (step_num >= 0) parts_.markers.back().number = step_num;  // more than the number in a name, as in an XSpace
      return line_use::step;
    }
    if (step_num >= 0) {
      add_marker(e.name, {marker_source::step_num, step_num}, e.start_ps, e.duration_ps, e.track);
      return line_use::step;
    }
    const std::string_view name = parts_.strings.text(e.name);
    const bool frame = !name.empty() && name.front() == '$';
    const bool placed = role.kind == plane_kind::host || role.executor || role.rocprof != rocprof_process::unknown;
    if (!placed) ++parts_.hosts[group_].unplaced_spans;
    add_span(e.start_ps, e.duration_ps, e.ordinal, e.name, numbers_.of(e.track),
             frame                                        ? host_span_kind::frame
             : role.rocprof == rocprof_process::calls  ? host_span_kind::runtime
             : role.rocprof == rocprof_process::ranges ? host_span_kind::annotation
                                                       : host_span_kind::other);
    return placed ? line_use::span : line_use::unplaced;
  }

  // A kernel whose own arguments name its device. `beside`: the name of its process, where that is not the device's own.
  void take_plain_kernel(const unplaced_event& e, std::int64_t device, std::string_view beside, kernel_class kind) {
    gathered_device& into = device_of(device, accelerator::gpu, e.track);
    into.may_overlap = true;
    const known_name& known = known_kernel(e.name);
    kernel_row row = row_of(e);
    row.op_type = known.type;
    row.kind = kind == kernel_class::compute ? known.kind : kind;
    std::string stream = "stream " + tracks_.track(e.track).tid;
    if (!beside.empty()) stream = std::string(beside) + ' ' + stream;
    set_track_stream(row, into, e.track, stream, line_kind::stream);
    keep(into, row);
  }

  void take_timeline_kernel(const unplaced_event& e, const timeline_stream& stream, const chrome_track& on) {
    gathered_device& into = device_of(stream.device, accelerator::gpu, e.track);
    into.may_overlap = true;
    const known_name& known = known_kernel(e.name);
    kernel_row row = row_of(e);
    row.op_type = known.type;
    const bool copy = stream.name == "memcpy" || starts_with(parts_.strings.text(e.name), "MEMCPY");
    row.kind = copy ? kernel_class::copy : known.kind;
    // What overlaps lies on lanes, each a thread.
    set_track_stream(row, into, e.track, std::string(stream.name) + (on.number == 0 ? "" : ", lane " + on.tid),
                     line_kind::stream);
    if ((row.flags & kernel_has_stream) != 0 && stream.may_repeat) into.may_repeat[row.stream] = true;
    keep(into, row);
  }

  static kernel_row row_of(const unplaced_event& e) {
    kernel_row row;
    row.start_ps = e.start_ps;
    row.duration_ps = e.duration_ps;
    row.source_row = e.ordinal;
    row.name = e.name;
    return row;
  }
  void keep(gathered_device& into, const kernel_row& row) {
    into.rows.push_back(row);
    into.links.emplace_back();
    note_clock(row);
  }

  // A stream that has nothing but what others of its device have is no stream.
  void leave_out_repeated(gathered_device& d) {
    if (std::none_of(d.may_repeat.begin(), d.may_repeat.end(), [](bool may) { return may; })) return;
    const auto may_repeat = [&](const kernel_row& k) {
      return (k.flags & kernel_has_stream) != 0 && d.may_repeat[k.stream];
    };
    hash_set<std::pair<std::int64_t, std::int64_t>> others;
    for (const kernel_row& k : d.rows)
      if (!may_repeat(k)) others.insert({k.start_ps, k.duration_ps});
    std::vector<bool> repeats = d.may_repeat;
    for (const kernel_row& k : d.rows)
      if (may_repeat(k) && others.find({k.start_ps, k.duration_ps}) == others.end()) repeats[k.stream] = false;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < d.rows.size(); ++i) {
      if (may_repeat(d.rows[i]) && repeats[d.rows[i].stream]) continue;
      d.rows[kept] = d.rows[i];
      d.links[kept++] = d.links[i];
    }
    d.rows.resize(kept);
    d.links.resize(kept);
    for (std::size_t stream = 0; stream < repeats.size(); ++stream)
      if (repeats[stream]) counts_.change(d.tracks[stream], line_use::kernel, line_use::repeated);
  }

  // `known_lines`: whether names say what the lines of this device are. Where none does, each is a stream.
  line_use take_device_event(const unplaced_event& e, const chrome_track& on, const chrome_trace_process& of,
                             bool known_lines) {
    line_kind kind = classify_line(plane_kind::device, on.name, on.number.value_or(0));
    const accelerator type = contains(of.name, "GPU")   ? accelerator::gpu
                             : contains(of.name, "TPU") ? accelerator::tpu
                                                        : accelerator::other;
    if (kind == line_kind::steps) {
      step_marker m;
      m.host_group = group_;
      m.name = e.name;
      m.number = e.facts != 0 && facts_[e.facts - 1].step >= 0 ? facts_[e.facts - 1].step
                                                                : trailing_number(parts_.strings.text(e.name));
      m.start_ps = e.start_ps;
      m.end_ps = e.start_ps + e.duration_ps;
      m.source = marker_source::line;
      device_of(device_ordinal(of.name), type, e.track).windows.push_back(m);
      return line_use::step;
    }
    if (kind == line_kind::modules) {
      // The program's name without its fingerprint.
      const std::string_view name = parts_.strings.text(e.name);
      const std::string program(name.substr(0, name.find('(')));
      step_marker m;
      m.host_group = group_;
      m.thread = numbers_.of(e.track);
      m.name = parts_.strings.intern(program);
      m.whole_name = e.name;
      m.start_ps = e.start_ps;
      m.end_ps = e.start_ps + e.duration_ps;
      m.source = marker_source::run;
      gathered_device& of_device = device_of(device_ordinal(of.name), type, e.track);
      (on.name == own_modules ? of_device.runs : of_device.other_runs).push_back(m);
      return line_use::program_run;
    }
    if (kind == line_kind::derived) return line_use::repeated;
    if (kind == line_kind::other && !known_lines) kind = line_kind::stream;
    if (kind != line_kind::ops && kind != line_kind::stream && kind != line_kind::async) return line_use::not_known;
    gathered_device& into = device_of(device_ordinal(of.name), type, e.track);
    kernel_row row = row_of(e);
    const std::string name(parts_.strings.text(e.name));
    if (type == accelerator::gpu) {
      const known_name& known = known_kernel(e.name);
      row.op_type = known.type;
      row.kind = known.kind;
    } else {
      const std::string_view operation = operation_of(instruction_name(name));
      row.op_type = parts_.strings.intern(operation);
      if (!collective_of(instruction_name(name)).empty()) {
        row.kind = kernel_class::comm;
      } else if (operation == "copy") {
        row.kind = kernel_class::copy;
      }
    }
    set_track_stream(row, into, e.track, on.name.empty() ? "stream " + on.tid : on.name, kind);
    if (e.facts != 0 && facts_[e.facts - 1].own.duration_ps != no_time_ps)
      into.own.emplace_back(e.ordinal, facts_[e.facts - 1].own);
    keep(into, row);
    coarse_ = false;
    return kind == line_kind::async ? line_use::asynchronous : line_use::kernel;
  }

  // Where a device has lines of ops, its streams repeat them.
  void mark_repeated_streams() {
    for (const gathered_device& d : devices_) {
      const auto& streams = d.device.streams;
      const auto is_of_ops = [](const activity_stream& s) { return s.kind == line_kind::ops; };
      if (std::none_of(streams.begin(), streams.end(), is_of_ops)) continue;
      for (std::size_t at = 0; at < streams.size(); ++at)
        if (streams[at].kind == line_kind::stream) counts_.change(d.tracks[at], line_use::kernel, line_use::repeated);
    }
  }

  // ---- the end ----

  void finish() {
    numbers_.name_threads(file_, tracks_);
    name_devices();
    mark_repeated_streams();
    counts_.list(file_, tracks_, parts_.strings, parts_.lines);
    std::uint64_t kernels = 0, unattributed = 0, graph_launched = 0;
    std::int64_t last_ps = last_host_ps_;
    bool cut = false;
    std::vector<const std::vector<launch_link>*> links;
    for (const gathered_device& d : devices_) links.push_back(&d.links);
    calls_.join(links, parts_.strings);
    captures_.settle(calls_);
    find_origins();
    if (host_seen_) parts_.host_spans[group_] = std::make_unique<host_span_list>(std::move(spans_));
    activity_host& host = parts_.hosts[group_];
    calls_.list_unrecorded(host);
    note_unrecorded(host, input_);
    const bool any_steps =
        std::any_of(devices_.begin(), devices_.end(), [](const gathered_device& d) { return !d.windows.empty(); });
    for (gathered_device& d : devices_) {
      d.device.file = static_cast<std::uint32_t>(file_);
      d.device.host_group = group_;
      d.device.rank = rank_;
      d.device.world_size = world_size_;
      d.device.parallel_sizes = parallel_sizes_;
      d.device.kernels = d.rows.size();
      d.device.timestamp_resolution_ps = coarse_ ? ps_per_us : ps_per_ns;
      const bool linked = std::any_of(d.links.begin(), d.links.end(), [](const launch_link& l) {
        return l.correlation != no_launch_id || l.external != no_launch_id;
      });
      std::uint64_t joined = 0;
      for (std::size_t i = 0; i < d.rows.size(); ++i) {
        if (const launch_calls::call* const by = calls_.launcher_of(d.links[i])) {
          d.rows[i].launch_ps = by->start_ps;
          d.rows[i].launch_end_ps = by->end_ps;
          d.rows[i].launch_thread = by->thread;
          ++joined;
          if (calls_.is_graph(*by)) {
            d.rows[i].flags |= kernel_by_graph;
            ++d.device.graph_launched;
            d.device.graph_launched_ps = saturating_add(d.device.graph_launched_ps, d.rows[i].duration_ps);
          }
        }
        take_shapes(d, i);
      }
      if (d.device.type == accelerator::gpu && !d.may_overlap) {
        std::vector<std::uint64_t> launch_ids;
        launch_ids.reserve(d.links.size());
        for (const launch_link& link : d.links) launch_ids.push_back(link.correlation);
        const stream_overruns found = cut_overruns(d.rows, launch_ids, d.shared_streams);
        note_overruns(found, parts_.strings, input_);
        cut = cut || found.kernels > 0;
      }
      for (const kernel_row& k : d.rows) {
        last_ps = std::max(last_ps, saturating_add(k.start_ps, k.duration_ps));
      }
      sort_kernels(d.rows);
      add_own_times(d);
      d.device.has_launches = joined > 0;
      kernels += d.rows.size();
      graph_launched += d.device.graph_launched;
      if (linked || host_seen_) unattributed += d.rows.size() - joined;
      const std::int32_t index =
          parts_.add_device(std::move(d.device), std::make_unique<kernel_list>(std::move(d.rows)));
      if (index < 0) continue;
      std::vector<step_marker>& steps = any_steps     ? d.windows
                                        : d.runs.empty() ? d.other_runs
                                                         : d.runs;
      for (step_marker& m : steps) {
        m.device = index;
        parts_.markers.push_back(m);
      }
    }
    const auto share = [kernels](std::uint64_t count) {
      return std::to_string(count) + " of " + std::to_string(kernels) + " kernels ";
    };
    if (cut) input_.last_ps = last_ps;
    if (kernels == 0) {
      const bool empty = input_.rows == 0 && !input_.damage;
      input_.why_empty = empty                   ? "the trace is empty: it has no event"
                         : host.unplaced_spans != 0 ? unplaced_text(host.unplaced_spans)
                                                  : "no kernel of a device was found here";
      input_.notes.push_back(input_.why_empty);
    }
    if (unattributed > 0) {
      input_.notes.push_back(share(unattributed) + "have no launch in the trace: who launched them is unattributed");
    }
    if (graph_launched > 0) {
      input_.notes.push_back(share(graph_launched) +
                             "were launched by graphs: their launch is that of the whole graph");
    }
    if (unknown_on_devices_ > 0) {
      input_.notes.push_back("events of unknown categories on devices, taken neither for kernels nor for hosts: " +
                             std::to_string(unknown_on_devices_));
    }
    note_rejected(input_);
    parts_.inputs.push_back(std::move(input_));
  }

  // While the rows and their links are in the same order.
  void find_origins() {
    struct asked_kernel {
      std::size_t device, row;
      bool for_ranges;
    };
    std::vector<asked_kernel> kernels;  // by query
    std::vector<origin_query> queries;
    const auto ask = [&](std::size_t device, std::size_t row, const launch_calls::call& by, bool for_ranges = false) {
      queries.push_back({by.thread, by.start_ps, kernels.size()});
      kernels.push_back({device, row, for_ranges});
    };
    const std::vector<graph_captures::order_link> by_order = links_by_order();
    for (const graph_captures::order_link& link : by_order) {
      devices_[link.device].rows[link.row].flags |= kernel_by_order;
      ask(link.device, link.row, calls_.at(link.call));
      ask(link.device, link.row, calls_.at(link.replay), true);  // ranges were open when the graph ran, not when it was captured
    }
    for (std::size_t d = 0; d < devices_.size(); ++d)
      for (std::size_t row = 0; row < devices_[d].rows.size(); ++row)
        if (!is_by_order(d, row))
          if (const launch_calls::call* const by = calls_.launcher_of(devices_[d].links[row])) ask(d, row, *by);
    call_origins origins(spans_, {std::move(autograd_), {}, false}, parts_.strings, parts_.origins);
    origins.find(queries);
    for (gathered_device& d : devices_) d.operations.resize(d.rows.size());
    std::stable_partition(queries.begin(), queries.end(), [&](const origin_query& q) { return !kernels[q.kernel].for_ranges; });
    for (const origin_query& q : queries) {
      const auto [device, row, for_ranges] = kernels[q.kernel];
      std::uint32_t& origin = devices_[device].rows[row].origin;
      if (for_ranges) {
        origin = origins.with_ranges_of(origin, q.origin);
        continue;
      }
      origin = q.origin;
      // The operator around the launch of a graph is not that of its kernels.
      if (q.operation != 0 && (is_by_order(device, row) || !is_of_graph(device, row)))
        devices_[device].operations[row].by = calls_.operation_at(q.operation - 1);
    }
    find_operations(by_order);
  }

  // The number that the recorder gave operator and kernel says more than the place of the launch; some number kernels anew.
  void find_operations(const std::vector<graph_captures::order_link>& by_order) {
    calls_.join_captured();
    hash_map<std::pair<std::size_t, const launch_calls::operation*>, kernel_place> longest;  // 1 + the launch of a graph; 0: of none
    const auto note = [&](std::size_t replay, const kernel_place& here) {
      const auto at = longest.try_emplace({replay, devices_[here.device].operations[here.row].by}, here).first;
      if (here.duration_ps > at->second.duration_ps) at->second = here;
    };
    const auto take = [&](std::size_t device, std::size_t row, const launch_link& tie) -> kernel_place {
      if (const launch_calls::operation* const numbered = calls_.operation_of(tie)) devices_[device].operations[row].by = numbered;
      return {devices_[device].rows[row].duration_ps, device, row};
    };
    for (const graph_captures::order_link& link : by_order)
      note(1 + link.replay, take(link.device, link.row, {no_launch_id, calls_.at(link.call).external}));
    for (std::size_t d = 0; d < devices_.size(); ++d)
      for (std::size_t row = 0; row < devices_[d].rows.size(); ++row) {
        if (is_by_order(d, row)) continue;
        const kernel_place here = take(d, row, devices_[d].links[row]);
        if (!is_of_graph(d, row)) note(0, here);
      }
    for (const auto& [operation, place] : longest) devices_[place.device].operations[place.row].does_work = operation.second != nullptr;
  }

  [[nodiscard]] bool is_by_order(std::size_t device, std::size_t row) const {
    return (devices_[device].rows[row].flags & kernel_by_order) != 0;
  }
  [[nodiscard]] bool is_of_graph(std::size_t device, std::size_t row) const {
    const launch_calls::call* const by = calls_.launcher_of(devices_[device].links[row]);
    return by != nullptr && calls_.is_graph(*by);
  }

  // Copies are nodes, too, but not every call that copies makes one.
  [[nodiscard]] std::vector<graph_captures::order_link> links_by_order() const {
    if (captures_.empty()) return {};
    std::map<std::size_t, std::vector<replayed_kernel>> replays;
    for (std::size_t d = 0; d < devices_.size(); ++d)
      for (std::size_t at = 0; at < devices_[d].rows.size(); ++at) {
        const kernel_row& row = devices_[d].rows[at];
        const launch_calls::call* const by = calls_.launcher_of(devices_[d].links[at]);
        if (by == nullptr || !calls_.is_graph(*by) || row.kind == kernel_class::copy) continue;
        const auto node = nodes_.find(row.source_row);
        const graph_node of = node == nodes_.end() ? graph_node() : node->second;
        replays[calls_.number_of(*by)].push_back({d, at, row.start_ps, row.name, row.stream, of.graph, of.node});
      }
    return captures_.link(replays, calls_);
  }

  // No event with a length is passed over without a word: it may be of a device.
  [[nodiscard]] std::string unplaced_text(std::uint64_t spans) const {
    return "the trace does not say whether devices or hosts ran its " + counted(spans, "event", "events") +
           ": `profkit ops` has them";
  }

  // By the clock of the device, in the order in which kernels are visited.
  static void add_own_times(gathered_device& d) {
    if (d.own.empty()) return;
    const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
    std::sort(d.own.begin(), d.own.end(), before);
    std::vector<std::uint64_t> kernels(d.device.streams.size()), starts(kernels), durations(kernels);
    for (const kernel_row& k : d.rows) {
      const auto at = std::lower_bound(d.own.begin(), d.own.end(), std::pair(k.source_row, own_time()), before);
      const bool has_own = at != d.own.end() && at->first == k.source_row;
      d.device.own_clock.push_back(has_own ? at->second : own_time());
      if ((k.flags & kernel_has_stream) == 0) continue;
      ++kernels[k.stream];
      durations[k.stream] += has_own;
      starts[k.stream] += has_own && at->second.start_ps != no_time_ps;
    }
    for (std::size_t s = 0; s < kernels.size(); ++s)
      d.device.streams[s].by_own_clock = starts[s] == kernels[s] ? own_times::all
                                         : durations[s] != 0     ? own_times::some
                                                                 : own_times::none;
  }

  void take_shapes(gathered_device& d, std::size_t row) {
    if (d.rows[row].details != 0) return;
    const row_operation of = d.operations.empty() ? row_operation{calls_.operation_of(d.links[row]), false} : d.operations[row];
    if (of.by == nullptr) return;
    const std::uint32_t work = of.does_work ? of.by->work : 0;
    const auto device = static_cast<std::size_t>(&d - devices_.data());  // several may have no number
    const auto [at, added] = details_of_shapes_.try_emplace({device, of.by->dims, of.by->types, work}, 0);
    if (added) {
      kernel_details details;
      if (work != 0) details.work = works_[work - 1];
      details.input_shapes = of.by->dims;
      details.input_dtypes = of.by->types;
      d.device.details.push_back(std::move(details));
      at->second = static_cast<std::uint32_t>(d.device.details.size());
    }
    d.rows[row].details = at->second;
    d.device.has_shapes = true;
  }

  activity_parts& parts_;
  const profile& p_;
  std::size_t file_;
  chrome_tracks tracks_;
  chrome_decoder decoder_;
  std::uint32_t group_;
  activity_input input_;
  thread_numbers numbers_;
  line_counts counts_;
  recent_strings names_, shapes_, types_;
  std::uint64_t at_byte_ = 0, bytes_ = 0;
  std::int32_t rank_ = -1, world_size_ = 0;
  hash_map<string_id, string_id> whole_groups_;  // the ranks of groups, by name
  std::vector<std::pair<std::string, std::int64_t>> parallel_sizes_;
  bool coarse_ = true, host_seen_ = false, is_onnx_ = false;
  std::int64_t last_host_ps_ = no_time_ps;
  std::vector<gathered_device> devices_;
  std::vector<host_span> spans_;
  std::vector<unplaced_event> held_;
  std::vector<plain_facts> facts_;
  launch_calls calls_;
  graph_captures captures_;
  struct graph_node {
    std::uint64_t graph = no_launch_id, node = no_launch_id;
  };
  hash_map<std::uint64_t, graph_node> nodes_;  // by ordinal of the kernel
  std::vector<autograd_number> autograd_;
  hash_map<std::tuple<std::size_t, string_id, string_id, std::uint32_t>, std::uint32_t> details_of_shapes_;  // by device, shapes, types, work
  std::vector<kernel_work> works_;
  hash_map<std::array<string_id, 4>, std::uint32_t> work_of_calls_;  // by name, shapes, types, values
  struct kernel_place {
    std::int64_t duration_ps;
    std::size_t device, row;
  };
  std::vector<known_name> known_;  // by name
  hash_map<string_id, named_step> step_names_;
  std::vector<bool> has_kernels_;  // by process of the trace
  std::string scratch_, description_;
  std::uint64_t unknown_on_devices_ = 0;
  struct known_category {
    std::string name;
    const kineto_category* category = nullptr;
  };
  std::array<known_category, 32> known_categories_;
  std::array<std::string_view, arguments> args_;
  argument_picker kernel_arguments_{argument_names, arguments}, call_arguments_{argument_names + arg_correlation, 2},
      op_arguments_{argument_names + arg_external, std::size_t{5}},
      plain_arguments_{plain_names, plain_arguments};
};

}  // namespace

result<void> fill_activity_from_kineto(activity_parts& into) {
  const profile& p = *into.from;
  for (std::size_t file = 0; file < p.file_count(); ++file) {
    const capture_file& listed = p.what().files[file];
    if (listed.family != file_family::chrome_trace || listed.export_of >= 0) continue;
    if (chrome_dialect_of(p, file) != chrome_dialect::common) continue;
    if (auto read = trace_reader(file, into).run(); !read) return read;
  }
  return {};
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

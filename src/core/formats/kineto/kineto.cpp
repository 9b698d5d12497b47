// PyTorch (Kineto): libkineto's output_json.cpp, 2021 to 2026, and real traces of CUDA, ROCm and CPU runs. Events have a
// category; kernels and calls share numbers.
#include <formats/kineto/trace_recorder.hpp>

#include <base/affix.hpp>
#include <formats/chrome/chrome_args.hpp>
#include <formats/chrome/json_elements.hpp>
#include <formats/kept_operators.hpp>
#include <formats/launch_names.hpp>
#include <formats/operator_work.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

enum class kineto_role : std::uint8_t { kernel, copy, device_annotation, device_wait, runtime, host, ignored };

struct kineto_category {
  kineto_role what;
  host_span_kind kind;  // of its spans
  accelerator device;   // of its kernels
};
struct alike_categories {
  kineto_category all;
  std::array<std::string_view, 14> names;
};

// Sources: libkineto's ActivityType.cpp (2021 to 2026) and real traces of CUDA, ROCm and CPU runs. Old spellings last.
constexpr alike_categories categories[] = {
    {{kineto_role::kernel, host_span_kind::other, accelerator::gpu}, {"kernel", "Kernel"}},
    {{kineto_role::kernel, host_span_kind::other, accelerator::other}, {"mtia_ccp_events", "hpu_op"}},
    {{kineto_role::copy, host_span_kind::other, accelerator::gpu}, {"gpu_memcpy", "gpu_memset", "Memcpy", "Memset"}},
    {{kineto_role::host, host_span_kind::op, accelerator::other}, {"cpu_op", "Operator"}},
    {{kineto_role::host, host_span_kind::frame, accelerator::other}, {"python_function"}},
    {{kineto_role::host, host_span_kind::annotation, accelerator::other}, {"user_annotation"}},
    {{kineto_role::host, host_span_kind::other, accelerator::other}, {"overhead"}},
    {{kineto_role::runtime, host_span_kind::runtime, accelerator::other},
     {"cuda_runtime", "cuda_driver", "hip_runtime", "hip_driver", "hip_api", "hsa_api", "xpu_runtime", "xpu_driver",
      "mtia_runtime", "glow_runtime", "privateuse1_runtime", "privateuse1_driver", "Runtime"}},
    {{kineto_role::device_annotation, host_span_kind::other, accelerator::gpu}, {"gpu_user_annotation"}},
    {{kineto_role::device_annotation, host_span_kind::other, accelerator::other}, {"mtia_user_annotation"}},
    {{kineto_role::device_wait, host_span_kind::device_marker, accelerator::gpu}, {"cuda_sync"}},
    {{kineto_role::device_wait, host_span_kind::device_marker, accelerator::other}, {"collective_comm"}},
    {{kineto_role::ignored, host_span_kind::other, accelerator::other},
     {"cuda_event", "cuda_profiler_range", "external_correlation", "gpu_pm_counter", "mtia_counters", "mtia_insight", "Trace",
      "cpu_instant_event"}},
};

// Null for an unknown category: then the process decides what an event is.
const kineto_category* find_kineto_category(std::string_view name) noexcept {
  const auto* const found = std::find_if(std::begin(categories), std::end(categories), [name](const alike_categories& c) {
    return std::find(c.names.begin(), c.names.end(), name) != c.names.end();
  });
  return found == std::end(categories) ? nullptr : &found->all;
}

// The arguments that are looked at, by position in `argument_names`.
enum argument : std::size_t {
  arg_collective, arg_device, arg_stream, arg_context, arg_graph, arg_graph_node, arg_external_lower,  // of a kernel: these and the next two
  arg_correlation, arg_external,  // of a call: these two
  arg_dims, arg_types, arg_sequence, arg_values,  // of an operation: these and the one before
  arguments
};
constexpr std::string_view argument_names[arguments] = {
    "Collective name", "device", "stream", "context", "graph id", "graph node id", "external id",
    "correlation", "External id",
    "Input Dims", "Input type", "Sequence number", "Concrete Inputs"};

enum pg_argument : std::size_t {
  pg_in, pg_out, pg_size, pg_type, pg_name, pg_text, pg_ranks,
  pg_sequence, pg_root, pg_source, pg_target, pg_arguments
};
constexpr std::string_view pg_names[pg_arguments] = {
    "In msg nelems", "Out msg nelems", "Group size", "dtype", "Process Group Name", "Process Group Description",
    "Process Group Ranks", "Seq", "Root", "Src Rank", "Dst Rank"};

// Takes a number that is not too large for `into`.
template <class Number>
void take_at_least(std::int64_t least, std::string_view raw, Number& into) {
  const auto number = json_scaled_integer(raw);
  if (number && *number >= least && *number <= std::numeric_limits<Number>::max()) into = static_cast<Number>(*number);
}

// The groups of processes that a run communicates in, and what kernels say of their collectives.
class process_groups {
 public:
  explicit process_groups(gathered_trace& into) : into_(into) {}

  // {"backend": "nccl", "rank": 0, "world_size": 8, "pg_config": …}
  void take_header(std::string_view json) {
    activity_host& host = into_.host();
    host.backend = std::string(json_text(json_member(json, "backend"), scratch_));
    take_at_least(0, json_member(json, "rank"), host.rank);
    take_at_least(1, json_member(json, "world_size"), host.world_size);
    take_groups(json_member(json, "pg_config"));
  }

  // Of the kernel of a collective: 1 + their index.
  std::uint32_t add_details(const chrome_event& e, gathered_device& into) {
    std::array<std::string_view, pg_arguments> given;
    arguments_.pick(e, given.data());
    kernel_details d;
    d.group = intern(given[given[pg_text].empty() ? pg_name : pg_text]);
    d.group_name = intern(given[pg_name]);
    if (const std::string_view ranks = given[pg_ranks]; !ranks.empty()) d.group_ranks = ranks_of(d.group_name, json_text(ranks, scratch_));
    take_at_least(0, given[pg_sequence], d.group_sequence);
    take_at_least(0, given[pg_root], d.root_rank);
    take_at_least(0, given[pg_source], d.source_rank);
    take_at_least(0, given[pg_target], d.target_rank);
    take_at_least(1, given[pg_size], d.group_size);
    d.input_dtypes = intern(given[pg_type]);
    for (const pg_argument a : {pg_in, pg_out, pg_size})
      if (const auto value = json_scaled_integer(given[a]))
        d.counters.emplace_back(into_.parts.strings.intern(pg_names[a]), static_cast<double>(*value));
    into.device.details.push_back(std::move(d));
    return static_cast<std::uint32_t>(into.device.details.size());
  }

 private:
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
      if (!name.empty() && !ranks.empty()) whole_groups_[into_.parts.strings.intern(name)] = into_.parts.strings.intern("[" + ranks + "]");
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
    auto& sizes = into_.parallel_sizes;
    const auto known = std::find_if(sizes.begin(), sizes.end(), [&](const auto& p) { return p.first == description; });
    if (known == sizes.end()) sizes.emplace_back(std::move(description), *size);
  }

  // As written; the recorder cuts lists of more than 30 ("[0, 1, …, ...]"), and has them whole in its head.
  string_id ranks_of(string_id group_name, std::string_view written) {
    if (written.size() > 4 && written.substr(written.size() - 4) == "...]") {
      const auto whole = whole_groups_.find(group_name);
      if (whole != whole_groups_.end()) return whole->second;
    }
    return into_.parts.strings.intern(written);
  }

  string_id intern(std::string_view raw) { return raw.empty() ? 0 : into_.parts.strings.intern(json_text(raw, scratch_)); }

  gathered_trace& into_;
  argument_picker arguments_{pg_names, pg_arguments};
  hash_map<string_id, string_id> whole_groups_;  // the ranks of groups, by name
  std::string scratch_, description_;
};

std::uint64_t id_of(std::string_view raw) {
  const auto id = raw.empty() ? std::nullopt : json_scaled_integer(raw);
  return id && *id >= 0 ? static_cast<std::uint64_t>(*id) : no_launch_id;
}

class kineto_recorder final : public trace_recorder {
 public:
  using trace_recorder::trace_recorder;

  void take_header(std::string_view key, std::string_view json) override {
    activity_host& host = into_.host();
    if (key == "schemaVersion" || key == "deviceProperties" || key == "distributedInfo") {
      into_.input.variant = "kineto";
      host.recorder = "PyTorch (Kineto)";
      host.writer = trace_writer::pytorch;
    }
    if (key == "deviceProperties") take_models(json);
    if (key == "host_name") host.hostname = std::string(json_text(json, scratch_));
    if (key == "metadata" || key == "model") take_notes_of_model(json);
    if (key == "distributedInfo") groups_.take_header(json);
  }

  bool take(const chrome_item& found) override {
    const chrome_event& e = *found.event;
    const kineto_category* const category = categories_.of(into_.names.intern(e.cat), find_kineto_category);
    if (category == nullptr) {
      is_onnx_ = is_onnx_ || e.cat == "Session" || e.cat == "Node";  // the first events of ONNX Runtime's profiles
      return false;
    }
    if (found.defect != chrome_defect::none) {
      if (category->what != kineto_role::ignored) reject_item(into_.input, found);
      return true;
    }
    if (!is_onnx_ && category->what != kineto_role::ignored) into_.host().writer = trace_writer::pytorch;
    into_.counts.note(found.track, take_known(found, *category));
    return true;
  }

 private:
  // [{"name": "NVIDIA H100 80GB HBM3", …}, …]
  void take_models(std::string_view json) {
    constexpr std::int64_t most = 4096;  // far above the devices of any machine
    std::vector<std::string>& models = into_.host().devices;
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
        into_.host().notes_of_model.emplace_back(key, text);
    };
    for (json_members outer(json); outer.next();) {
      take(outer.key(), outer.value());
      if (!outer.value().empty() && outer.value().front() == '{')
        for (json_members inner(outer.value()); inner.next();) take(inner.key(), inner.value());
    }
  }

  line_use take_known(const chrome_item& found, const kineto_category& category) {
    const chrome_event& e = *found.event;
    if (category.what == kineto_role::ignored) return line_use::bookkeeping;
    const placed_span span{found.start_ps, found.duration_ps, e.ordinal, into_.names.intern(e.name), found.track};
    switch (category.what) {
      case kineto_role::kernel:
      case kineto_role::copy: return take_kernel(span, e, category);
      case kineto_role::device_annotation: return take_window(span, e, category);
      case kineto_role::runtime: take_call(span, e); break;
      case kineto_role::device_wait: into_.add_span(span, category.kind); return line_use::device_wait;
      default: break;
    }
    return take_host(span, e, category.kind);
  }

  // ---- devices ----

  line_use take_kernel(const placed_span& span, const chrome_event& e, const kineto_category& category) {
    kernel_arguments_.pick(e, args_.data());
    into_.note_kernels(span.track);
    gathered_device& into = device_of(e, category, args_[arg_device], span.track);
    kernel_row row = into_.row_of(span);
    into_.set_kind(row);
    if (category.what == kineto_role::copy) row.kind = kernel_class::copy;
    // The device waits for another of its streams, or marks a point for one.
    if (e.cat == "mtia_ccp_events" && (e.name == "event_wait" || e.name == "event_record")) row.kind = kernel_class::other;
    if (!args_[arg_collective].empty()) {
      row.kind = kernel_class::comm;
      row.op_type = strings_.intern(json_text(args_[arg_collective], scratch_));
      if (into_.parts.options.details) row.details = groups_.add_details(e, into);
    }
    if (const auto stream = number_of(args_[arg_stream], e.tid); stream || !e.tid.text.empty())
      into_.set_stream(row, into, span.track, stream);
    note_context(row, into);
    if (!args_[arg_graph].empty() && args_[arg_graph] != "0")  // 0: of no graph
      into_.nodes.insert_or_assign(span.ordinal, gathered_trace::graph_node{id_of(args_[arg_graph]), id_of(args_[arg_graph_node])});
    into_.add_kernel(into, row, {id_of(args_[arg_correlation]), id_of(args_[args_[arg_external].empty() ? arg_external_lower : arg_external])});
    return line_use::kernel;
  }

  // The argument's, else that of the process or thread.
  static std::optional<std::int64_t> number_of(std::string_view argument, const chrome_ref& shown_on) {
    const auto number = json_scaled_integer(argument);
    return number || shown_on.is_string ? number : json_scaled_integer(shown_on.text);
  }
  gathered_device& device_of(const chrome_event& e, const kineto_category& category, std::string_view argument, std::uint32_t track) {
    return into_.device_of(number_of(argument, e.pid).value_or(-1), category.device, track);
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

  // The time in which a device worked for an annotated stretch of the host, such as a step.
  line_use take_window(const placed_span& span, const chrome_event& e, const kineto_category& category) {
    const auto step = into_.parts.steps.match(e.name);
    if (!step) return line_use::repeated;
    device_of(e, category, {}, span.track).windows.push_back(into_.marker_of(span, {marker_source::device_annotation, step->number}));
    return line_use::step;
  }

  // ---- hosts ----

  void take_call(const placed_span& span, const chrome_event& e) {
    const known_call& known = calls_.of(span.name, [](std::string_view text) { return known_call{work_launched_by(text), capture_call_of(text)}; });
    if (known.capture != capture_call::none)
      into_.captures.note(known.capture, into_.numbers.of(span.track), span.start_ps, span.end_ps());
    call_arguments_.pick(e, args_.data() + arg_correlation);
    const launch_link ids{id_of(args_[arg_correlation]), id_of(args_[arg_external])};
    if (ids.correlation == no_launch_id && ids.external == no_launch_id) return;
    into_.calls.add_call({ids.correlation, ids.external, span.start_ps, span.end_ps(), into_.numbers.of(span.track), span.name}, known.launch);
  }

  line_use take_host(const placed_span& span, const chrome_event& e, host_span_kind kind) {
    std::optional<std::int64_t> autograd;
    if (kind == host_span_kind::op) autograd = look_at_operation(span, e);
    if (kind != host_span_kind::runtime && into_.take_marker(span)) return line_use::step;
    if (autograd) into_.autograd.push_back({into_.spans.size(), *autograd});
    into_.add_span(span, kind);
    return kind == host_span_kind::op ? line_use::op : line_use::span;
  }

  // Keeps its shapes; gives the number that autograd has for it.
  std::optional<std::int64_t> look_at_operation(const placed_span& span, const chrome_event& e) {
    op_arguments_.pick(e, args_.data() + arg_external);
    const std::uint64_t id = id_of(args_[arg_external]);
    if (!args_[arg_dims].empty()) {
      const string_id dims = shapes_.intern(args_[arg_dims]), types = types_.intern(args_[arg_types]);
      if (into_.parts.options.operators) keep_operator(span, dims, types);
      into_.calls.add_operation({id, dims, types, work_of(span.name, dims, types), into_.spans.size()});
    }
    const auto number = json_scaled_integer(args_[arg_sequence]);
    return number && *number >= 0 ? number : std::nullopt;
  }

  void keep_operator(const placed_span& span, string_id dims, string_id types) {
    const kept_operator& known = operators_.of(span.name, [](std::string_view text) {
      return kept_operator{keeps_operator(text), keeps_operator_values(text)};
    });
    if (!known.is_kept) return;
    operator_call call;
    call.start_ps = span.start_ps;
    call.duration_ps = span.duration_ps;
    call.name = span.name;
    call.shapes = dims;
    call.types = types;
    if (known.has_values && !args_[arg_values].empty()) call.values = strings_.intern(args_[arg_values]);
    call.thread = into_.numbers.of(span.track);
    call.host_group = into_.group;
    into_.make_room_in(into_.parts.operator_calls);
    into_.parts.operator_calls.push_back(call);
  }

  // Calls repeat: each kind of call is looked at once.
  std::uint32_t work_of(string_id name, string_id dims, string_id types) {
    const std::string_view text = strings_.text(name), given = needs_values(text) ? args_[arg_values] : std::string_view();
    const string_id values = given.empty() ? 0 : strings_.intern(given);
    const auto [at, is_new] = work_of_calls_.try_emplace({name, dims, types, values}, 0);
    if (!is_new) return at->second;
    if (const auto found = work_of_operator(text, strings_.text(dims), strings_.text(types), strings_.text(values))) {
      into_.works.push_back(*found);
      at->second = static_cast<std::uint32_t>(into_.works.size());
    }
    return at->second;
  }

  struct known_call {
    std::optional<launched_work> launch;
    capture_call capture;
  };
  struct kept_operator {
    bool is_kept, has_values;
  };
  string_table& strings_ = into_.parts.strings;
  process_groups groups_{into_};
  recent_strings shapes_{strings_}, types_{strings_};
  known_names<const kineto_category*> categories_{strings_};
  known_names<known_call> calls_{strings_};
  known_names<kept_operator> operators_{strings_};
  hash_map<std::array<string_id, 4>, std::uint32_t> work_of_calls_;  // by name, shapes, types, values
  bool is_onnx_ = false;
  std::string scratch_;
  std::array<std::string_view, arguments> args_;
  argument_picker kernel_arguments_{argument_names, arg_dims}, call_arguments_{argument_names + arg_correlation, 2},
      op_arguments_{argument_names + arg_external, arguments - arg_external};
};

}  // namespace

std::unique_ptr<trace_recorder> make_kineto_recorder(gathered_trace& into) { return std::make_unique<kineto_recorder>(into); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

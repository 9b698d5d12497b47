// The document `architecture`.
#include <profkit/core/architecture.hpp>

#include <base/contained.hpp>
#include <export/json/document.hpp>
#include <profkit/core/collectives.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

std::int64_t whole_ns(std::int64_t ps) noexcept { return ps / 1000; }

void write_ratio(json_writer& out, std::string_view key, std::int64_t part, std::int64_t whole) {
  out.key(key);
  if (whole <= 0)
    out.null();
  else
    out.number(static_cast<double>(part) / static_cast<double>(whole));
}

class writer {
 public:
  writer(json_writer& out, const architecture_report& report) : out_(out), of_(*report.of), r_(report.found) {}

  // The facts alone.
  void write_facts() {
    write_objects(out_, "facts", r_.facts, [&](const model_fact& f) { write_fact(f); }, min_notes);
  }

  void write() {
    out_.field("families_version", static_cast<std::int64_t>(kernel_families_version()));
    write_text_or_null(out_, "summary", r_.summary);
    write_facts();
    write_devices();
    if (r_.devices.empty()) {
      const device_architecture none;
      write_device(none);
    } else {
      write_device(r_.devices[r_.reported]);
    }
  }

 private:
  void write_fact(const model_fact& f) {
    out_.field("name", std::string_view(f.name));
    out_.key("value");
    if (const auto* n = std::get_if<std::int64_t>(&f.value)) {
      out_.value(*n);
    } else if (const auto* d = std::get_if<double>(&f.value)) {
      out_.number(*d);
    } else if (const auto* b = std::get_if<bool>(&f.value)) {
      out_.value(*b);
    } else if (const auto* s = std::get_if<std::string>(&f.value)) {
      out_.value(std::string_view(*s));
    } else {
      out_.begin_array();
      if (const auto* words = std::get_if<std::vector<std::string>>(&f.value))
        for (const std::string& w : *words) out_.value(std::string_view(w));
      if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&f.value))
        for (const std::int64_t each : *numbers) out_.value(each);
      out_.end_array();
    }
    write_text_or_null(out_, "unit", f.unit);
    out_.field("certainty", certainty_name(f.sure));
    out_.key("source");
    out_.begin_object();
    out_.field("kind", fact_source_name(f.source));
    out_.field("text", std::string_view(f.evidence));
    out_.end_object();
    write_strings(out_, "contradictions", f.contradictions);
  }

  void write_devices() {
    write_objects(out_, "devices", r_.devices, [&](const device_architecture& d) {
      const activity_device& on = of_.devices()[d.device];
      out_.field("device", d.device);
      out_.field("name", of_.text(on.name));
      out_.field("type", accelerator_name(on.type));
      out_.field("rank", on.rank);
      out_.field("reported", d.device == r_.devices[r_.reported].device);
      out_.field("kernels", d.kernels);
      out_.field("layers_per_pass", d.layers_per_pass);
      out_.field("passes", static_cast<std::uint64_t>(d.passes.size()));
      out_.field("layers", static_cast<std::uint64_t>(d.layers.size()));
      out_.field("confidence", confidence_name(d.sure));
    });
  }

  void write_device(const device_architecture& d) {
    out_.field("device", d.device);
    write_anchor(d);
    write_configuration(d);
    out_.field("layers_per_pass", d.layers_per_pass);
    write_text_or_null(out_, "pass_source", d.pass_source);
    write_text_or_null(out_, "phase_source", d.phase_source);
    out_.field("passes_total", static_cast<std::uint64_t>(d.passes.size()));
    std::uint32_t index = 0;
    write_objects(out_, "passes", d.passes, [&](const model_pass& p) { write_pass(d, p, index++); });
    out_.field("layers_total", static_cast<std::uint64_t>(d.layers.size()));
    write_objects(out_, "layers", d.layers, [&](const model_layer& l) { write_layer(l); });
    index = 0;
    write_objects(out_, "layouts", d.layouts, [&](const layer_layout& l) {
      out_.field("layout", index++);
      out_.field("phase", model_phase_name(l.phase));
      out_.field("layers", l.layers);
      out_.field("first_pass", l.first_pass);
      out_.field("passes", l.passes);
      out_.field("cut", l.cut);
    });
    write_objects(out_, "layer_types", d.types, [&](const layer_type& t) { write_type(t); });
    out_.key("op_counts");
    out_.begin_map();
    for (const auto& [op, count] : d.op_counts) out_.field(op, count);
    out_.end_object();
    write_objects(out_, "cross_checks", d.checks, [&](const cross_check& c) {
      out_.field("name", std::string_view(c.name));
      out_.field("expected", c.expected);
      out_.field("actual", c.actual);
      out_.field("result", check_outcome_name(c.result));
      write_text_or_null(out_, "note", c.note);
    }, min_notes);
    write_objects(out_, "substructures", d.anatomies, [&](const layer_anatomy& a) { write_anatomy(d, a); });
    write_objects(out_, "streams", d.streams, [&](const model_stream& s) { write_stream(d, s); });
    write_pipeline(d.pipeline);
    write_objects(out_, "evidence", d.evidence, [&](const evidence_row& e) {
      out_.field("evidence", std::string_view(e.what));
      out_.field("value", std::string_view(e.value));
      out_.field("interpretation", std::string_view(e.meaning));
    }, min_notes);
    out_.field("confidence", confidence_name(d.sure));
    write_strings(out_, "limitations", d.limitations);
  }

  void write_anchor(const device_architecture& d) {
    write_text_or_null(out_, "anchor", d.anchor);
    out_.key("anchor_details");
    out_.begin_object();
    out_.field("source", anchor_source_name(d.source));
    write_text_or_null(out_, "family", d.anchor_family);
    out_.field("count", d.anchors);
    out_.field("backward_count", d.backward_anchors);
    out_.field("above_10_ms", d.rule_prefill);
    out_.field("below_1_ms", d.rule_decode);
    out_.end_object();
  }

  void write_configuration(const device_architecture& d) {
    out_.key("configuration");
    out_.begin_object();
    out_.field("kernels", d.kernels);
    out_.field("duplicates", d.duplicates);
    out_.field("kernels_left_out", d.left_out);
    out_.field("first_rel_ns", whole_ns(d.first_ps));
    out_.field("span_ns", whole_ns(d.last_ps - d.first_ps));
    out_.field("steps", static_cast<std::uint64_t>(d.steps));
    out_.field("step_source", d.step_source);
    write_strings(out_, "parallelism", d.parallelism);
    out_.field("totals_only", d.totals_only);
    out_.field("counted_passes", d.counted_passes);
    out_.end_object();
  }

  void write_pass(const device_architecture& d, const model_pass& p, std::uint32_t index) {
    out_.field("index", index);
    out_.field("phase", model_phase_name(p.phase));
    out_.field("first_layer", p.first_layer);
    out_.field("last_layer", p.last_layer);
    out_.field("layers", p.layers());
    out_.field("start_rel_ns", whole_ns(p.start_ps));
    out_.field("end_rel_ns", whole_ns(p.end_ps));
    out_.field("kernels", p.kernels);
    out_.field("prologue_kernels", p.prologue_kernels);
    out_.field("cut", pass_cut_name(p.cut));
    out_.field("irregular", p.irregular);
    out_.field("layout", p.layout);
    write_text_or_null(out_, "step", p.step);
    std::uint32_t decode = 0;
    for (std::uint32_t l = p.first_layer; l <= p.last_layer; ++l)
      if (d.layers[l].phase == model_phase::decode) ++decode;
    out_.field("decode_layers", decode);
    out_.field("anchor_mean_ns", whole_ns(p.anchor_ps));
    out_.field("busy_ns", whole_ns(p.busy_ps));
    out_.field("kernel_sum_ns", whole_ns(p.kernel_sum_ps));
  }

  void write_layer(const model_layer& l) {
    out_.field("pass", l.pass);
    out_.field("index", l.index);
    out_.field("type", layer_kind_name(l.kind));
    out_.field("sampling", l.sampling);
    out_.field("phase", model_phase_name(l.phase));
    out_.field("rule_phase", model_phase_name(l.rule_phase));
    out_.field("start_rel_ns", whole_ns(l.start_ps));
    out_.field("end_rel_ns", whole_ns(l.end_ps));
    out_.field("kernels", l.kernels);
    out_.field("anchor", of_.text(l.anchor));
    out_.field("anchor_ns", whole_ns(l.anchor_ps));
    out_.field("kernel_sum_ns", whole_ns(l.kernel_sum_ps));
    out_.field("comm_sum_ns", whole_ns(l.comm_ps));
  }

  void write_type(const layer_type& t) {
    out_.field("type", layer_kind_name(t.kind));
    out_.field("sampling", t.sampling);
    out_.field("phase", model_phase_name(t.phase));
    out_.field("layout", t.layout);
    write_objects(out_, "ranges", t.ranges, [&](const layer_range& r) {
      out_.field("first", r.first);
      out_.field("last", r.last);
    });
    out_.field("count", t.count);
    out_.field("occurrences", t.occurrences);
  }

  void write_spread(std::string_view key, const value_spread& s, bool time) {
    const auto unit = [time](std::int64_t v) { return time ? whole_ns(v) : v; };
    out_.key(key);
    out_.begin_object();
    out_.field("min", unit(s.least));
    out_.field("median", unit(s.median));
    out_.field("max", unit(s.most));
    out_.key("cv");
    out_.number(s.variation);
    out_.end_object();
  }

  void write_lanes(const device_architecture& d, const std::vector<std::uint32_t>& lanes) {
    out_.key("streams");
    out_.begin_array();
    for (const std::uint32_t l : lanes) out_.value(std::string_view(d.streams[l].name));
    out_.end_array();
  }

  void write_anatomy(const device_architecture& d, const layer_anatomy& a) {
    const model_layer& typical = d.layers[a.typical];
    out_.field("type", layer_kind_name(a.kind));
    out_.field("sampling", a.sampling);
    out_.field("phase", model_phase_name(a.phase));
    out_.field("layers", a.layers);
    out_.key("typical");
    out_.begin_object();
    out_.field("pass", typical.pass);
    out_.field("index", typical.index);
    out_.field("wall_ns", whole_ns(typical.wall_ps()));
    out_.field("kernels", typical.kernels);
    out_.end_object();
    write_objects(out_, "components", a.components, [&](const layer_component& c) {
      out_.field("role", layer_role_name(c.role));
      out_.field("wall_ns", whole_ns(c.wall_ps));
      write_ratio(out_, "share", c.wall_ps, typical.wall_ps());
      out_.field("kernel_sum_ns", whole_ns(c.kernel_sum_ps));
      out_.field("kernels", c.kernels);
      const auto rate = [&](std::int64_t amount) {
        return c.worked_ps > 0 ? std::optional(bytes_per_s(amount, c.worked_ps)) : std::nullopt;
      };
      write_optional(out_, "flops_per_s", rate(c.flops));
      write_optional(out_, "bytes_per_s", rate(c.bytes));
      write_lanes(d, c.lanes);
    });
    write_objects(out_, "tree", a.tree, [&](const tree_node& n) {
      out_.field("role", layer_role_name(n.role));
      out_.field("stream", std::string_view(d.streams[n.lane].name));
      out_.field("beside", n.side);
      out_.field("wall_ns", whole_ns(n.wall_ps));
      write_ratio(out_, "overlapped_ratio", std::min(n.overlapped_ps, n.wall_ps), n.wall_ps);
      write_objects(out_, "ops", n.ops, [&](const tree_op& op) {
        out_.field("op", of_.text(op.op));
        out_.field("count", op.count);
        out_.field("duration_ns", whole_ns(op.duration_ps));
      });
    });
    out_.field("tree_kernels_left_out", a.tree_left_out);
    out_.key("variation");
    out_.begin_object();
    write_spread("wall_ns", a.wall_ps, true);
    write_spread("anchor_ns", a.anchor_ps, true);
    write_spread("dispatch_ns", a.dispatch_ps, true);
    write_spread("compute_behind_anchor_ns", a.compute_ps, true);
    write_spread("kernels", a.kernel_count, false);
    out_.end_object();
    write_strings(out_, "anomalies", a.anomalies);
  }

  void write_stream(const device_architecture& d, const model_stream& s) {
    out_.field("stream", std::string_view(s.name));
    out_.field("role", s.role);
    out_.field("kernels", s.kernels);
    out_.field("busy_ns", whole_ns(s.busy_ps));
    out_.field("compute_sum_ns", whole_ns(s.compute_ps));
    out_.field("comm_sum_ns", whole_ns(s.comm_ps));
    write_objects(out_, "overlaps", s.overlaps, [&](const stream_overlap& o) {
      out_.field("stream", std::string_view(d.streams[o.lane].name));
      out_.field("ns", whole_ns(o.ps));
      write_ratio(out_, "ratio", o.ps, s.busy_ps);
    });
  }

  void write_pipeline(const model_pipeline& p) {
    out_.key("pipeline");
    out_.begin_object();
    out_.field("wall_ns", whole_ns(p.wall_ps));
    out_.field("busy_ns", whole_ns(p.busy_ps));
    out_.field("kernel_sum_ns", whole_ns(p.kernel_sum_ps));
    out_.field("compute_ns", whole_ns(p.compute_ps));
    out_.field("comm_ns", whole_ns(p.comm_ps));
    out_.field("comm_sum_ns", whole_ns(p.comm_sum_ps));
    out_.field("hidden_ns", whole_ns(p.hidden_ps));
    write_ratio(out_, "hidden_ratio", p.hidden_ps, p.comm_ps);
    write_ratio(out_, "hidden_of_comm_sum_ratio", p.hidden_ps, p.comm_sum_ps);
    write_ratio(out_, "kernel_sum_of_busy_ratio", p.kernel_sum_ps, p.busy_ps);
    out_.end_object();
  }

  json_writer& out_;
  const activity& of_;
  const architecture_result& r_;
};

}  // namespace

document_status write_architecture(json_writer& out, const profile& p, const architecture_report& report, bool facts_only) {
  const std::vector<file_damage> damage = damage_of(*report.of);
  const verdict v = judge(p, report.found.absent, damage);
  begin_document(out, document::architecture);
  write_verdict(out, v);
  facts_only ? writer(out, report).write_facts() : writer(out, report).write();
  write_files(out, p);
  write_damage(out, damage, checked_by(document::architecture, p));
  end_document(out);
  return v.status;
}

result<document_status> write_architecture(json_writer& out, const trace& t, const query_filters& o,
                                           const hooks& host) {
  const profile& p = t.files();
  architecture_options wanted;
  wanted.device = o.plane;
  wanted.limit = o.limit;
  auto found = analyse_architecture(t, wanted, host);
  if (!found) return std::move(found).error();
  return write_architecture(out, p, *found, false);
}

}  // namespace json

result<document_status> write_architecture_document(const profile& p, const architecture_options& o,
                                                    const architecture_report& found, sink& into) {
  return contained([&]() -> result<document_status> {
    json_writer out(into);
    out.bound(json::bounds_of(document::architecture, o.limit));
    const document_status status = json::write_architecture(out, p, found, o.facts_only);
    if (result<void> finished = out.finish(); !finished) return std::move(finished).error();
    return status;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

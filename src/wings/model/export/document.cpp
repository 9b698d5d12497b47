// The document `architecture`.
#include <model/export/document_parts.hpp>

#include <base/contained.hpp>
#include <profkit/core/collectives.hpp>

#include <algorithm>
#include <optional>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

std::optional<double> ratio(std::int64_t part, std::int64_t whole) noexcept {
  return whole <= 0 ? std::nullopt : std::optional(static_cast<double>(part) / static_cast<double>(whole));
}

}  // namespace

std::uint32_t families_version_of(const architecture_result&, const model_sight&) noexcept { return kernel_families_version(); }
const device_architecture& reported_of(const architecture_result&, const model_sight& with) noexcept { return with.d; }

shown_device shown(const device_architecture& d, const architecture_result&, const model_sight& with) {
  const activity_device& on = with.of.devices()[d.device];
  return {d, on, with.text(on.name), d.device == with.d.device};
}

shown_pass shown(const model_pass& p, const device_architecture& of, const model_sight&) {
  shown_pass made{p, static_cast<std::uint64_t>(&p - of.passes.data())};
  for (std::uint32_t l = p.first_layer; l <= p.last_layer; ++l)
    if (of.layers[l].phase == model_phase::decode) ++made.decode_layers;
  return made;
}

shown_layout shown(const layer_layout& l, const device_architecture& of, const model_sight&) {
  return {l, static_cast<std::uint64_t>(&l - of.layouts.data())};
}

const model_layer& typical_of(const layer_anatomy& a, const model_sight& with) { return with.d.layers[a.typical]; }

shown_component shown(const layer_component& c, const layer_anatomy& of, const model_sight& with) {
  shown_component made{c, ratio(c.wall_ps, typical_of(of, with).wall_ps())};
  if (c.worked_ps > 0) {
    made.flops_per_s = bytes_per_s(c.flops, c.worked_ps);
    made.bytes_per_s = bytes_per_s(c.bytes, c.worked_ps);
  }
  for (const std::uint32_t lane : c.lanes) made.streams.push_back(with.d.streams[lane].name);
  return made;
}

std::string_view stream_of(const tree_node& n, const model_sight& with) { return with.d.streams[n.lane].name; }
std::optional<double> overlapped_ratio_of(const tree_node& n, const model_sight&) noexcept {
  return ratio(std::min(n.overlapped_ps, n.wall_ps), n.wall_ps);
}
shown_overlap shown(const stream_overlap& o, const model_stream& of, const model_sight& with) {
  return {with.d.streams[o.lane].name, o.ps, ratio(o.ps, of.busy_ps)};
}
std::optional<double> hidden_ratio(const model_pipeline& p) noexcept { return ratio(p.hidden_ps, p.comm_ps); }
std::optional<double> hidden_of_comm_sum_ratio(const model_pipeline& p) noexcept { return ratio(p.hidden_ps, p.comm_sum_ps); }
std::optional<double> kernel_sum_of_busy_ratio(const model_pipeline& p) noexcept { return ratio(p.kernel_sum_ps, p.busy_ps); }

void write_fact_value(json_writer& out, const fact_value& value) {
  if (const auto* n = std::get_if<std::int64_t>(&value)) return out.value(*n);
  if (const auto* d = std::get_if<double>(&value)) return out.number(*d);
  if (const auto* b = std::get_if<bool>(&value)) return out.value(*b);
  if (const auto* s = std::get_if<std::string>(&value)) return out.value(std::string_view(*s));
  out.begin_array();
  if (const auto* words = std::get_if<std::vector<std::string>>(&value))
    for (const std::string& each : *words) out.value(std::string_view(each));
  if (const auto* numbers = std::get_if<std::vector<std::int64_t>>(&value))
    for (const std::int64_t each : *numbers) out.value(each);
  out.end_array();
}

void write_counts(json_writer& out, const std::map<std::string, std::uint64_t>& counts, const model_sight&) {
  out.begin_map();
  for (const auto& [op, count] : counts) out.field(op, count);
  out.end_object();
}

document_status write_architecture(json_writer& out, const profile& p, const architecture_report& report) {
  const device_architecture none;
  const architecture_result& r = report.found;
  return write_framed(out, document::architecture, p, {}, r.absent, damage_of(*report.of), [&] {
    fields_of_architecture(out, r, {*report.of, r, r.devices.empty() ? none : r.devices[r.reported]});
  });
}

document_status write_facts(json_writer& out, const profile& p, const architecture_report& report) {
  const std::vector<file_damage> damage = damage_of(*report.of);
  const verdict v = judge(p, report.found.absent, damage);
  begin_document(out, "facts");
  write_verdict(out, v);
  fields_of_facts(out, report.found);
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
  return write_architecture(out, p, *found);
}

}  // namespace json

result<document_status> write_architecture_document(const profile& p, const architecture_options& o,
                                                    const architecture_report& found, sink& into) {
  return contained([&]() -> result<document_status> {
    json_writer out(into);
    out.bound(json::bounds_of(document::architecture, o.limit));
    const document_status status =
        o.facts_only ? json::write_facts(out, p, found) : json::write_architecture(out, p, found);
    if (result<void> finished = out.finish(); !finished) return std::move(finished).error();
    return status;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

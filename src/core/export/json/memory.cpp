// The memory document.
#include <export/json/memory_parts.hpp>

#include <profkit/time.hpp>

#include <base/contained.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

double percent(std::int64_t part, std::int64_t whole) noexcept {
  return whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole);
}
// Divided first, as this part of the document always was: the two differ in the last digit.
double percent_of_peak(std::int64_t part, std::int64_t peak) noexcept {
  return peak == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(peak) * 100.0;
}

template <class Row>
rows_tail tail_of(const std::vector<Row>& rows, std::uint64_t top) {
  rows_tail tail;
  for (std::size_t i = top_of(rows, top).size(); i < rows.size(); ++i, ++tail.n_buffers)
    tail.total_bytes = saturating_add(tail.total_bytes, rows[i].size_bytes);
  return tail;
}

// The rows beyond `top` are one row.
std::vector<shown_share> shares_of(const std::vector<rollup_row>& rows, std::int64_t total, std::uint64_t top) {
  std::vector<shown_share> made;
  for (const rollup_row& row : top_of(rows, top)) made.push_back({row.key, row.total_bytes, std::nullopt, percent(row.total_bytes, total)});
  shown_share rest{"<other>", 0, rows.size() - made.size(), 0};
  for (std::size_t i = made.size(); i < rows.size(); ++i) rest.total_bytes = saturating_add(rest.total_bytes, rows[i].total_bytes);
  rest.pct = percent(rest.total_bytes, total);
  if (*rest.n_keys > 0) made.push_back(rest);
  return made;
}

shown_buffers buffers_of(const std::vector<buffer_row>& rows, std::int64_t total, const std::vector<rollup_row>& by_opcode,
                         const std::vector<rollup_row>& by_op_name, std::int64_t pool_bytes, std::uint64_t top) {
  return {rows.size(), total, percent(total, pool_bytes), top_of(rows, top), tail_of(rows, top), shares_of(by_opcode, total, top),
          shares_of(by_op_name, total, top)};
}

shown_lifetime lifetime_of(std::string_view key, const lifetime_rollup_row& row, std::int64_t peak, bool is_mixed) {
  shown_lifetime made{key, row.n_buffers, row.total_bytes, std::nullopt, percent_of_peak(row.total_bytes, peak)};
  if (is_mixed) made.lifetime_mix = shown_mix{row.mix_bytes[0], row.mix_bytes[1], row.mix_bytes[2]};
  return made;
}

// Of mixed ones the rows beyond `top` are one row.
std::vector<shown_lifetime> lifetimes_of(const std::vector<lifetime_rollup_row>& rows, std::int64_t peak, bool is_mixed, std::uint64_t top) {
  std::vector<shown_lifetime> made;
  lifetime_rollup_row tail;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!is_mixed || i < top) {
      made.push_back(lifetime_of(rows[i].key, rows[i], peak, is_mixed));
      continue;
    }
    tail.n_buffers += rows[i].n_buffers;
    tail.total_bytes = saturating_add(tail.total_bytes, rows[i].total_bytes);
    for (std::size_t c = 0; c < 3; ++c) tail.mix_bytes[c] = saturating_add(tail.mix_bytes[c], rows[i].mix_bytes[c]);
  }
  if (tail.n_buffers > 0) made.push_back(lifetime_of("<tail>", tail, peak, is_mixed));
  return made;
}

verdict judge_memory(const profile& p, const memory_result& r) {
  const bool nothing = r.modules.empty() && r.allocators.empty();
  std::string absent;
  if (nothing) {
    absent = "no_data_sources: HLO " + r.hlo_absent_reason;
    if (!r.runtime_absent_reason.empty()) absent += ", runtime " + r.runtime_absent_reason;
  }
  if (is_all_damaged(p, r)) return {document_status::error, r.damage.front().what.message, &r.damage.front().what};
  return judge(p, absent, r.damage);
}

}  // namespace

const char* primary_source_of(const memory_result& r, const memory_sight&) noexcept {
  return r.hlo ? "hlo_buffer_assignment" : "runtime_allocator";
}
std::string_view path_of(const memory_result&, const memory_sight& with) noexcept { return with.p.what().path; }
std::string_view source_of(const module_memory& m) noexcept { return m.sources.front().path; }
std::array<std::int64_t, 2> range_of(const step_choice& step) noexcept { return {step.from_ns, step.to_ns}; }
shown_space shown(const space_memory& space, const module_memory& of) noexcept { return {space, memory_space_name(space.color, of.home)}; }
const runtime_diagnostics* diagnostics_of(const memory_result& r, const memory_sight&) noexcept {
  return r.runtime ? &r.runtime->diagnostics : nullptr;
}

std::optional<shown_hlo> shown_hlo_of(const memory_result& r, const memory_sight& with) {
  if (!r.hlo) return std::nullopt;
  const hlo_report& h = *r.hlo;
  const module_memory& m = r.modules[h.module];
  const space_memory* const space = m.space(h.color);
  shown_donation donation{h.donation.size(), 0, top_of(h.donation, with.top)};
  for (const donation_row& d : h.donation) donation.saved_bytes = saturating_add(donation.saved_bytes, d.saved_bytes);
  return shown_hlo{h, m, r.selection, space == nullptr ? space_memory{} : *space,
                   buffers_of(h.alive, h.alive_total_bytes, h.by_opcode, h.by_op_name, h.temp_pool_bytes, with.top),
                   buffers_of(h.always_alive, h.always_alive_total_bytes, h.always_by_opcode, h.always_by_op_name, h.temp_pool_bytes, with.top),
                   donation};
}

std::optional<shown_runtime> shown_runtime_of(const memory_result& r, const memory_sight& with) {
  if (!r.runtime) return std::nullopt;
  const runtime_report& t = *r.runtime;
  const auto rows = [&](const std::vector<lifetime_rollup_row>& of, bool is_mixed) { return lifetimes_of(of, t.peak_bytes, is_mixed, with.top); };
  shown_runtime made{t, nullptr, std::nullopt, top_of(t.alive, with.top), tail_of(t.alive, with.top), rows(t.by_lifetime_class, false),
                     rows(t.by_shape, true), rows(t.by_tf_op, true), rows(t.by_parent_jit, true), rows(t.by_dtype, false)};
  if (t.allocator) {
    made.allocator = &r.allocators[*t.allocator];
    made.reserved_bytes = t.reserved_bytes;
  }
  return made;
}

std::vector<shown_moment> moments_of(const runtime_report& t) {
  std::optional<std::string_view> step;
  if (t.step.id) step = *t.step.id;
  return {{"global_peak", t.global_peak_ts_ns, std::nullopt, t.global_peak_bytes},
          {"step_start", t.step.from_ns, step, std::nullopt},
          {"step_end", t.step.to_ns, step, std::nullopt},
          {"step_local_peak", t.peak_ts_ns, step, t.peak_bytes}};
}

std::optional<shown_fit> shown_fit_of(const memory_result& r, const memory_sight&) {
  if (!r.fit) return std::nullopt;
  shown_fit made;
  made.limit_bytes = r.fit->limit_bytes;
  if (!r.fit->known()) return made;
  made.needed_bytes = r.fit->needed_bytes;
  made.needed_by = r.fit->needed_by;
  made.fits = r.fit->fits;
  made.spare_bytes = r.fit->spare_bytes;
  return made;
}

void write_pools(json_writer& out, const std::vector<std::pair<std::int64_t, std::int64_t>>& bytes) {
  out.begin_map();
  for (const auto& [pool, held] : bytes) out.field(std::to_string(pool), held);
  out.end_object();
}

document_status write_memory(json_writer& out, const profile& p, const memory_options& o, const memory_result& r) {
  const verdict v = judge_memory(p, r);
  begin_document(out, document::memory);
  write_verdict(out, v);
  fields_of_memory(out, r, {p, o.top});
  write_files(out, p);
  write_damage(out, r.damage, checked_by(document::memory, p));
  end_document(out);
  return v.status;
}

memory_options memory_options_of(const query_filters& o) {
  memory_options options;
  options.host = o.host;
  options.name = o.name;
  if (o.step) options.step = static_cast<std::int64_t>(*o.step);
  options.top = o.limit == 0 ? ~std::uint64_t{0} : o.limit;
  // A curve does not end early as lists do: it gets fewer points.
  constexpr std::uint64_t bytes_per_sample = 1000, min_samples = 10;
  if (o.max_bytes != 0)
    options.time_samples = std::min(options.time_samples, std::max(o.max_bytes / bytes_per_sample, min_samples));
  return options;
}

result<document_status> write_memory(json_writer& out, const trace& t, const query_filters& o, const hooks& host) {
  const profile& p = t.files();
  const memory_options options = memory_options_of(o);
  result<memory_result> found = analyse_memory(t, options, host);
  if (!found) return std::move(found).error();
  return write_memory(out, p, options, *found);
}

}  // namespace json

result<document_status> write_memory_document(const profile& p, const memory_options& o, const memory_result& found,
                                              sink& into) {
  return contained([&]() -> result<document_status> {
    json_writer out(into);
    json_bounds bounds =
        json::bounds_of(document::memory, o.top == ~std::uint64_t{0} ? 0 : std::max<std::uint64_t>(o.top, 1));
    // To ask for more points than a document has by default is to ask for a larger document.
    const memory_options usual;
    if (o.time_samples > usual.time_samples || o.curve_points > usual.time_samples) bounds.bytes = bounds.text = 0;
    out.bound(bounds);
    const document_status status = json::write_memory(out, p, o, found);
    if (result<void> finished = out.finish(); !finished) return std::move(finished).error();
    return status;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

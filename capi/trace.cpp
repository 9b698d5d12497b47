#include <profkit/core/trace_export.hpp>

#include <memory>
#include <utility>

#include "options.hpp"
#include "profile.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {


constexpr std::uint32_t known_trace_flags = PK_TRACE_LIKE_XLA | PK_TRACE_GZIP | PK_TRACE_WAITS;

bool is_trace_format(std::int32_t format) noexcept { return format >= PK_TRACE_JSON && format <= PK_TRACE_CSV; }

result<trace_export_options> read_trace_options(const pk_trace_options& given) {
  if ((given.flags & ~known_trace_flags) != 0) return unknown_flags("pk_trace_options", given.flags);
  if (given.reserved != 0) return invalid_argument("pk_trace_options::reserved is not 0");
  if (!is_trace_format(given.format))
    return invalid_argument("there is no trace format " + std::to_string(given.format), "use PK_TRACE_JSON and so on");
  trace_export_options o;
  o.format = static_cast<trace_format>(given.format);
  o.like_xla = (given.flags & PK_TRACE_LIKE_XLA) != 0;
  o.waits = (given.flags & PK_TRACE_WAITS) != 0;
  result<query_filters> filters = read_filters(given.filters, by_all);
  if (!filters) return std::move(filters).error();
  o.filters = std::move(*filters);
  return o;
}

pk_trace_outcome outcome_of(const trace_export_outcome& from) noexcept {
  pk_trace_outcome out{};
  out.status = static_cast<std::int32_t>(from.status);
  out.tracks = from.tracks;
  out.lanes = from.lanes;
  out.events = from.events;
  out.counters = from.counters;
  out.flows = from.flows;
  out.aggregated_left_out = from.aggregated_left_out;
  out.out_of_reach = from.out_of_reach;
  out.crowded = from.crowded;
  return out;
}

// Writes into what `open` gives, and finishes it unless there was nothing to write.
template <class Open>
result<pk_status> write_trace(const pk_profile* profile, const pk_trace_options* options, pk_trace_outcome* out,
                              Open&& open) {
  if (!profile) return null_argument("profile");
  result<pk_trace_options> given =
      read_sized_struct<pk_trace_options>(options, "pk_trace_options");
  if (!given) return std::move(given).error();
  result<trace_export_options> asked = read_trace_options(*given);
  if (!asked) return std::move(asked).error();
  hook_bridge bridge;
  if (result<void> taken = bridge.take(given->hooks); !taken) return std::move(taken).error();
  asked->host = bridge.core();
  result<std::unique_ptr<sink>> into = open();
  if (!into) return std::move(into).error();
  if ((given->flags & PK_TRACE_GZIP) != 0) *into = gzip_sink(std::move(*into), bridge.core().threads);
  result<trace_export_outcome> exported = export_trace(*profile->trace, *asked, **into);
  if (!exported) return std::move(exported).error();
  if (exported->status == document_status::ok || exported->status == document_status::partial)
    if (result<void> finished = (*into)->finish(); !finished) return std::move(finished).error();
  if (out) *out = outcome_of(*exported);
  return PK_OK;
}

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

pk_status pk_trace_write(const pk_profile* profile, const pk_trace_options* options, pk_write_callback write,
                         void* user, pk_trace_outcome* out, pk_error** err) noexcept {
  if (out) *out = pk_trace_outcome{};
  return guard(err, [&]() -> result<pk_status> {
    if (!write) return null_argument("write");
    return write_trace(profile, options, out,
                       [&]() -> result<std::unique_ptr<profkit::sink>> { return profkit::callback_sink(write, user); });
  });
}

pk_status pk_trace_write_file(const pk_profile* profile, const pk_trace_options* options, const char* path,
                              pk_trace_outcome* out, pk_error** err) noexcept {
  if (out) *out = pk_trace_outcome{};
  return guard(err, [&]() -> result<pk_status> {
    if (!path) return null_argument("path");
    return write_trace(profile, options, out, [&] { return output_file(*profile, path); });
  });
}

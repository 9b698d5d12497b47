#include "options.hpp"

#include <cstdint>
#include <iterator>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

constexpr std::uint32_t smallest_struct = 8;        // struct_size and one more field
constexpr std::uint32_t largest_struct = 1U << 16;  // more is a struct_size that was not set
constexpr std::uint32_t deepest_nesting = 1000;     // some readers recurse


void log_to_host(void* user, log_level level, const char* message) {
  const auto* host = static_cast<const pk_hooks*>(user);
  host->log(host->user, static_cast<std::int32_t>(level), message);
}

std::int32_t progress_to_host(void* user, std::uint64_t done_bytes, std::uint64_t total_bytes) {
  const auto* host = static_cast<const pk_hooks*>(user);
  return host->progress(host->user, done_bytes, total_bytes);
}

// How filters are named to people, in the order of the bits.
constexpr const char* filter_names[] = {"host", "plane", "line", "name", "step", "time"};

std::uint32_t filters_set(const query_filters& o) noexcept {
  return (o.host.empty() ? 0U : by_host) | (o.plane.empty() ? 0U : by_plane) | (o.line.empty() ? 0U : by_line) |
         (o.name.empty() ? 0U : by_name) | (o.step ? by_step : 0U) | (o.from_ps || o.to_ps ? by_time : 0U);
}

}  // namespace

result<query_filters> read_filters(const pk_filters* given, std::uint32_t taken) {
  constexpr std::uint32_t known_flags = PK_FILTER_HAS_STEP | PK_FILTER_HAS_FROM | PK_FILTER_HAS_TO;
  result<pk_filters> known = read_sized_struct<pk_filters>(given, "pk_filters");
  if (!known) return std::move(known).error();
  if ((known->flags & ~known_flags) != 0) return unknown_flags("pk_filters", known->flags);
  query_filters filters;
  filters.limit = 0;
  filters.host = text_of(known->host);
  filters.plane = text_of(known->plane);
  filters.line = text_of(known->line);
  filters.name = text_of(known->name);
  if ((known->flags & PK_FILTER_HAS_STEP) != 0) filters.step = known->step;
  if ((known->flags & PK_FILTER_HAS_FROM) != 0) filters.from_ps = known->from_ps;
  if ((known->flags & PK_FILTER_HAS_TO) != 0) filters.to_ps = known->to_ps;
  const std::uint32_t unasked = filters_set(filters) & ~taken;
  if (unasked == 0) return filters;
  std::string refused, there;
  for (std::uint32_t bit = 0; bit < std::size(filter_names); ++bit) {
    if ((unasked >> bit & 1) != 0 && refused.empty()) refused = filter_names[bit];
    if ((taken >> bit & 1) != 0) there += (there.empty() ? "" : ", ") + std::string(filter_names[bit]);
  }
  return invalid_argument("the filter " + refused + " is not taken here", "the filters here are " + there);
}

result<void> check_sized_struct(const void* options, std::size_t known_size, const char* type_name) {
  std::uint32_t size = 0;
  std::memcpy(&size, options, sizeof size);
  if (size < smallest_struct || size > largest_struct)
    return invalid_argument(std::string(type_name) + "::struct_size is " + std::to_string(size),
                            "initialise the struct with its _INIT macro");
  const char* const bytes = static_cast<const char*>(options);
  for (std::size_t i = known_size; i < size; ++i)
    if (bytes[i] != 0)
      return fault{fault_code::unsupported,
                   std::string(type_name) + " has " + std::to_string(size) + " bytes, and byte " + std::to_string(i) +
                       ", which this release does not know, is not 0",
                   {},
                   no_offset,
                   "leave newer options at 0, or load a newer libprofkit"};
  return {};
}

fault unknown_flags(const char* type_name, std::uint32_t flags) {
  return {fault_code::unsupported,
          std::string(type_name) + "::flags has bits that this release does not know: " + std::to_string(flags),
          {},
          no_offset,
          "clear them, or load a newer libprofkit"};
}

result<void> hook_bridge::take(const pk_hooks* hooks) {
  result<pk_hooks> known = read_sized_struct<pk_hooks>(hooks, "pk_hooks");
  if (!known) return std::move(known).error();
  host_ = *known;
  core_.user = &host_;
  if (host_.log) core_.log = log_to_host;
  if (host_.progress) core_.progress = progress_to_host;
  if (host_.cancel) core_.cancel = &host_.cancel->cancelled;
  if (core_.cancel && core_.cancel->load(std::memory_order_relaxed))
    return fault{fault_code::cancelled, "the cancel token was cancelled before the call", {}, no_offset, {}};
  core_.threads = host_.threads == 0 ? 1 : host_.threads;
  return {};
}

result<limits> read_limits(const pk_limits* bounds) {
  result<pk_limits> known = read_sized_struct<pk_limits>(bounds, "pk_limits");
  if (!known) return std::move(known).error();
  limits core;
  const auto take = [](auto& field, auto value) {
    if (value != 0) field = value;
  };
  take(core.max_nesting, std::min(known->max_nesting, deepest_nesting));
  take(core.max_materialised_bytes, known->max_materialised_bytes);
  take(core.max_decompression_ratio, known->max_decompression_ratio);
  take(core.ratio_free_bytes, known->ratio_free_bytes);
  take(core.max_string_bytes, known->max_string_bytes);
  take(core.max_files, known->max_files);
  return core;
}

result<open_options> read_open_options(const pk_open_options& given, hook_bridge& bridge) {
  constexpr std::uint32_t known_flags = std::uint32_t{PK_OPEN_COPY} | std::uint32_t{PK_OPEN_ONE_PASS} | std::uint32_t{PK_OPEN_REDACT} |
                                        std::uint32_t{PK_OPEN_HAS_RANK} | std::uint32_t{PK_OPEN_STANDARD_INPUT};
  if ((given.flags & ~known_flags) != 0) return unknown_flags("pk_open_options", given.flags);
  if (given.io < PK_IO_READ || given.io > PK_IO_MAP)
    return invalid_argument("pk_open_options::io is " + std::to_string(given.io), "use a PK_IO_ constant");
  const bool has_rank = (given.flags & PK_OPEN_HAS_RANK) != 0;
  if (has_rank ? given.rank < 0 : given.rank != 0)
    return invalid_argument("pk_open_options::rank is " + std::to_string(given.rank), "set PK_OPEN_HAS_RANK and a rank from 0 on");
  result<limits> bounds = read_limits(given.limits);
  if (!bounds) return std::move(bounds).error();
  if (result<void> taken = bridge.take(given.hooks); !taken) return std::move(taken).error();
  open_options options;
  options.io = static_cast<io_mode>(given.io);
  if ((given.flags & PK_OPEN_ONE_PASS) != 0) options.access = access_mode::one_pass;
  options.standard_input = (given.flags & PK_OPEN_STANDARD_INPUT) != 0;
  options.redact = (given.flags & PK_OPEN_REDACT) != 0;
  options.run = text_of(given.run);
  options.hostname = text_of(given.host);
  if (has_rank) options.rank = given.rank;
  options.bounds = *bounds;
  options.host = bridge.core();
  options.host_ends_with_open = true;
  return options;
}

}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

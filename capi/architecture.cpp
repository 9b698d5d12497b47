#include <profkit/core/architecture.hpp>

#include <utility>

#include "document.hpp"
#include "options.hpp"
#include "profile.hpp"

struct pk_architecture {
  explicit pk_architecture(pk_profile* of) : profile(of) {}
  profkit::capi::profile_reference profile;
  profkit::architecture_options asked;
  profkit::architecture_report report;
  std::string file_name;
};

using namespace profkit::capi;
using profkit::result;

pk_status pk_architecture_open(pk_profile* profile, const pk_architecture_options* options, pk_architecture** out,
                               pk_error** err) noexcept {
  if (out) *out = nullptr;
  return guard(err, [&]() -> result<pk_status> {
    if (!profile) return null_argument("profile");
    if (!out) return null_argument("out");
    result<pk_architecture_options> given =
        read_sized_struct<pk_architecture_options>(options, "pk_architecture_options");
    if (!given) return std::move(given).error();
    if (given->flags != 0) return unknown_flags("pk_architecture_options", given->flags);
    result<profkit::query_filters> filters = read_filters(given->filters, by_plane);
    if (!filters) return std::move(filters).error();
    hook_bridge bridge;
    if (result<void> taken = bridge.take(given->hooks); !taken) return std::move(taken).error();
    auto made = std::make_unique<pk_architecture>(profile);
    made->asked.device = std::move(filters->plane);
    made->asked.step_pattern = text_of(given->step_pattern);
    made->asked.limit =
        limit_of(given->limit, profkit::default_limit(profkit::document::architecture));
    auto found = profkit::analyse_architecture(*profile->trace, made->asked, bridge.core());
    if (!found) return std::move(found).error();
    made->report = std::move(*found);
    made->file_name = profkit::architecture_file_name(made->report);
    *out = made.release();
    return PK_OK;
  });
}

pk_str pk_architecture_summary(const pk_architecture* architecture) noexcept {
  return architecture ? borrowed(architecture->report.found.summary) : borrowed({});
}

pk_str pk_architecture_file_name(const pk_architecture* architecture) noexcept {
  return architecture ? borrowed(architecture->file_name) : borrowed({});
}

pk_status pk_architecture_write(const pk_architecture* architecture, pk_write_callback write, void* user,
                                int32_t* status, pk_error** err) noexcept {
  if (status) *status = PK_DOCUMENT_STATUS_OK;
  return guard(err, [&]() -> result<pk_status> {
    if (!architecture) return null_argument("architecture");
    if (!write) return null_argument("write");
    return write_to_host(write, user, status, [&](profkit::sink& into) {
      return profkit::write_architecture_document(architecture->profile.core(), architecture->asked,
                                                  architecture->report, into);
    });
  });
}

pk_status pk_architecture_write_markdown(const pk_architecture* architecture, pk_write_callback write, void* user,
                                         pk_error** err) noexcept {
  return guard(err, [&]() -> result<pk_status> {
    if (!architecture) return null_argument("architecture");
    if (!write) return null_argument("write");
    return write_to_host(write, user, nullptr, [&](profkit::sink& into) {
      return profkit::write_architecture_markdown(architecture->report, into);
    });
  });
}

void pk_architecture_free(pk_architecture* architecture) noexcept { delete architecture; }

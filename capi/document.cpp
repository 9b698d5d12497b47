#include "document.hpp"

#include <limits>
#include <string>
#include <utility>

#include "profile.hpp"

#include <profkit/core/detection.hpp>
#include <profkit/core/page.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {


bool is_document(std::int32_t which) noexcept {
  return (which >= PK_DOCUMENT_REPORT && which <= PK_DOCUMENT_ARCHITECTURE) || which == PK_DOCUMENT_NEUTRINO ||
         which == PK_DOCUMENT_BRIEF || which == PK_DOCUMENT_EXPLAIN || which == PK_DOCUMENT_OP_GROUPS;
}

fault no_such_document(std::int32_t which) {
  return invalid_argument("there is no document " + std::to_string(which), "use a PK_DOCUMENT_ constant");
}

// Writes a document of what the filters leave, `make(filters, pk_document_options::of, sink, hooks)`, into what `open()` gives.
template <class Open, class Make>
result<pk_status> write_filtered_into(const pk_profile* profile, document which, const pk_document_options* options, Open&& open,
                                      std::int32_t* status, Make&& make) {
  if (!profile) return null_argument("profile");
  result<pk_document_options> given =
      read_sized_struct<pk_document_options>(options, "pk_document_options");
  if (!given) return std::move(given).error();
  if (given->flags != 0) return unknown_flags("pk_document_options", given->flags);
  result<query_filters> filters = read_filters(given->filters, by_all);
  if (!filters) return std::move(filters).error();
  filters->limit = limit_of(given->limit, default_limit(which));
  filters->max_bytes = given->max_bytes;
  hook_bridge bridge;
  if (result<void> taken = bridge.take(given->hooks); !taken) return std::move(taken).error();
  result<std::unique_ptr<sink>> into = open();
  if (!into) return std::move(into).error();
  return write_into(**into, status, [&](sink& to) { return make(*filters, given->of, to, bridge.core()); });
}

template <class Make>
result<pk_status> write_filtered(const pk_profile* profile, document which, const pk_document_options* options,
                                 pk_write_callback write, void* user, std::int32_t* status, Make&& make) {
  if (!write) return null_argument("write");
  const auto open = [&]() -> result<std::unique_ptr<sink>> { return callback_sink(write, user); };
  return write_filtered_into(profile, which, options, open, status, std::forward<Make>(make));
}

struct document_of {
  const pk_profile* profile;
  document which;

  result<document_status> operator()(const query_filters& filters, const char* of, sink& into, const hooks& host) const {
    const trace& capture = *profile->trace;
    if (!of) return write_document(which, capture, filters, into, host);
    switch (which) {
      case document::modules: return write_entry_document(capture, of, filters, into, host);
      case document::explain:
        if (*of == '\0') return invalid_argument("the id is empty", "PK_DOCUMENT_EXPLAIN lists the findings with their ids");
        return write_explanation(capture, of, filters, into, host);
      case document::op_groups: {
        const auto keys = parse_group_keys(of);
        return keys ? write_op_groups(capture, *keys, filters, into, host) : result<document_status>(keys.error());
      }
      default:
        return invalid_argument(std::string("pk_document_options::of is set, and the document ") + document_name(which) +
                                    " is of the whole capture",
                                "leave it NULL");
    }
  }
};

}  // namespace

}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

const char* pk_document_name(int32_t document) noexcept {
  return is_document(document) ? profkit::document_name(static_cast<profkit::document>(document)) : "";
}

pk_status pk_document_write(const pk_profile* profile, int32_t document, const pk_document_options* options,
                            pk_write_callback write, void* user, int32_t* status, pk_error** err) noexcept {
  if (status) *status = PK_DOCUMENT_STATUS_OK;
  return guard(err, [&]() -> result<pk_status> {
    if (!is_document(document)) return no_such_document(document);
    const document_of what{profile, static_cast<profkit::document>(document)};
    return write_filtered(profile, what.which, options, write, user, status, what);
  });
}

pk_status pk_document_write_file(const pk_profile* profile, int32_t document, const pk_document_options* options,
                                 const char* path, int32_t* status, pk_error** err) noexcept {
  if (status) *status = PK_DOCUMENT_STATUS_OK;
  return guard(err, [&]() -> result<pk_status> {
    if (!path) return null_argument("path");
    if (!is_document(document)) return no_such_document(document);
    const document_of what{profile, static_cast<profkit::document>(document)};
    return write_filtered_into(profile, what.which, options, [&] { return output_file(*profile, path); }, status, what);
  });
}

pk_status pk_page_write(const pk_profile* profile, const pk_document_options* options, pk_write_callback write, void* user,
                        int32_t* status, pk_error** err) noexcept {
  if (status) *status = PK_DOCUMENT_STATUS_OK;
  return guard(err, [&] {
    const auto make = [&](const auto& filters, const char*, profkit::sink& into,
                          const profkit::hooks& host) -> result<profkit::document_status> {
      const profkit::trace& capture = *profile->trace;
      if (auto fits = profkit::check_filters(capture, filters, host); !fits) return std::move(fits).error();
      const auto found = profkit::analyse_report(capture, profkit::page_options(filters), host);
      if (!found) return found.error();
      if (auto written = profkit::write_page(capture, *found, into, host); !written) return std::move(written).error();
      return found->damage.empty() ? profkit::document_status::ok : profkit::document_status::partial;
    };
    return write_filtered(profile, profkit::document::report, options, write, user, status, make);
  });
}

pk_status pk_redaction_write(const pk_profile* profile, pk_write_callback write, void* user, pk_error** err) noexcept {
  return guard(err, [&]() -> result<pk_status> {
    if (!profile) return null_argument("profile");
    if (!write) return null_argument("write");
    const auto& redacted = profile->core->what().redacted;
    if (!redacted) return invalid_argument("the capture was opened as it is", "open it with PK_OPEN_REDACT");
    return write_to_host(write, user, nullptr, [&](profkit::sink& into) { return profkit::write_redaction(*redacted, into); });
  });
}

pk_status pk_captures_write(const char* path, pk_write_callback write, void* user, pk_error** err) noexcept {
  return guard(err, [&]() -> result<pk_status> {
    if (!path) return null_argument("path");
    if (!write) return null_argument("write");
    profkit::limits bounds;
    bounds.max_files = std::numeric_limits<decltype(bounds.max_files)>::max();
    const auto found = profkit::captures_at(path, bounds);
    if (!found) return found.error();
    return write_to_host(write, user, nullptr, [&](profkit::sink& into) -> result<profkit::document_status> {
      for (const std::string& one : *found)
        if (auto written = into.write({one.c_str(), one.size() + 1}); !written) return std::move(written).error();
      return profkit::document_status::ok;
    });
  });
}

pk_status pk_document_write_error(int32_t document, const pk_error* why, pk_write_callback write, void* user,
                                  pk_error** err) noexcept {
  return guard(err, [&]() -> result<pk_status> {
    if (!why) return null_argument("why");
    if (!write) return null_argument("write");
    if (!is_document(document)) return no_such_document(document);
    return write_to_host(write, user, nullptr, [&](profkit::sink& into) {
      return profkit::write_error_document(static_cast<profkit::document>(document), fault_of(*why), into);
    });
  });
}

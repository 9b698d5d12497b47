#include <profkit/core/dump.hpp>

#include "document.hpp"
#include "options.hpp"
#include "profile.hpp"

using namespace profkit::capi;
using profkit::result;

pk_status pk_dump_write(const char* path, const pk_dump_options* options, pk_write_callback write, void* user,
                        int32_t* status, pk_error** err) noexcept {
  if (status) *status = PK_DOCUMENT_STATUS_OK;
  return guard(err, [&]() -> result<pk_status> {
    if (!path) return null_argument("path");
    if (!write) return null_argument("write");
    result<pk_dump_options> given =
        read_sized_struct<pk_dump_options>(options, "pk_dump_options");
    if (!given) return std::move(given).error();
    if (given->format != PK_DUMP_JSON && given->format != PK_DUMP_TEXT)
      return invalid_argument("there is no format " + std::to_string(given->format),
                              "use PK_DUMP_JSON or PK_DUMP_TEXT");
    result<pk_open_options> opening =
        read_sized_struct<pk_open_options>(given->open, "pk_open_options");
    if (!opening) return std::move(opening).error();
    hook_bridge bridge;
    result<profkit::open_options> how = read_open_options(*opening, bridge);
    if (!how) return std::move(how).error();
    std::string type(text_of(given->type));
    result<profkit::dump_source> file = profkit::open_dump_source(path, type, *how);
    if (!file) return std::move(file).error();
    if (type.empty()) type = profkit::dump_type_of(file->found.family);
    profkit::dump_options asked;
    asked.format = given->format == PK_DUMP_TEXT ? profkit::dump_format::text : profkit::dump_format::json;
    asked.limit = limit_of(given->limit, 0);
    asked.bounds = how->bounds;
    asked.host = how->host;
    return write_to_host(write, user, status, [&](profkit::sink& into) -> result<profkit::document_status> {
      result<profkit::dump_outcome> dumped = profkit::dump_message(file->held.bytes, type, into, asked);
      if (!dumped) return std::move(dumped).error();
      const bool lost = file->held.damage && dumped->status == profkit::document_status::ok;
      return lost ? profkit::document_status::partial : dumped->status;
    });
  });
}

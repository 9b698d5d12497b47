#include <profkit/core/dump.hpp>

#include "document.hpp"
#include "options.hpp"
#include "profile.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {
namespace {

// Options that were checked. Stays where it is while its hooks are used.
struct dump_request {
  pk_dump_options given{};
  hook_bridge bridge;
  open_options how;

  result<void> take(const pk_dump_options* options) {
    result<pk_dump_options> read = read_sized_struct<pk_dump_options>(options, "pk_dump_options");
    if (!read) return std::move(read).error();
    given = *read;
    if (given.format != PK_DUMP_JSON && given.format != PK_DUMP_TEXT)
      return invalid_argument("there is no format " + std::to_string(given.format), "use PK_DUMP_JSON or PK_DUMP_TEXT");
    result<pk_open_options> opening = read_sized_struct<pk_open_options>(given.open, "pk_open_options");
    if (!opening) return std::move(opening).error();
    result<open_options> read_how = read_open_options(*opening, bridge);
    if (!read_how) return std::move(read_how).error();
    how = std::move(*read_how);
    return {};
  }
};

result<pk_status> write_dump(const dump_request& asked, std::string_view bytes, file_family family, bool is_damaged,
                             pk_write_callback write, void* user, std::int32_t* status) {
  std::string type = text_of(asked.given.type);
  if (type.empty()) type = dump_type_of(family);
  dump_options options;
  options.format = asked.given.format == PK_DUMP_TEXT ? dump_format::text : dump_format::json;
  options.limit = limit_of(asked.given.limit, 0);
  options.bounds = asked.how.bounds;
  options.host = asked.how.host;
  return write_to_host(write, user, status, [&](sink& into) -> result<document_status> {
    result<dump_outcome> dumped = dump_message(bytes, type, into, options);
    if (!dumped) return std::move(dumped).error();
    return is_damaged && dumped->status == document_status::ok ? document_status::partial : dumped->status;
  });
}

}  // namespace
}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

using namespace profkit::capi;
using profkit::result;

pk_status pk_dump_write(const char* path, const pk_dump_options* options, pk_write_callback write, void* user,
                        int32_t* status, pk_error** err) noexcept {
  if (status) *status = PK_DOCUMENT_STATUS_OK;
  return guard(err, [&]() -> result<pk_status> {
    if (!path) return null_argument("path");
    if (!write) return null_argument("write");
    dump_request asked;
    if (result<void> taken = asked.take(options); !taken) return std::move(taken).error();
    result<profkit::dump_source> file = profkit::open_dump_source(path, text_of(asked.given.type), asked.how);
    if (!file) return std::move(file).error();
    return write_dump(asked, file->held.bytes, file->found.family, file->held.damage.has_value(), write, user, status);
  });
}

pk_status pk_file_dump_write(const pk_profile* profile, uint32_t file, const pk_dump_options* options,
                             pk_write_callback write, void* user, int32_t* status, pk_error** err) noexcept {
  if (status) *status = PK_DOCUMENT_STATUS_OK;
  return guard(err, [&]() -> result<pk_status> {
    if (!write) return null_argument("write");
    result<const profkit::profile*> core = require_file(profile, file);
    if (!core) return std::move(core).error();
    dump_request asked;
    if (result<void> taken = asked.take(options); !taken) return std::move(taken).error();
    const profkit::capture_file& what = (*core)->what().files[file];
    if (result<void> is_message = profkit::check_dump(what, text_of(asked.given.type)); !is_message)
      return std::move(is_message).error();
    const std::string_view bytes = (*core)->bytes(file);
    const profkit::fault* const broken = (*core)->file_fault(file);
    if (bytes.empty() && broken) return *broken;
    if (bytes.empty() && profkit::content_of(what.family) == profkit::file_content::recording)
      return invalid_argument("what a host recorded itself has no bytes", "its documents and tables show it");
    return write_dump(asked, bytes, what.family, broken != nullptr, write, user, status);
  });
}

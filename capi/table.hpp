// A table handle, and how functions of other handles open one.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "arrow_tables.hpp"
#include "document.hpp"
#include "handle.hpp"
#include "options.hpp"
#include "profile.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {

// Options that were checked.
struct table_request {
  arrow_options arrow;
  std::vector<std::string> columns;  // none: all
  query_filters filters;
  bool allow_empty = false;
  std::optional<std::uint32_t> file;
  [[nodiscard]] bool wants_any(std::initializer_list<const char*> names) const;
};
// `bridge` takes the hooks.
result<table_request> read_table_options(const pk_table_options* options, hook_bridge& bridge);

// What a table is made of: rows, or columns of Arrow. Later members need those before them.
struct table_parts {
  std::shared_ptr<void> owner;  // the handle that it came from
  std::shared_ptr<const capture_devices> devices;
  std::unique_ptr<row_source> rows;
  std::unique_ptr<arrow_table> columns;
  table_kind of_columns = table_kind::probe_records;  // whose they are
};
result<pk_table*> make_table(table_parts parts, table_request asked);

// A handle, for table_parts.
template <class Handle>
std::shared_ptr<void> owner_of(Handle* handle) {
  held_handle<Handle> held = hold(handle);
  auto* const released = held.get_deleter();
  return std::shared_ptr<void>(held.release(), [released](void* raw) { released(static_cast<Handle*>(raw)); });
}

// What the exported functions share: make(request, hooks) gives the parts.
template <class Make>
pk_status open_table(const pk_table_options* options, pk_table** out, pk_error** err, Make&& make) noexcept {
  if (out) *out = nullptr;
  return guard(err, [&]() -> result<pk_status> {
    if (!out) return null_argument("out");
    hook_bridge bridge;
    result<table_request> asked = read_table_options(options, bridge);
    if (!asked) return std::move(asked).error();
    result<table_parts> parts = make(std::as_const(*asked), bridge.core());
    if (!parts) return std::move(parts).error();
    result<pk_table*> made = make_table(std::move(*parts), std::move(*asked));
    if (!made) return std::move(made).error();
    *out = *made;
    return PK_OK;
  });
}

// Of a handle that has its rows: a filter would change nothing.
[[nodiscard]] result<void> refuse_filters(const table_request& asked);
[[nodiscard]] fault table_not_here(std::int32_t table, const char* there);

}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

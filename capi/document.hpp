// What the functions that write documents share.
#pragma once
#include <profkit/core/export.hpp>
#include <profkit/core/sink.hpp>

#include <memory>
#include <type_traits>
#include <utility>

#include "options.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {

// Completes what `make(sink)` writes, or hands it to the host piece by piece. It gives nothing, or the status of a document, which
// goes to `*status` where there is a place for it.
template <class Make>
result<pk_status> write_into(sink& into, std::int32_t* status, Make&& make) {
  auto made = make(into);
  if (!made) return std::move(made).error();
  if (result<void> finished = into.finish(); !finished) return std::move(finished).error();
  if constexpr (!std::is_same_v<decltype(made), result<void>>)
    if (status) *status = static_cast<std::int32_t>(*made);
  return PK_OK;
}
template <class Make>
result<pk_status> write_to_host(pk_write_callback write, void* user, std::int32_t* status, Make&& make) {
  return write_into(*callback_sink(write, user), status, std::forward<Make>(make));
}

}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

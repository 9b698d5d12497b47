// Handles that others may hold on to: streams outlive what they came from.
#pragma once
#include <profkit/profkit.h>
#include <profkit/namespace.hpp>

#include <atomic>
#include <cstdint>
#include <memory>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace capi {

// The base of a handle that is counted; it begins with the reference of the caller that opened it.
struct counted {
  std::atomic<std::uint64_t> references{1};
};
template <class Handle>
Handle* retain_handle(Handle* handle) noexcept {
  handle->references.fetch_add(1, std::memory_order_relaxed);
  return handle;
}
// What the pk_..._free of such a handle does.
template <class Handle>
void release_handle(Handle* handle) noexcept {
  if (handle && handle->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete handle;
}

// A reference to a handle whose struct only its own file knows.
template <class Handle>
using held_handle = std::unique_ptr<Handle, void (*)(Handle*) noexcept>;
held_handle<pk_activity> hold(pk_activity* activity) noexcept;
held_handle<pk_bubbles> hold(pk_bubbles* bubbles) noexcept;
held_handle<pk_memory> hold(pk_memory* memory) noexcept;
held_handle<pk_probe> hold(pk_probe* probe) noexcept;
held_handle<pk_table> hold(pk_table* table) noexcept;

}  // namespace capi
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

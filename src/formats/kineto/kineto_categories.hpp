// What the categories of a Kineto trace mean.
#pragma once
#include <profkit/core/activity.hpp>

#include <cstdint>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

enum class kineto_role : std::uint8_t { kernel, copy, device_annotation, device_wait, runtime, host, ignored };

struct kineto_category {
  std::string_view name;
  kineto_role what;
  host_span_kind kind;  // of its spans
  accelerator device;   // of its kernels

  // Whether an event of it is a device that waits for another of its streams, or that marks a point for one.
  [[nodiscard]] bool is_wait(std::string_view event) const noexcept {
    return name == "mtia_ccp_events" && (event == "event_wait" || event == "event_record");
  }
};

// Null for an unknown category: then the process decides what an event is.
[[nodiscard]] const kineto_category* find_kineto_category(std::string_view name) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

#include <formats/kineto/kineto_categories.hpp>

#include <algorithm>
#include <iterator>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Sources: libkineto's ActivityType.cpp (2021 to 2026) and real traces of CUDA, ROCm and CPU runs. Old spellings last.
constexpr kineto_category categories[] = {
    {"kernel", kineto_role::kernel, host_span_kind::other, accelerator::gpu},
    {"gpu_memcpy", kineto_role::copy, host_span_kind::other, accelerator::gpu},
    {"gpu_memset", kineto_role::copy, host_span_kind::other, accelerator::gpu},
    {"cpu_op", kineto_role::host, host_span_kind::op, accelerator::other},
    {"cuda_runtime", kineto_role::runtime, host_span_kind::runtime, accelerator::other},
    {"cuda_driver", kineto_role::runtime, host_span_kind::runtime, accelerator::other},
    {"python_function", kineto_role::host, host_span_kind::frame, accelerator::other},
    {"user_annotation", kineto_role::host, host_span_kind::annotation, accelerator::other},
    {"gpu_user_annotation", kineto_role::device_annotation, host_span_kind::other, accelerator::gpu},
    {"cuda_sync", kineto_role::device_wait, host_span_kind::device_marker, accelerator::gpu},
    {"overhead", kineto_role::host, host_span_kind::other, accelerator::other},
    {"hip_runtime", kineto_role::runtime, host_span_kind::runtime, accelerator::other},
    {"hip_driver", kineto_role::runtime, host_span_kind::runtime, accelerator::other},
    {"hip_api", kineto_role::runtime, host_span_kind::runtime, accelerator::other},
    {"hsa_api", kineto_role::runtime, host_span_kind::runtime, accelerator::other},
    {"xpu_runtime", kineto_role::runtime, host_span_kind::runtime, accelerator::other},
    {"xpu_driver", kineto_role::runtime, host_span_kind::runtime, accelerator::other},
    {"mtia_runtime", kineto_role::runtime, host_span_kind::runtime, accelerator::other},
    {"mtia_ccp_events", kineto_role::kernel, host_span_kind::other, accelerator::other},
    {"mtia_user_annotation", kineto_role::device_annotation, host_span_kind::other, accelerator::other},
    {"hpu_op", kineto_role::kernel, host_span_kind::other, accelerator::other},
    {"glow_runtime", kineto_role::runtime, host_span_kind::runtime, accelerator::other},
    {"privateuse1_runtime", kineto_role::runtime, host_span_kind::runtime, accelerator::other},
    {"privateuse1_driver", kineto_role::runtime, host_span_kind::runtime, accelerator::other},
    {"collective_comm", kineto_role::device_wait, host_span_kind::device_marker, accelerator::other},
    {"cuda_event", kineto_role::ignored, host_span_kind::other, accelerator::other},
    {"cuda_profiler_range", kineto_role::ignored, host_span_kind::other, accelerator::other},
    {"external_correlation", kineto_role::ignored, host_span_kind::other, accelerator::other},
    {"gpu_pm_counter", kineto_role::ignored, host_span_kind::other, accelerator::other},
    {"mtia_counters", kineto_role::ignored, host_span_kind::other, accelerator::other},
    {"mtia_insight", kineto_role::ignored, host_span_kind::other, accelerator::other},
    {"Trace", kineto_role::ignored, host_span_kind::other, accelerator::other},
    {"cpu_instant_event", kineto_role::ignored, host_span_kind::other, accelerator::other},
    {"Kernel", kineto_role::kernel, host_span_kind::other, accelerator::gpu},
    {"Memcpy", kineto_role::copy, host_span_kind::other, accelerator::gpu},
    {"Memset", kineto_role::copy, host_span_kind::other, accelerator::gpu},
    {"Runtime", kineto_role::runtime, host_span_kind::runtime, accelerator::other},
    {"Operator", kineto_role::host, host_span_kind::op, accelerator::other},
};

}  // namespace

const kineto_category* find_kineto_category(std::string_view name) noexcept {
  const auto* const found = std::find_if(std::begin(categories), std::end(categories),
                                         [name](const kineto_category& c) { return c.name == name; });
  return found == std::end(categories) ? nullptr : found;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

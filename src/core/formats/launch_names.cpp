#include <formats/launch_names.hpp>

#include <base/affix.hpp>

#include <algorithm>
#include <iterator>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Beginnings of names, from the reference manuals of the CUDA runtime and driver, of HIP and of AscendCL. The first that
// fits counts.
struct known_launch {
  std::string_view beginning;
  std::optional<launched_work> work;
};
constexpr known_launch known_launches[] = {
    {"cudaLaunchHostFunc", std::nullopt},  // runs on the host
    {"cuLaunchHostFunc", std::nullopt},
    {"hipLaunchHostFunc", std::nullopt},
    {"cudaGraphLaunch", launched_work::graph},
    {"cuGraphLaunch", launched_work::graph},
    {"hipGraphLaunch", launched_work::graph},
    {"cudaLaunch", launched_work::kernel},
    {"cuLaunch", launched_work::kernel},
    {"hipLaunch", launched_work::kernel},
    {"hipModuleLaunch", launched_work::kernel},
    {"hipExtLaunch", launched_work::kernel},
    {"hipExtModuleLaunch", launched_work::kernel},
    {"hipHccModuleLaunch", launched_work::kernel},
    {"cudaMemcpy", launched_work::copy},
    {"cuMemcpy", launched_work::copy},
    {"hipMemcpy", launched_work::copy},
    {"AscendCL@aclmdlExecute", launched_work::graph},
    {"AscendCL@aclmdlRIExecute", launched_work::graph},
    {"AscendCL@aclrtMemcpy", launched_work::copy},
};

// After "cuda", "cu" and "hip".
struct known_capture_call {
  std::string_view beginning;
  capture_call what;
};
constexpr known_capture_call known_capture_calls[] = {
    {"StreamBeginCapture", capture_call::begins},
    {"StreamEndCapture", capture_call::ends},
    {"StreamWaitEvent", capture_call::waits},
};
constexpr std::string_view runtimes[] = {"cuda", "cu", "hip"};

}  // namespace

std::optional<launched_work> work_launched_by(std::string_view call) noexcept {
  const auto* const found = std::find_if(std::begin(known_launches), std::end(known_launches),
                                         [call](const known_launch& l) { return starts_with(call, l.beginning); });
  return found == std::end(known_launches) ? std::nullopt : found->work;
}

bool may_lack_record(std::string_view call) noexcept {
  return contains(call, "emset") || contains(call, "Fill") || contains(call, "HostFunc");
}

bool is_copy_call(std::string_view call) noexcept {
  return contains(call, "emcpy") || contains(call, "emoryCopy") || contains(call, "Copy");
}

capture_call capture_call_of(std::string_view call) noexcept {
  for (const std::string_view runtime : runtimes) {
    if (!starts_with(call, runtime)) continue;
    for (const known_capture_call& known : known_capture_calls)
      if (starts_with(call.substr(runtime.size()), known.beginning)) return known.what;
  }
  return capture_call::none;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

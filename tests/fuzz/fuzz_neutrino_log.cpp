// Any bytes as event.log, kernel.info, process.log and tensor.trace.
#include <profkit/core/probe.hpp>

#include <formats/neutrino/neutrino_log.hpp>
#include <formats/neutrino/neutrino_parts.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>

using namespace profkit;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::unique_ptr<char[]> copy(new char[size]);
  std::copy(data, data + size, copy.get());
  const std::string_view text(copy.get(), size);
  const log_findings found = read_event_log(text);
  std::uint64_t lines = found.log.unknown;
  for (const probe_log_kind& kind : found.log.kinds) lines += kind.lines;
  require(lines == found.log.lines);
  require(found.log.samples.size() == std::min<std::uint64_t>(found.log.unknown, 20));
  std::uint64_t launches = 0;
  for (const probe_launch& launch : found.launches) {
    require(launch.kernel >= -1 && launch.kernel < static_cast<std::int32_t>(found.kernels.size()));
    launches += launch.kernel >= 0;
  }
  for (const probe_kernel& kernel : found.kernels) launches -= kernel.launches;
  require(launches == 0);
  static_cast<void>(read_kernel_info(text));
  static_cast<void>(read_engine_log(text));
  static_cast<void>(read_trace_folder_name(text));
  static_cast<void>(elapsed_us_of(text));
  const auto tensors = read_tensor_trace(text);
  for (std::size_t i = 1; i < tensors.size(); ++i) require(tensors[i - 1].address < tensors[i].address);
  return 0;
}

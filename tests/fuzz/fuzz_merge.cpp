// Any bytes as one of two traces: the merge is a whole XSpace, the same for any number of threads, or a fault.
#include <profkit/core/merge.hpp>
#include <profkit/wire.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>

using namespace profkit;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

// A file in memory, with a path.
class memory_file {
 public:
  memory_file(const char* name, const void* bytes, std::size_t size) : number_(memfd_create(name, 0)) {
    require(number_ >= 0 && write(number_, bytes, size) == static_cast<ssize_t>(size));
    path_ = "/proc/self/fd/" + std::to_string(number_);
  }
  ~memory_file() { close(number_); }
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  int number_;
  std::string path_;
};

std::string merged(const merge_options& o, std::uint32_t threads, bool& ok) {
  std::string bytes;
  hooks host;
  host.threads = threads;
  const auto outcome = merge_traces(o, *memory_sink(bytes), host);
  ok = outcome.ok();
  if (ok) require(damage_position(bytes) == nullptr && outcome->output_bytes == bytes.size());
  return bytes;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const memory_file trace("trace", data, size);
  merge_options o;
  o.traces = {trace.path()};
  o.correction = (data[0] & 1) != 0 ? merge_correction::walltime : merge_correction::none;
  o.zero = static_cast<merge_zero>(data[0] >> 1 & 3);
  o.scheme = static_cast<plane_scheme>((data[0] >> 3 & 3) % 3);
  o.keep_going = (data[0] & 32) != 0;
  o.scale_durations = (data[0] & 64) != 0;
  bool one = false, three = false;
  const std::string bytes = merged(o, 1, one);
  require(merged(o, 3, three) == bytes && one == three);
  if (!one) return 0;
  // What was merged can be merged again.
  const memory_file again("again", bytes.data(), bytes.size());
  o.traces = {again.path()};
  o.keep_going = true;
  merged(o, 1, one);
  return 0;
}

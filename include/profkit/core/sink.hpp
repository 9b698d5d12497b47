// Bytes out: one interface over memory, callbacks, descriptors and atomically replaced files.
#pragma once
#include <profkit/core/limits.hpp>
#include <profkit/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// Receives bytes in order. After a fault every further call gives the same fault. Nothing is promised to
/// be complete before finish() returned without one.
class sink {
 public:
  virtual ~sink() = default;
  sink(const sink&) = delete;
  sink& operator=(const sink&) = delete;
  virtual result<void> write(std::string_view bytes) = 0;
  virtual result<void> finish() = 0;  ///< flushes and commits; call once

 protected:
  sink() = default;
};

/// Appends to a string of the caller, which must outlive the sink.
std::unique_ptr<sink> memory_sink(std::string& into);
/// Hands bytes to the host; non-zero from the callback stops with `cancelled`.
using write_callback = std::int32_t (*)(void* user, const void* bytes, std::size_t count);
std::unique_ptr<sink> callback_sink(write_callback callback, void* user);
/// Writes to an open descriptor, which stays open. EPIPE and ENOSPC become `output` and `output_full`.
std::unique_ptr<sink> descriptor_sink(int descriptor, std::string label);
/// Writes to a temporary name beside `path`, then fsync and rename in finish(). Destroyed before that
/// (disk full, cancel, exception), it removes the temporary file and leaves `path` untouched. A symbolic link is
/// followed, an existing file's permissions are kept; a device or pipe is written to, never replaced.
result<std::unique_ptr<sink>> atomic_file_sink(const std::string& path);
/// Whether both paths lead to the same file, by whatever names: what is written must not replace what is read.
[[nodiscard]] bool is_same_file(const std::string& output, const std::string& input) noexcept;
/// gzip over another sink, which it finishes; quick rather than small. Compresses blocks of 1 MiB on so many threads.
/// The bytes depend neither on their number nor on the time, but on the processor and the library that compresses.
std::unique_ptr<sink> gzip_sink(std::unique_ptr<sink> inner, std::uint32_t threads = 1);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

// Bytes in: one interface over files, buffers and callbacks, plain, gzip or zstd.
#pragma once
#include <profkit/core/limits.hpp>
#include <profkit/core/result.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// enum io_mode: written by scripts/generate
/// How files are reached.
enum class io_mode : std::int32_t {
  read, ///< into memory; a file that another process truncates meanwhile is PK_E_INPUT_CHANGED
  /// maps local files above 512 KiB, which takes less memory; truncated under the mapping, such a file raises SIGBUS
  map
};
// end of enum io_mode

// enum compression: written by scripts/generate
/// How the bytes of a file were compressed.
enum class compression : std::int32_t { none, gzip, zstd };
[[nodiscard]] const char* compression_name(compression value) noexcept;  ///< "none", "gzip", …
// end of enum compression

/// Positioned reads of the host: fills `into` with up to `bytes` bytes from `offset`, gives the number
/// written, 0 at the end, negative on failure. Must be callable until the source is destroyed.
struct read_at_callbacks {
  void* user = nullptr;
  std::int64_t (*read_at)(void* user, std::uint64_t offset, void* into, std::size_t bytes) = nullptr;
  std::uint64_t size_bytes = 0;  ///< of the encoded bytes; no_offset when unknown
};

/// A sequence of decoded bytes. Compression is found by magic, never by name, and undone on the way.
/// Not thread-safe; `span()` of a mapped source may be read by any thread while the source lives.
class source {
 public:
  virtual ~source() = default;
  source(const source&) = delete;
  source& operator=(const source&) = delete;

  [[nodiscard]] virtual const std::string& name() const noexcept = 0;      ///< path or label, for messages
  [[nodiscard]] virtual std::uint64_t encoded_bytes() const noexcept = 0;  ///< size on disk; no_offset when unknown
  [[nodiscard]] virtual compression encoding() const noexcept = 0;
  /// All decoded bytes at once when the source is mapped or in memory; nullopt when it is streamed.
  [[nodiscard]] virtual std::optional<std::string_view> span() const noexcept = 0;
  /// The next decoded bytes in order: up to `bytes`; 0 is the end. A damaged or cut compressed stream gives
  /// all bytes that decoded and then a fault; an input that shrank gives input_changed. The fault's byte_offset
  /// counts decoded bytes; for a compressed stream its message names the encoded byte as well.
  virtual result<std::size_t> read(void* into, std::size_t bytes) = 0;
  /// A hint that a part of span() will not be looked at for a while: its pages may leave memory. It stays readable, and
  /// any thread may call this.
  virtual void forget(std::string_view /*part_of_span*/) const noexcept {}
  /// Back to the first byte. Fails with `unsupported` for standard input that was consumed, unless it was kept.
  virtual result<void> rewind() = 0;
  /// How many encoded bytes the reads have taken so far: the measure of progress.
  [[nodiscard]] virtual std::uint64_t encoded_position() const noexcept = 0;
  /// Called before the first read: an input that can be read only once keeps its encoded bytes in memory, so that
  /// rewind() works, until they are more than `max_bytes`; then rewind() fails with `limit`. 0, at any time: forgets
  /// what was kept. Inputs that can go back by themselves ignore it.
  virtual void keep_for_rewind(std::uint64_t max_bytes) = 0;
  /// Whom a read that waits for a pipe asks, every 50 ms, whether to go on (fault cancelled); null: nobody. It must live until the
  /// source is given another.
  virtual void ask(const hooks* host) noexcept = 0;

 protected:
  source() = default;
};

/// Opens a file ("-" is standard input). Faults: not_found, permission, invalid_argument (a folder, an empty path),
/// unsupported (a socket), io. `asked`: see source::ask(); the source has it already.
result<std::unique_ptr<source>> open_file_source(const std::string& path, io_mode mode = io_mode::read,
                                                 const limits& bounds = {}, const hooks* asked = nullptr);
/// Opens a file of a format that is never compressed: the bytes as they are, even if they begin like a gzip or zstd
/// file.
result<std::unique_ptr<source>> open_plain_file_source(const std::string& path, io_mode mode = io_mode::read);
/// Borrows `bytes`, which must outlive the source.
result<std::unique_ptr<source>> open_buffer_source(std::string_view bytes, std::string label,
                                                   const limits& bounds = {});
result<std::unique_ptr<source>> open_callback_source(const read_at_callbacks& callbacks, std::string label,
                                                     const limits& bounds = {});

/// Decoded bytes that stay where they are while this object lives: a mapping or owned memory.
/// `fault` is set when the input ended in damage (cut gzip, shrunk file): `bytes` is what was intact.
struct held_bytes {
  std::string_view bytes;
  std::shared_ptr<const void> owner;
  std::optional<fault> damage;
};

/// True for a fault of source::read() that leaves the bytes before it usable: damage, and a read that failed after
/// some bytes came.
[[nodiscard]] bool leaves_bytes_usable(const fault& f, std::uint64_t intact_bytes) noexcept;

/// Gives all decoded bytes of a source for random access: the mapping itself, or a copy in memory under
/// limits::max_materialised_bytes. Takes the source; the result keeps what it needs.
result<held_bytes> hold_bytes(std::unique_ptr<source> from, const limits& bounds = {}, const hooks& host = {});

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

// Any bytes as a compressed file. However they are read, the same bytes come out, within the bounds.
#include <profkit/core/source.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

using namespace profkit;

namespace {

constexpr std::size_t max_bytes = std::size_t{1} << 16;  // small, for many runs a second

void require(bool condition) {
  if (!condition) std::abort();
}

struct host_bytes {
  const std::uint8_t* data;
  std::size_t size;
  std::size_t window;
};

std::int64_t read_host(void* user, std::uint64_t offset, void* into, std::size_t bytes) {
  const auto& host = *static_cast<const host_bytes*>(user);
  if (offset >= host.size) return 0;
  const std::size_t count = std::min({bytes, host.size - static_cast<std::size_t>(offset), host.window});
  std::memcpy(into, host.data + offset, count);
  return static_cast<std::int64_t>(count);
}

struct drained {
  std::string bytes;
  std::optional<fault> damage;
};

drained drain(source& from, std::size_t piece) {
  drained out;
  std::string buffer(piece, '\0');
  while (out.bytes.size() <= max_bytes) {
    const auto count = from.read(buffer.data(), piece);
    if (!count.ok()) {
      out.damage = count.error();
      break;
    }
    if (*count == 0) break;
    require(*count <= piece);
    out.bytes.append(buffer, 0, *count);
  }
  return out;
}

bool one_begins_the_other(const std::string& a, const std::string& b) {
  const std::size_t shorter = std::min(a.size(), b.size());
  return a.compare(0, shorter, b, 0, shorter) == 0;
}

}  // namespace

// The first byte chooses the sizes of reads and windows; the rest is the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::size_t piece = std::size_t{1} << (data[0] & 15), window = std::size_t{1} << (data[0] >> 4);
  ++data;
  --size;
  limits bounds;
  bounds.max_materialised_bytes = max_bytes;
  bounds.ratio_free_bytes = max_bytes / 4;
  bounds.max_decompression_ratio = 200;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);

  auto whole = open_buffer_source(bytes, "whole", bounds);
  if (!whole.ok()) {
    require(whole.error().code == fault_code::unsupported);  // built without zstd
    return 0;
  }
  const drained first = drain(**whole, piece);
  require((*whole)->rewind().ok());
  const drained again = drain(**whole, piece);
  require(first.bytes == again.bytes && first.damage.has_value() == again.damage.has_value());
  if (first.damage) require(first.damage->byte_offset == first.bytes.size() && !first.damage->message.empty());

  host_bytes host{data, size, window};
  auto streamed = open_callback_source({&host, read_host, no_offset}, "streamed", bounds);
  require(streamed.ok());
  const drained slow = drain(**streamed, 4096);
  require(one_begins_the_other(first.bytes, slow.bytes));
  const bool ended = first.bytes.size() <= max_bytes && slow.bytes.size() <= max_bytes;
  const bool limited = (first.damage && first.damage->code == fault_code::limit) ||
                       (slow.damage && slow.damage->code == fault_code::limit);
  if (ended && !limited) require(first.damage.has_value() == slow.damage.has_value());
  if (ended && !first.damage && !slow.damage) require(first.bytes == slow.bytes);

  const auto held = hold_bytes(std::move(*whole), bounds);
  if (held.ok()) {
    require(held->bytes.size() <= std::max(max_bytes, size));
    require(one_begins_the_other(first.bytes, std::string(held->bytes)));
    if (!held->damage && !first.damage && ended) require(held->bytes == first.bytes);
  }
  return 0;
}

#include <base/hash_map.hpp>

#include <chrono>
#include <cstring>

#include <sys/random.h>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace hash_detail {
namespace {

template <class Number>
std::uint64_t load(const unsigned char* at) noexcept {
  Number number;
  std::memcpy(&number, at, sizeof number);
  return number;
}

}  // namespace

std::uint64_t draw_secret() noexcept {
  std::uint64_t drawn = 0;
  if (getentropy(&drawn, sizeof drawn) == 0) return drawn;
  // Old kernels and strict sandboxes: where this lies and when differs from process to process.
  return reinterpret_cast<std::uintptr_t>(&draw_secret) ^
         static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count());
}

std::uint64_t hash_bytes(const void* bytes, std::size_t count) noexcept {
  const std::uint64_t seed = secret();
  const std::uint64_t odd = 0xa0761d6478bd642fULL ^ seed << 16, other = 0xe7037ed1a0b428dbULL;
  const auto* at = static_cast<const unsigned char*>(bytes);
  std::uint64_t hash = seed;
  std::uint64_t first = 0, last = 0;
  if (count >= 8) {
    for (std::size_t left = count; left > 16; left -= 16, at += 16)
      hash = mix(load<std::uint64_t>(at) ^ odd, load<std::uint64_t>(at + 8) ^ hash);
    // The last sixteen bytes; some may have been taken before.
    const unsigned char* const end = static_cast<const unsigned char*>(bytes) + count;
    first = load<std::uint64_t>(count >= 16 ? end - 16 : at);
    last = load<std::uint64_t>(end - 8);
  } else if (count >= 4) {
    first = load<std::uint32_t>(at);
    last = load<std::uint32_t>(at + count - 4);
  } else if (count > 0) {
    first = std::uint64_t{at[0]} << 16 | std::uint64_t{at[count / 2]} << 8 | at[count - 1];
  }
  return mix(other ^ count, mix(first ^ odd, last ^ hash));
}

}  // namespace hash_detail
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

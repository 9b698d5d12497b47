#include <base/asking.hpp>
#include <base/contained.hpp>
#include <base/growing_bytes.hpp>
#include <base/progress.hpp>

#include <profkit/core/source.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::uint64_t chunk_bytes = std::uint64_t{1} << 20;
constexpr std::uint64_t largest_first_bytes = std::uint64_t{256} << 20;

fault too_large(const source& from, std::uint64_t bytes, bool exact, const limits& bounds) {
  return fault{fault_code::limit,
               std::string("the file decodes to ") + (exact ? "" : "more than ") + std::to_string(bytes) +
                   " bytes, over max_materialised_bytes (" + std::to_string(bounds.max_materialised_bytes) + ")",
               from.name(), no_offset, "raise max_materialised_bytes, or decompress the file and open it mapped"};
}

fault out_of_memory(const source& from, std::uint64_t bytes) {
  return fault{fault_code::out_of_memory, "no memory for " + std::to_string(bytes) + " decoded bytes", from.name(),
               no_offset, "decompress the file and open it mapped"};
}

std::uint64_t first_capacity(const source& from, const limits& bounds) noexcept {
  const std::uint64_t encoded = from.encoded_bytes();
  if (encoded == no_offset) return std::min(chunk_bytes, bounds.max_materialised_bytes);
  const std::uint64_t guess =
      from.encoding() == compression::none ? encoded : std::min(encoded, largest_first_bytes) * 4;
  return std::min({guess, largest_first_bytes, bounds.max_materialised_bytes});
}

result<held_bytes> read_all(source& from, const limits& bounds, const hooks& host) {
  const std::uint64_t encoded = from.encoded_bytes();
  progress_meter meter(host, encoded == no_offset ? 0 : encoded);
  if (from.encoding() == compression::none && encoded != no_offset && encoded > bounds.max_materialised_bytes) {
    return too_large(from, encoded, true, bounds);
  }
  growing_bytes held;
  if (!held.resize_capacity(first_capacity(from, bounds))) return out_of_memory(from, encoded);
  std::optional<fault> damage;
  for (;;) {
    if (auto go_on = meter.step(from.encoded_position()); !go_on.ok()) {
      go_on.error().path = from.name();
      return std::move(go_on).error();
    }
    char probe;  // where the byte past a full buffer goes, to see whether there is one
    const bool full = held.room() == 0;
    auto count = full ? from.read(&probe, 1)
                      : from.read(held.end(), static_cast<std::size_t>(std::min(held.room(), chunk_bytes)));
    if (!count.ok()) {
      if (!leaves_bytes_usable(count.error(), held.used())) return std::move(count).error();
      damage = std::move(count).error();
      break;
    }
    if (*count == 0) break;
    if (full) {
      const std::uint64_t had = held.used();
      if (had >= bounds.max_materialised_bytes) return too_large(from, bounds.max_materialised_bytes, false, bounds);
      const std::uint64_t more = std::min(std::max(had * 2, chunk_bytes), bounds.max_materialised_bytes);
      if (!held.resize_capacity(more)) return out_of_memory(from, more);
      *held.end() = probe;
    }
    held.add(*count);
  }
  // To the exact size: memory is not wasted, and a read past the end is caught by the tools that look for it.
  static_cast<void>(held.resize_capacity(held.used()));
  held_bytes all{held.view(), nullptr, std::move(damage)};
  all.owner = held.share();
  return all;
}

}  // namespace

bool leaves_bytes_usable(const fault& f, std::uint64_t intact_bytes) noexcept {
  switch (f.code) {
    case fault_code::damaged: return true;
    case fault_code::input_changed:
    case fault_code::io: return intact_bytes != 0;
    default: return false;
  }
}

result<held_bytes> hold_bytes(std::unique_ptr<source> from, const limits& bounds, const hooks& host) {
  return contained([&]() -> result<held_bytes> {
    if (from == nullptr) return fault{fault_code::invalid_argument, "no source was given", "", no_offset, ""};
    if (auto back = from->rewind(); !back.ok()) return std::move(back).error();
    if (const auto all = from->span()) {
      return held_bytes{*all, std::shared_ptr<const source>(std::move(from)), std::nullopt};
    }
    from->keep_for_rewind(0);  // this is the last look at it
    const asking asked(*from, host);
    return read_all(*from, bounds, host);
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

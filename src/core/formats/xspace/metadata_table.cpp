#include <formats/xspace/metadata_table.hpp>
#include <formats/xspace/usual_metadata.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::uint32_t place_bits = 26;
constexpr std::uint32_t place_mask = (std::uint32_t{1} << place_bits) - 1;
static_assert(metadata_lookup::max_entries < place_mask);

// At a load of two thirds linear probing over honest keys stays far below this.
constexpr std::size_t longest_probe = 512;

constexpr std::uint64_t hash_of_id(std::int64_t key) noexcept {
  auto x = static_cast<std::uint64_t>(key);
  x ^= x >> 32;
  return x * 0x9e3779b97f4a7c15U;
}

constexpr std::size_t home_of(std::uint64_t hash, std::size_t slots) noexcept {
  return static_cast<std::size_t>((hash >> 32) * slots >> 32);
}

// The bits of a hash that home_of() uses least, in the place of a slot's upper bits.
constexpr std::uint32_t mark_of(std::uint64_t hash) noexcept { return static_cast<std::uint32_t>(hash) & ~place_mask; }

}  // namespace

metadata_lookup::metadata_lookup(const metadata_entries& entries)
    : fields_(entries.places()),
      plane_end_(entries.plane_end()),
      count_(static_cast<std::uint32_t>(std::min(entries.size(), max_entries))) {
  slots_.assign(count_ == 0 ? 0 : std::size_t{count_} + count_ / 2 + 1, 0);
  std::uint32_t at = 0;
  std::uint64_t comparisons = 0;
  while (at < count_ && insert(at, comparisons) && comparisons <= 4096 + std::uint64_t{16} * at) ++at;
  if (at < count_) sort();
}

std::string_view metadata_lookup::entry(std::uint32_t position) const noexcept {
  return entry_at(fields_[position], plane_end_);
}

// As the views read it: of several keys in an entry the last counts.
std::int64_t metadata_lookup::key_of(std::uint32_t position) const noexcept {
  const std::string_view bytes = entry(position);
  std::int64_t key = 0;
  if (read_usual_key(bytes, key)) return key;
  key = 0;
  wire_reader reader(bytes);
  for (wire_field field; reader.next(field);)
    if (field.is_varint(1)) key = static_cast<std::int64_t>(field.value);
  return key;
}

// False when the keys collide too much.
bool metadata_lookup::insert(std::uint32_t position, std::uint64_t& comparisons) noexcept {
  const std::int64_t key = key_of(position);
  const std::uint64_t hash = hash_of_id(key);
  const std::size_t probes = std::min(slots_.size(), longest_probe);
  std::size_t at = home_of(hash, slots_.size());
  for (std::size_t i = 0; i < probes; ++i) {
    std::uint32_t& slot = slots_[at];
    bool same = false;
    if (slot != 0 && (slot & ~place_mask) == mark_of(hash)) {
      same = key_of((slot & place_mask) - 1) == key;
      ++comparisons;
    }
    if (slot == 0 || same) {
      slot = mark_of(hash) | (position + 1);
      return true;
    }
    at = at + 1 == slots_.size() ? 0 : at + 1;
  }
  return false;
}

void metadata_lookup::sort() {
  sorted_ = true;
  slots_ = {};
  std::vector<std::pair<std::int64_t, std::uint32_t>> by_key;
  by_key.reserve(count_);
  for (std::uint32_t at = 0; at < count_; ++at) by_key.emplace_back(key_of(at), at);
  std::sort(by_key.begin(), by_key.end());
  slots_.reserve(count_);
  for (const auto& [key, at] : by_key) slots_.push_back(at);
}

std::optional<std::uint32_t> metadata_lookup::position(std::int64_t key) const noexcept {
  if (slots_.empty()) return std::nullopt;
  if (sorted_) {
    const auto after = std::upper_bound(slots_.begin(), slots_.end(), key,
                                        [this](std::int64_t wanted, auto at) { return wanted < key_of(at); });
    if (after == slots_.begin() || key_of(after[-1]) != key) return std::nullopt;
    return after[-1];
  }
  const std::uint64_t hash = hash_of_id(key);
  const std::size_t probes = std::min(slots_.size(), longest_probe);
  std::size_t at = home_of(hash, slots_.size());
  for (std::size_t i = 0; i < probes; ++i) {
    const std::uint32_t slot = slots_[at];
    if (slot == 0) return std::nullopt;
    const std::uint32_t place = (slot & place_mask) - 1;
    if ((slot & ~place_mask) == mark_of(hash) && key_of(place) == key) return place;
    at = at + 1 == slots_.size() ? 0 : at + 1;
  }
  return std::nullopt;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

#include <base/text_groups.hpp>

#include <base/affix.hpp>
#include <profkit/time.hpp>

#include <algorithm>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::int64_t max_ids = std::int64_t{1} << 40;  // a greater number is damage

// Reads from left to right; each reader says whether what it reads stood there.
class text_reader {
 public:
  explicit text_reader(std::string_view text) : rest_(text) {}
  bool skip(char c) noexcept {
    skip_blanks();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::optional<std::int64_t> number() noexcept {
    skip_blanks();
    std::int64_t value = 0;
    std::size_t digits = 0;
    for (; digits < rest_.size() && is_digit(rest_[digits]); ++digits) {
      value = value * 10 + (rest_[digits] - '0');
      if (value > max_ids) return std::nullopt;
    }
    rest_.remove_prefix(digits);
    if (digits == 0) return std::nullopt;
    return value;
  }

 private:
  void skip_blanks() noexcept {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }

  std::string_view rest_;
};

struct listed_ids {
  std::int64_t groups = 0, ids = 0, greatest = -1;
};

// {{0,1},{2,3}}; {} is none.
std::optional<listed_ids> lists_of_ids(text_reader in) {
  listed_ids found;
  if (!in.skip('{')) return std::nullopt;
  if (in.skip('}')) return found;
  do {
    if (!in.skip('{')) return std::nullopt;
    ++found.groups;
    do {
      const std::optional<std::int64_t> id = in.number();
      if (!id) return std::nullopt;
      ++found.ids;
      found.greatest = std::max(found.greatest, *id);
    } while (in.skip(','));
    if (!in.skip('}')) return std::nullopt;
  } while (in.skip(','));
  return in.skip('}') ? std::optional<listed_ids>(found) : std::nullopt;
}

// [groups,size]<=…; what follows says only in what order.
std::optional<listed_ids> iota_ids(text_reader in) {
  if (!in.skip('[')) return std::nullopt;
  const std::optional<std::int64_t> groups = in.number();
  if (!groups || !in.skip(',')) return std::nullopt;
  const std::optional<std::int64_t> size = in.number();
  if (!size || !in.skip(']') || !in.skip('<') || !in.skip('=')) return std::nullopt;
  const std::optional<std::int64_t> ids = checked_mul(*groups, *size);
  if (!ids || *ids == 0) return std::nullopt;
  return listed_ids{*groups, *ids, *ids - 1};
}

// What follows "key=" where that stands as an attribute, not in the middle of a word.
std::optional<std::string_view> attribute_of(std::string_view text, std::string_view key) noexcept {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == ',';
    const std::size_t end = at + key.size();
    if (begins && end < text.size() && text[end] == '=') return text.substr(end + 1);
  }
  return std::nullopt;
}

group_ids ids_of(std::string_view text, std::string_view opcode) noexcept {
  const auto global = attribute_of(text, "use_global_device_ids");
  if (global && starts_with(*global, "true")) return group_ids::devices;
  if (!attribute_of(text, "channel_id")) return group_ids::replicas;
  const bool reduces = opcode == "all-reduce" || opcode == "all-gather" || opcode == "reduce-scatter";
  return reduces ? group_ids::replicas_of_all_partitions : group_ids::partitions;
}

}  // namespace

std::optional<text_groups> groups_in_text(std::string_view hlo_text, std::string_view opcode) noexcept {
  text_groups found;
  if (const auto pairs = attribute_of(hlo_text, "source_target_pairs")) {
    const std::optional<listed_ids> ids = lists_of_ids(text_reader(*pairs));
    if (!ids) return std::nullopt;
    found.pairs = true;
    found.groups = ids->groups;
    found.ids = ids->greatest + 1;
  } else if (const auto groups = attribute_of(hlo_text, "replica_groups")) {
    const std::optional<listed_ids> ids =
        starts_with(*groups, "[") ? iota_ids(text_reader(*groups)) : lists_of_ids(text_reader(*groups));
    if (!ids) return std::nullopt;
    found.groups = ids->groups;
    found.ids = ids->ids;
  } else {
    return std::nullopt;
  }
  found.ids_are = ids_of(hlo_text, opcode);
  return found;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

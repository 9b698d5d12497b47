#include "plane_names.hpp"

#include <base/affix.hpp>
#include <base/hash_map.hpp>
#include <base/utf8.hpp>

#include <charconv>
#include <optional>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::string_view gpu_prefix = "/device:GPU:", tpu_prefix = "/device:TPU:", custom_prefix = "/device:CUSTOM:";
constexpr std::string_view host_plane = "/host:CPU";
constexpr std::int64_t devices_per_node = 64, host_step = 10000, other_base = 50000, other_step = 100;
constexpr std::int64_t rocm_base = 100;
// Viewers give a device plane the process number id + 1 and the host plane 701.
constexpr std::int64_t host_process_id = 700;

enum class family { none, gpu, tpu, custom };
family plane_family_of(std::string_view name) noexcept {
  if (starts_with(name, gpu_prefix)) return family::gpu;
  if (starts_with(name, tpu_prefix)) return family::tpu;
  if (starts_with(name, custom_prefix)) return family::custom;
  return family::none;
}
std::string_view prefix_of(family f) noexcept {
  return f == family::tpu ? tpu_prefix : f == family::custom ? custom_prefix : gpu_prefix;
}

// The integer between the second colon and the third (or the end).
std::optional<std::int64_t> ordinal_of(std::string_view name) noexcept {
  const std::size_t first = name.find(':');
  const std::size_t second = first == std::string_view::npos ? first : name.find(':', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const std::string_view text = name.substr(second + 1, name.find(':', second + 1) - second - 1);
  std::int64_t k = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), k);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return k;
}

// What follows the number in "/device:TPU:0 SparseCore 1".
std::string_view rest_of(std::string_view name, family f) noexcept {
  std::string_view rest = name.substr(prefix_of(f).size());
  while (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') rest.remove_prefix(1);
  return rest;
}

std::string_view without_slashes(std::string_view name) noexcept {
  while (!name.empty() && name.front() == '/') name.remove_prefix(1);
  return name;
}

// Ids come from files: sums of them may wrap, but never trap.
std::int64_t wrapping_add(std::int64_t a, std::int64_t b) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

class namer {
 public:
  namer(const std::vector<plane_to_name>& planes, const naming_rules& rules) : planes_(planes), rules_(rules) {
    // A converter shows one family of devices: TPU planes only where no GPU plane exists.
    bool has[4] = {};
    for (const plane_to_name& p : planes) has[static_cast<std::size_t>(plane_family_of(p.name))] = true;
    run_family_ = has[static_cast<std::size_t>(family::gpu)]    ? family::gpu
                  : has[static_cast<std::size_t>(family::tpu)]    ? family::tpu
                  : has[static_cast<std::size_t>(family::custom)] ? family::custom
                                                                  : family::gpu;
  }

  std::vector<plane_name> run() {
    std::vector<plane_name> names;
    names.reserve(planes_.size());
    for (const plane_to_name& p : planes_) names.push_back(wanted(p));
    settle(names);
    return names;
  }

 private:
  [[nodiscard]] std::string number_name(family f, std::int64_t id) const {
    return std::string(prefix_of(f)) + std::to_string(id);
  }
  [[nodiscard]] std::string node_name(const plane_to_name& p, std::string_view rest) const {
    return rules_.prefix + "/node:" + std::to_string(p.node) + '/' + std::string(rest);
  }

  plane_name wanted(const plane_to_name& p) {
    plane_name n;
    if (p.named_before) {
      n.name = p.name;
      n.id = p.id;
      return n;
    }
    const bool by_node = rules_.scheme == plane_scheme::node;
    const bool is_first = p.node == rules_.first_node;
    n.shifts_lines = !is_first;
    const family f = plane_family_of(p.name);
    if (f != family::none) {
      const auto ordinal = ordinal_of(p.name);
      const std::int64_t base = rules_.scheme == plane_scheme::rocm ? rocm_base : 0;
      n.id = wrapping_add(base + p.node * devices_per_node, ordinal.value_or(p.id));
      if (by_node)
        n.name = node_name(p, without_slashes(p.name));
      else
        n.name = number_name(f, n.id) + std::string(rest_of(p.name, f));
      return n;
    }
    if (p.name == host_plane && !(is_first && seen_first_host_)) {
      n.is_host = true;
      if (is_first) {
        seen_first_host_ = true;
        n.id = p.id;
        n.name = by_node ? node_name(p, "host_threads") : std::string(p.name);
      } else {
        n.id = host_step * p.node;
        n.name = by_node ? node_name(p, "host_threads") : number_name(run_family_, n.id);
      }
      return n;
    }
    n.id = other_base + other_step * p.node + others_++;
    const std::string_view rest = without_slashes(p.name);
    n.name = by_node ? node_name(p, rest) : number_name(run_family_, n.id) + "_misc_" + std::string(rest);
    return n;
  }

  // Ids of planes that viewers show as devices are their process numbers: no two may be equal.
  void settle(std::vector<plane_name>& names) const {
    hash_set<std::int64_t> wanted_ids{host_process_id}, taken{host_process_id};
    hash_map<std::int64_t, std::int64_t> free_after;  // where the last search from an id ended
    for (const plane_name& n : names)
      if (plane_family_of(n.name) != family::none) wanted_ids.insert(n.id);
    for (plane_name& n : names) {
      const family f = plane_family_of(n.name);
      if (f == family::none || taken.insert(n.id).second) continue;
      const std::string old = number_name(f, n.id);
      std::int64_t& next = free_after.try_emplace(n.id, n.id).first->second;
      while (wanted_ids.count(next) != 0 || taken.count(next) != 0) next = wrapping_add(next, 1);
      n.id = next;
      taken.insert(n.id);
      n.moved = true;
      if (starts_with(n.name, old)) n.name = number_name(f, n.id) + n.name.substr(old.size());
    }
  }

  const std::vector<plane_to_name>& planes_;
  const naming_rules& rules_;
  family run_family_;
  std::int64_t others_ = 0;
  bool seen_first_host_ = false;
};

}  // namespace

std::vector<plane_name> name_planes(const std::vector<plane_to_name>& planes, const naming_rules& rules) {
  return namer(planes, rules).run();
}

std::string as_utf8(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t plain = ascii_prefix(text.substr(at));
    clean.append(text.substr(at, plain));
    at += plain;
    if (at == text.size()) break;
    const utf8_step step = decode_utf8(text, at);
    if (step.valid)
      clean.append(text.substr(at, step.bytes));
    else
      clean += '?';
    at += step.bytes;
  }
  return clean;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

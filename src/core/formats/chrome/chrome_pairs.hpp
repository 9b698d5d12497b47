// Begin events of Chrome traces that wait for their ends.
#pragma once
#include <base/hash_map.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Places of begins are used again: pairs that follow one another allocate nothing.
class open_begins {
 public:
  struct begin {
    std::int64_t ts_ps = 0;
    std::uint64_t ordinal = 0;
    std::uint32_t name = 0;
    std::string cat, args_json;
  };
  struct open {
    std::uint64_t ordinal = 0;
    std::uint32_t name = 0;
    bool outlived = false;  // something that began before it ended after it began
  };

  // `group`: the thread, or what else a begin and its end have in common.
  void push(std::uint32_t group, std::uint32_t name, std::int64_t ts_ps, std::uint64_t ordinal, std::string_view cat,
            std::string_view args_json) {
    const std::uint32_t at = free_place();
    place& p = places_[at];
    p.is_open = true;
    p.is.ts_ps = ts_ps;
    p.is.ordinal = ordinal;
    p.is.name = name;
    p.is.cat.assign(cat);
    p.is.args_json.assign(args_json);
    p.before_of_name = swap_latest(key_of(group, name), at);
    p.before = swap_latest(key_of(group, any_name), at);
    p.after = none;
    p.number = pushed_++;
    p.left_until = 0;
    if (p.before != none) places_[p.before].after = at;
    ++count_;
  }

  // The latest of that name, or the latest of all when the end event has none (name 0); null: there is none. It stays
  // until the next push().
  [[nodiscard]] const begin* pop(std::uint32_t group, std::uint32_t name) {
    const auto latest = latest_.find(key_of(group, name == 0 ? any_name : name));
    if (latest == latest_.end()) return nullptr;
    const std::uint32_t at = latest->second;
    place& p = places_[at];
    set_latest(key_of(group, p.is.name), p.before_of_name);
    if (p.before != none) places_[p.before].after = p.after;
    if (p.after != none) {
      places_[p.after].before = p.before;
      places_[p.after].left_until = pushed_;
    } else
      set_latest(key_of(group, any_name), p.before);
    p.is_open = false;
    free_.push_back(at);
    --count_;
    return &p.is;
  }

  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }
  // Those that wait, groups in no order.
  [[nodiscard]] std::vector<open> all() const {
    std::vector<open> found;
    for (const place& first : places_) {
      if (!first.is_open || first.before != none) continue;
      std::uint64_t left_until = 0;
      for (const place* p = &first;; p = &places_[p->after]) {
        left_until = std::max(left_until, p->left_until);
        found.push_back({p->is.ordinal, p->is.name, p->number < left_until});
        if (p->after == none) break;
      }
    }
    return found;
  }
  // The least ordinal of those that wait.
  [[nodiscard]] std::uint64_t first() const noexcept {
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (const place& p : places_)
      if (p.is_open) least = std::min(least, p.is.ordinal);
    return least;
  }

 private:
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max(), any_name = none;

  struct place {
    begin is;
    // Of the same group: begins of the same name as a stack, all of them as a list.
    std::uint32_t before_of_name = none, before = none, after = none;
    bool is_open = false;
    std::uint64_t number = 0;      // of pushes before
    std::uint64_t left_until = 0;  // this one and those after it, as far as they were pushed before so many, were outlived
  };

  static std::uint64_t key_of(std::uint32_t group, std::uint32_t name) noexcept {
    return std::uint64_t{group} << 32 | name;
  }
  std::uint32_t free_place() {
    if (free_.empty()) {
      places_.emplace_back();
      return static_cast<std::uint32_t>(places_.size() - 1);
    }
    const std::uint32_t at = free_.back();
    free_.pop_back();
    return at;
  }
  std::uint32_t swap_latest(std::uint64_t key, std::uint32_t at) {
    const auto [latest, added] = latest_.try_emplace(key, none);
    const std::uint32_t before = latest->second;
    latest->second = at;
    return before;
  }
  void set_latest(std::uint64_t key, std::uint32_t at) {
    if (at == none)
      latest_.erase(key);
    else
      latest_[key] = at;
  }

  std::vector<place> places_;
  std::vector<std::uint32_t> free_;
  hash_map<std::uint64_t, std::uint32_t> latest_;  // of a group and a name, or of a group
  std::uint64_t count_ = 0, pushed_ = 0;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

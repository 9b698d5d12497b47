// The machines of a trace of several: one a node, or a host.
#pragma once
#include "process_titles.hpp"

#include "base/hash_map.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Numbers them from 1 in their order; 0 where no host is known, and for all where there is one host.
class machines {
 public:
  explicit machines(const profile& p) : p_(p) {
    for (std::size_t file = 0; file < p.file_count(); ++file) {
      const std::vector<plane_index>& planes = p.xspace(file)->planes;
      if (planes.empty()) add(key_of(file, nullptr));
      for (const plane_index& plane : planes) add(key_of(file, &plane));
    }
    if (numbers_.size() < 2) numbers_.clear();
  }

  // Of what a file says of a plane; of the file itself without one.
  [[nodiscard]] std::uint32_t of(std::size_t file, const plane_index* plane = nullptr) const {
    if (numbers_.empty()) return 0;
    const auto found = numbers_.find(key_of(file, plane));
    return found == numbers_.end() ? 0 : found->second;
  }

 private:
  [[nodiscard]] std::string key_of(std::size_t file, const plane_index* plane) const {
    const std::int64_t node = node_of_place(p_, file, plane);
    return node >= 0 ? name_of_node(node) : host_of(p_, file);
  }
  void add(std::string key) {
    if (!key.empty()) numbers_.try_emplace(std::move(key), static_cast<std::uint32_t>(numbers_.size() + 1));
  }

  const profile& p_;
  hash_map<std::string, std::uint32_t> numbers_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

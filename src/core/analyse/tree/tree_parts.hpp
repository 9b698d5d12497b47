// The tree and the metadata of files other than XSpaces: traces, tables, formats of the host's own.
#pragma once
#include <analyse/tree/json_stats.hpp>
#include <trace/filters/select.hpp>
#include <formats/chrome/chrome_tracks.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Whether a process is wanted: by its name, by what else the capture's devices are called ("GPU 0", its labels), or by its
// name and pid ("python3 4711"), as `steps` and others show it.
[[nodiscard]] bool process_fits(const chrome_tracks& tracks, std::uint32_t process, std::string_view wanted);

// One file of the tree: its planes, between begin_file() and end_file() of the caller. Damage goes to `damage`. Faults:
// cancelled.
result<void> walk_trace_tree(const profile& p, std::size_t file, tree_visitor& visitor, const query_filters& o,
                             const selection& selected, damage_list& damage, const hooks& host);
result<void> walk_table_tree(const profile& p, std::size_t file, tree_visitor& visitor, const query_filters& o,
                             const selection& selected, damage_list& damage, const hooks& host);
result<void> walk_recorded_tree(const profile& p, std::size_t file, tree_visitor& visitor, const query_filters& o,
                                const selection& selected, damage_list& damage, const hooks& host);

// One file of the metadata.
result<void> walk_trace_metadata(const profile& p, std::size_t file, metadata_visitor& visitor, const query_filters& o,
                                 const selection& selected, damage_list& damage, const hooks& host);
result<void> walk_table_metadata(const profile& p, std::size_t file, metadata_visitor& visitor, const query_filters& o,
                                 const selection& selected, damage_list& damage, const hooks& host);
result<void> walk_recorded_metadata(const profile& p, std::size_t file, metadata_visitor& visitor, const query_filters& o,
                                    const selection& selected, damage_list& damage, const hooks& host);
result<void> walk_settings_metadata(const profile& p, std::size_t file, metadata_visitor& visitor, const query_filters& o,
                                    const selection& selected, damage_list& damage, const hooks& host);

// The functions that walk a file other than an XSpace; null where it has no tree or no metadata.
struct file_walks {
  decltype(&walk_trace_tree) tree = nullptr;
  decltype(&walk_trace_metadata) metadata = nullptr;
};
[[nodiscard]] file_walks walks_of(const capture_file& file) noexcept;

// The members of an object, the first of them under the limit.
class member_list {
 public:
  explicit member_list(std::uint64_t limit) : limit_(limit) {}
  void take(std::string_view key, std::string_view value);
  // Good while this list lives and takes nothing.
  [[nodiscard]] metadata_file facts(std::size_t file) const;

 private:
  std::uint64_t limit_, met_ = 0;
  std::vector<metadata_member> members_;
  json_stats texts_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

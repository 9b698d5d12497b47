// Metadata entries as writers write them, read in one pass; views read them whatever their shape.
#pragma once
#include <profkit/namespace.hpp>

#include <cstdint>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Texts are empty where there are none.
struct usual_metadata {
  std::int64_t key = 0;
  std::string_view name;          // field 2
  std::string_view display_name;  // field 4, of events alone
};

// False when the entry is damaged, in pieces or longer than is usual: then event_metadata_view or stat_metadata_view
// say what it is. When true, they read the same.
[[nodiscard]] bool read_usual_metadata(std::string_view entry, usual_metadata& found) noexcept;

// Reads the key alone.
[[nodiscard]] bool read_usual_key(std::string_view entry, std::int64_t& key) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

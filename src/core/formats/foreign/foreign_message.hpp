// Messages and records of other formats, recognised by the shape of their fields. A head is enough; what it cuts is not
// guessed.
#pragma once
#include <profkit/namespace.hpp>

#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

[[nodiscard]] bool is_perfetto(std::string_view bytes) noexcept;
[[nodiscard]] bool is_pprof(std::string_view bytes) noexcept;
[[nodiscard]] bool is_saved_model(std::string_view bytes) noexcept;
[[nodiscard]] bool is_events_file(std::string_view bytes) noexcept;

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

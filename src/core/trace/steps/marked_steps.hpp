// Steps that traces and tables mark.
#pragma once
#include <trace/filters/select.hpp>
#include <trace/steps/step_rows.hpp>
#include <profkit/core/activity.hpp>

#include <memory>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// What `steps` calls a source of markers.
[[nodiscard]] step_source source_of(marker_source m) noexcept;

// Adds the steps of every host of a trace or table: its own markers of the best kind it has, else those of each device.
// Rows of a list are in the order of their starts. Not those of an XSpace, which come with its lines.
void add_marked_steps(const profile& p, std::shared_ptr<const activity> of, const selection& selected,
                      const query_filters& o, step_list::packed& into);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

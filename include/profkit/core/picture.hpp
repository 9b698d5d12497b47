// What analyses found as pictures: SVG without scripts, in light and dark, with a title and a description.
//
// Each writes nothing and faults with not_found where there is nothing to draw; else the faults are those of the sink. They do
// not finish the sink. Names from files stand in them as text.
#pragma once
#include <profkit/core/architecture.hpp>
#include <profkit/core/bubbles.hpp>
#include <profkit/core/call_tree.hpp>
#include <profkit/core/clock.hpp>
#include <profkit/core/collectives.hpp>
#include <profkit/core/memory.hpp>
#include <profkit/core/op_groups.hpp>
#include <profkit/core/sink.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// inside_page: without a style of its own, for a page that has it.
enum class picture_form : std::uint8_t { file, inside_page };

/// What the fullest device held over time; where no allocator was recorded, what the program with the highest peak holds from
/// event to event of its schedule, if memory_options::curve_points asked for it.
result<void> write_memory_picture(const memory_result& found, sink& into);

/// When each device ran what and why it waited: the first 16 devices with their steps, kernels and gaps. Looks at the kernels
/// once more; faults of that visit.
result<void> write_timeline_picture(const bubbles_report& found, const step_filter& only, sink& into, const hooks& host = {});

/// Ops by operations a byte and operations a second, under what the devices do at most. Faults: not_found (what the ops do is not
/// on record).
result<void> write_roofline_picture(const op_groups& found, sink& into, picture_form form = picture_form::file);

/// A flame graph: what the threads of the hosts called, one inside the other, as wide as it took time.
result<void> write_flame_picture(const activity& of, const call_tree& found, sink& into, picture_form form = picture_form::file);

/// The parts of one layer, of the type that takes most of the time. Faults: not_found (no layer has parts).
result<void> write_layer_picture(const activity& of, const architecture_result& found, sink& into, picture_form form = picture_form::file);

/// Calls of collectives by their size and their bus bandwidth. Faults: not_found (no call has both).
result<void> write_bandwidth_picture(const validation_result& found, sink& into, picture_form form = picture_form::file);

/// The clock of a node of a merge.
struct clock_of_node {
  std::int64_t node_id = 0;
  std::string hostname;
  node_bounds bounds;
};
/// How far corrected times can be wrong, over time, of the nodes with the widest bounds. Faults: not_found (of no node known).
result<void> write_clock_picture(const std::vector<clock_of_node>& nodes, sink& into, picture_form form = picture_form::file);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

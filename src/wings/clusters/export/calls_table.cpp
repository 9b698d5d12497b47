// Calls of collectives over all nodes, as rows.
#include <tables/rows_of_list.hpp>

#include <profkit/core/collectives.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

void fill_call(const validation_result& of, const collective_group& g, rows::collective_calls& row) {
  const collective_op& op = of.ops[g.op];
  const collective_member& last = of.members[static_cast<std::size_t>(g.first_member + g.last)];
  const collective_node& node = of.nodes[last.node];
  row.file = node.file;
  row.name = borrowed(op.name);
  row.kind = borrowed(op.collective);
  row.process_group = borrowed(op.group);
  row.link_bytes = g.payload_bytes < 0 ? -1 : link_bytes(op, g.payload_bytes);
  const bool is_alone = starts_last_alone(of, g);
  row.latest_node = is_alone ? node.id : -1;
  row.latest_device = is_alone ? last.device : -1;
  fill(g, row);
}

}  // namespace

std::unique_ptr<row_source> call_rows(const validation_result& of, std::vector<file_damage> damage) {
  return make_rows<rows::collective_calls>(
      table_kind::collective_calls, of.groups.size(),
      [&of](std::uint64_t at, rows::collective_calls& row) { fill_call(of, of.groups[static_cast<std::size_t>(at)], row); },
      std::move(damage));
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

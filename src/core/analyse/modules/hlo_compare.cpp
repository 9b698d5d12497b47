#include <analyse/modules/hlo_compare.hpp>

#include <profkit/wire.hpp>

#include <algorithm>
#include <cstdint>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// The messages whose fields may stand in any order. Source: hlo.proto and xla_data.proto of openxla/xla, as
// listed in profkit/hlo.hpp.
enum class message : std::uint8_t {
  hlo_proto,
  module,
  computation,
  instruction,
  shape,
  layout,
  program_shape,
  op_metadata,
  sharding,
  schedule,
  schedule_entry,
  instruction_ids,
  frontend_attributes,
  frontend_attribute,
  device_list,
  input_output_alias,
  device_assignment,
  stack_frame_index,
  buffer_assignment,
  logical_buffer,
  buffer_alias,
  buffer_allocation,
  heap_trace,
  flat,  // only scalars, strings and packed numbers
};

struct child_rule {
  message parent;
  std::uint32_t field;
  message child;
  bool is_map = false;
};
constexpr child_rule child_rules[] = {
    {message::hlo_proto, 1, message::module},
    {message::hlo_proto, 3, message::buffer_assignment},
    {message::module, 3, message::computation},
    {message::module, 4, message::program_shape},
    {message::module, 7, message::schedule},
    {message::module, 8, message::input_output_alias},
    {message::module, 12, message::sharding},
    {message::module, 14, message::sharding},
    {message::module, 15, message::device_assignment},
    {message::module, 17, message::stack_frame_index},
    {message::module, 19, message::frontend_attributes},
    {message::computation, 2, message::instruction},
    {message::computation, 4, message::program_shape},
    {message::instruction, 3, message::shape},
    {message::instruction, 7, message::op_metadata},
    {message::instruction, 30, message::flat},  // dot_dimension_numbers
    {message::instruction, 40, message::sharding},
    {message::instruction, 49, message::flat},  // replica_groups
    {message::instruction, 52, message::flat},  // source_target_pairs
    {message::instruction, 68, message::frontend_attributes},
    {message::instruction, 87, message::device_list},
    {message::instruction, 92, message::flat},  // iota_collective_device_list
    {message::instruction, 99, message::flat},  // backend_config_payload
    {message::shape, 4, message::shape},
    {message::shape, 5, message::layout},
    {message::layout, 6, message::flat},   // tiles
    {message::layout, 17, message::flat},  // split_configs
    {message::program_shape, 1, message::shape},
    {message::program_shape, 2, message::shape},
    {message::sharding, 2, message::shape},
    {message::sharding, 5, message::sharding},
    {message::sharding, 7, message::op_metadata},
    {message::schedule, 1, message::schedule_entry, true},
    {message::schedule_entry, 2, message::instruction_ids},
    {message::frontend_attributes, 1, message::frontend_attribute, true},
    {message::device_list, 1, message::flat},
    {message::device_list, 2, message::flat},
    {message::input_output_alias, 1, message::flat},
    {message::device_assignment, 3, message::flat},
    {message::stack_frame_index, 3, message::flat},
    {message::stack_frame_index, 4, message::flat},
    {message::buffer_assignment, 1, message::logical_buffer},
    {message::buffer_assignment, 2, message::buffer_alias},
    {message::buffer_assignment, 3, message::buffer_allocation},
    {message::buffer_assignment, 4, message::heap_trace},
    {message::logical_buffer, 3, message::flat},
    {message::buffer_alias, 2, message::flat},
    {message::buffer_allocation, 9, message::flat},
    {message::heap_trace, 1, message::flat},
};

const child_rule* rule_of(message parent, std::uint32_t field) noexcept {
  const auto* found = std::find_if(std::begin(child_rules), std::end(child_rules),
                                   [&](const child_rule& r) { return r.parent == parent && r.field == field; });
  return found == std::end(child_rules) ? nullptr : found;
}

constexpr int deepest_structure = 100;

// Fields by number, those of one number as they were written.
bool read_fields(std::string_view bytes, std::vector<wire_field>& fields) {
  wire_reader reader(bytes);
  for (wire_field f; reader.next(f);) {
    const bool has_bytes = f.type == wire_type::length_delimited || f.type == wire_type::group;
    if (has_bytes)
      f.value = 0;
    else
      f.bytes = {};
    fields.push_back(f);
  }
  std::stable_sort(fields.begin(), fields.end(),
               [](const wire_field& a, const wire_field& b) { return a.number < b.number; });
  return reader.ok();
}

// The key of a map entry, as number or as text.
bool has_lower_key(const wire_field& a, const wire_field& b) noexcept {
  wire_field key_a, key_b;
  const auto find_key = [](std::string_view entry, wire_field& key) {
    wire_reader reader(entry);
    for (wire_field f; reader.next(f);)
      if (f.number == 1) key = f;
  };
  find_key(a.bytes, key_a);
  find_key(b.bytes, key_b);
  return key_a.value != key_b.value ? key_a.value < key_b.value : key_a.bytes < key_b.bytes;
}

void sort_maps(message of, std::vector<wire_field>& fields) {
  for (auto begin = fields.begin(); begin != fields.end();) {
    const auto end = std::find_if(begin, fields.end(), [&](const wire_field& f) { return f.number != begin->number; });
    const child_rule* rule = rule_of(of, begin->number);
    if (rule != nullptr && rule->is_map) std::stable_sort(begin, end, has_lower_key);
    begin = end;
  }
}

bool same_message(message of, std::string_view a, std::string_view b, int depth) {
  if (a == b) return true;
  if (a.size() != b.size() || depth == deepest_structure) return false;
  std::vector<wire_field> of_a, of_b;
  if (!read_fields(a, of_a) || !read_fields(b, of_b) || of_a.size() != of_b.size()) return false;
  sort_maps(of, of_a);
  sort_maps(of, of_b);
  return std::equal(of_a.begin(), of_a.end(), of_b.begin(), [&](const wire_field& x, const wire_field& y) {
    if (x.number != y.number || x.type != y.type || x.value != y.value) return false;
    if (x.bytes == y.bytes) return true;
    const child_rule* rule = x.type == wire_type::length_delimited ? rule_of(of, x.number) : nullptr;
    return rule != nullptr && same_message(rule->child, x.bytes, y.bytes, depth + 1);
  });
}

}  // namespace

bool same_hlo_content(std::string_view a, std::string_view b) { return same_message(message::hlo_proto, a, b, 0); }

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

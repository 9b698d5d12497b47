// What `ops --by` and `roofline` share: ops that are summed by what they have in common.
#pragma once
#include "command_line/shared_options.hpp"
#include "session.hpp"

#include <profkit/core/op_groups.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace profkit_tool {

struct group_option {
  std::string by;  // as typed
  std::vector<profkit::group_key> keys;
  void list(option_list& all);
  [[nodiscard]] std::optional<profkit::fault> understand();
};

// Writes the document; the text is the caller's.
[[nodiscard]] slice_writer group_writer(const options& asked, const std::vector<profkit::group_key>& keys);

// "3.8 ms in 105 executions; of 24 (5.2 %) no op is on record".
[[nodiscard]] std::string linked_text(const profkit::op_groups& found);
// "287 T"; "" where the amount is not known.
[[nodiscard]] std::string rate_text(std::int64_t amount, std::int64_t time_ps);
// Whether some group has work on record for only a part of its time; then that share is shown for each group.
[[nodiscard]] bool counts_in_part(const profkit::op_groups& found);
[[nodiscard]] std::string counted_text(const profkit::op_group& g);
void print_counted(session& s);  // what that column is
// As wide as the screen; what goes on is indented.
void print_wrapped(session& s, const std::string& text);
// "bound by memory 31.2 %, by neither 1.0 %, not known 67.8 %".
[[nodiscard]] std::string bounds_text(const profkit::op_roof& roof, std::int64_t self_ps);
// A group's name, as deep as it lies.
[[nodiscard]] std::string indented_name(const profkit::op_group& group);

}  // namespace profkit_tool

// Interns the texts of a table's column.
#pragma once
#include <base/recent_strings.hpp>
#include <base/string_table.hpp>
#include <profkit/csv.hpp>
#include <read/ascend_names.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Texts of one column repeat: the ids of the last ones are kept, found by their ends.
class column_strings {
 public:
  explicit column_strings(string_table& strings) : strings_(strings) {}

  // The id of a field's text, without blanks and quotes around it; 0 for no value. The field outlives this.
  string_id id_of(std::string_view field) {
    if (field.empty()) return 0;
    slot& s = slots_[recent_strings::index_of(field)];
    if (s.field.size() != field.size() || std::memcmp(s.field.data(), field.data(), field.size()) != 0) {
      s = {field, intern(field)};
    }
    return s.id;
  }

 private:
  struct slot {
    std::string_view field;
    string_id id = 0;
  };
  string_id intern(std::string_view field) {
    std::string_view text = csv_trimmed(field);
    if (is_no_value(text)) return 0;
    if (text.find("\"\"") != std::string_view::npos) {
      decoded_.resize(field.size());
      text = csv_trimmed(std::string_view(decoded_.data(), csv_decode(field, decoded_.data())));
    }
    return strings_.intern(text);
  }

  string_table& strings_;
  std::array<slot, recent_strings::slots> slots_;
  std::string decoded_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

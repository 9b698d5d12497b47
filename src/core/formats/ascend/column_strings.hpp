// Interns the texts of a table's column.
#pragma once
#include <profkit/csv.hpp>
#include <base/recent_strings.hpp>
#include <base/string_table.hpp>
#include <formats/ascend/ascend_names.hpp>

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
    bool known = false;
    recent_texts::slot& s = recent_.find(field, known);
    if (!known) {
      s.text = field;
      s.id = intern(field);
    }
    return s.id;
  }

 private:
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
  recent_texts recent_;
  std::string decoded_;
};

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

// What stands for the model report in a build without it.
#include <profkit/core/architecture.hpp>
#include <profkit/core/facts.hpp>

#include <base/left_out.hpp>
#include <export/json/document.hpp>
#include <tables/rows_of_list.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

fault without_model() { return built_without("the model report", "model"); }

}  // namespace

result<architecture_result> find_architecture(const activity&, const architecture_options&, std::string_view, const hooks&) {
  return without_model();
}
// A report goes on without it.
result<std::optional<architecture_result>> find_model(const activity&, std::string_view, const hooks&) {
  return std::optional<architecture_result>();
}
result<architecture_report> analyse_architecture(const trace&, const architecture_options&, const hooks&) { return without_model(); }
result<document_status> write_architecture_document(const profile&, const architecture_options&, const architecture_report&, sink&) {
  return without_model();
}
result<void> write_architecture_markdown(const architecture_report&, sink&) { return without_model(); }
const layer_anatomy* device_architecture::costliest() const noexcept { return nullptr; }
std::uint64_t device_architecture::complete_passes() const noexcept { return 0; }
const char* device_architecture::layer_word() const noexcept { return ""; }
std::string device_architecture::type_text(layer_kind, bool) const { return {}; }
const char* layer_role_title(layer_role) noexcept { return ""; }
std::string profile_label(std::string_view) { return {}; }
std::string architecture_file_name(const architecture_report&) { return {}; }
std::string fact_text(const fact_value&) { return {}; }
std::string shown_text(const model_fact&) { return {}; }
std::vector<fact_line> card_of(const std::vector<model_fact>&) { return {}; }
std::unique_ptr<row_source> fact_rows(const capture_devices&, const architecture_report&) { return nullptr; }

namespace json {

result<document_status> write_architecture(json_writer&, const trace&, const query_filters&, const hooks&) { return without_model(); }

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

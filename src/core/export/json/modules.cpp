#include <export/json/document.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace json {
namespace {

// The frame of the document around the rows and, for one module, its entry computation.
document_status write_listed(json_writer& out, const profile& p, const modules_result& found, const module_row* only) {
  return write_framed(out, document::modules, p, {}, found.absent, found.damage, [&] {
    out.key("modules");
    out.begin_array();
    for (const module_row& row : found.modules) {
      if (only != nullptr && &row != only) continue;
      out.begin_object();
      fields_of_modules_module(out, row);
      out.end_object();
    }
    out.end_array();
    out.field("matched", only != nullptr ? std::uint64_t{1} : static_cast<std::uint64_t>(found.modules.size()));
    if (only != nullptr) {
      if (const result<entry_dump> entry = analyse_entry(*only); entry) {
        write_object(out, "entry", [&] { fields_of_modules_entry(out, *entry); });
      } else {
        out.key("entry");
        out.null();  // the module's own damage says why
      }
    }
  });
}

}  // namespace

document_status write_modules(json_writer& out, const profile& p, const modules_result& found) {
  return write_listed(out, p, found, nullptr);
}

document_status write_module_entry(json_writer& out, const profile& p, const modules_result& found,
                                   const module_row* only) {
  return write_listed(out, p, found, only);
}

}  // namespace json
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

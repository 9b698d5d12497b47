// Writes JSON documents to standard output, for the comparisons in Python:
//   write_document DOCUMENT PATH [LIMIT]      one document
//   write_document finding PATH ID            that of one finding
//   write_document entry PATH MODULE          the entry computation of the first module whose name contains MODULE
// The exit status is the command's: 0 ok or absent, 4 error, 5 partial, 1 when the document could not be written.
#include <profkit/core/export.hpp>
#include <profkit/core/modules.hpp>

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>

namespace {

using profkit::document;
using profkit::document_status;

std::optional<document> document_named(const char* name) {
  for (int d = static_cast<int>(document::report); d <= static_cast<int>(document::architecture); ++d)
    if (std::strcmp(profkit::document_name(static_cast<document>(d)), name) == 0) return static_cast<document>(d);
  for (const document d : {document::neutrino, document::brief, document::explain, document::op_groups})
    if (std::strcmp(profkit::document_name(d), name) == 0) return d;
  return std::nullopt;
}

int exit_status(document_status status) {
  if (status == document_status::error) return 4;
  return status == document_status::partial ? 5 : 0;
}

int fail(const profkit::fault& why) {
  std::fprintf(stderr, "%s: %s\n", why.path.c_str(), why.message.c_str());
  return 1;
}

// Tab-separated: order, opcode, name, shape.
int print_entry(const profkit::profile& p, const char* wanted) {
  const auto modules = profkit::analyse_modules(profkit::trace(p));
  if (!modules) return fail(modules.error());
  for (const profkit::module_row& row : modules->modules) {
    if (row.name.find(wanted) == std::string_view::npos) continue;
    const auto dump = profkit::analyse_entry(row);
    if (!dump) return fail(dump.error());
    const auto print = [&](const char* order, const profkit::instruction_row& i) {
      std::printf("%s\t%s\t%s\t%s\n", order, std::string(i.opcode).c_str(), std::string(i.name).c_str(),
                  i.shape.c_str());
    };
    std::printf("computation\t%s\n", std::string(dump->computation_name).c_str());
    for (const profkit::instruction_row& i : dump->proto_order) print("proto", i);
    for (const std::size_t i : dump->schedule_order) print("schedule", dump->proto_order[i]);
    return 0;
  }
  std::printf("none\n");
  return 0;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return 2;
  const std::optional<document> which = document_named(arguments[1]);
  const auto opened = profkit::profile::open(arguments[2]);
  const auto out = profkit::descriptor_sink(STDOUT_FILENO, "standard output");
  if (!which && opened && count == 4 && std::strcmp(arguments[1], "finding") == 0) {
    const auto status = profkit::write_explanation(profkit::trace(**opened), arguments[3], {}, *out);
    if (!status) return fail(status.error());
    const auto finished = out->finish();
    return finished ? exit_status(*status) : fail(finished.error());
  }
  if (!which) return opened && count == 4 ? print_entry(**opened, arguments[3]) : 2;
  if (!opened) {
    const auto written = profkit::write_error_document(*which, opened.error(), *out);
    return written && out->finish() ? 4 : fail(opened.error());
  }
  profkit::query_filters options;
  options.limit = count > 3 ? std::strtoull(arguments[3], nullptr, 10) : profkit::default_limit(*which);
  const auto status = profkit::write_document(*which, profkit::trace(**opened), options, *out);
  if (!status) return fail(status.error());
  const auto finished = out->finish();
  return finished ? exit_status(*status) : fail(finished.error());
}

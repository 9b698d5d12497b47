// profkit dump: any protobuf file, field by field.
#include "command_line/shared_options.hpp"
#include "exit_code.hpp"
#include "interrupt.hpp"
#include "session.hpp"

#include <profkit/core/dump.hpp>

#include <unistd.h>

#include <memory>
#include <string>
#include <utility>

namespace profkit_tool {
namespace {

using profkit::document_status;
using profkit::dump_format;
using profkit::dump_outcome;
using profkit::fault;
using profkit::fault_code;
using profkit::result;

std::string type_names() {
  std::string names = "raw";
  for (const std::string_view type : profkit::dump_types())
    if (type.find('.') == std::string_view::npos) names.append(" ").append(type);
  return names;
}

int run_dump(const options& asked, std::string type) {
  const terminal errors = look_at_terminal(STDERR_FILENO, asked.color);
  progress_line progress(!asked.quiet);
  const profkit::hooks hooks = progress.hooks(asked.threads);
  profkit::open_options opening;
  opening.standard_input = true;
  opening.io = asked.io;
  opening.host = hooks;
  result<profkit::dump_source> file = profkit::open_dump_source(asked.path, type, opening);
  progress.clear();
  if (!file) return fail(asked, file.error(), errors);
  if (is_same_file(asked.output_path, asked.path)) return fail(asked, output_is_input(asked.output_path), errors);

  if (!asked.output_path.empty()) catch_interrupts();
  result<text_output> out = text_output::open(asked.output_path, asked.color);
  if (!out) return fail(asked, out.error(), errors);
  profkit::dump_options how;
  how.format = asked.json ? dump_format::json : dump_format::text;
  how.limit = asked.limit.value_or(0);
  how.host = hooks;
  if (type.empty()) type = profkit::dump_type_of(file->found.family);
  result<dump_outcome> dumped = profkit::dump_message(file->held.bytes, type, out->raw(), how);
  progress.clear();
  if (!dumped) {
    fault why = std::move(dumped).error();
    if (why.code == fault_code::invalid_argument && why.hint.empty()) why.hint = "the types are: " + type_names();
    return fail(asked, why, errors);
  }
  if (dumped->status == document_status::error && !asked.output_path.empty()) {
    // A document that holds nothing does not replace a file that may hold something.
  } else if (result<void> finished = out->finish(); !finished) {
    return fail(asked, finished.error(), errors);
  }

  std::vector<profkit::file_damage> losses;
  for (const auto& damage : {file->held.damage, dumped->damage}) {
    if (!damage) continue;
    losses.push_back({0, *damage});
    if (losses.back().what.path.empty()) losses.back().what.path = asked.path;
  }
  return print_losses(asked, losses, dumped->status != document_status::error, errors);
}

class dump_command_options final : public command_options {
 public:
  void list(option_list& all) override {
    all.argument("FILE", path, "A protobuf file; '-' is standard input", true).offer_files();
    all.group("Input");
    all.value("--type", type_, "TYPE", "Message type (default: found out from the file)");
    output_.list(all, *this, false);
    all.group("Input");
    input_.list_io(all);
    list_strict(all, *this);
  }
  [[nodiscard]] std::optional<fault> understand() override {
    if (auto wrong = input_.understand(*this)) return wrong;
    return output_.understand(*this);
  }
  [[nodiscard]] int run_command() const override { return run_dump(*this, type_); }

 private:
  std::string type_;
  output_words output_;
  input_words input_;
};

}  // namespace

extern const command_description dump_command = {
    "dump",
    "FILE",
    "Any protobuf file as text or JSON, field by field",
    "Shows XSpace, HloProto and OpStats messages with field names and any other message by field number;\n"
    "nothing is hidden, unknown fields included.",
    "  profkit dump module.hlo_proto.pb | less\n"
    "  profkit dump ALL_HOSTS.op_stats_v2.pb --json --limit 0\n"
    "  profkit dump unknown.bin --type raw\n",
    make_options<dump_command_options>,
};

}  // namespace profkit_tool

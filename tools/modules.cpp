// profkit modules: the compiled programs of a capture, and the entry computation of one.
#include "command_line/shared_options.hpp"
#include "places.hpp"
#include "quantity.hpp"
#include "session.hpp"
#include "table.hpp"

#include <profkit/core/modules.hpp>
#include <profkit/core/text.hpp>

namespace profkit_tool {
namespace {

using profkit::entry_dump;
using profkit::escape_for_terminal;
using profkit::grouped;
using profkit::instruction_row;
using profkit::module_row;
using profkit::modules_result;

constexpr std::uint64_t default_instructions = 50;

void print_list(session& s, const modules_result& found) {
  const std::uint64_t limit = s.asked().limit.value_or(default_rows);
  table t;
  t.right("file").flexible("module", cut::middle, 24).right("id").minor().right("computations").minor().right("instructions");
  t.right("size").left("file beside it").minor().flexible("");
  for (const module_row& m : found.modules) {
    if (t.is_full(limit)) break;
    t.row({s.file_label(m.file), escape_for_terminal(m.name), std::to_string(m.module_id), grouped(m.computations),
           grouped(m.instructions), profkit::human_bytes(m.bytes),
           m.sibling == profkit::sibling_state::none ? "" : profkit::sibling_state_name(m.sibling),
           m.damage ? "damaged" : ""});
  }
  s.print(count_of(found.modules.size(), "HLO module") + ", largest first", t, found.modules.size());
}

std::string source_of(const instruction_row& i) {
  if (i.source_file.empty()) return {};
  std::string text = escape_for_terminal(i.source_file.substr(i.source_file.rfind('/') + 1));
  if (i.source_line != 0) text += ':' + std::to_string(i.source_line);
  return text;
}

void print_instructions(session& s, const entry_dump& entry, const std::vector<std::size_t>& order,
                        std::uint64_t limit) {
  table t;
  t.right("").flexible("opcode", cut::end, 12).flexible("name", cut::middle, 26).flexible("shape", cut::end, 18).minor();
  t.flexible("op_name", cut::start, 12).minor().flexible("source", cut::start, 12).minor();
  for (const std::size_t at : order) {
    if (t.is_full(limit)) break;
    const instruction_row& i = entry.proto_order[at];
    t.row({grouped(std::uint64_t{t.size()}), escape_for_terminal(i.opcode), escape_for_terminal(i.name), escape_for_terminal(i.shape),
           escape_for_terminal(i.op_name), source_of(i)});
  }
  t.print(s.out(), s.columns());
  s.left_out(order.size(), t.size());
}

profkit::result<void> print_entry(session& s, const modules_result& found, const std::string& name) {
  const auto chosen = profkit::find_module(found, name);
  if (!chosen) return chosen.error();
  const module_row& row = **chosen;
  auto entry = profkit::analyse_entry(row);
  if (!entry) return std::move(entry).error();
  const std::uint64_t limit = s.asked().limit.value_or(default_instructions);
  s.heading(escape_for_terminal(row.name) + "  entry computation " + escape_for_terminal(entry->computation_name) +
            ", " + count_of(entry->proto_order.size(), "instruction"));
  s.heading("In proto order");
  std::vector<std::size_t> order(entry->proto_order.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  print_instructions(s, *entry, order, limit);
  if (entry->schedule_order.empty())
    s.absent("the module carries no schedule");
  else if (entry->schedule_order == order)
    s.out().line("The schedule has the same order.");
  else {
    s.heading("In schedule order");
    print_instructions(s, *entry, entry->schedule_order, limit);
  }
  return {};
}

profkit::result<void> print_modules(session& s, const std::string& to_dump) {
  profkit::query_filters all = s.filters(0);
  all.limit = 0;
  auto found = profkit::analyse_modules(s.trace(), all, s.hooks());
  if (!found) return std::move(found).error();
  s.lost(found->damage);
  for (const module_row& m : found->modules)
    if (m.damage) s.lost({{m.file, *m.damage}});
  if (found->modules.empty()) {
    s.absent(found->absent);
    return {};
  }
  if (!to_dump.empty()) return print_entry(s, *found, to_dump);
  print_list(s, *found);
  s.note_unchecked(profkit::document::modules);
  return {};
}

class modules_command_options final : public slice_options {
  void list_own(option_list& all) override {
    all.value("--dump", to_dump_, "NAME", "Print the entry computation of the module NAME is part of")
        .add_to_manual("Its instructions stand in the order of the file and in the order of the schedule.");
  }
  [[nodiscard]] int run_command() const override {
    const auto document = [&](const profkit::trace& of, profkit::sink& into, const profkit::hooks& hooks) {
      const auto filters = filters_of(*this, profkit::default_limit(profkit::document::modules));
      return to_dump_.empty() ? profkit::write_document(profkit::document::modules, of, filters, into, hooks)
                              : profkit::write_entry_document(of, to_dump_, filters, into, hooks);
    };
    return run_slice(*this, profkit::document::modules, {document, [&](session& s) { return print_modules(s, to_dump_); }});
  }

  std::string to_dump_;
};

}  // namespace

extern const command_description modules_command = {
    "modules",
    "PATH",
    "Compiled HLO modules, and the entry computation of one",
    "Lists the modules embedded in the capture and the *.hlo_proto.pb files beside it, and says where the\n"
    "two differ. --dump prints the instructions of one entry computation.",
    "  profkit modules vm.xplane.pb\n"
    "  profkit modules vm.xplane.pb --dump train_step\n",
    make_options<modules_command_options>,
};

}  // namespace profkit_tool

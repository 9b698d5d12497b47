// profkit diff: what a change did to the time of a step.
#include "command_line/shared_options.hpp"
#include "exit_code.hpp"
#include "progress.hpp"
#include "quantity.hpp"
#include "session.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/diff.hpp>
#include <profkit/core/source.hpp>
#include <profkit/core/text.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace profkit_tool {
namespace {

using namespace profkit;

struct diff_asked : command_options {
  std::vector<std::string> before, after, gates;
  bool fails_undecided = false, markdown = false;
};

std::string change_text(std::int64_t ps) { return (ps < 0 ? "-" : "+") + human_duration(ps < 0 ? -ps : ps); }

// "+17.5 %", of what it was.
std::string relative_text(std::int64_t change_ps, std::int64_t whole_ps) {
  if (whole_ps == 0) return "";
  return (change_ps < 0 ? "-" : "+") + share_text(change_ps < 0 ? -change_ps : change_ps, whole_ps);
}

// "+2.5 %", of a change as a ratio.
std::string change_ratio_text(double ratio) {
  char text[32];
  std::snprintf(text, sizeof text, "%+.1f %%", 100 * ratio);
  return text;
}
std::string p_text(double p) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", p);
  return text;
}

std::string use_text(const use_delta& row) {
  return spaced(time_use_name(row.use)) + (row.cause ? ": " + spaced(idle_cause_name(*row.cause)) : "");
}

class diff_screen {
 public:
  diff_screen(text_output& out, const diff_asked& asked, const diff_report& all)
      : out_(out), asked_(asked), all_(all), before_(all.before), after_(all.after), found_(all.found),
        columns_(asked.wide ? 0 : out.screen().columns) {}

  void print() {
    print_sides();
    if (!found_.absent.empty()) return line("[absent] " + found_.absent);
    print_step();
    print_gates();
    print_time();
    print_ops();
    print_devices();
  }

 private:
  void line(const std::string& text) {
    if (asked_.markdown) {
      out_.line(text);
      out_.line();
    } else {
      out_.line(columns_ == 0 ? text : wrap(text, columns_, 2));
    }
  }
  void print_table(const char* title, const table& t) {
    if (asked_.markdown) {
      out_.line(std::string("### ") + title);
      out_.line();
      t.print_markdown(out_);
      out_.line();
    } else {
      print_heading(out_, title);
      t.print(out_, columns_);
    }
  }
  [[nodiscard]] std::size_t rows_of(std::size_t all, std::size_t otherwise) const {
    return asked_.limit ? rows_within(all, *asked_.limit) : shown_of(all, otherwise);
  }

  void print_sides() {
    line("before  " + side_text(before_));
    line("after   " + side_text(after_));
    for (const setting_delta& s : found_.settings)
      line("  differs: " + escape_for_terminal(s.what) + " " + quoted(s.before) + " before, " + quoted(s.after) + " after");
  }
  static std::string quoted(const std::string& text) { return text.empty() ? "not recorded" : "'" + escape_for_terminal(text) + "'"; }
  static std::string side_text(const run_snapshot& s) {
    std::string text = escape_for_terminal(s.path) + (s.runs > 1 ? " and " + grouped(s.runs - 1) + " more" : "") + ": " + count_of(s.step_count(), "step");
    if (!s.step_name.empty()) text += " of " + escape_for_terminal(s.step_name);
    if (s.devices.size() > 1) text += " on " + count_of(s.devices.size(), "device");
    std::string not_counted;
    const auto add = [&](std::uint64_t steps, const char* why) {
      if (steps > 0) not_counted += (not_counted.empty() ? "" : ", ") + grouped(steps) + why;
    };
    add(s.warm_up_steps, " of warm-up");
    add(s.cut_steps, " not whole");
    add(s.other_steps, " of other kinds");
    return text + (not_counted.empty() ? "" : "; " + not_counted + " left out");
  }

  void print_step() {
    const time_delta& step = found_.step;
    line("A step takes " + human_duration(step.after_ps) + " after " + human_duration(step.before_ps) + ": " + change_text(step.change_ps()) +
         " (" + relative_text(step.change_ps(), step.before_ps) + "). " + certainty_text());
    if (!before_.marked || !after_.marked) line("No step is marked: each capture counts as one step, whatever it holds.");
  }

  [[nodiscard]] std::string certainty_text() const {
    const number_change& step = all_.step;
    const auto between = [&] { return change_ratio_text(*step.low) + " to " + change_ratio_text(*step.high) + " with 95 %"; };
    switch (step.method) {
      case change_method::within_two_runs:
        return "Within these two runs only: " + between() + "; how far runs of one program differ is not known from one a side.";
      case change_method::arrangements:
        return "Medians of runs: " + change_ratio_text(step.change) + (step.low && step.high ? ", " + between() : "") + "; runs of one program differ as much with p = " +
               p_text(*step.p) + ".";
      case change_method::none: break;
    }
    return "How far runs of one program differ is not known from so little.";
  }

  void print_gates() {
    for (const gate_verdict& g : all_.gates)
      line("gate " + escape_for_terminal(g.gate) + ": " + gate_state_name(g.state) + ", " + g.why);
  }

  void print_time() {
    table t;
    t.right("before").right("after").right("change").right("of the step").left("a step on average");
    const auto add = [&](const time_delta& time, std::string what) {
      t.row({human_duration(time.before_ps), human_duration(time.after_ps), change_text(time.change_ps()),
             relative_text(time.change_ps(), found_.step.before_ps), std::move(what)});
    };
    for (const use_delta& row : found_.time) add(row.time, use_text(row));
    add(found_.step, "together");
    print_table("Where the time of a step goes", t);
  }

  [[nodiscard]] std::string names_of(const std::vector<std::uint32_t>& ops, const run_snapshot& side) const {
    std::string text;
    for (std::size_t i = 0; i < std::min<std::size_t>(ops.size(), 3); ++i) {
      const run_op& op = side.ops[ops[i]];
      const std::string name = op.rest > 0         ? shown_name(op)
                               : op.name.empty() ? "(no name)"
                                                 : escape_for_terminal(readable_kernel_name(op.name));
      if (text.find(name) == std::string::npos) text += (text.empty() ? "" : ", ") + name;
    }
    return ops.size() > 3 ? text + ", … " + std::to_string(ops.size() - 3) + " more" : text;
  }

  // The innermost module, else the framework's operator.
  static std::string place_of(const run_op& op) {
    return escape_for_terminal(op.module.empty() ? op.framework_op : op.module.substr(op.module.rfind('/') + 1));
  }

  void print_ops() {
    const std::size_t rows = rows_of(found_.ops.size(), 12);
    table t;
    const bool several = before_.runs > 1 && after_.runs > 1;
    t.right("before").right("after").right("change").right("of the step").right(several ? "by chance" : "").left("").flexible("op", cut::middle, 20).flexible("place", cut::middle, 12).minor();
    const auto cells = [&](const time_delta& time, std::string how, std::string name, std::string place, std::optional<double> by_chance = {}) {
      t.row({human_duration(time.before_ps), human_duration(time.after_ps), change_text(time.change_ps()),
             relative_text(time.change_ps(), found_.step.before_ps), by_chance ? p_text(*by_chance) : "", std::move(how), std::move(name), std::move(place)});
    };
    time_delta rest = found_.op_time;
    for (std::size_t i = 0; i < rows; ++i) {
      const op_delta& row = found_.ops[i];
      std::string name = names_of(row.after.empty() ? row.before : row.after, row.after.empty() ? before_ : after_);
      if (!row.before.empty() && !row.after.empty())
        if (const std::string was = names_of(row.before, before_); was != name) name = was + " → " + name;
      std::string how = row.change == op_change::same ? "" : spaced(op_change_name(row.change));
      if (row.sure < certainty::likely) how += '?';
      cells(row.time, std::move(how), std::move(name), place_of(all_.op_of(row)), row.by_chance);
      rest.before_ps -= row.time.before_ps;
      rest.after_ps -= row.time.after_ps;
    }
    if (rows < found_.ops.size()) cells(rest, "", "… " + grouped(std::uint64_t{found_.ops.size() - rows}) + " more", "");
    cells(found_.op_time, "", "all ops together", "");
    print_table("Ops of a step, those that changed most first", t);
    if (several) line("by chance: the share of rows, of those as sure to have changed as this one or surer, that chance alone would give");
  }

  void print_devices() {
    if (found_.devices.size() < 2) return;
    table t;
    t.right("before").right("after").right("change").right("").left("step of");
    const std::size_t rows = rows_of(found_.devices.size(), 8);
    for (std::size_t i = 0; i < rows; ++i) {
      const device_delta& row = found_.devices[i];
      const run_device& of = all_.device_of(row);
      const bool both = row.before >= 0 && row.after >= 0;
      t.row({row.before < 0 ? "" : human_duration(row.time.before_ps), row.after < 0 ? "" : human_duration(row.time.after_ps),
             both ? change_text(row.time.change_ps()) : "", both ? relative_text(row.time.change_ps(), row.time.before_ps) : "",
             (of.rank >= 0 ? "rank " + std::to_string(of.rank) + ", " : std::string()) + escape_for_terminal(of.name)});
    }
    print_table("Devices", t);
    if (!asked_.markdown) print_more(out_, found_.devices.size(), rows);
  }

  text_output& out_;
  const diff_asked& asked_;
  const diff_report& all_;
  const run_snapshot &before_, &after_;
  const run_diff& found_;
  std::size_t columns_;
};

// Says why there is nothing, in the form that was asked for.
int fail_with_document(const options& asked, const fault& why, const terminal& errors) {
  if (why.code != fault_code::cancelled) print_error_document(asked, "diff", why);
  return fail(asked, why, errors);
}

// Of a file that `profkit snapshot` wrote; nullopt of anything else. A pipe is read once, as a capture.
std::optional<result<run_snapshot>> read_kept(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return std::nullopt;
  auto opened = open_file_source(path);
  if (!opened) return std::nullopt;
  constexpr std::size_t head_bytes = 64;
  std::string bytes(head_bytes, '\0');
  for (std::size_t size = 0;;) {
    const auto read = (*opened)->read(bytes.data() + size, bytes.size() - size);
    const bool is_all = !read || *read == 0;
    size += read ? *read : 0;
    if ((is_all || size == bytes.size()) && !begins_snapshot(std::string_view(bytes).substr(0, size))) return std::nullopt;
    if (!read) return read.error();
    if (is_all) return read_snapshot(std::string_view(bytes).substr(0, size), path);
    if (size == bytes.size()) bytes.resize(2 * size);
  }
}

// What is compared of a capture. `usable` stays as it is where something of it is intact.
result<run_snapshot> snapshot_of(const options& asked, const std::string& path, progress_line& progress, bool& usable) {
  open_options how;
  how.io = asked.io;
  how.run = asked.run;
  how.host = progress.hooks(asked.threads);
  auto opened = profile::open(path, how);
  progress.clear();
  if (!opened) return std::move(opened).error();
  if (is_input_of((*opened)->what(), asked.output_path)) return output_is_input(asked.output_path);
  const trace capture(std::move(*opened));
  auto taken = take_snapshot(capture, how.host);
  progress.clear();
  usable = usable && anything_intact(capture.files());
  return taken;
}

// The runs of a side, each as a capture or as what was kept of one.
result<std::vector<run_snapshot>> read_side(const diff_asked& asked, const std::vector<std::string>& paths, progress_line& progress, bool& usable) {
  std::vector<run_snapshot> runs;
  for (const std::string& path : paths) {
    auto kept = read_kept(path);
    if (kept && !asked.output_path.empty() && is_same_file(asked.output_path, path)) return output_is_input(asked.output_path);
    auto run = kept ? std::move(*kept) : snapshot_of(asked, path, progress, usable);
    if (!run) return std::move(run).error();
    run->path = path;
    runs.push_back(std::move(*run));
  }
  return runs;
}

int run_diff_of(const diff_asked& asked) {
  const terminal errors = look_at_terminal(STDERR_FILENO, asked.color);
  progress_line progress(!asked.quiet);
  bool usable = true;
  if (auto gates = check_gates(asked.gates); !gates) return fail_with_document(asked, gates.error(), errors);
  auto before = read_side(asked, asked.before, progress, usable);
  if (!before) return fail_with_document(asked, before.error(), errors);
  auto after = read_side(asked, asked.after, progress, usable);
  if (!after) return fail_with_document(asked, after.error(), errors);
  const auto found = compare_captures(std::move(*before), std::move(*after), asked.gates);
  if (!found) return fail_with_document(asked, found.error(), errors);
  const auto document = [&](sink& into) -> result<void> {
    auto written = write_diff_document(*found, into, asked.limit.value_or(default_document_limit));
    if (!written) return std::move(written).error();
    return {};
  };
  result<text_output> out = text_output::open("", asked.color);
  if (!out) return fail(asked, out.error(), errors);
  if (asked.json) {
    if (result<void> written = document(out->raw()); !written) return fail(asked, written.error(), errors);
  } else {
    diff_screen(*out, asked, *found).print();
  }
  if (result<void> finished = out->finish(); !finished) return fail(asked, finished.error(), errors);
  if (!asked.output_path.empty())
    if (result<void> written = write_file(asked.output_path, document); !written) return fail(asked, written.error(), errors);
  std::vector<file_damage> losses = found->before.damage;
  losses.insert(losses.end(), found->after.damage.begin(), found->after.damage.end());
  if (const int status = print_losses(asked, losses, usable, errors); status != exit_ok) return status;
  const auto fails = [&](const gate_verdict& g) {
    return g.state == gate_state::tripped || (g.state == gate_state::undecided && asked.fails_undecided);
  };
  return std::any_of(found->gates.begin(), found->gates.end(), fails) ? exit_gate : exit_ok;
}

class diff_command_options final : public diff_asked {
 public:
  void list(option_list& all) override {
    all.arguments("CAPTURE", paths_, "The capture before the change, and the one after it").offer_files();
    all.group("Comparison");
    all.values("--before", before, "CAPTURE...", "Several runs of the program before the change").offer_files();
    all.values("--after", after, "CAPTURE...", "Several runs after it").offer_files();
    all.value("--fail-on,--fail_on", fail_on_, "GATES", "'step>+2%': exit with 1 where the change exceeds that with 95 %")
        .add_to_manual("Before '>' stands step, idle, compute, exposed, memory or op:NAME, a part of the names of ops; commas stand between "
                       "several. Three runs a side are enough to know a change from what runs differ by; with fewer a gate is undecided, and "
                       "'undecided' among the gates makes that exit with 1 as well. Memory is compared as it is.");
    all.group("Output");
    all.value("-o,--output", output_path, "FILE", "Write the JSON document to FILE as well").offer_files();
    all.value("--limit", output_.limit, "N", "Rows of each list; 0 shows all (default 12, of --json 100)");
    list_json(all, *this);
    all.flag("--markdown", markdown, "The same as Markdown, for a pull request");
    list_wide(all, *this);
    output_.list_color(all);
    list_quiet(all, *this);
    input_.list_of_captures(all, *this);
  }
  [[nodiscard]] std::optional<fault> understand() override {
    if (json && markdown) return wrong_options("--json and --markdown are two forms of one result", "profkit diff --help");
    const char* const example = "profkit diff before.xplane.pb after.xplane.pb";
    if (paths_.size() == 2 && before.empty() && after.empty()) {
      before = {paths_[0]};
      after = {paths_[1]};
    } else if (!paths_.empty() || before.empty() || after.empty()) {
      return wrong_options("diff takes two captures, or some of each side by --before and --after", example);
    }
    for (std::string_view left = fail_on_; !left.empty();) {
      const std::string_view gate = left.substr(0, left.find(','));
      left.remove_prefix(std::min(gate.size() + 1, left.size()));
      if (gate == "undecided") {
        fails_undecided = true;
      } else {
        gates.emplace_back(gate);
      }
    }
    if (auto wrong = input_.understand(*this)) return wrong;
    return output_.understand(*this);
  }
  [[nodiscard]] int run_command() const override { return run_diff_of(*this); }

 private:
  std::vector<std::string> paths_;
  std::string fail_on_;
  output_words output_;
  input_words input_;
};

struct snapshot_asked : command_options {
  std::vector<std::string> paths;
};

int write_snapshot_of(const snapshot_asked& asked) {
  const terminal errors = look_at_terminal(STDERR_FILENO, asked.color);
  progress_line progress(!asked.quiet);
  bool usable = true;
  const auto taken = snapshot_of(asked, asked.paths.front(), progress, usable);
  if (!taken) return fail(asked, taken.error(), errors);
  const auto written = write_file(asked.output_path, [&](sink& into) { return write_snapshot(*taken, into); });
  if (!written) return fail(asked, written.error(), errors);
  return print_losses(asked, taken->damage, usable, errors);
}

class snapshot_command_options final : public snapshot_asked {
 public:
  void list(option_list& all) override {
    all.arguments("CAPTURE", paths, "The capture to keep the numbers of").offer_files();
    all.group("Output");
    all.value("-o,--output", output_path, "FILE", "The snapshot, as base.pks").offer_files();
    output_.list_color(all);
    list_quiet(all, *this);
    input_.list_of_captures(all, *this);
  }
  [[nodiscard]] std::optional<fault> understand() override {
    if (paths.size() != 1 || output_path.empty()) return wrong_options("snapshot takes one capture and -o FILE", "profkit snapshot vm.xplane.pb -o base.pks");
    if (auto wrong = input_.understand(*this)) return wrong;
    return output_.understand(*this);
  }
  [[nodiscard]] int run_command() const override { return write_snapshot_of(*this); }

 private:
  output_words output_;
  input_words input_;
};

}  // namespace

extern const command_description diff_command = {
    "diff",
    "BEFORE AFTER",
    "What a change did to the time of a step, and what explains it",
    "Takes two captures of one program, files or folders. From step time to step time: what devices did, why\n"
    "they waited, and the ops that became longer, shorter, new or gone. Parts add up to the whole exactly.\n"
    "Steps of warm-up, of other kinds, and those that are not whole do not count. Ops are the same by name,\n"
    "place and shapes, whatever number a compiler gave them; else by their place in the program, or by name.\n"
    "How far runs of one program differ is known from several a side alone.",
    "  profkit diff before.xplane.pb after.xplane.pb\n"
    "  profkit diff runs/monday runs/tuesday --json\n"
    "  profkit diff base.pks vm.xplane.pb --markdown > comment.md\n"
    "  profkit diff --before a1 a2 a3 --after b1 b2 b3 --fail-on 'step>+2%'   exit status 1 when it trips\n",
    make_options<diff_command_options>,
};

extern const command_description snapshot_command = {
    "snapshot",
    "PATH",
    "Keeps what diff compares of a capture in a small file",
    "Steps, where their time went, the 2,000 longest ops and the exact sum of the others, memory, facts of the\n"
    "model, devices, software: a baseline that stays when the capture goes. `diff` takes it as a capture.",
    "  profkit snapshot vm.xplane.pb -o base.pks\n"
    "  profkit diff base.pks vm.xplane.pb\n",
    make_options<snapshot_command_options>,
};

}  // namespace profkit_tool

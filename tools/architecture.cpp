// profkit architecture: what model ran, read from its kernels.
#include "command_line/shared_options.hpp"
#include "exit_code.hpp"
#include "places.hpp"
#include "quantity.hpp"
#include "report_folder.hpp"
#include "report_parts.hpp"
#include "session.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/architecture.hpp>
#include <profkit/core/picture.hpp>
#include <profkit/core/text.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace profkit_tool {
namespace {

using namespace profkit;

constexpr std::size_t max_passes = 8, max_types = 12;

std::string ranges_of(const layer_type& t) {
  std::string text;
  for (std::size_t i = 0; i < t.ranges.size() && i < 6; ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(t.ranges[i].first);
    if (t.ranges[i].last != t.ranges[i].first) text += '-' + std::to_string(t.ranges[i].last);
  }
  return t.ranges.size() > 6 ? text + ", …" : text;
}

class printer {
 public:
  printer(session& s, const architecture_report& r)
      : s_(s), of_(*r.of), r_(r.found), d_(r.found.devices[r.found.reported]) {}

  static void print_card(session& s, const architecture_result& found) {
    for (const fact_line& line : card_of(found.facts)) print_fact(s, line.title, line.text);
    if (!found.facts.empty()) print_fact(s, "", "--facts: each with its source; what has no mark is proved");
  }

  void print() {
    print_card(s_, r_);
    print_head();
    print_devices();
    print_types();
    print_passes();
    print_checks();
    print_streams();
    print_limits();
  }

 private:
  std::string name(std::string_view text) const { return escape_for_terminal(text); }
  std::string device(std::uint32_t d) const { return short_plane_name(of_.text(of_.devices()[d].name)); }
  static void print_fact(session& s, const char* what, const std::string& text) {
    constexpr std::size_t indent = 14;
    std::string label = what;
    label.resize(indent - 2, ' ');
    s.out().line("  " + s.out().screen().paint(label, style::dim) + wrap(escape_for_terminal(text), columns_of(s) - indent, indent));
  }
  void fact(const char* what, const std::string& text) { print_fact(s_, what, text); }

  void print_head() {
    fact("by kernels", r_.summary);
    if (d_.source == anchor_source::none) return;
    const std::string marks = d_.source == anchor_source::attention ? "attention kernel" : "kernel";
    fact((std::string(d_.layer_word()) + "s by").c_str(), shorten(d_.anchor, 100, cut::middle) + ", " + count_of(d_.anchors, marks));
    if (d_.totals_only) return print_parallelism();
    fact("passes by", d_.pass_source[0] != '\0' ? d_.pass_source : "nothing: one pass");
    if (d_.backward_anchors == 0)
      fact("phases by", d_.phase_source[0] != '\0' ? d_.phase_source : "nothing: not determined");
    print_parallelism();
  }

  void print_parallelism() {
    for (std::size_t i = 0; i < d_.parallelism.size(); ++i) fact(i == 0 ? "parallelism" : "", d_.parallelism[i]);
  }

  // Of counts alone.
  void print_counted_types() {
    table t;
    t.left("type").right("layers in all passes");
    for (const layer_type& type : d_.types) t.row({d_.type_text(type.kind), grouped(type.occurrences)});
    s_.print("Layer types, by the counts of expert kernels", t);
  }

  void print_devices() {
    if (std::count_if(r_.devices.begin(), r_.devices.end(), [](const auto& d) { return d.kernels > 0; }) < 2) return;
    table t;
    t.flexible("device", cut::middle, 8).right("kernels").right(word_ + "s a pass").right("passes").left("confidence");
    t.left("");
    const std::size_t rows = s_.rows_of(8, r_.devices.size());
    for (std::size_t i = 0; i < rows; ++i) {
      const device_architecture& o = r_.devices[i];
      t.row({device(o.device), grouped(o.kernels),
             o.layers_per_pass == 0 ? "" : grouped(std::uint64_t{o.layers_per_pass}),
             grouped(std::uint64_t{o.passes.size()}), confidence_name(o.sure), i == r_.reported ? "shown here" : ""});
    }
    s_.print("Devices", t, r_.devices.size());
  }

  void print_types() {
    if (d_.types.empty()) return;
    if (d_.totals_only) return print_counted_types();
    table t;
    t.left("type").left("phase").minor().flexible(word_ + "s", cut::end, 8).right("count").right("passes").right("wall");
    t.right(d_.source == anchor_source::attention ? "attention" : "anchor").right("kernels").minor();
    t.flexible("mostly", cut::end, 12);
    const std::size_t rows = s_.rows_of(max_types, d_.types.size());
    for (std::size_t i = 0; i < rows; ++i) {
      const layer_type& type = d_.types[i];
      const auto a = std::find_if(d_.anatomies.begin(), d_.anatomies.end(), [&](const layer_anatomy& one) {
        return one.kind == type.kind && one.sampling == type.sampling && one.phase == type.phase;
      });
      std::vector<std::string> row{d_.type_text(type.kind, type.sampling),
                                   model_phase_name(type.phase), ranges_of(type), grouped(std::uint64_t{type.count}),
                                   grouped(d_.layouts[type.layout].passes)};
      if (a != d_.anatomies.end()) {
        row.push_back(human_duration(a->wall_ps.median));
        row.push_back(share_text(a->anchor_ps.median, a->wall_ps.median));
        row.push_back(grouped(a->kernel_count.median));
        if (!a->components.empty())
          row.push_back(std::string(layer_role_title(a->components.front().role)) + ' ' +
                        share_text(a->components.front().wall_ps, d_.layers[a->typical].wall_ps()));
      }
      row.resize(9);
      t.row(std::move(row));
    }
    s_.print((word_ == "part" ? "Part" : "Layer") + std::string(" types, with the median of their lengths"),
             t, d_.types.size());
  }

  void print_passes() {
    if (d_.passes.empty()) return;
    table t;
    t.right("pass").left("phase").flexible("step", cut::end, 6).right(word_ + "s").right("at").minor().right("wall").right("busy");
    t.right("kernels").minor().right("mean anchor").minor().left("note");
    const std::size_t rows = s_.rows_of(max_passes, d_.passes.size());
    for (std::size_t i = 0; i < rows; ++i) {
      const model_pass& p = d_.passes[i];
      t.row({std::to_string(i), model_phase_name(p.phase), name(p.step), grouped(std::uint64_t{p.layers()}),
             human_duration(p.start_ps), human_duration(p.wall_ps()), share_text(p.busy_ps, p.wall_ps()),
             grouped(p.kernels), human_duration(p.anchor_ps),
             p.cut == pass_cut::beginning ? "beginning is cut"
             : p.cut == pass_cut::end     ? "end is cut"
             : p.irregular                ? "irregular"
                                          : ""});
    }
    s_.print("Passes", t, d_.passes.size());
  }

  void print_checks() {
    if (d_.checks.empty()) return;
    table t;
    t.left("check").right("expected").right("actual").left("result").flexible("note", cut::end, 16);
    for (const cross_check& c : d_.checks)
      t.row({c.name, grouped(c.expected), grouped(c.actual), check_outcome_name(c.result), c.note});
    s_.print("Counts held against each other", t);
  }

  void print_streams() {
    if (d_.streams.empty()) return;
    table t;
    t.flexible("stream", cut::middle, 8).left("role").right("kernels").right("busy").right("of span").left("overlaps").minor();
    constexpr std::size_t max_streams = 8;
    const std::size_t rows = s_.rows_of(max_streams, d_.streams.size());
    for (std::size_t i = 0; i < rows; ++i) {
      const model_stream& s = d_.streams[i];
      std::string with;
      if (!s.overlaps.empty())
        with = name(d_.streams[s.overlaps.front().lane].name) + ' ' + share_text(s.overlaps.front().ps, s.busy_ps);
      t.row({name(s.name), s.role, grouped(s.kernels), human_duration(s.busy_ps),
             share_text(s.busy_ps, d_.pipeline.wall_ps), with});
    }
    s_.print("Streams", t, d_.streams.size());
    const model_pipeline& p = d_.pipeline;
    if (p.comm_ps > 0)
      s_.out().line("  Communication takes " + human_duration(p.comm_ps) + "; compute hides " +
                    share_text(p.hidden_ps, p.comm_ps) + ".");
  }

  void print_limits() {
    if (!d_.limitations.empty()) {
      s_.heading("What limits this reading");
      for (const std::string& l : d_.limitations) s_.out().line("  - " + wrap(name(l), columns_of(s_) - 4, 4));
    }
    s_.out().line();
    s_.out().line(std::string("  -o DIR/ writes the report, with ") +
                  (word_ == "part" ? "what each part type holds" : "the parts of each layer type") + ", as");
    s_.out().line("  " + name(shorten("model_architecture_report_" + profile_label(s_.capture().what().path) + ".md",
                                      columns_of(s_) - 2, cut::middle)));
  }

  session& s_;
  const activity& of_;
  const architecture_result& r_;
  const device_architecture& d_;
  const std::string word_ = d_.layer_word();
};

// A row a fact.
void print_fact_rows(session& s, const architecture_result& found, bool csv) {
  if (csv) {
    const auto field = [](std::string_view text) {
      if (text.find_first_of(",\"\n\r") == std::string_view::npos) return std::string(text);
      std::string quoted = "\"";
      for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
      return quoted + '"';
    };
    s.out().line("name,value,unit,certainty,source,evidence");
    for (const model_fact& f : found.facts)
      s.out().line(f.name + ',' + field(fact_text(f.value)) + ',' + f.unit + ',' + certainty_name(f.sure) + ',' +
                   fact_source_name(f.source) + ',' + field(f.evidence));
    return;
  }
  table t;
  t.left("fact").flexible("value", cut::end, 12).left("certainty").left("by").flexible("evidence", cut::end, 24);
  for (const model_fact& f : found.facts)
    t.row({f.name, escape_for_terminal(shown_text(f)) + (f.unit.empty() || f.unit == "%" ? "" : ' ' + f.unit), certainty_name(f.sure),
           fact_source_name(f.source), escape_for_terminal(f.evidence)});
  s.print("Facts of the model that ran", t);
  for (const model_fact& f : found.facts)
    for (const std::string& other : f.contradictions) s.out().line("  " + f.name + ": also " + escape_for_terminal(other));
}

int run_architecture(const options& given, architecture_options wanted, bool markdown, bool csv) {
  options asked = given;
  if (names_folder(asked.output_path)) {
    if (auto made = make_folder(asked.output_path); !made) {
      print_fault(made.error(), look_at_terminal(STDERR_FILENO, asked.color));
      return exit_unreadable;
    }
    architecture_report named;
    named.label = profile_label(asked.path);
    asked.output_path = file_in(
        asked.output_path, asked.json ? "model_architecture_" + named.label + ".json" : architecture_file_name(named));
    markdown = !asked.json;
  } else if (has_ending(asked.output_path, ".md") && !asked.json) {
    markdown = true;
  }
  wanted.limit = asked.limit.value_or(profkit::default_limit(profkit::document::architecture));
  const auto look = [&](const profkit::trace& t, const hooks& host) -> result<architecture_report> {
    auto found = analyse_architecture(t, wanted, host);
    if (!found) return found;
    if (auto fits = names_fit(*found->of, wanted.device, wanted.step_pattern); !fits) return std::move(fits).error();
    return found;
  };
  const slice_writer writer{[&](const profkit::trace& t, sink& into, const hooks& host) -> result<document_status> {
                              auto found = look(t, host);
                              if (!found) return std::move(found).error();
                              return write_architecture_document(t.files(), wanted, *found, into);
                            },
                            [&](session& s) -> result<void> {
                              auto found = look(s.trace(), s.hooks());
                              if (!found) return std::move(found).error();
                              if (wanted.facts_only && !found->found.facts.empty()) {
                                print_fact_rows(s, found->found, csv);
                              } else if (markdown) {
                                if (result<void> written = write_architecture_markdown(*found, s.out().raw()); !written)
                                  return written;
                              } else if (found->found.absent.empty() && !found->found.facts.empty() && found->found.devices.empty()) {
                                printer::print_card(s, found->found);
                              } else if (!found->found.absent.empty() || found->found.devices.empty()) {
                                s.absent(found->found.absent);
                              } else {
                                printer(s, *found).print();
                              }
                              s.lost(*found->of);
                              return {};
                            },
                            [&](const profkit::trace& t, sink& into, const hooks& host) -> result<void> {
                              auto found = look(t, host);
                              if (!found) return std::move(found).error();
                              return profkit::write_layer_picture(*found->of, found->found, into);
                            }};
  const int status = run_slice(asked, document::architecture, writer);
  if (asked.output_path != given.output_path && (status == exit_ok || status == exit_partial) && !asked.quiet)
    print_written(asked.output_path);
  return status;
}

class architecture_command_options final : public command_options {
 public:
  void list(option_list& all) override {
    list_path(all, *this);
    all.group("Architecture");
    list_device(all, architecture_.device);
    list_step_pattern(all, architecture_.step_pattern);
    all.flag("--facts", architecture_.facts_only, "Only the facts of the model, a row each, with certainty and source");
    all.flag("--csv", csv_, "With --facts: as comma-separated values");
    all.flag("--markdown", markdown_, "The report as Markdown, as -o with DIR/ or FILE.md writes it")
        .add_to_manual("It has ten sections; without it there is a summary.");
    all.value("--svg", svg_path, "FILE", "A picture as well: the parts of one layer, with their times").offer_files();
    output_.list(all, *this);
    input_.list(all, *this);
  }

  [[nodiscard]] std::optional<fault> understand() override {
    if (json && markdown_)
      return wrong_options("--json and --markdown are two forms of one result", "profkit architecture --help");
    if (csv_ && !architecture_.facts_only) return wrong_options("--csv is for --facts", "profkit architecture --help");
    if (csv_ && json) return wrong_options("--csv: choose between --csv and --json", "profkit architecture --help");
    if (markdown_ && architecture_.facts_only)
      return wrong_options("--facts and --markdown are two forms of one result", "profkit architecture --help");
    if (auto wrong = input_.understand(*this)) return wrong;
    return output_.understand(*this);
  }
  [[nodiscard]] int run_command() const override { return run_architecture(*this, architecture_, markdown_, csv_); }

 private:
  architecture_options architecture_;  // but for limit
  bool markdown_ = false, csv_ = false;
  output_words output_;
  input_words input_;
};

}  // namespace

extern const command_description architecture_command = {
    "architecture",
    "PATH",
    "What model ran: layers and their types, passes, experts, streams",
    "Reads passes, layers and their parts from the kernels of one device: attention kernels mark the\n"
    "layers, steps and sampling mark the passes. Says how sure that is, and what the capture does not\n"
    "show. For Ascend, Kineto and XSpace. -o DIR/ writes the report, model_architecture_report_<name>.md.",
    "  profkit architecture rank0_ascend_pt\n"
    "  profkit architecture rank0_ascend_pt -o reports/          ten sections of Markdown\n"
    "  profkit architecture rank0.json.gz --facts                each with its certainty and source\n"
    "  profkit architecture rank0.json.gz --markdown | less\n"
    "  profkit architecture logdir --device TPU:0 --json         for programs\n",
    make_options<architecture_command_options>,
    "The report is about the device with most layers. With -o a folder gets it, and is made where its name ends in a\n"
    "slash; -o FILE.md is a name of one's own.",
};

}  // namespace profkit_tool

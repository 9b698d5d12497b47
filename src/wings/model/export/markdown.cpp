// The architecture report for people: ten sections, always all of them. What a capture cannot support says why.
#include <profkit/core/architecture.hpp>

#include <base/contained.hpp>
#include <base/format.hpp>
#include <model/export/drawings.hpp>
#include <export/markdown/table.hpp>
#include <export/shortened.hpp>
#include <profkit/core/text.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace markdown {
namespace {

std::string share(std::int64_t part, std::int64_t whole) {
  return part < 0 || whole <= 0 ? "-"
                                : percent_text(static_cast<std::uint64_t>(part), static_cast<std::uint64_t>(whole));
}
std::string kernels_text(std::uint64_t n) { return counted(n, "kernel", "kernels"); }
std::string layers_text(const device_architecture& of, std::uint64_t n) {
  const std::string word = of.layer_word();
  return counted(n, word.c_str(), (word + 's').c_str());
}
std::string passes_text(std::uint64_t n) { return counted(n, "pass", "passes"); }

// "2.35": times as much.
std::string times_text(std::int64_t part, std::int64_t whole) {
  if (whole <= 0 || part < 0) return "-";
  const auto hundredths = static_cast<std::uint64_t>(
      std::min(std::llround(static_cast<double>(part) / static_cast<double>(whole) * 100), 1'000'000'000LL));
  const std::string rest = std::to_string(hundredths % 100);
  return grouped(hundredths / 100) + '.' + (rest.size() == 1 ? "0" : "") + rest;
}
std::string variation_text(const value_spread& s) {
  return std::to_string(std::llround(std::min(s.variation, 1e6) * 100)) + " %";
}
// Seconds with six decimals, from ps.
std::string seconds_text(std::int64_t ps) {
  const bool negative = ps < 0;
  const std::uint64_t us = static_cast<std::uint64_t>(negative ? -(ps / 1'000'000) : ps / 1'000'000);
  std::string fraction = std::to_string(us % 1'000'000);
  fraction.insert(0, 6 - fraction.size(), '0');
  return (negative ? "-" : "") + grouped(us / 1'000'000) + '.' + fraction + " s";
}

// Never more than there is room for.
std::int64_t times(std::int64_t ps, std::int64_t n) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  return ps > 0 && n > most / ps ? most : ps * n;
}

// What is known of the model, on one screen.
std::string card_text(const architecture_result& of) {
  const std::vector<fact_line> lines = card_of(of.facts);
  if (lines.empty()) return "";
  table t;
  t.left("Model").left("Facts");
  for (const fact_line& line : lines) t.row({line.title, plain(line.text)});
  return "\n" + t.text() + "\nWhat has no mark is proved; `profkit architecture PATH --facts` names the source of each.\n";
}

class report {
 public:
  explicit report(const architecture_report& r)
      : of_(*r.of),
        r_(r.found),
        d_(r.found.devices[r.found.reported]),
        on_(of_.devices()[d_.device]),
        label_(r.label) {}

  std::string text() {
    add("# Model architecture report: " + plain(label_) + "\n\n");
    const std::string facts = card_text(r_);
    if (!facts.empty()) add(facts.substr(1) + "\n");
    add("**" + plain(r_.summary) + "**\n");
    first_page();
    configuration();
    evidence();
    passes();
    types();
    checks();
    substructure();
    decode();
    pipeline();
    variation();
    summary();
    return std::move(text_);
  }

 private:
  void add(std::string_view more) { text_ += more; }
  void section(int number, const char* title) { add("\n## " + std::to_string(number) + ". " + title + "\n\n"); }
  void unsupported(std::string_view why) { add("Not available: " + std::string(why) + ".\n"); }
  std::string stream(std::uint32_t lane) const { return code(d_.streams[lane].name, 28); }
  std::string op(string_id id, std::size_t most = 48) const { return code(of_.text(id), most); }
  bool has_layers() const { return !d_.layers.empty(); }
  const char* why_no_layers() const {
    return d_.kernels == 0  ? "the device has no kernel"
           : d_.totals_only ? "no table says when kernels ran, so that only totals of ops are known"
                            : "no layers are known in this capture";
  }

  // ---- what most people want to know ----

  void first_page() {
    const layer_anatomy* const a = d_.costliest();
    if (a == nullptr) return;
    add("\nInside one " + word_ + ": " + heading_of(*a) + "\n\n");
    components(*a);
    std::int64_t busy = 0, wall = 0;
    for (const model_pass& p : d_.passes) {
      busy = saturating_add(busy, p.busy_ps);
      wall = saturating_add(wall, p.wall_ps());
    }
    add("\n");
    if (!a->components.empty()) {
      const layer_component& first = a->components.front();
      add("* " + std::string(layer_role_title(first.role)) + " takes " + share(first.wall_ps, d_.layers[a->typical].wall_ps()) + " of it.\n");
    }
    if (wall > 0) add("* The device is busy for " + share(std::min(busy, wall), wall) + " of its passes.\n");
    const model_pipeline& p = d_.pipeline;
    if (p.comm_ps > 0)
      add("* Communication takes " + human_duration(p.comm_ps) + ", of which compute hides " + share(p.hidden_ps, p.comm_ps) + ".\n");
  }

  // ---- 1, 2 ----

  void configuration() {
    section(1, "Configuration context");
    table t;
    t.left("Item").left("Value");
    t.row({"Profile", code(label_, 80)});
    t.row({"Device", code(of_.text(on_.name), 60) + " (" + accelerator_name(on_.type) + ")"});
    std::string parallelism;
    for (const std::string& text : d_.parallelism) parallelism += (parallelism.empty() ? "" : "; ") + plain(text);
    t.row({"Parallelism", parallelism});
    t.row({"Span", d_.totals_only ? "not known: no start times" : human_duration(d_.last_ps - d_.first_ps)});
    t.row({"Kernels", kernels_text(d_.kernels) +
                          (d_.duplicates > 0 ? ", " + grouped(d_.duplicates) + " of them listed twice" : "")});
    t.row({"Streams", d_.totals_only ? "not known" : counted(d_.streams.size(), "stream", "streams")});
    t.row(
        {"Steps", d_.steps == 0 ? "no step markers" : counted(d_.steps, "step", "steps") + ", from " + d_.step_source});
    if (d_.totals_only)
      t.row({"Passes", d_.counted_passes == 0 ? "not known" : "probably " + passes_text(d_.counted_passes)});
    else
      t.row({"Passes", passes_text(d_.passes.size()) + phases_of_passes()});
    t.row({d_.source == anchor_source::attention ? "Attention kernels" : "Anchors", kernels_text(d_.anchors)});
    t.row({words_ + " a pass", d_.layers_per_pass == 0 ? "not known" : layers_text(d_, d_.layers_per_pass)});
    add(t.text());
    other_devices();
  }

  std::string phases_of_passes() const {
    std::string text;
    for (const model_phase p :
         {model_phase::prefill, model_phase::decode, model_phase::training, model_phase::undetermined}) {
      const auto n =
          std::count_if(d_.passes.begin(), d_.passes.end(), [p](const model_pass& one) { return one.phase == p; });
      if (n == 0) continue;
      text += (text.empty() ? ": " : ", ") + grouped(static_cast<std::uint64_t>(n)) + ' ' +
              (p == model_phase::undetermined ? "of undetermined phase" : model_phase_name(p));
    }
    return text;
  }

  void other_devices() {
    if (r_.devices.size() < 2) return;
    constexpr std::size_t most = 32;
    add("\nThe report is about " + code(of_.text(on_.name), 60) +
        ", which shows most " + word_ + "s. All devices of the capture:\n\n");
    table t;
    t.left("Device").right("Kernels").right("Layers a pass").right("Passes").left("Confidence").left("Same layers");
    for (std::size_t i = 0; i < r_.devices.size() && i < most; ++i) {
      const device_architecture& o = r_.devices[i];
      t.row({code(of_.text(of_.devices()[o.device].name), 40), kernels_text(o.kernels),
             o.layers_per_pass == 0 ? "not known" : layers_text(o, o.layers_per_pass), passes_text(o.passes.size()),
             confidence_name(o.sure), o.layers_per_pass == d_.layers_per_pass ? "yes" : "no"});
    }
    add(t.text());
    if (r_.devices.size() > most) add("\n" + grouped(std::uint64_t{r_.devices.size() - most}) + " more devices.\n");
  }

  void evidence() {
    section(2, "Model architecture determination");
    if (d_.evidence.empty()) {
      unsupported(why_no_layers());
    } else {
      table t;
      t.left("Evidence").left("Value").left("Interpretation");
      for (const evidence_row& e : d_.evidence) t.row({plain(e.what), plain(e.value), plain(e.meaning)});
      add(t.text());
    }
    if (d_.limitations.empty()) return;
    add("\nWhat limits this reading:\n\n");
    for (const std::string& l : d_.limitations) add("- " + plain(l) + ".\n");
  }

  // ---- 3, 4, 5 ----

  void passes() {
    section(3, "Forward-pass boundaries");
    if (!has_layers()) return unsupported(why_no_layers());
    constexpr std::size_t head = 20, tail = 5;
    table t;
    t.right("Pass").left("Phase").left("Step").left("Anchors").right("Start").right("End").right("Wall").right("Busy");
    t.right("Kernels").right(d_.source == anchor_source::attention ? "Mean attention" : "Mean anchor").left("Note");
    const bool all = d_.passes.size() <= head + tail + 1;
    for (std::size_t i = 0; i < d_.passes.size(); ++i) {
      if (!all && i >= head && i + tail < d_.passes.size()) continue;
      const model_pass& p = d_.passes[i];
      std::string note = p.cut == pass_cut::beginning ? "cut at its beginning"
                         : p.cut == pass_cut::end     ? "cut at its end"
                         : p.irregular                ? "irregular: " + layers_text(d_, p.layers())
                                                      : "";
      if (const std::uint32_t other = other_phase_layers(p); other > 0)
        note += (note.empty() ? "" : ", ") + layers_text(d_, other) + " of another phase";
      t.row({std::to_string(i), model_phase_name(p.phase), p.step.empty() ? "" : code(p.step, 20),
             '#' + std::to_string(p.first_layer) + "-#" + std::to_string(p.last_layer),
             seconds_text(p.start_ps - d_.first_ps), seconds_text(p.end_ps - d_.first_ps), human_duration(p.wall_ps()),
             share(p.busy_ps, p.wall_ps()), kernels_text(p.kernels), human_duration(p.anchor_ps), note});
    }
    add(t.text());
    if (!all) add("\n" + passes_text(d_.passes.size() - head - tail) + " between them are not listed.\n");
    add("\nTimes are from the first kernel of the device; the wall time is from the first kernel of a pass to the end "
        "of "
        "its last.\n");
    pass_variation(model_phase::prefill);
    pass_variation(model_phase::decode);
  }

  std::uint32_t other_phase_layers(const model_pass& p) const {
    std::uint32_t n = 0;
    for (std::uint32_t l = p.first_layer; l <= p.last_layer; ++l) n += d_.layers[l].phase != p.phase ? 1 : 0;
    return n;
  }

  void pass_variation(model_phase phase) {
    std::vector<const model_pass*> of;
    for (const model_pass& p : d_.passes)
      if (p.phase == phase && p.cut == pass_cut::none && !p.irregular) of.push_back(&p);
    if (of.size() < 2) return;
    const auto [least, most] = std::minmax_element(
        of.begin(), of.end(), [](const model_pass* a, const model_pass* b) { return a->wall_ps() < b->wall_ps(); });
    add("\nOver " + grouped(std::uint64_t{of.size()}) + " whole " + model_phase_name(phase) +
        " passes the wall time is " + human_duration((*least)->wall_ps()) + " to " +
        human_duration((*most)->wall_ps()) + ".");
    const std::int64_t first = of.front()->anchor_ps, last = of.back()->anchor_ps;
    bool rises = of.size() >= 3 && first > 0 && last - first >= first / 20;
    for (std::size_t i = 1; i < of.size() && rises; ++i) rises = of[i]->anchor_ps >= of[i - 1]->anchor_ps;
    if (rises)
      add(" Mean attention rises from pass to pass, from " + human_duration(first) + " to " + human_duration(last) +
          ": probably the growing KV cache.");
    add("\n");
  }

  void types() {
    section(4, "Layer classification");
    if (d_.totals_only && !d_.types.empty()) return counted_types();
    if (!has_layers()) return unsupported(why_no_layers());
    table t;
    t.left(word_type_).left("Phase").left(words_).right("Count").right("Passes").left("Characteristics");
    constexpr std::size_t most = 40;
    for (std::size_t i = 0; i < d_.types.size() && i < most; ++i) {
      const layer_type& type = d_.types[i];
      t.row({"**" + d_.type_text(type.kind, type.sampling) + "**", model_phase_name(type.phase), ranges_text(type),
             layers_text(d_, type.count),
             passes_text(d_.layouts[type.layout].passes) + (d_.layouts[type.layout].cut ? " (cut)" : ""),
             characteristics(type)});
    }
    add(t.text());
    if (d_.types.size() > most)
      add("\n" + grouped(std::uint64_t{d_.types.size() - most}) + " more rows are not listed.\n");
    add(d_.source == anchor_source::attention
            ? "\nA layer reaches from its attention kernel to the next one's, so it holds the norm, the projections and "
              "the cache writes of the next layer. `+sampling`: tokens are chosen after the layer.\n"
            : "\nA part reaches from its anchor to the next one. `+sampling`: tokens are chosen after the part.\n");
  }

  void counted_types() {
    table t;
    t.left("Layer type").right("In all passes").right("Mean of a pass");
    for (const layer_type& type : d_.types)
      t.row({"**" + d_.type_text(type.kind, type.sampling) + "**", layers_text(d_, type.occurrences),
             d_.counted_passes == 0 ? "not known"
                                    : times_text(static_cast<std::int64_t>(type.occurrences),
                                                 static_cast<std::int64_t>(d_.counted_passes)) +
                                          " layers"});
    add(t.text());
    add("\nBy the counts of expert kernels; which layers these are is not known, because nothing says when they "
        "ran.\n");
  }

  // What took the device's time, where that is all there is to say.
  void op_totals() {
    const std::vector<op_total>& totals = on_.totals;
    if (totals.empty()) return;
    std::vector<const op_total*> order;
    std::int64_t all = 0, communication = 0;
    for (const op_total& total : totals) {
      order.push_back(&total);
      all = saturating_add(all, total.duration_ps);
      if (total.kind == kernel_class::comm) communication = saturating_add(communication, total.duration_ps);
    }
    std::stable_sort(order.begin(), order.end(),
                 [](const op_total* a, const op_total* b) { return a->duration_ps > b->duration_ps; });
    constexpr std::size_t most = 24;
    add("\nWhat is known are the totals of each op:\n\n");
    table t;
    t.left("Op").left("Core").right("Kernels").right("Sum").right("Mean").right("Share of all kernels");
    for (std::size_t i = 0; i < order.size() && i < most; ++i) {
      const op_total& o = *order[i];
      t.row({op(o.op_type), o.core == 0 ? "" : code(of_.text(o.core), 24), kernels_text(o.calls),
             human_duration(o.duration_ps), mean(o.duration_ps, o.calls), share(o.duration_ps, all)});
    }
    add(t.text());
    if (order.size() > most) add("\n" + grouped(std::uint64_t{order.size() - most}) + " more ops are not listed.\n");
    add("\nKernels add up to " + human_duration(all) + ", **" + share(communication, all) +
        "** is communication; what ran side by side is not known.\n");
  }

  const layer_anatomy* anatomy_of(layer_kind kind, bool sampling, model_phase phase) const {
    const auto found = std::find_if(d_.anatomies.begin(), d_.anatomies.end(), [&](const layer_anatomy& a) {
      return a.kind == kind && a.sampling == sampling && a.phase == phase;
    });
    return found == d_.anatomies.end() ? nullptr : &*found;
  }

  std::string characteristics(const layer_type& type) const {
    const layer_anatomy* a = anatomy_of(type.kind, type.sampling, type.phase);
    if (!a) return "";
    std::string text = "median " + human_duration(a->wall_ps.median) + ", " +
                       kernels_text(static_cast<std::uint64_t>(a->kernel_count.median));
    if (!a->components.empty())
      text += ", mostly " + std::string(layer_role_title(a->components.front().role)) + " (" +
              share(a->components.front().wall_ps, d_.layers[a->typical].wall_ps()) + ")";
    return text;
  }

  void checks() {
    section(5, "Cross-verification");
    if (d_.checks.empty()) return unsupported(!has_layers()                ? why_no_layers()
                                                   : d_.complete_passes() == 0 ? "no whole pass to check"
                                                                               : "nothing else confirms its counts");
    table t;
    t.left("Check").right("Expected").right("Actual").left("Result").left("Note");
    bool failed = false;
    for (const cross_check& c : d_.checks) {
      const bool fails = c.result == check_outcome::fail;
      failed = failed || fails;
      t.row({plain(c.name), grouped(c.expected), grouped(c.actual), fails ? "**fail**" : check_outcome_name(c.result),
             plain(c.note)});
    }
    add(t.text());
    add(d_.totals_only ? std::string("\nCounts are of kernels and layers, over the whole capture.\n")
                       : "\nCounts are of kernels and " + word_ + "s, over all whole passes.\n");
    if (failed)
      add("\n**A check fails: the classification or the capture is not complete, and the confidence is low.**\n");
  }

  // ---- 6, 7 ----

  void substructure() {
    section(6, "Per-layer sub-structure");
    if (d_.anatomies.empty()) {
      unsupported(why_no_layers());
      if (d_.totals_only) op_totals();
      return;
    }
    // Each type once, as it runs in prefill where it does.
    static constexpr model_phase order[] = {model_phase::prefill, model_phase::training, model_phase::undetermined,
                                            model_phase::decode};
    std::set<std::pair<layer_kind, bool>> printed;
    int number = 0;
    printed_in_6_.clear();
    for (const model_phase phase : order)
      for (const layer_anatomy& a : d_.anatomies) {
        if (a.phase != phase || !printed.insert({a.kind, a.sampling}).second) continue;
        if (number > 0) add("\n");
        add("### 6." + std::to_string(++number) + ' ' + heading_of(a) + "\n\n");
        anatomy(a);
        printed_in_6_.insert({&a, number});
      }
    add("\nWall times are unions of kernels, shares are of the " + word_ +
        "'s wall time; " + (word_ == "part" ? "roles" : "parts") +
        " that run side by side add up to more than 100 %.\n");
  }

  std::string heading_of(const layer_anatomy& a) const {
    return d_.type_text(a.kind, a.sampling) + " (" + model_phase_name(a.phase) + ", " + layers_text(d_, a.layers) + ")";
  }

  void anatomy(const layer_anatomy& a) {
    const model_layer& l = d_.layers[a.typical];
    add("Shown is " + word_ + ' ' + std::to_string(l.index) + " of pass " + std::to_string(l.pass) +
        ", the one of median length: **" + human_duration(l.wall_ps()) + "**, " + kernels_text(l.kernels) + ".\n\n");
    add("```text\n" + tree(a) + "```\n\n");
    components(a);
    for (const std::string& what : a.anomalies) add("\n- " + plain(what) + ".");
    if (!a.anomalies.empty()) add("\n");
  }

  void components(const layer_anatomy& a) {
    const std::int64_t wall = d_.layers[a.typical].wall_ps();
    table t;
    const bool rated = std::any_of(a.components.begin(), a.components.end(), [](const layer_component& c) { return c.worked_ps > 0; });
    t.left("Component").right("Wall").right("Share of " + word_).right("Kernels");
    if (rated) t.right("FLOP/s").right("B/s");
    t.left("Streams");
    const auto rate = [](const layer_component& c, std::int64_t amount) {
      return c.worked_ps > 0 ? si_text(static_cast<double>(amount) * 1e12 / static_cast<double>(c.worked_ps)) : std::string();
    };
    for (const layer_component& c : a.components) {
      std::string streams;
      for (const std::uint32_t lane : c.lanes) streams += (streams.empty() ? "" : ", ") + stream(lane);
      std::vector<std::string> cells{layer_role_title(c.role), human_duration(c.wall_ps), share(c.wall_ps, wall), kernels_text(c.kernels)};
      if (rated) cells.insert(cells.end(), {rate(c, c.flops), rate(c, c.bytes)});
      cells.push_back(std::move(streams));
      t.row(std::move(cells));
    }
    add(t.text());
  }

  // Names in code blocks are short and cannot end the block.
  std::string op_in_tree(string_id id) const {
    std::string text = shortened(of_.text(id), 40);
    std::replace(text.begin(), text.end(), '`', '\'');
    return text;
  }

  std::string op_and_count(const tree_op& op) const {
    return op_in_tree(op.op) + (op.count > 1 ? " ×" + std::to_string(op.count) : "");
  }

  // The ops of a node in their order; where that takes too much room, each once, those that take longest first.
  std::string ops_text(const tree_node& n, std::size_t indent) const {
    constexpr std::size_t max_columns = 88;
    std::string text;
    for (const tree_op& op : n.ops) text += (text.empty() ? "" : " → ") + op_and_count(op);
    if (indent + terminal_width(text) <= max_columns) return text;
    std::vector<tree_op> ops;
    for (const tree_op& op : n.ops) {
      const auto same = std::find_if(ops.begin(), ops.end(), [&](const tree_op& o) { return o.op == op.op; });
      if (same == ops.end()) {
        ops.push_back(op);
        continue;
      }
      same->count += op.count;
      same->duration_ps += op.duration_ps;
    }
    std::stable_sort(ops.begin(), ops.end(),
                 [](const tree_op& a, const tree_op& b) { return a.duration_ps > b.duration_ps; });
    text.clear();
    std::uint64_t more = 0;
    for (const tree_op& op : ops) {
      const std::string one = op_and_count(op);
      if (more > 0 || (!text.empty() && indent + terminal_width(text) + one.size() > max_columns))
        more += op.count;
      else
        text += (text.empty() ? "" : ", ") + one;
    }
    return more > 0 ? text + ", " + std::to_string(more) + " more" : text;
  }

  std::string tree(const layer_anatomy& a) const {
    std::string text;
    for (std::size_t i = 0; i < a.tree.size(); ++i) {
      const tree_node& n = a.tree[i];
      const bool is_last = i + 1 == a.tree.size() && a.tree_left_out == 0;
      std::string line = i == 0 ? "" : is_last ? "└─ " : "├─ ";
      line += std::string(layer_role_title(n.role)) + ": ";
      line += ops_text(n, terminal_width(line));
      line += " (" + human_duration(n.wall_ps) + ") [stream " + shortened(d_.streams[n.lane].name, 28);
      const std::int64_t beside = std::min(n.overlapped_ps, n.wall_ps);
      if (beside > 0) line += ", overlapped " + share(beside, n.wall_ps);
      text += line + "]\n";
    }
    if (a.tree_left_out > 0) text += "└─ ... " + grouped(a.tree_left_out) + " more kernels\n";
    return text;
  }

  void decode() {
    section(7, "Decode phase analysis");
    std::vector<const layer_anatomy*> decoding;
    for (const layer_anatomy& a : d_.anatomies)
      if (a.phase == model_phase::decode) decoding.push_back(&a);
    if (decoding.empty()) {
      if (!has_layers()) return unsupported(why_no_layers());
      if (d_.backward_anchors > 0) return unsupported("this is a training capture: there is no decode phase");
      if (d_.phase_source[0] == '\0') return unsupported("nothing separates prefill from decode in this capture");
      return unsupported("no attention kernel of this capture decodes; it covers prefill only");
    }
    std::size_t number = 0;
    for (const layer_anatomy* a : decoding) {
      add((number == 0 ? "### 7." : "\n### 7.") + std::to_string(number + 1) + ' ' + heading_of(*a) + "\n\n");
      ++number;
      if (const auto earlier = printed_in_6_.find(a); earlier != printed_in_6_.end())
        add("Its tree and its parts are those of section 6." + std::to_string(earlier->second) + ".\n");
      else
        anatomy(*a);
    }
    add("\n### 7." + std::to_string(number + 1) + " Dominant costs and comparison\n\n");
    compare_phases();
  }

  struct phase_numbers {
    std::uint64_t layers = 0, passes = 0, kernels = 0;
    std::int64_t wall = 0, anchor = 0, comm = 0, kernel_sum = 0, experts = 0, pass_wall = 0;
  };
  phase_numbers numbers_of(model_phase phase) const {
    phase_numbers n;
    for (const model_layer& l : d_.layers) {
      if (l.phase != phase) continue;
      ++n.layers;
      n.kernels += l.kernels;
      n.wall = saturating_add(n.wall, l.wall_ps());
      n.anchor = saturating_add(n.anchor, l.anchor_ps);
      n.comm = saturating_add(n.comm, l.comm_ps);
      n.kernel_sum = saturating_add(n.kernel_sum, l.kernel_sum_ps);
    }
    for (const model_pass& p : d_.passes)
      if (p.phase == phase && p.cut == pass_cut::none) {
        ++n.passes;
        n.pass_wall = saturating_add(n.pass_wall, p.wall_ps());
      }
    return n;
  }
  static std::string mean(std::int64_t sum, std::uint64_t n) {
    return n == 0 ? "-" : human_duration(sum / static_cast<std::int64_t>(n));
  }

  void compare_phases() {
    const phase_numbers p = numbers_of(model_phase::prefill), d = numbers_of(model_phase::decode);
    dominant_costs();
    add("\n");
    table t;
    t.left("Per " + word_ + ", on average").right("Prefill").right("Decode");
    const auto row = [&](const std::string& what, std::string prefill, std::string decode) {
      t.row({what, p.layers == 0 ? "-" : std::move(prefill), std::move(decode)});
    };
    row(words_, layers_text(d_, p.layers), layers_text(d_, d.layers));
    row("Wall", mean(p.wall, p.layers), mean(d.wall, d.layers));
    row("Attention kernel", mean(p.anchor, p.layers), mean(d.anchor, d.layers));
    row("Attention, share of wall", share(p.anchor, p.wall), share(d.anchor, d.wall));
    row("Communication, share of the kernel sum", share(p.comm, p.kernel_sum), share(d.comm, d.kernel_sum));
    row("Kernels", p.layers == 0 ? "-" : kernels_text(p.kernels / p.layers), kernels_text(d.kernels / d.layers));
    row("Whole pass", mean(p.pass_wall, p.passes), mean(d.pass_wall, d.passes));
    add(t.text());
    add("\n" + why_decode_differs(p, d) + "\n");
  }

  // Of the layers that section 6 and 7 are about: what the capture cuts is not among them, unless there is nothing else.
  std::int64_t described_wall(model_phase phase) const {
    std::int64_t wall = 0;
    for (std::uint32_t i = 0; i < d_.layers.size(); ++i) {
      const model_pass& pass = d_.passes[d_.layers[i].pass];
      const bool is_cut = pass.cut == pass_cut::end && i == pass.last_layer;
      if (d_.layers[i].phase == phase && !is_cut) wall = saturating_add(wall, d_.layers[i].wall_ps());
    }
    return wall > 0 ? wall : numbers_of(phase).wall;
  }

  void dominant_costs() {
    std::array<std::int64_t, layer_role_count> walls{};
    const std::int64_t layers_wall = described_wall(model_phase::decode);
    for (const layer_anatomy& a : d_.anatomies) {
      if (a.phase != model_phase::decode) continue;
      const auto n = static_cast<std::int64_t>(a.layers);
      for (const layer_component& c : a.components) {
        std::int64_t& wall = walls[static_cast<std::size_t>(c.role)];
        wall = saturating_add(wall, times(c.wall_ps, n));
      }
    }
    std::vector<layer_role> order;
    for (std::size_t r = 0; r < layer_role_count; ++r)
      if (walls[r] > 0) order.push_back(static_cast<layer_role>(r));
    std::stable_sort(order.begin(), order.end(), [&](layer_role a, layer_role b) {
      return walls[static_cast<std::size_t>(a)] > walls[static_cast<std::size_t>(b)];
    });
    constexpr std::size_t most = 8;
    table t;
    t.left("Component").right("All decode " + word_ + "s").right("Share of their wall");
    for (std::size_t i = 0; i < order.size() && i < most; ++i) {
      const std::int64_t wall = walls[static_cast<std::size_t>(order[i])];
      t.row({(i == 0 ? "**" : "") + std::string(layer_role_title(order[i])) + (i == 0 ? "**" : ""),
             human_duration(wall), share(wall, layers_wall)});
    }
    add(t.text());
    add("\nExtrapolated from the typical " + word_ + " of each decode type, without a " + word_ +
        " that the capture cuts.\n");
  }

  static std::string why_decode_differs(const phase_numbers& p, const phase_numbers& d) {
    const bool comm_first = d.kernel_sum > 0 && d.comm > d.kernel_sum / 2;
    std::string text = "A decode pass reads few query tokens, so its kernels are short";
    text += comm_first ? " and most of their time is communication: probably bound by the latency of collectives."
                       : ": probably bound by reading weights and cache from memory and by launch latency.";
    if (p.layers > 0 && d.anchor > 0 && d.layers > 0)
      text +=
          " Prefill attention takes " +
          times_text(p.anchor / static_cast<std::int64_t>(p.layers), d.anchor / static_cast<std::int64_t>(d.layers)) +
          " times as long as decode attention.";
    if (p.layers == 0) text += " There is no prefill pass to compare with.";
    return text;
  }

  // ---- 8 ----

  void pipeline() {
    section(8, "Communication pipeline structure");
    if (d_.streams.empty()) return unsupported(why_no_layers());
    table t;
    t.left("Stream").left("Role").right("Kernels").right("Busy").right("Share of span").left("Overlaps with");
    const std::int64_t span = d_.pipeline.wall_ps;
    for (const model_stream& s : d_.streams) {
      std::string with;
      for (std::size_t i = 0; i < s.overlaps.size() && i < 3; ++i)
        with += (i == 0 ? "" : ", ") + stream(s.overlaps[i].lane) + ' ' + share(s.overlaps[i].ps, s.busy_ps);
      t.row(
          {code(s.name, 28), s.role, kernels_text(s.kernels), human_duration(s.busy_ps), share(s.busy_ps, span), with});
    }
    add(t.text());
    add("\nAn overlap is a share of the busy time of the stream in its row.\n\n");
    const model_pipeline& p = d_.pipeline;
    if (p.comm_ps == 0) {
      add("This device has no communication kernel: there is nothing to hide.\n");
    } else {
      table hidden;
      hidden.left("Communication").right("Value");
      hidden.row({"Time with communication", human_duration(p.comm_ps)});
      hidden.row({"Sum of communication kernels", human_duration(p.comm_sum_ps)});
      hidden.row({"**Hidden by compute**", "**" + human_duration(p.hidden_ps) + "**"});
      hidden.row({"Hidden, share of the time", share(p.hidden_ps, p.comm_ps)});
      hidden.row({"Hidden, share of the kernel sum", share(p.hidden_ps, p.comm_sum_ps)});
      hidden.row({"Exposed", human_duration(p.comm_ps - p.hidden_ps)});
      add(hidden.text());
      add(std::string("\n") + (p.hidden_ps / 9 > p.comm_ps / 10 ? "Communication is well hidden.\n"
                               : p.hidden_ps > p.comm_ps / 2    ? "Most of the communication is hidden.\n"
                                                                : "Most of the communication is exposed.\n"));
    }
    if (const std::string lanes = draw_lanes(d_); !lanes.empty()) {
      const bool alone = d_.pipeline.first_layer == d_.pipeline.last_layer;
      add((alone ? "\nA " + word_ : "\nTwo neighbouring " + word_ + "s") + " of the type that takes most time, pass " +
          std::to_string(d_.layers[d_.pipeline.first_layer].pass) + ":\n\n```text\n" + lanes + "```\n");
    }
    add("\nKernels add up to " + human_duration(p.kernel_sum_ps) + " in " + human_duration(p.busy_ps) +
        " of busy time (" + times_text(p.kernel_sum_ps, p.busy_ps) + " times) and " + human_duration(p.wall_ps) +
        " of wall time: ");
    add(p.kernel_sum_ps / 6 > p.busy_ps / 5 ? "streams run side by side, so kernel times must not be added up.\n"
                                            : "kernels run mostly one after the other.\n");
  }

  // ---- 9, 10 ----

  void variation() {
    section(9, "Layer-to-layer variation");
    if (d_.anatomies.empty()) return unsupported(why_no_layers());
    table walls, parts;
    walls.left(word_type_).left("Phase").right(words_).right("Wall, min").right("Wall, median").right("Wall, max");
    walls.right("CV");
    parts.left(word_type_).left("Phase").right(d_.source == anchor_source::attention ? "Attention share" : "Anchor share").right("Fused experts");
    parts.right("Compute after attention").right("Kernels");
    std::vector<std::string> wide;
    for (const layer_anatomy& a : d_.anatomies) {
      const std::string type = d_.type_text(a.kind, a.sampling);
      const auto range = [](const value_spread& s) {
        return s.least == s.most ? kernels_text(static_cast<std::uint64_t>(s.least))
                                 : grouped(s.least) + " to " + kernels_text(static_cast<std::uint64_t>(s.most));
      };
      walls.row({type, model_phase_name(a.phase), layers_text(d_, a.layers), human_duration(a.wall_ps.least),
                 human_duration(a.wall_ps.median), human_duration(a.wall_ps.most), variation_text(a.wall_ps)});
      parts.row({type, model_phase_name(a.phase), share(a.anchor_ps.median, a.wall_ps.median),
                 a.dispatch_ps.most > 0 ? human_duration(a.dispatch_ps.median) : "",
                 human_duration(a.compute_ps.median), range(a.kernel_count)});
      if (a.wall_ps.variation > 0.2 && a.layers > 1)
        wide.push_back("**" + type + "** in " + model_phase_name(a.phase) + " varies by " + variation_text(a.wall_ps) +
                       " (standard deviation of the wall time, of its mean)");
    }
    add(walls.text() + "\n" + parts.text());
    add("\nMedians, where nothing else is said. CV: standard deviation of the wall time, of its mean.\n");
    if (wide.empty()) return;
    add("\n");
    for (const std::string& w : wide) add("- " + w + ".\n");
  }

  void summary() {
    section(10, "Model architecture summary");
    if (!has_layers()) return unsupported(why_no_layers());
    add("```text\n" + draw_model(d_) + "```\n\nPasses over the capture (P prefill, D decode, = other):\n\n```text\n" +
        draw_timeline(d_) + "```\n\n");
    std::uint64_t prefill = 0, decode = 0;
    std::int64_t busy = 0;
    for (const model_layer& l : d_.layers) {
      prefill += l.phase == model_phase::prefill ? 1 : 0;
      decode += l.phase == model_phase::decode ? 1 : 0;
    }
    for (const model_pass& p : d_.passes) busy = saturating_add(busy, p.busy_ps);
    add("In all " + layers_text(d_, d_.layers.size()) + " ran in " + passes_text(d_.passes.size()));
    if (prefill + decode > 0) add(": " + grouped(prefill) + " prefill, " + grouped(decode) + " decode");
    add("; passes keep the device busy for " + human_duration(busy) + " of " +
        human_duration(d_.last_ps - d_.first_ps) + ". **Confidence: " + confidence_name(d_.sure) + ".**\n");
  }

  const activity& of_;
  const architecture_result& r_;
  const device_architecture& d_;
  const std::string word_ = d_.layer_word(), words_ = word_ == "part" ? "Parts" : "Layers",
                    word_type_ = word_ == "part" ? "Part type" : "Layer type";
  const activity_device& on_;
  const std::string& label_;
  std::map<const layer_anatomy*, int> printed_in_6_;
  std::string text_;
};

// Every section keeps its heading when there is no device at all.
std::string empty_report(const architecture_report& r) {
  static constexpr const char* titles[] = {"Configuration context",    "Model architecture determination",
                                           "Forward-pass boundaries",  "Layer classification",
                                           "Cross-verification",       "Per-layer sub-structure",
                                           "Decode phase analysis",    "Communication pipeline structure",
                                           "Layer-to-layer variation", "Model architecture summary"};
  std::string text = "# Model architecture report: " + plain(r.label) + "\n" + card_text(r.found);
  int number = 0;
  for (const char* const title : titles)
    text += "\n## " + std::to_string(++number) + ". " + title +
            "\n\nNot available: " + plain(r.found.absent.empty() ? "the capture has no device" : r.found.absent) +
            ".\n";
  return text;
}

}  // namespace
}  // namespace markdown

result<void> write_architecture_markdown(const architecture_report& found, sink& into) {
  return contained([&]() -> result<void> {
    return into.write(found.found.devices.empty() ? markdown::empty_report(found) : markdown::report(found).text());
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

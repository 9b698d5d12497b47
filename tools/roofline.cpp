// profkit roofline: what bounds ops, and how near they come to what their device does at most.
#include "command_line/shared_options.hpp"
#include "grouping.hpp"
#include "quantity.hpp"
#include "session.hpp"
#include "table.hpp"
#include "text.hpp"

#include <profkit/core/picture.hpp>
#include <profkit/core/text.hpp>

#include <algorithm>
#include <array>

namespace profkit_tool {
namespace {

using profkit::human_duration;
using profkit::si_text;

// "4 × TPU v6 Lite: 918 TFLOP/s, 1.64 TB/s (the plane)".
std::string peak_text(const profkit::peak_group& of) {
  const profkit::device_peaks& peaks = of.peaks;
  std::string text = of.devices > 1 ? std::to_string(of.devices) + " × " : "";
  text += peaks.device_type.empty() ? "device" : profkit::escape_for_terminal(peaks.device_type);
  text += ": ";
  if (peaks.flops_per_s > 0) text += si_text(peaks.flops_per_s) + "FLOP/s of 16-bit products, ";
  text += peaks.hbm_bytes_per_s > 0 ? si_text(peaks.hbm_bytes_per_s) + "B/s of memory" : "memory not known";
  return text + " (" + peaks.source + ')';
}

// "compute", where nearly all of the time is bound by one thing; else the largest part.
std::string bound_text(const profkit::op_roof& roof) {
  const std::int64_t all = roof.judged_ps();
  if (all == 0) return "";
  const std::pair<std::int64_t, const char*> parts[] = {
      {roof.compute_bound_ps, "compute"},
      {roof.memory_bound_ps - roof.vmem_bound_ps - roof.cmem_bound_ps, "memory"},
      {roof.vmem_bound_ps, "VMEM"},
      {roof.cmem_bound_ps, "CMEM"},
      {roof.neither_ps, "neither"}};
  const auto& largest = *std::max_element(std::begin(parts), std::end(parts), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (largest.first == all) return largest.second;
  return std::string(largest.second) + ' ' + share_text(largest.first, all);
}

std::string per_byte_text(const profkit::op_group& g) {
  if (g.flops == 0 || g.bytes == 0) return "";
  return si_text(static_cast<double>(g.flops) / static_cast<double>(g.bytes));
}

std::string summary_text(const profkit::op_groups& found) {
  const profkit::op_roof& roof = found.roof;
  std::string text = "Of " + linked_text(found) + ": ";
  const std::int64_t judged = roof.judged_ps();
  if (judged == 0)
    return text + (found.worked_ps == 0 ? "what the ops do is not on record." : "what their devices do at most is not known.");
  text += bounds_text(roof, found.self_ps);
  const std::int64_t lost = judged - std::min(judged, roof.attainable_ps);
  return text + ". At their roofs the known ops would take " + human_duration(roof.attainable_ps) + ", " + human_duration(lost) + " less.";
}

profkit::result<void> print_roofline(session& s, const group_option& asked) {
  auto found = profkit::analyse_op_groups(s.trace(), asked.keys, s.filters(default_rows), s.hooks());
  if (!found) return std::move(found).error();
  s.lost(found->damage);
  if (found->rows.empty()) {
    s.absent(found->absent.empty() ? "no op matches the filters" : found->absent);
    return {};
  }
  const auto line = [&](const std::string& text) { print_wrapped(s, text); };
  line(summary_text(*found));
  for (const profkit::peak_group& each : found->peaks) line("  " + peak_text(each));
  table t;
  bool over = false;
  const bool in_part = counts_in_part(*found);
  t.right("of ops").right("self time").right("FLOP/s").minor().right("B/s").minor().right("FLOP/B").minor();
  if (in_part) t.right("counted").minor();
  t.right("of roof").left("bound by");
  t.flexible(asked.by, cut::middle, 14);
  t.print_each(s.out(), s.columns(), found->rows.size(), [&](std::size_t at) {
    const profkit::op_group& g = found->rows[at];
    const std::int64_t judged = g.roof.judged_ps();
    std::vector<std::string> row{share_text(g.self_ps, found->self_ps), human_duration(g.self_ps), rate_text(g.flops, g.self_ps),
                                 rate_text(g.bytes, g.self_ps), per_byte_text(g)};
    if (in_part) row.push_back(counted_text(g));
    over = over || g.roof.attainable_ps > judged;
    for (std::string& cell : std::array{judged == 0                        ? std::string()
                                        : g.roof.attainable_ps > judged ? std::string("over")
                                                                        : share_text(g.roof.attainable_ps, judged),
                                        bound_text(g.roof), indented_name(g)})
      row.push_back(std::move(cell));
    return row;
  });
  s.left_out(found->rows.size() + found->rows_left_out, found->rows.size());
  if (in_part) print_counted(s);
  if (over)
    line("  over: faster than its roof. Its bytes came from a cache, or it does less than its shapes say, as causal attention does.");
  return {};
}

class roofline_command_options final : public slice_options {
 public:
  [[nodiscard]] std::optional<profkit::fault> understand() override {
    if (group_.by.empty()) group_.by = "kernel";
    if (auto wrong = group_.understand()) return wrong;
    return slice_options::understand();
  }

 protected:
  void list_own(option_list& all) override {
    all.value("--svg", svg_path, "FILE", "A picture as well: operations a byte and a second").offer_files();
    group_.list(all);
  }
  [[nodiscard]] int run_command() const override {
    slice_writer writer = group_writer(*this, group_.keys);
    writer.text = [&](session& s) { return print_roofline(s, group_); };
    writer.picture = [&](const profkit::trace& of, profkit::sink& into, const profkit::hooks& hooks) -> profkit::result<void> {
      const auto found = profkit::analyse_op_groups(of, group_.keys, filters_of(*this, 0), hooks);
      if (!found) return found.error();
      return profkit::write_roofline_picture(*found, into);
    };
    return run_slice(*this, profkit::document::op_groups, writer);
  }

 private:
  group_option group_;
};

}  // namespace

extern const command_description roofline_command = {
    "roofline",
    "PATH",
    "What bounds ops, compute or memory, and how near they come to it",
    "Each op under the roof of its device: what it takes at least at the device's rate for its operations,\n"
    "or for its bytes, whichever is longer. It is bound by that where it reaches 60 % of it, else by\n"
    "neither: by latency, too little work at once, what it waits for. Rows are of kernels; --by sums them.\n"
    "Operations and bytes are those that TPU captures record; of GPUs and CPUs they follow from shapes: in\n"
    "the program, if an XSpace holds it, or of PyTorch's operators, if they were recorded.",
    "  profkit roofline vm.xplane.pb\n"
    "  profkit roofline rank0.json.gz --by op\n"
    "  profkit roofline vm.xplane.pb --by program,op\n"
    "  profkit roofline vm.xplane.pb --svg roofline.svg\n",
    make_options<roofline_command_options>,
    "The document is that of `ops --by`. What a device does at most stands in its plane, else in a table by\n"
    "the names of devices (V100 to B200, MI100 to MI355X, TPU v2 to v7), with the source of each row.",
};

}  // namespace profkit_tool

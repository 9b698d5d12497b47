// What the report says, taken from the slices: each is looked at once.
#pragma once
#include "op_facts.hpp"
#include "session.hpp"
#include "statistics.hpp"
#include "step_groups.hpp"

#include <profkit/core/activity.hpp>
#include <profkit/core/architecture.hpp>
#include <profkit/core/bubbles.hpp>
#include <profkit/core/collectives.hpp>
#include <profkit/core/memory.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace profkit_tool {

struct report_facts {
  profkit::info_result info;
  profkit::ops_result ops, module_runs;  // module_runs: the `XLA Modules` lines
  profkit::modules_result modules;
  std::vector<step_group> steps;
  profkit::step_list step_texts;  // owns the names in `steps`
  profkit::collectives_result collectives;
  profkit::memory_result memory;
  profkit::nodes_compared nodes;
  std::shared_ptr<const profkit::activity> activity;  // that bubbles name; null where they were left out
  profkit::bubbles_result bubbles;
  std::string model;                              // what model ran; "" when nothing tells
  std::shared_ptr<const profkit::activity> traces;  // what traces and tables tell; null where there are none
  std::optional<std::int64_t> first_ps, last_ps;  // of all events

  [[nodiscard]] std::int64_t span_ps() const noexcept { return first_ps && last_ps ? *last_ps - *first_ps : 0; }
  [[nodiscard]] std::int64_t busy_ps() const noexcept;  // sum over the lines of ops
  [[nodiscard]] const profkit::ops_line* busiest_line() const noexcept;
};
profkit::result<report_facts> gather_facts(session& s);

// Where it ran: "4 × TPU v6 Lite, 918 TFLOP/s, 1.64 TB/s", one line a model.
std::vector<std::string> hardware_of(const report_facts& f);
// Devices of traces and tables: how long each was busy.
struct busy_device {
  std::uint32_t file = 0;
  std::string name;
  std::uint64_t kernels = 0;
  std::int64_t busy_ps = 0;
};
std::vector<busy_device> busy_devices(const profkit::profile& capture, const report_facts& f);
// "rank 3 of 8 (nccl)", one for each process of a distributed run that a trace tells of.
std::vector<std::string> ranks_of(const report_facts& f);
// What wrote it: "JAX 0.10.2"; "" when the capture does not say.
std::string software_of(const report_facts& f);
std::string hosts_of(const profkit::capture& found, const report_facts& f);
// What the largest module needs and how full the fullest device was; "" when the capture tells neither.
std::string memory_of(const report_facts& f);
// How long devices wait in their steps; "" when the capture has no device.
std::string idle_of(const report_facts& f);

// Ops of one name on all lines together: devices that run one program have the same. By self time.
struct op_total {
  op_facts facts;
  std::uint64_t count = 0;
  std::int64_t total_ps = 0, self_ps = 0;
};
struct op_totals {
  std::vector<op_total> top;
  std::size_t names = 0;
  std::int64_t waiting_ps = 0;  // self time of *-done ops: the device waits for what was started before
};
op_totals busiest_ops(const profkit::profile& capture, const report_facts& f, std::size_t most);

// Modules of one name, with their runs on all devices. By time, then by size.
struct module_total {
  std::string name;
  std::uint64_t runs = 0, bytes = 0, instructions = 0;
  std::int64_t total_ps = 0, max_ps = 0;
};
std::vector<module_total> total_modules(const report_facts& f);

// Collectives of one kind on all devices.
struct collective_total {
  std::string kind;
  bool blocking = false;  // nothing else runs on its line meanwhile; else it is in flight beside other work
  std::uint64_t count = 0;
  std::int64_t total_ps = 0, max_ps = 0;
  std::optional<std::int64_t> exposed_ps;
};
std::vector<collective_total> total_collectives(const report_facts& f);  // blocking first, then by time

// What the collectives say of the nodes and their clocks, one sentence each; nothing for one node.
std::vector<std::string> nodes_of(const report_facts& f);

// Facts worth a sentence: the findings, what the recorder warns of, waiting, idling, outliers.
std::vector<std::string> notes_of(const profkit::profile& capture, const report_facts& f, const op_totals& ops);

// A word that a shell reads as one.
std::string shell_word(const std::string& text);

// What to look at next, most useful first: the arguments after `profkit`, with PATH for the path.
struct next_command {
  std::string arguments;
  std::string why;
};
std::vector<next_command> next_commands(const profkit::profile& capture, const report_facts& f,
                                        const std::vector<module_total>& modules);

}  // namespace profkit_tool

/// What a change did: two captures of a program, before and after it, from step time to step time.
#pragma once
#include <profkit/core/bubbles.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/finding.hpp>
#include <profkit/core/report.hpp>
#include <profkit/core/sink.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// Where the time of the steps that count went, a use and a cause.
struct time_use_sum {
  time_use use = time_use::compute;
  std::optional<idle_cause> cause;  ///< of idle time; none: of gaps that are too short to list
  std::int64_t time_ps = 0;
};
/// Kernels or ops that are the same thing in every step and layer: of one name but for the number of an instance, one place in the
/// program but for the numbers of layers, and one kind of work, over the steps that count.
struct run_op {
  std::string name;                    ///< "" where it is not recorded
  std::string framework_op, module;    ///< where it comes from: "aten::addmm", "BertLayer/Linear"; "" where that is not recorded
  std::string shapes;                  ///< of its inputs, or of the operator's; "" likewise
  kernel_class kind = kernel_class::compute;
  std::uint64_t count = 0;  ///< executions
  std::int64_t time_ps = 0;
  std::uint64_t rest = 0;   ///< above 0: the sum of so many ops, those with least time
  std::vector<double> run_ps;  ///< of several runs, of each what it takes a step; empty of one
};
/// Its name; "(12 other ops)" of the sum of the rest.
[[nodiscard]] std::string shown_name(const run_op& op);
/// Ops that a snapshot keeps one by one in its file: the longest. The others are one there.
inline constexpr std::size_t most_snapshot_ops = 2000;
/// A device of a run, and its steps that count, in their order.
struct run_device {
  std::string name;
  std::int32_t rank = -1;  ///< -1: not recorded
  std::vector<std::int64_t> step_ps;
};

/// What is compared of one capture. Steps count that are marked, whole, of the kind that took most time, and no warm-up: of each device
/// the first steps are that, up to the first that takes at most 1.25 times the median, a quarter of them at most. Without a marked
/// step the whole capture counts as one.
struct run_snapshot {
  std::string path;
  std::uint64_t runs = 1;  ///< captures that it is the sum of
  std::vector<device_model> models;
  std::vector<std::string> software;
  std::vector<std::pair<std::string, std::string>> facts;  ///< of the model, those that are likely or proved: name, value
  bool marked = false;
  std::string step_name;  ///< of the kind of step that counts: "jit_train"; "" of numbered steps
  std::uint64_t warm_up_steps = 0, cut_steps = 0, other_steps = 0;  ///< that do not count: those of other kinds are the last
  std::vector<run_device> devices;
  std::vector<time_use_sum> time;  ///< adds up to the steps that count
  std::vector<run_op> ops;         ///< by time, the longest first; at last the rest, where there is one
  std::int64_t memory_bytes = 0;   ///< how full the fullest device was, else what the largest module needs; 0: not recorded
  std::vector<file_damage> damage;
  std::string absent;  ///< why there is nothing to compare; "" else

  [[nodiscard]] std::uint64_t step_count() const noexcept;
  [[nodiscard]] std::vector<std::int64_t> all_step_ps() const;  ///< of all devices, the shortest first
  /// Of these; none without a step.
  [[nodiscard]] std::optional<std::int64_t> shortest_step_ps() const, median_step_ps() const, longest_step_ps() const;
};
/// Runs the analyses of a report. Faults: those of analyse_report().
result<run_snapshot> take_snapshot(const trace& t, const hooks& host = {});

/// Keeps it, as proto/pk_snapshot.proto says. Does not finish the sink.
result<void> write_snapshot(const run_snapshot& s, sink& into);
/// Whether a file that begins so is one.
[[nodiscard]] bool begins_snapshot(std::string_view bytes) noexcept;
/// Faults: damaged (it is cut, or no snapshot), unsupported (of a later version). `path`: for them.
result<run_snapshot> read_snapshot(std::string_view bytes, const std::string& path);

// enum op_change: written by scripts/generate
/// How ops of one capture stand to those of another.
enum class op_change : std::uint8_t {
  same,         ///< name, place and shapes
  other_shapes, ///< name and place
  renamed,      ///< one op each in the same place
  split,        ///< several ops in the place of one
  joined,       ///< one op in the place of several
  replaced,     ///< several ops each in the same place
  moved,        ///< name, in another place
  appeared,     ///< after the change alone
  gone          ///< before the change alone
};
[[nodiscard]] const char* op_change_name(op_change value) noexcept;  ///< "same", "other_shapes", …
// end of enum op_change

/// A time of one step, before and after.
struct time_delta {
  std::int64_t before_ps = 0, after_ps = 0;
  [[nodiscard]] std::int64_t change_ps() const noexcept { return after_ps - before_ps; }
};
struct use_delta {
  time_use use = time_use::compute;
  std::optional<idle_cause> cause;
  time_delta time;
};
/// Ops of both sides that are held for the same work.
struct op_delta {
  op_change change = op_change::same;
  certainty sure = certainty::proved;      ///< that they are
  std::vector<std::uint32_t> before, after;  ///< indices into the ops of either snapshot, by time; one of them may be empty
  time_delta time;
  std::uint64_t before_count = 0, after_count = 0;  ///< executions in all steps that count
  /// Of several runs a side: the share of rows, of those as sure to have changed as this one or surer, that chance alone would give.
  std::optional<double> by_chance;
};
struct device_delta {
  std::int32_t before = -1, after = -1;  ///< indices into the devices of either snapshot; -1: not there
  time_delta time;                       ///< of its mean step
};
/// What is not the same on both sides, and is no time.
struct setting_delta {
  std::string what, before, after;  ///< "device", "software", "batch"; "" where it is not recorded
};

/// Of one step on average: each time is the sum over the steps that count, divided so that parts add up to the whole exactly.
struct run_diff {
  time_delta step;
  std::vector<use_delta> time;           ///< adds up to the step; those that changed most first
  std::vector<op_delta> ops;             ///< adds up to the time of ops; those that changed most first
  time_delta op_time;                    ///< of all ops: more than the step where they run beside each other
  std::vector<device_delta> devices;     ///< those that changed most first
  std::vector<setting_delta> settings;
  std::string absent;  ///< why there is nothing to compare; "" else
};
/// Pure.
[[nodiscard]] run_diff compare_runs(const run_snapshot& before, const run_snapshot& after);

// enum change_method: written by scripts/generate
/// How it is known how far a number can have changed.
enum class change_method : std::uint8_t {
  none,            ///< it is not: too few steps or runs
  within_two_runs, ///< moving blocks of the steps of one run a side: what differs from run to run is not in it
  arrangements     ///< medians of runs, by which of them are before and which after
};
[[nodiscard]] const char* change_method_name(change_method value) noexcept;  ///< "none", "within_two_runs", …
// end of enum change_method
/// How far a number changed: after / before - 1, and how far it can have changed.
struct number_change {
  double change = 0;
  change_method method = change_method::none;
  std::optional<double> low, high;  ///< 95 % between them; none where so little data does not show it
  std::optional<double> p;          ///< that runs of one program differ as much, in either direction: of several runs a side
};

// enum gate_state: written by scripts/generate
/// What became of a gate.
enum class gate_state : std::uint8_t {
  holds,     ///< the change does not exceed the limit with 95 %
  tripped,   ///< it does
  undecided  ///< there are too few runs to say, or the number is not on record
};
[[nodiscard]] const char* gate_state_name(gate_state value) noexcept;  ///< "holds", "tripped", …
// end of enum gate_state
/// What a gate asks for and what came of it.
struct gate_verdict {
  std::string gate;  ///< "step>+2%"
  gate_state state = gate_state::undecided;
  std::optional<double> change, low;  ///< after / before - 1, and what it exceeds with 95 %; none where that is not known
  std::string why;                    ///< one sentence
};

/// Captures before a change and after it.
struct diff_report {
  run_snapshot before, after;  ///< the sum of all captures of a side
  run_diff found;
  number_change step;  ///< of the median step of a run; of one run a side, of its mean step
  std::vector<gate_verdict> gates;

  /// What stands for a row: the longest op, and the device, after the change where they are there.
  [[nodiscard]] const run_op& op_of(const op_delta& row) const {
    return row.after.empty() ? before.ops[row.before.front()] : after.ops[row.after.front()];
  }
  [[nodiscard]] const run_device& device_of(const device_delta& row) const {
    return row.after >= 0 ? after.devices[static_cast<std::size_t>(row.after)] : before.devices[static_cast<std::size_t>(row.before)];
  }
};
/// Whether all are gates that compare_captures() takes. Faults: invalid_argument, with the first that is none.
result<void> check_gates(const std::vector<std::string>& gates);
/// Compares runs; both sides have one at least. Gates: "step>+2%", with `step`, `idle`, `compute`, `exposed` (communication and copies that nothing hides), `memory` or `op:` and
/// a part of the names of ops. One trips where the change exceeds its limit with 95 %, by which runs are before and which after: that takes
/// three runs a side. Memory is compared as it is. Faults: invalid_argument (a gate that is none).
result<diff_report> compare_captures(std::vector<run_snapshot> before, std::vector<run_snapshot> after,
                                     const std::vector<std::string>& gates = {});

/// The document `diff` (docs/schemas/diff.json); lists hold `limit` rows, 0: all.
result<document_status> write_diff_document(const diff_report& found, sink& into, std::uint64_t limit);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

#include <analyse/ops/row_facts.hpp>

#include <analyse/element_types.hpp>
#include <analyse/ops/op_programs.hpp>
#include <base/affix.hpp>
#include <base/collective_names.hpp>
#include <base/kernel_names.hpp>
#include <base/split.hpp>
#include <profkit/core/text.hpp>
#include <profkit/time.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// JSON however it is laid out: "[[512], [16, 64]]".
std::string on_one_line(std::string_view json) {
  std::string text;
  for (const char c : json) {
    if (static_cast<unsigned char>(c) <= ' ') continue;
    text += c;
    if (c == ',') text += ' ';
  }
  return text;
}

// The instructions inside it are ops themselves.
bool has_ops_inside(std::string_view category) noexcept {
  return category == "while" || category == "conditional" || category == "call";
}

// What `count` executions do; 0 when that is not a positive number.
std::int64_t of_all(double of_one, std::uint64_t count) noexcept {
  constexpr double largest = 9.2e18;
  const double all = of_one * static_cast<double>(count);
  return all > 0 ? static_cast<std::int64_t>(std::min(all, largest)) : 0;
}
std::int64_t of_all(std::uint64_t of_one, std::uint64_t count) noexcept {
  const auto bounded = [](std::uint64_t n) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(n, std::numeric_limits<std::int64_t>::max()));
  };
  return saturating_mul(bounded(of_one), bounded(count));
}

}  // namespace

void row_facts::look_at(const ops_line& line) {
  line_ = &line;
  longest_.clear();
  for (const op_row& op : line.ops) {
    if (op.origin.instruction.empty()) continue;
    std::int64_t& longest = longest_.try_emplace({op.program_id, op.module, op.origin.instruction}, -1).first->second;
    longest = std::max(longest, op.total_ps);
  }
}

std::vector<std::string> ranges_in(std::string_view path) {
  const std::vector<std::string_view> parts = parts_between(path, range_separator);
  return {parts.begin(), parts.end()};
}

void row_facts::look_at(const op_row& op) {
  op_ = &op;
  has_stats_ = has_scope_ = false;
  instruction_.reset();
}

void row_facts::names_of(group_key key, std::vector<std::string>& into) {
  into.clear();
  const op_origin& origin = op_->origin;
  switch (key) {
    case group_key::kernel: into.emplace_back(short_op_name(op_->name, op_->display_name)); break;
    case group_key::function: into.push_back(function_of_kernel(short_op_name(op_->name, op_->display_name)).path); break;
    case group_key::instruction: into.push_back(instruction_name()); break;
    case group_key::op: into.push_back(op_->has_metadata_id || origin.op.empty() ? scope().op : std::string(origin.op)); break;
    case group_key::outer_op: into.push_back(op_->has_metadata_id || origin.op.empty() ? scope().op : std::string(origin.outer_op)); break;
    case group_key::module:
      if (origin.module.empty())
        into = scope().modules;
      else
        for (const std::string_view part : parts_between(origin.module, '/')) into.emplace_back(part);
      if (into.empty()) into.emplace_back();
      break;
    case group_key::kind_of_module:
      names_of(group_key::module, into);
      into.erase(into.begin(), into.end() - 1);
      into.front() = std::string(without_instance(into.front()));
      break;
    case group_key::range: into = ranges_in(origin.range); break;
    case group_key::source: into.push_back(source()); break;
    case group_key::phase: into.emplace_back(origin.phase.empty() ? std::string_view(scope().phase) : origin.phase); break;
    case group_key::shape: into.push_back(origin.shapes.empty() ? scope().shapes : on_one_line(origin.shapes)); break;
    case group_key::step: into.push_back(origin.step < 0 ? std::string() : "step " + std::to_string(origin.step)); break;
    case group_key::kind: into.emplace_back(work_kind_name(kind())); break;
    case group_key::category: into.push_back(category()); break;
    case group_key::program:
      into.push_back(origin.program.empty() ? programs_.name_of(*line_, *op_) : std::string(origin.program));
      break;
    case group_key::stream: into.emplace_back(line_->line_name); break;
    case group_key::device: into.emplace_back(line_->plane_name); break;
  }
}

std::optional<kernel_work> row_facts::work() {
  if (!op_->has_metadata_id) {
    if (op_->flops == 0 && op_->bytes == 0) return std::nullopt;
    return kernel_work{of_all(op_->flops, op_->count), of_all(op_->bytes, op_->count), op_->multiplies};
  }
  const named_stat *flops = find_named_stat(stats(), "flops"), *bytes = find_named_stat(stats(), "bytes_accessed");
  if (flops != nullptr || bytes != nullptr) {
    if (is_async_half(*op_) || has_ops_inside(category())) return std::nullopt;
    return kernel_work{of_all(stat_number_of(flops), op_->count), of_all(stat_number_of(bytes), op_->count), std::nullopt};
  }
  // Only its entry says what an op of a TPU does.
  const instruction_facts* const of_program = op_->origin.instruction.empty() ? nullptr : instruction();
  if (of_program == nullptr || !of_program->cost.is_known || has_ops_inside(of_program->opcode)) return std::nullopt;
  const auto longest = longest_.find({op_->program_id, op_->module, op_->origin.instruction});
  if (longest == longest_.end() || longest->second != op_->total_ps) return std::nullopt;
  longest->second = -1;  // two kernels that are as long as each other
  const hlo_cost& of_one = of_program->cost;
  const element_type* type = find_element_type(of_one.element_type);
  return kernel_work{of_all(static_cast<std::uint64_t>(of_one.flops), op_->count),
                     of_all(static_cast<std::uint64_t>(of_one.bytes), op_->count), type == nullptr ? std::nullopt : type->multiplied};
}

memory_traffic row_facts::traffic(const kernel_work& work) {
  const named_stat* const breakdown = op_->has_metadata_id ? find_named_stat(stats(), "memory_access_breakdown") : nullptr;
  const std::optional<memory_traffic> of_one = breakdown == nullptr ? std::nullopt : traffic_in(breakdown->text);
  if (!of_one) return {work.bytes};
  const auto all = [&](std::int64_t bytes) { return of_all(static_cast<std::uint64_t>(bytes), op_->count); };
  return {all(of_one->hbm_bytes), all(of_one->vmem_read_bytes), all(of_one->vmem_write_bytes), all(of_one->cmem_read_bytes),
          all(of_one->cmem_write_bytes)};
}

bool row_facts::is_collective() {
  return !collective_of(category()).empty() || !collective_of(short_op_name(op_->name, op_->display_name)).empty();
}

const std::vector<named_stat>& row_facts::stats() {
  if (!std::exchange(has_stats_, true)) stats_ = op_stats(profile_, *line_, *op_);
  return stats_;
}

std::string row_facts::text_of(std::string_view stat) {
  const named_stat* found = find_named_stat(stats(), stat);
  return found == nullptr ? std::string() : stat_text_of(*found);
}

// What the event says, else the op's metadata, else the program.
const named_scope& row_facts::scope() {
  if (std::exchange(has_scope_, true)) return scope_;
  std::string text(op_->origin.scope);
  if (text.empty()) text = text_of("tf_op");
  // Events may name a part of the program's path: "jit(f)" of "jit(f)/dot_general".
  if (text.empty() || !op_->origin.instruction.empty())
    if (instruction() != nullptr && starts_with(instruction()->scope, text)) text = instruction()->scope;
  scope_ = scope_of(text);
  return scope_;
}

// Lines without programs, such as "XLA Ops" of a TPU, name their ops by the instruction.
std::string row_facts::instruction_name() {
  if (!op_->has_metadata_id) return {};
  if (!op_->origin.instruction.empty()) return std::string(op_->origin.instruction);
  return find_named_stat(stats(), "hlo_category") == nullptr ? std::string() : std::string(short_op_name(op_->name, op_->display_name));
}

std::string row_facts::source() {
  if (!op_->origin.source.empty()) return std::string(op_->origin.source);
  if (std::string text = text_of("source"); !text.empty() || instruction() == nullptr || instruction()->source_file.empty()) return text;
  return std::string(instruction()->source_file) + ':' + std::to_string(instruction()->source_line);
}

std::string row_facts::category() {
  if (!op_->has_metadata_id) return std::string(op_->category);
  if (std::string text = text_of("hlo_category"); !text.empty() || instruction() == nullptr) return text;
  return instruction()->category();
}

work_kind row_facts::kind() {
  if (!op_->has_metadata_id) {
    const std::string_view op = op_->origin.op.empty() ? std::string_view(scope().op) : op_->origin.op;
    const std::string_view type = op_->op_type.empty() ? short_op_name(op_->name, op_->display_name) : op_->op_type;
    const work_kind known = kind_of_kernel({op_->name, op_->category, op, op_->origin.outer_op, op_->origin.types, type});
    return known != work_kind::unknown ? known : kind_of_opcode(op_->category);
  }
  if (instruction() != nullptr && instruction()->kind != work_kind::unknown) return instruction()->kind;
  const std::string by = category();
  if (const work_kind known = kind_of_opcode(by); known != work_kind::unknown) return known;
  // For these only the program, else the kernel, says what they do; the roots of other fusions compute.
  if (!by.empty() && by != "loop fusion" && by != "custom-call") return work_kind::compute;
  if (instruction() != nullptr && instruction()->cost.flops > 0) return work_kind::compute;
  return kind_of_kernel({op_->name, {}, {}, {}, {}});
}

// Programs are read when the first op needs them.
const instruction_facts* row_facts::instruction() {
  if (!instruction_) instruction_ = op_->has_metadata_id ? find_instruction() : nullptr;
  return *instruction_;
}

const instruction_facts* row_facts::find_instruction() {
  const std::string name = instruction_name();
  if (name.empty()) return nullptr;
  const program_key of = program_of(profile_, *line_, *op_);
  auto [at, is_new] = programs_of_files_.try_emplace(line_->file);
  if (is_new) at->second.emplace(*profile_.outline(line_->file));
  return at->second ? at->second->find(of.id, of.module, name) : nullptr;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

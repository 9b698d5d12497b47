#include <analyse/ops/op_programs.hpp>
#include <trace/line_scan.hpp>
#include <trace/stats.hpp>

#include <charconv>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

program_key program_of_metadata(const plane_index& plane, const op_row& op) {
  program_key key;
  for (const stat_view stat : op.metadata().stats()) {
    const std::string_view name = plane.stat_name(stat.metadata_id());
    if (name == "program_id") key.id = integer_value(stat);
    if (name == "hlo_module") key.module = text_value(plane, stat);
  }
  return key;
}

}  // namespace

std::optional<std::int64_t> program_id_in(std::string_view name) noexcept {
  const std::size_t open = name.rfind('(');
  if (open == std::string_view::npos || name.back() != ')') return std::nullopt;
  std::uint64_t id = 0;
  const char* const end = name.data() + name.size() - 1;
  const auto [stop, error] = std::from_chars(name.data() + open + 1, end, id);
  if (error != std::errc() || stop != end) return std::nullopt;
  return static_cast<std::int64_t>(id);
}

program_key program_of(const profile& p, const ops_line& line, const op_row& op) {
  const plane_index* const plane = op.program_id || !op.module.empty() ? nullptr : find_plane(p, line.file, line.plane);
  return plane == nullptr ? program_key{op.program_id, op.module, {}, {}, {}, 0} : program_of_metadata(*plane, op);
}

std::uint32_t program_numbers::number_of(const plane_index& plane, const stat_view& id, std::string_view module) {
  const auto next = static_cast<std::uint32_t>(programs_.size() + 1);
  const auto name = [&] { return module.empty() ? std::string_view() : text_value(plane, stat_view(module)); };
  if (const auto number = integer_value(id)) {
    if (number == last_id_) return last_number_;
    const auto [at, is_new] = by_id_.try_emplace(*number, next);
    if (is_new) programs_.push_back({number, name()});
    last_id_ = number;
    return last_number_ = at->second;
  }
  if (name().empty()) return 0;
  const auto [at, is_new] = by_module_.try_emplace(name(), next);
  if (is_new) programs_.push_back({std::nullopt, name()});
  return at->second;
}

std::uint32_t program_numbers::number_of(std::uint32_t program, const program_key& origin) {
  if (origin.instruction.empty() && origin.scope.empty() && origin.source.empty() && origin.step == 0) return program;
  const auto [at, is_new] = by_origin_.try_emplace({program, origin.instruction, origin.scope, origin.source, origin.step}, 0);
  if (is_new) {
    program_key key = origin;
    if (program != 0) {
      key.id = programs_[program - 1].id;
      key.module = programs_[program - 1].module;
    }
    programs_.push_back(key);
    at->second = static_cast<std::uint32_t>(programs_.size());
  }
  return at->second;
}

struct op_programs::names {
  std::vector<hash_map<std::int64_t, std::string_view>> by_id;  // of each file; empty: several names have the id
};

op_programs::op_programs(const profile& p) : profile_(p) {
  auto found = std::make_unique<names>();
  found->by_id.resize(p.file_count());
  for (std::uint32_t file = 0; file < p.file_count(); ++file) {
    for (const plane_index& plane : p.outline(file)->planes) {
      if (plane.kind != plane_kind::metadata) continue;
      for (const std::string_view bytes : plane.event_metadata_entries) {
        const std::string_view name = event_metadata_view(bytes).name();
        const std::optional<std::int64_t> id = program_id_in(name);
        if (!id) continue;
        const auto [at, is_new] = found->by_id[file].try_emplace(*id, name);
        if (!is_new && at->second != name) at->second = {};
      }
    }
  }
  names_ = std::move(found);
}

op_programs::~op_programs() = default;

std::string op_programs::name_of(const ops_line& line, const op_row& op) const {
  const program_key key = program_of(profile_, line, op);
  if (!key.id) return std::string(key.module);
  if (!key.module.empty()) return program_name(key.module, *key.id);
  const auto& named = names_->by_id[line.file];
  const auto at = named.find(*key.id);
  return at == named.end() || at->second.empty() ? program_name({}, *key.id) : std::string(at->second);
}

std::string program_name(std::string_view module, std::int64_t id) {
  const std::string number = std::to_string(static_cast<std::uint64_t>(id));
  return module.empty() ? number : std::string(module) + '(' + number + ')';
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

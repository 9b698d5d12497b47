// The programs (HLO modules) inside a capture.
#pragma once
#include <profkit/core/filters.hpp>
#include <profkit/core/limits.hpp>
#include <profkit/core/result.hpp>
#include <profkit/core/trace.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

/// How often a program ran on a host's devices, by the stats `run_id` of its ops. A run takes as long as its ops span.
struct program_runs {
  std::uint32_t file = 0;
  std::int64_t program_id = 0;
  std::string module;  ///< "jit_f"; "" where no op names it
  std::uint64_t runs = 0;
  std::int64_t total_ps = 0, max_ps = 0;
};
// enum sibling_state: written by scripts/generate
/// How an embedded module compares with a *.hlo_proto.pb beside the XSpace.
enum class sibling_state : std::uint8_t {
  none,
  same_bytes,
  same_content, ///< other bytes, the same computations
  differs
};
[[nodiscard]] const char* sibling_state_name(sibling_state value) noexcept;  ///< "none", "same_bytes", …
// end of enum sibling_state
struct module_row {
  std::uint32_t file = 0;
  std::int32_t plane = -1;  ///< -1: a file of its own (hlo_proto family)
  std::int64_t metadata_id = 0;
  std::string_view name;         ///< as the metadata entry or file name says, "jit_f(12190760917235803885)"
  std::string_view module_name;  ///< as the HloProto says
  std::int64_t module_id = 0;
  std::uint64_t computations = 0, instructions = 0, bytes = 0;
  std::string_view blob;  ///< the serialized xla.HloProto
  sibling_state sibling = sibling_state::none;
  std::string sibling_path;
  std::optional<fault> damage;  ///< the blob does not parse
};
struct modules_result {
  std::vector<module_row> modules;  ///< by bytes, descending, stable
  std::string absent;
  std::vector<file_damage> damage;
};
result<modules_result> analyse_modules(const trace& t, const query_filters& o = {}, const hooks& host = {});
/// The first module whose name contains the text. Fault: not_found, which names the modules there are.
result<const module_row*> find_module(const modules_result& found, std::string_view name);
/// One instruction of a module's entry computation.
struct instruction_row {
  std::int64_t id = 0;
  std::string_view name, opcode, op_name, source_file;
  std::int64_t source_line = 0;
  std::string shape;  ///< as XLA writes it: "f32[5,1024]{1,0}", "(f32[2]{0}, s32[])"
};
struct entry_dump {
  std::string_view module_name, computation_name;
  std::vector<instruction_row> proto_order;
  std::vector<std::size_t> schedule_order;  ///< indexes into proto_order; empty when the module has no schedule
};
result<entry_dump> analyse_entry(const module_row& m);

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

// Compiled programs: the HloProtos inside an XSpace and those in files of their own.
#include <formats/xspace/embedded_modules.hpp>
#include <profkit/core/modules.hpp>
#include <analyse/modules/hlo_compare.hpp>
#include <analyse/modules/hlo_parts.hpp>
#include <trace/filters/select.hpp>
#include <trace/stats.hpp>
#include <base/affix.hpp>
#include <base/contained.hpp>
#include <base/hash_map.hpp>
#include <base/paths.hpp>
#include <base/progress.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// "jit_f(12)" of "jit_f(12).hlo_proto.pb"; compression endings go, too.
std::string_view module_file_stem(std::string_view path) noexcept {
  std::string_view name = last_part_of(path);
  for (const std::string_view ending : {".gz", ".zst", ".pb", ".hlo_proto", ".hlo"})
    if (name.size() > ending.size() && ends_with(name, ending)) name.remove_suffix(ending.size());
  return name;
}

class module_finder {
 public:
  module_finder(const trace& t, const selection& selected, const hooks& host)
      : trace_(t),
        profile_(t.files()),
        selected_(selected),
        damage_(t.files(), selected),
        meter_(host) {}

  result<modules_result> run() {
    for (std::size_t file = 0; file < profile_.file_count(); ++file) {
      if (!selected_.file(file)) continue;
      add_embedded(file);
      if (result<void> going = meter_.step(0); !going) return std::move(going).error();
    }
    for (const std::uint32_t file : profile_.files_with(file_content::module))
      if (selected_.file(file)) add_standalone(file);
    compare_siblings();
    keep_standalone();
    std::stable_sort(found_.modules.begin(), found_.modules.end(),
                 [](const module_row& a, const module_row& b) { return a.bytes > b.bytes; });
    if (found_.modules.empty()) found_.absent = why_none();
    found_.damage = damage_.take();
    return std::move(found_);
  }

 private:
  void add_embedded(std::size_t file) {
    const xspace_index& space = *profile_.xspace(file);
    for (std::size_t plane_at = 0; plane_at < space.planes.size(); ++plane_at) {
      const plane_index& plane = space.planes[plane_at];
      if (plane.kind != plane_kind::metadata || !selected_.plane(plane)) continue;
      for_each_embedded_module(plane, [&](const event_metadata_view& entry, std::string_view blob) {
        any_ = true;
        if (!selected_.name(entry.name(), entry.display_name())) return;
        module_row row;
        row.file = static_cast<std::uint32_t>(file);
        row.plane = static_cast<std::int32_t>(plane_at);
        row.metadata_id = entry.key();
        row.name = entry.name();
        fill(row, blob);
        found_.modules.push_back(std::move(row));
      });
    }
  }

  void add_standalone(std::size_t file) {
    damage_.note_file(file);
    if (selected_.filters_planes()) return;  // files of their own have no plane
    any_ = true;
    module_row row;
    row.file = static_cast<std::uint32_t>(file);
    row.name = module_file_stem(profile_.what().files[file].path);
    if (!selected_.name(row.name)) return;
    fill(row, profile_.bytes(file));
    standalone_.push_back(std::move(row));
  }

  void fill(module_row& row, std::string_view blob) {
    row.blob = blob;
    row.bytes = blob.size();
    const hlo_parts parts = count_hlo_parts(blob);
    row.module_name = parts.module_name;
    row.module_id = parts.module_id;
    row.computations = parts.computations;
    row.instructions = parts.instructions;
    const capture_file& file = profile_.what().files[row.file];
    if (const fault* of_file = row.plane < 0 ? profile_.file_fault(row.file) : nullptr) {
      row.damage = *of_file;
    } else if (parts.damage != nullptr) {
      fault f;
      f.code = fault_code::damaged;
      f.path = file.path;
      f.byte_offset = offset_in(profile_.bytes(row.file), parts.damage);
      f.message = "damaged at byte " + std::to_string(f.byte_offset) + ": module '" + std::string(row.name) +
                  "' is no whole HloProto";
      f.hint = "The other modules are shown. Compile with --xla_dump_to to get this one again.";
      row.damage = f;
      damage_.note(row.file, std::move(f));
    }
  }

  // A file beside the XSpace is the same module when name and id agree; of several the closest counts.
  void compare_siblings() {
    hash_map<std::int64_t, std::vector<std::size_t>> by_id;  // of standalone_
    for (std::size_t i = 0; i < standalone_.size(); ++i)
      if (!standalone_[i].damage) by_id[standalone_[i].module_id].push_back(i);
    for (module_row& row : found_.modules) {
      const auto same_id = by_id.find(row.module_id);
      if (row.damage || same_id == by_id.end()) continue;
      for (const std::size_t i : same_id->second) {
        const module_row& other = standalone_[i];
        if (other.module_name != row.module_name) continue;
        if (profile_.what().files[other.file].run != profile_.what().files[row.file].run) continue;
        const sibling_state state = compare(row.blob, other.blob);
        if (row.sibling != sibling_state::none && state >= row.sibling) continue;  // the closest comes first
        row.sibling = state;
        row.sibling_path = profile_.what().files[other.file].path;
        if (state != sibling_state::differs) matched_.push_back(i);
      }
    }
  }

  static sibling_state compare(std::string_view a, std::string_view b) {
    if (a == b) return sibling_state::same_bytes;
    return same_hlo_content(a, b) ? sibling_state::same_content : sibling_state::differs;
  }

  // Files that repeat an embedded module are named beside it; the others are modules of their own.
  void keep_standalone() {
    std::sort(matched_.begin(), matched_.end());
    for (std::size_t i = 0; i < standalone_.size(); ++i)
      if (!std::binary_search(matched_.begin(), matched_.end(), i)) found_.modules.push_back(std::move(standalone_[i]));
  }

  std::string why_none() const {
    if (any_) return "no module fits the filters";
    if (trace_.has_traces())
      return std::string("compiled programs are in an XSpace or in *.hlo_proto.pb files; there are none here") +
             (is_of_xla() ? ""
                          : "; nn.Module scopes of PyTorch are in `profkit framework` (record them with "
                            "with_modules=True)");
    return "no /host:metadata plane carries an 'Hlo Proto' stat, and there is no *.hlo_proto.pb file";
  }

  // XLA's exporter names processes as planes of an XSpace are named, and does so first.
  [[nodiscard]] bool is_of_xla() const {
    constexpr std::size_t looked_at_bytes = 4096;
    for (const std::uint32_t file : profile_.files_with(file_content::trace_events)) {
      const std::string_view head = profile_.bytes(file).substr(0, looked_at_bytes);
      if (contains(head, "\"/host:") || contains(head, "\"/device:")) return true;
    }
    return false;
  }

  const trace& trace_;
  const profile& profile_;
  const selection& selected_;
  damage_list damage_;
  progress_meter meter_;
  modules_result found_;
  std::vector<module_row> standalone_;
  std::vector<std::size_t> matched_;  // of standalone_
  bool any_ = false;
};

}  // namespace

hlo_parts count_hlo_parts(std::string_view blob) noexcept {
  const hlo_proto_view proto(blob);
  const hlo_module_view module = proto.hlo_module();
  hlo_parts parts;
  parts.module_name = module.name();
  parts.module_id = module.id();
  const auto note = [&](const char* damage) {
    if (parts.damage == nullptr) parts.damage = damage;
  };
  note(proto.damage());
  note(module.damage());
  note(module.schedule().damage());
  note(proto.buffer_assignment().logical_buffers().damage());
  const auto computations = module.computations();
  for (auto at = computations.begin(); !at.done(); ++at) {
    const computation_view computation = *at;
    ++parts.computations;
    note(computation.damage());
    const auto instructions = computation.instructions();
    for (auto of = instructions.begin(); !of.done(); ++of) {
      const instruction_view instruction = *of;
      ++parts.instructions;
      note(instruction.damage());
      note(instruction.shape().damage());
      note(instruction.metadata().damage());
    }
  }
  return parts;
}

result<modules_result> analyse_modules(const trace& t, const query_filters& o, const hooks& host) {
  return contained([&]() -> result<modules_result> {
    query_filters of_planes = o;  // a module has no place in time
    of_planes.step.reset();
    result<selection> selected = selection::make(t, of_planes, host);
    if (!selected) return std::move(selected).error();
    result<modules_result> found = module_finder(t, *selected, host).run();
    if (found && !found->absent.empty()) found->absent = why_nothing_or(t.files(), of_planes, std::move(found->absent));
    return found;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

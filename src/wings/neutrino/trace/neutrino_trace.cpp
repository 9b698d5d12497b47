// Opening a Neutrino trace folder: which files belong to it, and which launch, kernel and record file go together.
#include <profkit/core/discover.hpp>
#include <profkit/core/probe_trace.hpp>

#include <base/affix.hpp>
#include <base/contained.hpp>
#include <base/format.hpp>
#include <base/hash_map.hpp>
#include <base/paths.hpp>
#include <base/progress.hpp>

#include <formats/neutrino/neutrino_detect.hpp>
#include <formats/neutrino/neutrino_log.hpp>
#include <formats/neutrino/neutrino_parts.hpp>

#include <algorithm>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::size_t max_warnings = 100;
constexpr std::size_t max_text_bytes = std::size_t{1} << 20;
// A probe has as many maps as its author wrote; a table of more is not believed.
constexpr std::uint32_t max_maps = std::uint32_t{1} << 20;

// The first bytes of a file, at most so many.
result<std::string> read_start(const std::string& path, std::size_t most) {
  auto opened = open_plain_file_source(path, io_mode::read);
  if (!opened) return std::move(opened).error();
  const std::uint64_t size = (*opened)->encoded_bytes();
  std::string text(static_cast<std::size_t>(std::min<std::uint64_t>(size, most)), '\0');
  std::size_t have = 0;
  while (have < text.size()) {
    auto count = (*opened)->read(text.data() + have, text.size() - have);
    if (!count) {
      if (have == 0) return std::move(count).error();
      break;
    }
    if (*count == 0) break;
    have += *count;
  }
  text.resize(have);
  return text;
}

fault layout_fault(probe_status status, const probe_bin& bin) {
  fault f{fault_code::damaged, "", bin.path, 0, ""};
  switch (status) {
    case probe_status::ok: break;
    case probe_status::short_header:
      f.message = "short_header: the file has " + std::to_string(bin.bytes) + " bytes and a header has 32";
      f.hint = "the file was cut; copy it again, or leave it out";
      break;
    case probe_status::section_table_truncated:
      f.message = "section_table_truncated: the header lists " + std::to_string(bin.header.maps) +
                  " maps, and the file has room for " +
                  std::to_string(bin.bytes < 32 ? 0 : (bin.bytes - 32) / probe_file::section_bytes) + " entries";
      f.byte_offset = 28;
      f.hint = "the file was cut, or is no Neutrino trace";
      break;
    case probe_status::unknown_section_variant:
      f.message = "unknown_section_variant: the section table is written in no known way";
      f.byte_offset = probe_file::header_bytes;
      f.hint = "event.log beside the file can settle it: keep the trace folder together";
      break;
  }
  return f;
}

}  // namespace

class probe_trace_reader {
 public:
  probe_trace_reader(probe_trace& into, const probe_trace_options& options)
      : trace_(into), options_(options), meter_(options.host) {}

  result<void> run(const std::string& path) {
    trace_.io_ = options_.io;
    trace_.bounds_ = options_.bounds;
    auto facts = look_at_path(path);
    if (!facts) return std::move(facts).error();
    result<void> found = facts->kind == path_kind::folder ? find_folder(path, facts->name) : find_file(path, *facts);
    if (!found) return found;
    read_description();
    if (result<void> read = read_log(); !read) return read;
    read_kernels();
    find_writer();
    join();
    if (result<void> read = read_bins(); !read) return read;
    find_start();
    return {};
  }

 private:
  void warn(std::string text) {
    if (trace_.warnings.size() < max_warnings) trace_.warnings.push_back(std::move(text));
  }

  // ---- which files ----

  result<void> find_folder(const std::string& path, const std::string& name) {
    trace_.path = path;
    name_ = read_trace_folder_name(name);
    auto found = discover(path, options_.bounds, options_.host);
    if (!found) return std::move(found).error();
    const std::string results = joined_path(path, "result"), kernels = joined_path(path, "kernel");
    for (const std::string& each : found->unreadable) warn(each + ": the folder cannot be looked into");
    for (const std::string& each : found->passed_over) warn(each + ": neither a file nor a folder; passed over");
    const bool has_results = std::any_of(found->folders.begin(), found->folders.end(),
                                         [&](const found_folder& f) { return f.path == results; });
    for (const found_folder& folder : found->folders) {
      if (folder.path == path) take_root(folder);
      if (folder.path == (has_results ? results : path)) take_results(folder);
      if (folder.path.size() > kernels.size() && folder.path.compare(0, kernels.size(), kernels) == 0 &&
          folder.path.find('/', kernels.size() + 1) == std::string::npos)
        kernel_folders_.push_back(folder);
    }
    if (log_path_.empty() && trace_.bins.empty() && toml_path_.empty())
      return fault{fault_code::unrecognised, "no Neutrino trace: there is no event.log and no result/*.bin", path,
                   no_offset, "name the folder that holds event.log, as in trace/Apr24_231539_1860576"};
    return {};
  }

  result<void> find_file(const std::string& path, const path_facts& facts) {
    if (facts.kind != path_kind::file)
      return fault{fault_code::unsupported, "a record file is read at random: a pipe will not do", path, no_offset,
                   "save it to a file and open that"};
    if (is_probe_log(path, facts.name)) {
      trace_.path = log_path_ = path;
      return {};
    }
    const std::string folder(folder_of(path));
    const auto around = look_at_path(folder);
    if (around && around->name == "result") {
      const std::string root = joined_path(folder, "..");
      const auto outside = look_at_path(root);
      if (outside) {
        auto found = find_folder(root, outside->name);
        if (!found) return found;
        trace_.warnings.clear();
      }
    }
    trace_.path = path;
    trace_.bins.clear();
    add_bin(facts.name, path, facts.bytes);
    return {};
  }

  void take_root(const found_folder& folder) {
    for (const found_file& file : folder.files) {
      const std::string path = joined_path(folder.path, file.name);
      if (file.name == "event.log") log_path_ = path;
      if (file.name == "probe.toml") toml_path_ = path;
      if (file.name == "tensor.trace" && file.reachable) trace_.tensor_trace_path = path;
    }
  }

  void take_results(const found_folder& folder) {
    for (const found_file& file : folder.files) {
      if (!ends_with(file.name, ".bin")) continue;
      const std::string path = joined_path(folder.path, file.name);
      if (file.reachable)
        add_bin(file.name, path, file.bytes);
      else
        warn(path + ": a link that leads nowhere; passed over");
    }
    // By time as numbers: as text "10.1" comes before "9.9".
    std::stable_sort(trace_.bins.begin(), trace_.bins.end(), [](const probe_bin& a, const probe_bin& b) {
      if (a.elapsed_us.has_value() != b.elapsed_us.has_value()) return a.elapsed_us.has_value();
      if (a.elapsed_us != b.elapsed_us) return *a.elapsed_us < *b.elapsed_us;
      return a.name < b.name;
    });
  }

  void add_bin(const std::string& name, const std::string& path, std::uint64_t bytes) {
    probe_bin bin;
    bin.name = name;
    bin.path = path;
    bin.bytes = bytes;
    bin.elapsed_us = elapsed_us_of(name);
    trace_.bins.push_back(std::move(bin));
  }

  // ---- the texts ----

  void read_description() {
    if (toml_path_.empty()) return;
    auto text = read_start(toml_path_, std::size_t{17} << 20);
    if (text) {
      trace_.description = read_probe_description(*text, toml_path_);
    } else {
      trace_.description.present = true;
      trace_.description.damage = std::move(text).error();
    }
  }

  result<void> read_log() {
    if (log_path_.empty()) return {};
    auto opened = open_plain_file_source(log_path_, options_.io);
    auto held = opened ? hold_bytes(std::move(*opened), options_.bounds, options_.host)
                       : result<held_bytes>(std::move(opened).error());
    if (!held) {
      if (held.error().code == fault_code::cancelled) return std::move(held).error();
      trace_.log.present = true;
      trace_.log.damage = std::move(held).error();
      return {};
    }
    log_findings found = read_event_log(held->bytes);
    if (held->damage) found.log.damage = held->damage;
    trace_.log = std::move(found.log);
    trace_.kernels = std::move(found.kernels);
    trace_.launches = std::move(found.launches);
    trace_.is_hip = found.is_hip;
    old_tags_ = found.old_tags;
    new_tags_ = found.new_tags;
    has_bin_lines_ = found.has_bin_lines;
    has_binmap_ = found.has_binmap;
    if (trace_.log.repeated != 0)
      warn(counted(trace_.log.repeated, "launch stands", "launches stand") +
           " in the log more than once (a forked child wrote them)");
    return {};
  }

  void read_kernels() {
    hash_map<std::string, std::size_t> by_folder;
    for (std::size_t i = 0; i < trace_.kernels.size(); ++i)
      if (!trace_.kernels[i].folder.empty()) by_folder[trace_.kernels[i].folder] = i;
    for (const found_folder& folder : kernel_folders_) {
      const std::string name(last_part_of(folder.path));
      const auto known = by_folder.find(name);
      if (known == by_folder.end()) {
        probe_kernel kernel;
        kernel.folder = name;
        trace_.kernels.push_back(std::move(kernel));
      }
      probe_kernel& kernel = known == by_folder.end() ? trace_.kernels.back() : trace_.kernels[known->second];
      read_kernel(folder, kernel);
      if (known != by_folder.end()) continue;
      if (kernel.info) kernel.engine_name = kernel.info->name;
    }
  }

  static void read_kernel(const found_folder& folder, probe_kernel& kernel) {
    for (const found_file& file : folder.files) {
      if (!file.reachable) continue;
      kernel.files.push_back(file.name);
      const std::string path = joined_path(folder.path, file.name);
      if (file.name == "kernel.info") {
        if (const auto text = read_start(path, max_text_bytes)) kernel.info = read_kernel_info(*text);
      } else if (file.name == "process.log") {
        if (const auto text = read_start(path, max_text_bytes)) kernel.engine = read_engine_log(*text);
      }
    }
  }

  void find_writer() {
    trace_.pid = trace_.log.pid ? trace_.log.pid : name_.pid;
    if (new_tags_ && !old_tags_)
      trace_.writer = probe_writer::v3;
    else if (old_tags_ && !new_tags_)
      trace_.writer = name_.is_v0 || has_binmap_       ? probe_writer::v0
                      : name_.is_one || has_bin_lines_ ? probe_writer::v1_or_v2
                                                       : probe_writer::v0_to_v2;
    else if (name_.is_v0)
      trace_.writer = probe_writer::v0;
  }

  // ---- what goes together ----

  void join() {
    hash_map<std::string, std::size_t> by_name;
    for (std::size_t i = 0; i < trace_.bins.size(); ++i) by_name[trace_.bins[i].name] = i;
    for (std::size_t i = 0; i < trace_.launches.size(); ++i) {
      probe_launch& launch = trace_.launches[i];
      if (launch.bin_name.empty() || launch.outcome == probe_outcome::cant_save) continue;
      const auto at = by_name.find(launch.bin_name);
      if (at == by_name.end()) continue;
      probe_bin& bin = trace_.bins[at->second];
      if (bin.launch >= 0) {
        warn(bin.name + ": the log saves it more than once; the last time counts");
        trace_.launches[static_cast<std::size_t>(bin.launch)].bin = -1;
      }
      bin.launch = static_cast<std::int32_t>(i);
      bin.kernel = launch.kernel;
      launch.bin = static_cast<std::int32_t>(at->second);
    }
  }

  // ---- the record files ----

  result<void> read_bins() {
    for (probe_bin& bin : trace_.bins) {
      if (result<void> go_on = meter_.step(0); !go_on) return go_on;
      read_bin(bin);
    }
    return {};
  }

  void read_bin(probe_bin& bin) {
    auto head = read_start(bin.path, probe_file::header_bytes);
    if (!head) {
      bin.damage = std::move(head).error();
      return;
    }
    probe_file file(*head, bin.bytes);
    bin.has_header = file.has_header();
    bin.header = file.header();
    const std::uint64_t table = std::uint64_t{bin.header.maps} * probe_file::section_bytes;
    if (bin.has_header && bin.header.maps != 0 && bin.bytes >= probe_file::header_bytes &&
        table <= bin.bytes - probe_file::header_bytes) {
      if (bin.header.maps > max_maps) {
        bin.layout.status = probe_status::section_table_truncated;
        bin.damage = fault{fault_code::limit,
                           "the header lists " + std::to_string(bin.header.maps) + " maps; more than " +
                               std::to_string(max_maps) + " are not read",
                           bin.path, 28, "this is no Neutrino trace"};
        return;
      }
      head = read_start(bin.path, probe_file::header_bytes + static_cast<std::size_t>(table));
      if (!head) {
        bin.damage = std::move(head).error();
        return;
      }
      file = probe_file(*head, bin.bytes);
    }
    const std::size_t count = file.section_count();
    std::vector<probe_map> maps(count);
    const std::vector<probe_hint> hints = hints_of(bin, count);
    const probe_evidence evidence{hints.data(), hints.size(), trace_.writer, trace_.is_hip};
    bin.layout = resolve_probe_maps(file, evidence, maps.data());
    if (bin.layout.status != probe_status::ok) {
      bin.damage = layout_fault(bin.layout.status, bin);
      return;
    }
    const probe_tool assume = tool_of(bin);
    bin.maps.reserve(count);
    for (probe_map& place : maps) {
      auto shape = shape_of(trace_.description, place, count, assume);
      if (!bin.damage && (place.flags & (probe_truncated | probe_bad_offset)) != 0)
        bin.damage = region_fault(bin, place, *shape);
      bin.maps.push_back({place, std::move(shape)});
    }
    share_shapes(bin);
    if (bin.maps.empty()) warn(bin.name + ": the file has no maps");
    if (bin.layout.no_records) warn(bin.name + ": a grid or a block of nothing, so there are no records");
    if (bin.layout.trailing_bytes != 0)
      warn(bin.name + ": " + counted(bin.layout.trailing_bytes, "byte follows", "bytes follow") + " the last map");
  }

  static fault region_fault(const probe_bin& bin, const probe_map& place, const probe_shape& shape) {
    if ((place.flags & probe_bad_offset) != 0)
      return {fault_code::damaged, "the offset of map " + shape.name + " lies outside the records", bin.path,
              32 + 16 * std::uint64_t{place.index} + 8, "the other maps are used"};
    const std::uint64_t missing = place.bytes - place.present_bytes;
    return {fault_code::damaged,
            "the file ends inside map " + shape.name + ": " +
                (place.bytes == ~std::uint64_t{0} ? "nearly everything" : std::to_string(missing) + " bytes") +
                " of it are missing",
            bin.path, bin.bytes, "copy the file again; whole records before the cut are used"};
  }

  // Thousands of files have the same few shapes.
  void share_shapes(probe_bin& bin) {
    for (probe_bin_map& map : bin.maps) {
      for (const auto& known : shapes_) {
        if (known->name == map.shape->name && known->record_bytes == map.shape->record_bytes &&
            known->fields.size() == map.shape->fields.size() && known->clock == map.shape->clock) {
          map.shape = known;
          break;
        }
      }
      if (shapes_.size() < 16 &&
          (shapes_.empty() || std::find(shapes_.begin(), shapes_.end(), map.shape) == shapes_.end()))
        shapes_.push_back(map.shape);
    }
  }

  [[nodiscard]] const probe_kernel* kernel_of(const probe_bin& bin) const {
    if (bin.kernel >= 0) return &trace_.kernels[static_cast<std::size_t>(bin.kernel)];
    if (trace_.kernels.size() == 1) return &trace_.kernels.front();
    return nullptr;
  }

  // One probe serves all kernels: what their descriptions agree on holds for a file whose launch the log lost.
  [[nodiscard]] probe_level common_level(std::size_t map, std::size_t count) const {
    probe_level common = probe_level::unknown;
    for (const probe_kernel& kernel : trace_.kernels) {
      if (!kernel.info || kernel.info->maps.size() != count) continue;
      const probe_level level = kernel.info->maps[map].first;
      if (common != probe_level::unknown && level != common) return probe_level::unknown;
      common = level;
    }
    return common;
  }

  // Level by kernel.info, else the log, else probe.toml.
  [[nodiscard]] std::vector<probe_hint> hints_of(const probe_bin& bin, std::size_t count) const {
    std::vector<probe_hint> hints(count);
    const auto& described = trace_.description.maps;
    for (std::size_t i = 0; i < count && i < described.size(); ++i) {
      hints[i].level = described[i].level;
      hints[i].record_bytes = described[i].record_bytes;
    }
    if (bin.launch >= 0) {
      const probe_launch& launch = trace_.launches[static_cast<std::size_t>(bin.launch)];
      for (std::size_t i = 0; launch.maps.size() == count && i < count; ++i) {
        const probe_logged_map& logged = launch.maps[i];
        hints[i].level = logged.level;
        hints[i].logged = logged.lane_bytes >= 0;
        hints[i].logged_lanes = logged.lanes;
        hints[i].logged_lane_bytes = logged.lane_bytes < 0 ? 0 : static_cast<std::uint64_t>(logged.lane_bytes);
        hints[i].logged_bytes = logged.bytes;
      }
    }
    const probe_kernel* kernel = kernel_of(bin);
    if (kernel != nullptr && kernel->info && kernel->info->maps.size() == count) {
      for (std::size_t i = 0; i < count; ++i)
        if (kernel->info->maps[i].first != probe_level::unknown) hints[i].level = kernel->info->maps[i].first;
    } else if (bin.launch < 0) {
      for (std::size_t i = 0; i < count; ++i)
        if (hints[i].level == probe_level::unknown) hints[i].level = common_level(i, count);
    }
    return hints;
  }

  // Which tool wrote records that nothing describes: as the caller says, else by the name of the kernel's hook.
  [[nodiscard]] probe_tool tool_of(const probe_bin& bin) const {
    if (options_.assume != probe_tool::none) return options_.assume;
    const probe_kernel* kernel = kernel_of(bin);
    if (kernel == nullptr || !kernel->info) return probe_tool::none;
    const std::string& hook = kernel->info->hook;
    const std::string_view name = last_part_of(hook);
    for (const probe_tool tool : {probe_tool::block_sched, probe_tool::gmem_bytes, probe_tool::tensorop,
                                  probe_tool::program_progress, probe_tool::dmat})
      if (name.find(probe_tool_name(tool)) != std::string_view::npos) return tool;
    return probe_tool::none;
  }

  void find_start() {
    for (const probe_bin& bin : trace_.bins) {
      if (bin.launch < 0 || !bin.elapsed_us) continue;
      const auto& time = trace_.launches[static_cast<std::size_t>(bin.launch)].time_ns;
      if (!time) continue;
      const std::int64_t start = *time - *bin.elapsed_us * 1000;
      if (!trace_.start_unix_ns || start > *trace_.start_unix_ns) trace_.start_unix_ns = start;
    }
  }

  probe_trace& trace_;
  const probe_trace_options& options_;
  progress_meter meter_;
  trace_folder_name name_;
  std::string log_path_, toml_path_;
  std::vector<found_folder> kernel_folders_;
  std::vector<std::shared_ptr<const probe_shape>> shapes_;
  bool old_tags_ = false, new_tags_ = false, has_bin_lines_ = false, has_binmap_ = false;
};

result<std::shared_ptr<const probe_trace>> probe_trace::open(const std::string& path,
                                                             const probe_trace_options& options) {
  return contained([&]() -> result<std::shared_ptr<const probe_trace>> {
    auto trace = std::make_shared<probe_trace>();
    if (result<void> read = probe_trace_reader(*trace, options).run(path); !read) return std::move(read).error();
    return std::shared_ptr<const probe_trace>(std::move(trace));
  });
}

result<held_bytes> probe_trace::hold(std::size_t bin) const {
  return contained([&]() -> result<held_bytes> {
    if (bin >= bins.size())
      return fault{fault_code::invalid_argument,
                   "record file " + std::to_string(bin) + " of " + std::to_string(bins.size()), path, no_offset, ""};
    auto opened = open_plain_file_source(bins[bin].path, io_);
    if (!opened) return std::move(opened).error();
    return hold_bytes(std::move(*opened), bounds_);
  });
}

const fault* probe_trace::first_damage() const noexcept {
  if (log.damage) return &*log.damage;
  for (const probe_bin& bin : bins)
    if (bin.damage) return &*bin.damage;
  return description.damage ? &*description.damage : nullptr;
}

bool probe_trace::anything_intact() const noexcept {
  if (log.lines != 0 || (description.present && !description.damage)) return true;
  return std::any_of(bins.begin(), bins.end(), [](const probe_bin& b) { return b.has_header; });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

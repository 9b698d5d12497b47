#include "instances.hpp"

#include <formats/xspace/event_collectives.hpp>
#include <profkit/core/activity.hpp>
#include <profkit/core/text.hpp>

#include "trace/filters/select.hpp"
#include "trace/stats.hpp"
#include "base/affix.hpp"
#include "base/collective_names.hpp"
#include "base/communication_kernels.hpp"
#include "base/hash_map.hpp"
#include "base/merged_losses.hpp"
#include "base/progress.hpp"
#include "formats/xspace/line_time.hpp"
#include "formats/xspace/plane_node.hpp"
#include "formats/xspace/xspace_index.hpp"

#include <profkit/time.hpp>

#include <algorithm>
#include <charconv>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::int64_t plane_ids_per_node = 64;   // in the plane ids of a merge
constexpr std::int64_t first_rocm_id = 100;  // plane ids of ROCm's merge script start here
constexpr std::int64_t first_host_id = 10000;     // and those of hosts here
constexpr std::string_view any_host = "localhost";  // what a host calls itself that has no name

// Which lines hold executions of operations, each once.
bool is_of_interest(const line_index& line) noexcept {
  return line.kind == line_kind::stream || line.kind == line_kind::ops || line.kind == line_kind::async ||
         line.kind == line_kind::other;
}

// The last digits of the group, in the name that HCCL gives an operation: "123" of "hcom_allReduce__123_7_1". Its
// number in the group and another number follow.
std::string_view hccl_group_of(std::string_view kernel) noexcept {
  const std::size_t at = kernel.find("__");
  return at == std::string_view::npos ? std::string_view() : kernel.substr(at + 2, kernel.find('_', at + 2) - at - 2);
}

class finder {
 public:
  finder(const trace_list& traces, const hooks& host) : traces_(traces), host_(host) {}

  result<collective_instances> find() {
    for (const auto& trace : traces_)
      if (const auto origin = trace == nullptr ? std::nullopt : trace->files().origin_unix_ns())
        if (!found_.origin_unix_ns || *origin < *found_.origin_unix_ns) found_.origin_unix_ns = origin;
    for (std::uint32_t t = 0; t < traces_.size(); ++t)
      if (traces_[t] != nullptr)
        if (result<void> read = read_trace(t); !read) return std::move(read).error();
    return number_nodes();
  }

  result<collective_instances> find_ranks(const activity& of) {
    auto read = read_devices(of, 0, 0, [&](const activity_device& device) {
      return device.rank < 0 ? std::nullopt : std::optional(place_of(of, device, 0));
    });
    if (!read) return std::move(read).error();
    return number_nodes();
  }

 private:
  struct node_key {
    std::uint32_t trace;  // of nodes that no plane distinguishes
    std::int64_t file;
    std::int64_t id;
    bool explicit_id;
    bool operator<(const node_key& o) const noexcept {
      if (explicit_id != o.explicit_id) return explicit_id < o.explicit_id;
      if (explicit_id) return id < o.id;
      return std::tie(trace, file, id) < std::tie(o.trace, o.file, o.id);
    }
  };

  result<void> read_trace(std::uint32_t t) {
    const profile& p = traces_[t]->files();
    progress_meter progress(host_);
    std::int64_t shift_ps = 0;
    if (found_.origin_unix_ns && p.origin_unix_ns()) {
      const auto ns = checked_sub(*p.origin_unix_ns(), *found_.origin_unix_ns);
      const auto ps = ns ? checked_mul(*ns, ps_per_ns) : std::nullopt;
      if (!ps) {
        note(t, {fault_code::damaged, "this trace lies more than 106 days from the first one", p.what().path, no_offset,
                 "were these captured in one run?"});
        return {};
      }
      shift_ps = *ps;
    }
    if (traces_[t]->has_traces())
      if (result<void> read = read_ranks(t, shift_ps); !read) return read;
    for (std::size_t file = 0; file < p.file_count(); ++file) {
      if (const fault* why = p.file_fault(file)) note(t, *why);
      const xspace_index* const space = p.xspace(file);
      const fault* const cut = p.file_fault(file);
      // Ids of 100 and more alone are those of ROCm's merge script.
      bool rocm_ids = true;
      for (const plane_index& plane : space->planes)
        if (plane.kind == plane_kind::device && plane.id < first_rocm_id) rocm_ids = false;
      groups_.emplace(*space);
      programs_.reset();
      known_groups_.clear();
      placed_.clear();
      texts_.clear();
      const std::size_t before = found_.all.size();
      for (const plane_index& plane : space->planes) {
        if (plane.kind != plane_kind::device) continue;
        const std::optional<std::int64_t> node = profkit::node_of(plane);
        node_key key{t, static_cast<std::int64_t>(file), 0, false};
        std::int32_t device = plane.device >= 0 ? plane.device : static_cast<std::int32_t>(plane.id);
        if (node) {
          key = {0, 0, *node, true};
          device = static_cast<std::int32_t>(device % plane_ids_per_node);
        } else if (plane.id >= first_host_id) {
          continue;  // a host that a merge shows as a device
        } else if (rocm_ids) {
          key.id = (plane.id - first_rocm_id) / plane_ids_per_node;
          device = static_cast<std::int32_t>((plane.id - first_rocm_id) % plane_ids_per_node);
        } else if (plane.id >= plane_ids_per_node) {
          key.id = plane.id / plane_ids_per_node;
          device = static_cast<std::int32_t>(plane.id % plane_ids_per_node);
        }
        std::string_view hostname = hostname_of(plane);
        if (hostname.empty() && !space->hostnames.empty() && !node && key.id == 0) hostname = space->hostnames.front();
        if (result<void> read = read_plane(t, p, file, plane, key, device, hostname, shift_ps, progress); !read)
          return read;
        if (cut != nullptr) note_incomplete(nodes_.at(key), cut->message);
        for (const std::string_view error : space->errors) note_error(nodes_.at(key), error);
      }
      take_text_groups(before);
    }
    return {};
  }

  // Hands the communication kernels of one rank on.
  class rank_visitor final : public kernel_visitor {
   public:
    // `groups`: of operations of this device, by name.
    rank_visitor(const activity& from, const activity_device& device, const hash_map<string_id, string_id>& groups,
                 collective_instances& into, collective_instance like, std::int64_t shift_ps)
        : from_(from), device_(device), groups_(groups), into_(into), like_(std::move(like)), shift_ps_(shift_ps) {}
    result<void> rows(const kernel_row* rows, std::size_t count) override {
      for (std::size_t i = 0; i < count; ++i) {
        const kernel_row& row = rows[i];
        if (row.kind != kernel_class::comm || (row.flags & kernel_duplicate) != 0) continue;
        const auto start = checked_add(row.start_ps, shift_ps_);
        if (!start) continue;
        collective_instance e = like_;
        e.start_ps = *start;
        e.end_ps = saturating_add(*start, row.duration_ps);
        // "allreduce" where the trace names the operation, else the kernel.
        const std::string_view operation = from_.text(row.op_type), kernel = from_.text(row.name);
        e.name = e.kind = into_.texts.intern(!collective_spelled_in(operation).empty() ? operation : kernel);
        e.stream = row.stream;
        e.source_row = row.source_row;
        e.library_kernel = is_communication(kernel);
        if (row.details > 0 && row.details <= device_.details.size()) take_group(device_.details[row.details - 1], e);
        if (device_.type == accelerator::npu) take_hccl_group(row.name, e);
        into_.all.push_back(std::move(e));
      }
      return {};
    }

   private:
    // The name and the ranks identify a group. Source and target of a send or a recv are enough.
    void take_group(const kernel_details& details, collective_instance& e) const {
      take_size(details, e);
      const bool sends = details.target_rank >= 0, receives = details.source_rank >= 0;
      const bool is_pair = sends != receives && device_.rank >= 0;
      if (details.group_size <= 0 && !is_pair) return;
      const std::string_view ranks = from_.text(details.group_ranks);
      if (details.group_size > 0) {
        e.group_devices = details.group_size;
        e.who = ranks.empty() ? participation::sub_groups : participation::own_group;
        if (device_.world_size > 0 && details.group_size >= device_.world_size) e.who = participation::everyone;
      }
      if (ranks.empty() && !is_pair) return;
      std::vector<std::int64_t> members = ranks_in(ranks);
      const bool all = static_cast<std::int64_t>(members.size()) == details.group_size &&
                       std::is_sorted(members.begin(), members.end(), std::less_equal<>());
      e.group = into_.texts.intern(std::string(from_.text(details.group_name)) + (ranks.empty() ? "" : " ") + std::string(ranks));
      e.role = into_.texts.intern(from_.text(details.group));
      e.sequence = details.group_sequence;
      e.root = details.root_rank;
      e.ranks_on_record = all;
      if ((!all && !is_pair) || device_.rank < 0) return;
      group_membership as_ranks;
      if (is_pair) {
        const std::int64_t source = sends ? device_.rank : details.source_rank, target = sends ? details.target_rank : device_.rank;
        if (source == target) return;
        as_ranks.pairs.emplace_back(source, target);
        if (!all || members.size() > 2) e.sequence = -1;  // counts what goes to all peers
        e.part = sends ? collective_part::sends : collective_part::receives;
      } else {
        // Of a group of more, those that send and receive in one kernel need not be all.
        const std::string_view kind = into_.texts.text(e.kind);
        if (members.size() > 2 && semantics_of(kind) == collective_semantics::point_to_point && collective_in(kind) != "all-to-all")
          return;
        as_ranks.groups.push_back(std::move(members));
      }
      e.members = 1 + place_of(std::move(as_ranks), e.group);
    }

    // Elements in and out, and their type.
    void take_size(const kernel_details& details, collective_instance& e) const {
      std::string size;
      const std::string_view type = from_.text(details.input_dtypes);
      const std::int64_t each_bytes = bytes_of_type(type);
      for (const auto& [name, count] : details.counters) {
        const std::string_view what = from_.text(name);
        const bool in = what == "In msg nelems", out = what == "Out msg nelems";
        if (!in && !out) continue;
        const auto elements = static_cast<std::int64_t>(std::clamp(count, 0.0, 1e15));
        size += grouped(static_cast<std::uint64_t>(elements)) + (in ? " elements in, " : " out, ");
        if (each_bytes > 0) (in ? e.message.in_bytes : e.message.out_bytes) = elements * each_bytes;
      }
      if (!size.empty()) e.size = into_.texts.intern(size + "of " + std::string(type));
      if (details.sent_bytes >= 0) e.message.in_bytes = details.sent_bytes;
      if (details.received_bytes >= 0) e.message.out_bytes = details.received_bytes;
    }

    // "[0, 4]"
    static std::vector<std::int64_t> ranks_in(std::string_view text) {
      std::vector<std::int64_t> ranks;
      for (std::size_t at = 0; at < text.size(); ++at) {
        std::int64_t rank = 0;
        const auto read = std::from_chars(text.data() + at, text.data() + text.size(), rank);
        if (read.ec != std::errc()) continue;
        ranks.push_back(rank);
        at = static_cast<std::size_t>(read.ptr - text.data());
      }
      return ranks;
    }

    std::uint32_t place_of(group_membership members, std::uint32_t group) const {
      const auto [source, target] = members.pairs.empty() ? std::pair<std::int64_t, std::int64_t>(-1, -1) : members.pairs.front();
      const auto [at, is_new] =
          placed_.try_emplace({group, source, target}, static_cast<std::uint32_t>(into_.memberships.size()));
      if (is_new) into_.memberships.push_back(std::make_shared<const group_membership>(std::move(members)));
      return at->second;
    }

    // communication.json has the whole name of the group, the operation's own name has the end of it.
    void take_hccl_group(string_id kernel, collective_instance& e) const {
      const auto named = groups_.find(kernel);
      const std::string_view group =
          named != groups_.end() ? from_.text(named->second) : hccl_group_of(from_.text(kernel));
      if (group.empty()) return;
      e.who = participation::own_group;
      e.group = into_.texts.intern(group);
      into_.groups_by_number = into_.groups_by_number || named == groups_.end();
    }

    const activity& from_;
    const activity_device& device_;
    const hash_map<string_id, string_id>& groups_;
    collective_instances& into_;
    const collective_instance like_;
    const std::int64_t shift_ps_;
    mutable std::map<std::tuple<std::uint32_t, std::int64_t, std::int64_t>, std::uint32_t> placed_;  // by group and pair
  };

  result<void> read_ranks(std::uint32_t t, std::int64_t shift_ps) {
    result<std::shared_ptr<const activity>> read = traces_[t]->all_activity(host_);
    if (!read) return std::move(read).error();
    const activity& found = **read;
    const profile& p = traces_[t]->files();
    const auto is_of_trace = [&](std::uint32_t file) { return is_trace(p.what().files[file]); };
    for (const activity_input& input : found.inputs()) {
      if (!input.damage || !is_of_trace(input.file)) continue;
      fault why = *input.damage;
      if (why.path.empty()) why.path = p.what().files[input.file].path;
      note(t, std::move(why));
    }
    return read_devices(found, t, shift_ps, [&](const activity_device& device) -> std::optional<place> {
      if (!is_of_trace(device.file)) return std::nullopt;
      const capture_file& file = p.what().files[device.file];
      place at = place_of(found, device, t);
      if (file.node >= 0) at.key = {0, 0, file.node, true};
      if (at.hostname.empty()) at.hostname = file.host;
      return at;
    });
  }

  struct place {
    node_key key;
    std::string_view hostname;
  };
  static place place_of(const activity& found, const activity_device& device, std::uint32_t t) {
    place at{{t, static_cast<std::int64_t>(device.file), 0, false}, {}};
    if (device.host_group < found.hosts().size()) at.hostname = found.hosts()[device.host_group].hostname;
    if (device.rank >= 0) at.key = {0, 0, device.rank, true};
    return at;
  }

  // Of devices that `where` has a place for.
  template <class Where>
  result<void> read_devices(const activity& found, std::uint32_t t, std::int64_t shift_ps, const Where& where) {
    hash_map<std::uint32_t, std::string> incomplete;  // why files lack events
    for (const activity_input& input : found.inputs())
      if (std::string why = input.damage ? input.damage->message : input.lacks_events; !why.empty())
        incomplete.try_emplace(input.file, std::move(why));
    std::vector<hash_map<string_id, string_id>> groups(found.devices().size());
    for (const communication_row& row : found.communication())
      if (row.group != 0 && row.device < groups.size()) groups[row.device].emplace(row.op, row.group);
    hash_map<std::uint32_t, std::int32_t> devices_of_node;
    for (std::size_t d = 0; d < found.devices().size(); ++d) {
      const activity_device& device = found.devices()[d];
      const std::optional<place> at = where(device);
      if (!at) continue;
      collective_instance like;
      like.node = node_of(at->key, t, device.file, at->hostname);
      if (const auto why = incomplete.find(device.file); why != incomplete.end()) note_incomplete(like.node, why->second);
      like.device = devices_of_node[like.node]++;
      like.activity_device = static_cast<std::uint32_t>(d);
      found_.rank_is_twice = found_.rank_is_twice || (device.rank >= 0 && found_.nodes[like.node].file != device.file);
      found_.nodes[like.node].rank = device.rank;
      found_.world_size = std::max<std::int64_t>(found_.world_size, device.world_size);
      found_.has_ranks = found_.has_ranks || device.rank >= 0;
      all_lanes_.insert({like.node, like.device});
      const std::size_t before = found_.all.size();
      rank_visitor visitor(found, device, groups[d], found_, like, shift_ps);
      if (result<void> visited = found.visit_kernels(d, visitor, host_); !visited) return visited;
      found_.nodes[like.node].collectives += found_.all.size() - before;
      if (found_.all.size() != before) devices_[like.node].insert(like.device);
    }
    return {};
  }

  std::uint32_t node_of(const node_key& key, std::uint32_t trace, std::uint32_t file, std::string_view hostname) {
    const auto [at, is_new] = nodes_.try_emplace(key, static_cast<std::uint32_t>(found_.nodes.size()));
    if (is_new) {
      collective_node& node = found_.nodes.emplace_back();
      node.id = key.id;
      node.trace = trace;
      node.file = file;
    }
    collective_node& node = found_.nodes[at->second];
    if (node.hostname.empty()) node.hostname = std::string(hostname);
    return at->second;
  }

  // What is known of an event by its metadata id.
  struct event_kind {
    std::string_view name;  // instruction or kernel; "" when the name alone says nothing
    bool collective = false, library_kernel = false;
    std::uint32_t text = 0;
  };

  result<void> read_plane(std::uint32_t t, const profile& p, std::size_t file, const plane_index& plane,
                          const node_key& key, std::int32_t device, std::string_view hostname, std::int64_t shift_ps,
                          progress_meter& progress) {
    const std::uint32_t node = node_of(key, t, static_cast<std::uint32_t>(file), hostname);
    const std::vector<std::int64_t> op_ids = stat_ids(plane, "hlo_op"), module_ids = stat_ids(plane, "hlo_module"),
                                    correlation_ids = stat_ids(plane, "correlation_id"),
                                    run_ids = stat_ids(plane, "run_id"), program_ids = stat_ids(plane, "program_id"),
                                    byte_ids = stat_ids(plane, "bytes_transferred");
    all_lanes_.insert({node, device});
    const bool has_async = std::any_of(plane.lines.begin(), plane.lines.end(),
                                       [](const line_index& line) { return line.kind == line_kind::async; });
    hash_map<std::int64_t, event_kind> kinds;
    event_collectives instructions;
    if (!op_ids.empty()) {
      if (!programs_) programs_ = std::make_shared<const program_collectives>(*p.xspace(file));
      instructions = event_collectives(plane, programs_, end_of(p.bytes(file)));
    }
    const std::size_t before = found_.all.size();
    for (const line_index& line : plane.lines) {
      if (!is_of_interest(line)) continue;
      const line_clock clock(p, file, line, complete_header(line));
      open_starts_.clear();
      const auto add = [&](const event_row& row) {
        const auto [at, is_new] = kinds.try_emplace(row.metadata_id);
        if (is_new) at->second = kind_of(plane, row.metadata_id);
        const event_kind& kind = at->second;
        std::string_view op;
        if (const auto stat = find_stat(row, op_ids)) op = text_value(plane, *stat);
        const std::string_view opcode = instructions.of(row.stats, row.stats_bytes);
        if (!kind.collective && opcode.empty()) return;
        const auto start = clock.start_of(row);
        const auto placed = start ? checked_add(*start, shift_ps) : std::nullopt;
        if (!placed) return;
        collective_instance e;
        e.node = node;
        e.device = device;
        e.start_ps = *placed;
        e.end_ps = saturating_add(*placed, std::max<std::int64_t>(row.duration_ps, 0));
        e.name = found_.texts.intern(op.empty() ? kind.name : op);
        e.kind = found_.texts.intern(opcode.empty() ? kind.name : opcode);
        e.library_kernel = kind.library_kernel;
        if (const auto stat = find_stat(row, module_ids)) e.module = found_.texts.intern(text_value(plane, *stat));
        if (const auto stat = find_stat(row, correlation_ids)) e.correlation_id = integer_value(*stat).value_or(-1);
        if (const auto stat = find_stat(row, run_ids)) e.run_id = integer_value(*stat);
        const auto program = find_stat(row, program_ids);
        take_groups(program ? integer_value(*program) : std::nullopt, plane, row.metadata_id, e);
        e.stream = static_cast<std::uint32_t>(&line - plane.lines.data());
        if (const auto stat = find_stat(row, byte_ids))
          if (const auto bytes = integer_value(*stat); bytes && *bytes >= 0)
            e.size = found_.texts.intern(grouped(static_cast<std::uint64_t>(*bytes)) + " bytes");
        // A line of instructions shows the two ends of an asynchronous one; the async line shows it whole.
        if (line.kind == line_kind::ops && op.empty() && add_half(e, kind, has_async)) return;
        found_.all.push_back(std::move(e));
      };
      result<void> going;
      const line_end end = for_each_batch(line, [&](const event_row* rows, std::size_t count, std::uint64_t offset) {
        going = progress.step(line.offset + offset);
        if (going) std::for_each(rows, rows + count, add);
        return going.ok();
      });
      if (!going) return going;
      if (end.damaged) {
        note(t, {fault_code::damaged, "an event breaks the protobuf format", p.what().files[file].path,
                 line.offset + end.damage_offset, "the rest of this line is not counted"});
        note_incomplete(node, "an event breaks the protobuf format");
      }
    }
    collective_node& here = found_.nodes[node];
    here.collectives += found_.all.size() - before;
    if (found_.all.size() != before) devices_[node].insert(device);
    return {};
  }

  void take_groups(std::optional<std::int64_t> program_id, const plane_index& plane, std::int64_t metadata_id,
                   collective_instance& e) {
    const auto [at, is_new] = known_groups_.try_emplace({program_id.value_or(0), e.module, e.name});
    if (is_new) {
      at->second = groups_->find(program_id, found_.texts.text(e.module), found_.texts.text(e.name));
      if (at->second.who == participation::unknown)
        if (const auto text = recorded_text(plane, metadata_id, collective_of(found_.texts.text(e.kind))))
          texts_.try_emplace({e.module, e.name}, *text);
    }
    e.who = at->second.who;
    e.group_devices = e.program_devices = at->second.devices;
    e.message = at->second.message;
    if (at->second.members != nullptr) e.members = 1 + place_of(at->second.members);
  }

  std::uint32_t place_of(const std::shared_ptr<const group_membership>& members) {
    const auto [at, is_new] = placed_.try_emplace(members.get(), static_cast<std::uint32_t>(found_.memberships.size()));
    if (is_new) found_.memberships.push_back(members);
    return at->second;
  }

  // The name of an operation is its text, or a stat of it has that.
  static std::optional<text_groups> recorded_text(const plane_index& plane, std::int64_t metadata_id,
                                                  std::string_view opcode) {
    const metadata_entry entry = plane.event_metadata.find(metadata_id);
    if (!entry) return std::nullopt;
    const event_metadata_view metadata(entry.bytes);
    if (auto found = groups_in_text(metadata.name(), opcode)) return found;
    for (const stat_view stat : metadata.stats())
      if (auto found = groups_in_text(text_value(plane, stat), opcode)) return found;
    return std::nullopt;
  }

  // How many devices a program has is known when all of its texts are.
  void take_text_groups(std::size_t from) {
    if (texts_.empty()) return;
    hash_map<std::uint32_t, program_extent> programs;  // by module
    for (const auto& [at, groups] : texts_) programs[at.first].add(groups);
    for (std::size_t i = from; i < found_.all.size(); ++i) {
      collective_instance& e = found_.all[i];
      const auto text = e.who == participation::unknown ? texts_.find({e.module, e.name}) : texts_.end();
      if (text == texts_.end()) continue;
      const recorded_groups::answer answer = programs[e.module].answer_of(text->second);
      e.who = answer.who;
      e.group_devices = e.program_devices = answer.devices;
    }
  }

  // True when the event is one end of an asynchronous operation and was dealt with here.
  bool add_half(const collective_instance& e, const event_kind& kind, bool has_async) {
    const async_role role = role_of(kind.name);
    if (role == async_role::none) return false;
    if (has_async) return true;
    const std::string_view operation = operation_of(kind.name), number = operation_number_of(kind.name);
    const auto is_its = [&](const open_start& s) { return s.operation == operation; };
    const auto has_its_number = [&](const open_start& s) { return is_its(s) && s.number == number; };
    auto open = std::find_if(open_starts_.begin(), open_starts_.end(), has_its_number);
    if (role == async_role::start) {
      if (open != open_starts_.end()) open_starts_.erase(open);  // it never ended
      open_starts_.push_back({operation, number, found_.all.size()});
      return false;
    }
    if (open == open_starts_.end()) open = std::find_if(open_starts_.begin(), open_starts_.end(), is_its);
    if (open == open_starts_.end()) return true;
    collective_instance& begun = found_.all[open->at];
    begun.end_ps = std::max(begun.end_ps, e.end_ps);
    open_starts_.erase(open);
    return true;
  }

  event_kind kind_of(const plane_index& plane, std::int64_t metadata_id) {
    event_kind kind;
    const std::string_view name = plane.event_name(metadata_id);
    const std::string_view display = plane.event_display_name(metadata_id);
    kind.name = name;
    const std::string_view instruction = instruction_name(display.empty() ? name : display);
    kind.library_kernel = collective_of(instruction_name(name)).empty() && is_communication(name);
    if (!collective_of(instruction).empty()) {
      kind.collective = true;
      kind.name = instruction;
    } else {
      kind.collective = kind.library_kernel;
    }
    return kind;
  }

  // Ids: what planes say counts; traces that say nothing are numbered by their place, beside those.
  collective_instances number_nodes() {
    const bool several = nodes_.size() > 1;
    std::set<std::int64_t> taken;
    struct numbered {
      std::int64_t number = 0;
      std::size_t nodes = 0;
    };
    std::map<std::pair<std::uint32_t, std::int64_t>, numbered> files;
    for (const auto& [key, node] : nodes_) {
      if (key.explicit_id) {
        taken.insert(key.id);
        continue;
      }
      numbered file{static_cast<std::int64_t>(files.size()), 0};
      ++files.try_emplace({key.trace, key.file}, file).first->second.nodes;
    }
    for (const auto& entry : nodes_) {
      const node_key& key = entry.first;
      const std::uint32_t node = entry.second;
      if (key.explicit_id || !several) continue;
      const numbered& file = files[{key.trace, key.file}];
      std::int64_t id = file.nodes == 1 && files.size() > 1 ? file.number : key.id;
      while (taken.count(id) != 0) ++id;
      taken.insert(id);
      found_.nodes[node].id = id;
    }
    for (const auto& [node, devices] : devices_)
      found_.nodes[node].devices = static_cast<std::uint32_t>(devices.size());
    // By id.
    std::vector<std::uint32_t> order(found_.nodes.size()), place_of(found_.nodes.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                 [&](std::uint32_t a, std::uint32_t b) { return found_.nodes[a].id < found_.nodes[b].id; });
    std::vector<collective_node> sorted;
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      place_of[order[i]] = i;
      sorted.push_back(std::move(found_.nodes[order[i]]));
    }
    found_.nodes = std::move(sorted);
    for (collective_instance& e : found_.all) e.node = place_of[e.node];
    number_clocks();
    number_lanes(place_of);
    form_communicators(found_);
    settle_groups();
    return std::move(found_);
  }

  void number_lanes(const std::vector<std::uint32_t>& place_of) {
    std::map<std::pair<std::uint32_t, std::int32_t>, std::uint32_t> lanes;
    for (const auto& [node, device] : all_lanes_) lanes.emplace(std::pair(place_of[node], device), 0);
    for (auto& [at, lane] : lanes) {
      lane = static_cast<std::uint32_t>(found_.lanes.size());
      found_.lanes.push_back({at.first, at.second});
    }
    for (collective_instance& e : found_.all) e.lane = lanes[{e.node, e.device}];
  }

  // A host has one wall clock.
  void number_clocks() {
    std::map<std::string_view, std::uint32_t> of_host;
    for (collective_node& node : found_.nodes) {
      node.clock = found_.clocks;
      if (!node.hostname.empty() && !starts_with(node.hostname, any_host))
        node.clock = of_host.try_emplace(node.hostname, found_.clocks).first->second;
      if (node.clock == found_.clocks) ++found_.clocks;
    }
  }

  // A program of fewer devices than are compared runs more than once at a time: its everyone is not everyone here.
  // Where a node ran it on as many devices as it has, no device of another node is in it.
  void settle_groups() {
    std::int64_t devices = 0;
    for (const collective_node& node : found_.nodes) devices += node.devices;
    using operation = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // node, module, name
    std::map<operation, std::set<std::int32_t>> ran_on;
    for (const collective_instance& e : found_.all)
      if (e.program_devices > 0 && e.program_devices < devices) ran_on[{e.node, e.module, e.name}].insert(e.device);
    for (collective_instance& e : found_.all) {
      if (e.communicator != 0) continue;
      if (e.program_devices > 0 && e.program_devices < devices &&
          static_cast<std::int64_t>(ran_on[{e.node, e.module, e.name}].size()) >= e.program_devices)
        e.who = participation::within_node;
      if (e.who == participation::everyone && e.group_devices < devices)
        e.who = e.group != 0 ? participation::own_group : participation::sub_groups;
      // A kernel that sends and receives may do so for another pair each time.
      if (e.who == participation::own_group && semantics_of(found_.texts.text(e.kind)) != collective_semantics::barrier)
        e.who = participation::sub_groups;
      if (e.who != participation::own_group) e.group = 0;
    }
  }

  // The first that is known of a node.
  void note_incomplete(std::uint32_t node, std::string_view why) {
    std::string& known = found_.nodes[node].incomplete;
    if (known.empty()) known = why;
  }
  // What a recorder reports, it lost; in a merged trace each such text names its node.
  void note_error(std::uint32_t node, std::string_view error) {
    const auto said = text_of_node(error);
    if (said && said->first != found_.nodes[node].id) return;
    if (is_merged_loss(error))
      note_incomplete(node, loss_of(error));
    else
      note_incomplete(node, reported_by_recorder + std::string(said ? said->second : error));
  }

  void note(std::uint32_t trace, fault why) {
    for (const file_damage& known : found_.damage)
      if (known.file == trace) return;
    found_.damage.push_back({trace, std::move(why)});
  }

  const trace_list& traces_;
  const hooks& host_;
  collective_instances found_;
  std::map<node_key, std::uint32_t> nodes_;
  std::map<std::uint32_t, std::set<std::int32_t>> devices_;
  // Of the line that is read, in the order of the file.
  struct open_start {
    std::string_view operation, number;  // "all-reduce", ".3" of "all-reduce-start.3"
    std::size_t at = 0;                  // in found_.all
  };
  std::vector<open_start> open_starts_;
  // Of the file that is being read; by program, module and instruction.
  std::optional<recorded_groups> groups_;
  std::shared_ptr<const program_collectives> programs_;
  std::map<std::tuple<std::int64_t, std::uint32_t, std::uint32_t>, recorded_groups::answer> known_groups_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, text_groups> texts_;  // by module and name
  hash_map<const group_membership*, std::uint32_t> placed_;  // in memberships
  std::set<std::pair<std::uint32_t, std::int32_t>> all_lanes_;  // node and device, also those without collectives
};

}  // namespace

collective_member member_of(const collective_instance& e) {
  collective_member m;
  m.node = e.node;
  m.device = e.device;
  m.start_ps = e.start_ps;
  m.end_ps = e.end_ps;
  m.correlation_id = e.correlation_id;
  m.run_id = e.run_id;
  m.activity_device = e.activity_device;
  m.source_row = e.source_row;
  return m;
}

std::uint32_t clock_shown_by(const validation_result& matched, std::uint32_t node) noexcept {
  return matched.clocks < 2 ? node : matched.nodes[node].clock;
}

std::string_view collective_in(std::string_view name) {
  const std::string_view opcode = collective_of(instruction_name(name));
  return opcode.empty() ? collective_spelled_in(name) : opcode;
}

collective_semantics semantics_of(std::string_view name) noexcept {
  const std::string_view opcode = collective_of(instruction_name(name));
  if (opcode == "send" || opcode == "recv" || opcode == "collective-permute")
    return collective_semantics::point_to_point;
  if (opcode == "collective-broadcast") return collective_semantics::from_one;
  if (!opcode.empty()) return collective_semantics::barrier;
  // Kernels: ncclDevKernel_Broadcast_RING_LL, ncclKernel_SendRecv, ncclDevKernel_Reduce_Sum_f32_RING_LL.
  // PyTorch: allreduce, _allgather_base, all_to_allv. An all-to-all of unequal shares may leave pairs out.
  const std::string text = squeezed(name);
  if (contains(text, "alltoallv") || contains(text, "send") || contains(text, "recv"))
    return collective_semantics::point_to_point;
  if (contains(text, "broadcast") || (contains(text, "scatter") && !contains(text, "reducescatter")))
    return collective_semantics::from_one;
  if ((contains(text, "reduce") && !contains(text, "allreduce") && !contains(text, "reducescatter")) ||
      (contains(text, "gather") && !contains(text, "allgather")))
    return collective_semantics::to_one;
  return collective_semantics::barrier;
}

result<collective_instances> find_collectives(const trace_list& traces, const hooks& host) {
  return finder(traces, host).find();
}

result<collective_instances> find_collectives_of_ranks(const activity& of, const hooks& host) {
  const trace_list none;
  return finder(none, host).find_ranks(of);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

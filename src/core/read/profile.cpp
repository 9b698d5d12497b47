// profile: every file of a capture held, XSpace files indexed, origins found and files put on one clock.
#include <profkit/core/chrome.hpp>
#include <profkit/core/format.hpp>
#include <profkit/core/probe_trace.hpp>
#include <profkit/core/profile.hpp>
#include <profkit/core/recording.hpp>
#include <profkit/time.hpp>

#include <base/affix.hpp>
#include <base/contained.hpp>
#include <base/paths.hpp>
#include <formats/activity_input.hpp>
#include <formats/ascend/unparsed.hpp>
#include <formats/chrome/node_sections.hpp>
#include <formats/foreign/foreign_format.hpp>
#include <formats/recording/recording.hpp>
#include <formats/registry.hpp>
#include <formats/xspace/line_time.hpp>
#include <formats/xspace/xspace_index.hpp>
#include <formats/xspace/xspace_stream.hpp>
#include <read/detect.hpp>
#include <read/opened_capture.hpp>
#include <read/redacted_capture.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <iterator>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// One file. XSpace files and traces with a clock are held from the start; others when they are first asked
// for, because an export beside an XSpace can be larger than it and most queries never look at it.
struct held_file {
  std::once_flag once;
  std::atomic<bool> loaded{false};
  held_bytes held;
  std::optional<fault> broken;
  std::optional<xspace_index> xspace;
  std::shared_ptr<const probe_trace> neutrino;
  std::unique_ptr<const recording> recorded;
  std::string allocation_bytes;  // what `allocations` borrows
  std::optional<xspace_index> allocations;
  std::optional<std::int64_t> origin_unix_ns;
  std::optional<std::int64_t> start_unix_ns;  // before origin_unix_ns, where events are known that lie before it
  std::int64_t shift_ns = 0;

  // Of a file that is read in one pass. What the first pass kept does not change any more.
  bool streams = false;
  std::mutex passing;
  std::unique_ptr<source> waiting;  // what cannot be opened anew: a pipe, a function of the host
  std::atomic<bool> outlined{false};
  streamed_xspace outline;
  std::optional<fault> outline_fault;

  [[nodiscard]] const xspace_index* index() const noexcept {
    if (loaded || !outlined) return xspace ? &*xspace : nullptr;
    return &outline.index;
  }
  [[nodiscard]] std::optional<fault>& why_broken() noexcept { return loaded || !outlined ? broken : outline_fault; }
};

const xspace_index& no_planes() {
  static const xspace_index none;
  return none;
}

bool is_absolute(std::int64_t timestamp_ns) noexcept { return timestamp_ns >= min_unix_ns; }

// profile_start_time of the environment plane, else the least line time that is a Unix time.
std::optional<std::int64_t> find_origin(const xspace_index& xspace) noexcept {
  for (const plane_index& plane : xspace.planes) {
    if (plane.kind != plane_kind::environment) continue;
    const auto id = plane.stat_id("profile_start_time");
    if (!id) continue;
    std::optional<std::int64_t> start;
    for (const std::string_view bytes : plane.stats) {
      const stat_view stat(bytes);
      if (stat.metadata_id() != *id || !stat.ok()) continue;
      if (stat.kind() == stat_kind::uint64_value || stat.kind() == stat_kind::int64_value) start = stat.as_int64();
    }
    if (start && *start >= 0) return start;
  }
  std::optional<std::int64_t> least;
  for (const plane_index& plane : xspace.planes) {
    for (const line_index& line : plane.lines) {
      const std::int64_t at = line.header.timestamp_ns;
      if (is_absolute(at) && (!least || at < *least)) least = at;
    }
  }
  return least;
}

// ns relative to the capture origin; nothing when it lies out of reach.
std::optional<std::int64_t> relative_ns(std::optional<std::int64_t> file_origin_unix_ns, std::int64_t shift_ns,
                                        std::int64_t timestamp_ns) noexcept {
  std::int64_t own_ns = timestamp_ns;
  if (is_absolute(timestamp_ns) && file_origin_unix_ns) own_ns -= *file_origin_unix_ns;  // neither is negative
  const auto ns = checked_add(own_ns, shift_ns);
  if (!ns || *ns > max_relative_ns || *ns < -max_relative_ns) return std::nullopt;
  return ns;
}

fault out_of_reach(const std::string& path, std::string what) {
  fault f;
  f.code = fault_code::unsupported;
  f.path = path;
  f.message = std::move(what) +
              " lies more than 106 days from the origin of the capture, which int64 "
              "picoseconds cannot hold";
  f.hint = "The file may be sound: open it by itself.";
  return f;
}

// What the bytes of a host are, by its label and their beginning. A label that says nothing and bytes that no
// probe knows are read as an XSpace, which an empty or damaged one may be; false then.
bool name_family(capture_file& file, std::string_view bytes, const own_formats& own) {
  const std::string_view label(file.path);
  const detection found = detect(last_part_of(label), head_of(bytes, last_part_of(label)), own);
  file.family = is_recognised(found.family) ? found.family : file_family::xspace;
  file.why = found.why;
  file.host = found.host;
  file.own = found.own;
  return is_recognised(found.family);
}

// name_family() for a source that can rewind. If that fails, or the beginning cannot be read, nothing is recognised.
result<bool> look_ahead(capture_file& file, source& from, const own_formats& own) {
  const std::string head = read_head(from, last_part_of(file.path));
  const bool recognised = name_family(file, head, own);
  if (auto back = from.rewind(); !back) return std::move(back).error();
  return recognised;
}

// Empty files and blank text files hold no profile; a blank file of another kind may be a message that was cut.
bool holds_nothing(std::string_view path, std::string_view bytes) noexcept {
  if (bytes.empty()) return true;
  return bytes.find_first_not_of(" \t\r\n") == std::string_view::npos &&
         (ends_with(path, ".json") || ends_with(path, ".csv"));
}

fault nothing_there(std::string_view bytes) {
  return {fault_code::unrecognised, bytes.empty() ? "the file is empty" : "the file holds nothing but blanks", "", 0,
          "Fetch or export the capture again."};
}

// What is wrong where the first field is damaged already: such a file, which may be a bomb or never end, is not worth
// holding. `recognised`: it is known to be an XSpace otherwise.
std::optional<fault> damage_at_once(source& from, bool recognised) {
  const std::string head = read_head(from, {});
  if (auto other = why_another(head); other && recognised) return other;
  const char* at = head.data();
  std::uint32_t tag = 0;
  if (!head.empty() && (!read_tag(at, head.data() + head.size(), tag) || tag >> 3 == 0))
    return recognised ? index_xspace(head).damage : unrecognised(head);
  if (auto back = from.rewind(); !back) return std::move(back).error();
  return std::nullopt;
}

// Whether what was taken for an XSpace, for want of another family or by its name, is another message. Damage in a file
// that calls itself one is reported as such.
std::optional<fault> why_foreign(const xspace_index& space, bool recognised, std::string_view path) {
  if (space.damage && space.planes.empty())
    if (auto other = why_another(space.bytes)) return other;
  if (space.damage && (recognised || space.damage->code != fault_code::damaged)) return std::nullopt;
  if (space.damage && space.planes.empty()) return unrecognised(space.bytes, path);
  return why_not_xspace(space.bytes);
}

}  // namespace

struct profile::state {
  capture what;
  std::vector<std::unique_ptr<held_file>> files;
  std::optional<std::int64_t> origin_unix_ns;
  std::string hostname;  // of the one file, as given when it was opened
  bool any_streams = false;
  std::once_flag settled;
  std::array<std::vector<std::uint32_t>, static_cast<std::size_t>(file_content::recording) + 1> by_content;

  // Holds and, for an XSpace, indexes one file. `from` is null when the file has to be opened first.
  void load(std::size_t file, std::unique_ptr<source> from) noexcept {
    auto done = contained([&]() -> result<void> {
      hold(file, std::move(from));
      return {};
    });
    held_file& f = *files[file];
    if (!done) fail(f, std::string(), std::move(done).error());
    if (f.outlined && f.outline_fault) fail(f, std::string(), *f.outline_fault);
    f.loaded = true;
  }

  void hold(std::size_t file, std::unique_ptr<source> from) {
    held_file& f = *files[file];
    const std::string& path = what.files[file].path;
    // A pass that broke before its first plane has said all there is.
    if (f.outlined && f.outline_fault && f.outline.index.planes.empty()) {
      f.xspace = index_xspace({});
      return;
    }
    if (content_of(what.files[file].family) == file_content::probe_records && !from) {
      hold_trace(f, path);
      return;
    }
    if (!from) {
      auto opened = open_source_of(what, file);
      if (!opened) {
        fail(f, path, std::move(opened).error());
        return;
      }
      from = std::move(opened).value();
    }
    const file_family listed = what.files[file].family;
    if (!f.outlined && !from->span() && (has_planes(listed) || !is_recognised(listed))) {
      if (auto damage = damage_at_once(*from, has_planes(listed))) {
        f.xspace = index_xspace({});
        fail(f, path, std::move(*damage));
        return;
      }
    }
    auto held = hold_bytes(std::move(from), what.bounds, what.host);
    if (!held) {
      fail(f, path, std::move(held).error());
      return;
    }
    f.held = std::move(held).value();
    if (f.held.damage) fail(f, path, *f.held.damage);
    if (!f.held.damage && holds_nothing(path, f.held.bytes)) {
      if (!is_recognised(listed) || has_planes(listed)) f.xspace = index_xspace({});
      fail(f, path, nothing_there(f.held.bytes));
      f.held = {};
      return;
    }
    bool recognised = true;
    if (files.size() == 1 && !is_recognised(listed))
      recognised = name_family(what.files[file], f.held.bytes, what.formats);
    if (files.size() == 1 && content_of(what.files[file].family) == file_content::trace_events) {
      if (auto why = why_no_event(f.held.bytes)) {
        fail(f, path, std::move(*why));
        f.held = {};
        return;
      }
    }
    if (content_of(what.files[file].family) == file_content::recording) {
      hold_recording(f, what.files[file]);
    } else if (const auto zero_of = format_of(what.files[file].family).zero; zero_of && has_times(file)) {
      const time_zero zero = zero_of(f.held.bytes, {what.bounds, what.host});
      f.origin_unix_ns = zero.origin_unix_ns;
      f.start_unix_ns = zero.start_unix_ns;
    }
    if (!has_planes(what.files[file].family)) return;
    f.xspace = index_xspace(f.held.bytes);
    name_host(*f.xspace);
    if (auto why = why_foreign(*f.xspace, recognised, path)) {
      fail(f, path, std::move(*why));
      f.xspace = index_xspace({});
    } else if (f.xspace->damage) {
      fail(f, path, *f.xspace->damage);
    }
    if (!f.outlined) f.origin_unix_ns = find_origin(*f.xspace);
  }

  void name_host(xspace_index& space) const {
    if (!hostname.empty()) space.hostnames = {hostname};
  }

  // What is wrong with a trace when not one event can be read.
  std::optional<fault> why_no_event(std::string_view bytes) const {
    struct first_event final : chrome_visitor {
      bool found = false;
      bool event(const chrome_event&) override {
        found = true;
        return false;
      }
    } look;
    result<chrome_summary> read = read_chrome(bytes, look, {what.bounds, what.host});
    if (look.found) return std::nullopt;
    if (auto other = why_another(bytes)) return other;
    if (!read) return std::move(read).error();
    if (!read->damage && !read->has_events_key) {
      if (find_foreign_format(bytes) != nullptr) return unrecognised(bytes);
      return fault{fault_code::unrecognised, "this JSON has no list of \"traceEvents\": it is no trace", "", 0,
                   "Give the trace that the profiler wrote (*.trace.json, *.pt.trace.json, trace_view.json). `profkit info "
                   "--why FILE` says what was looked at."};
    }
    if (read->damage) return read->damage;
    return fault{fault_code::unrecognised, "the trace has no event", "", 0,
                 "The profiler recorded nothing: look at its schedule, and record again."};
  }

  // What the host's own format reads of it; up to a fault.
  void hold_recording(held_file& f, const capture_file& listed) {
    auto recorded = std::make_unique<recording>();
    if (result<void> read = listed.own->read(f.held.bytes, *recorded, what.host); !read)
      fail(f, listed.path, std::move(read).error());
    keep_recording(f, listed, std::move(recorded));
  }

  void keep_recording(held_file& f, const capture_file& listed, std::unique_ptr<const recording> recorded) {
    activity_input input = recorded->all().input;
    input.path = listed.path;
    note_rejected(input);
    if (input.damage) fail(f, listed.path, std::move(*input.damage));
    result<std::string> allocations = write_allocations(recorded->all());
    if (!allocations) fail(f, listed.path, std::move(allocations).error());
    else f.allocation_bytes = std::move(*allocations);
    if (!f.allocation_bytes.empty()) f.allocations = index_xspace(f.allocation_bytes);
    f.origin_unix_ns = recorded->all().origin_unix_ns;
    f.recorded = std::move(recorded);
  }

  // A trace folder: its record files are read when an analysis wants them.
  void hold_trace(held_file& f, const std::string& path) {
    probe_trace_options options;
    options.io = what.io;
    options.bounds = what.bounds;
    options.host = what.host;
    auto opened = probe_trace::open(path, options);
    if (!opened) {
      fail(f, path, std::move(opened).error());
      return;
    }
    f.neutrino = std::move(opened).value();
    f.origin_unix_ns = f.neutrino->start_unix_ns;
    if (const fault* damage = f.neutrino->first_damage()) fail(f, path, *damage);
  }

  // Opens a file that is to be read in one pass. One that is in memory, or will have to be, is loaded at once.
  void open_for_pass(std::size_t file, std::unique_ptr<source> from) {
    held_file& f = *files[file];
    if (from->span() || !has_planes(what.files[file].family)) {
      std::call_once(f.once, [&] { load(file, std::move(from)); });
      return;
    }
    f.streams = any_streams = true;
    f.waiting = std::move(from);
  }

  // The pass itself. Regular files are opened anew for each.
  result<void> stream(std::size_t file, stream_visitor& visitor, const hooks& host, bool again) {
    held_file& f = *files[file];
    const std::lock_guard<std::mutex> one_at_a_time(f.passing);
    std::unique_ptr<source> opened;
    if (!f.waiting) {
      // What another thread has decoded meanwhile is read from there: a pipe is gone then.
      auto anew = f.loaded ? open_buffer_source(f.held.bytes, what.files[file].path) : open_source_of(what, file);
      if (!anew) return std::move(anew).error();
      opened = std::move(anew).value();
    }
    source& from = opened ? *opened : *f.waiting;
    from.keep_for_rewind(again ? what.bounds.max_materialised_bytes : 0);
    auto done = stream_xspace(from, visitor, what.bounds, host);
    if (!done) {
      fault why = std::move(done).error();
      if (why.path.empty()) why.path = what.files[file].path;
      if (why.code == fault_code::cancelled || files.size() == 1 || f.outlined) return why;
      done = streamed_xspace();
      done->damage = std::move(why);
    }
    if (!f.outlined && !f.loaded) {
      f.outline = std::move(done).value();
      name_host(f.outline.index);
      f.outline_fault = f.outline.damage ? f.outline.damage : f.outline.index.damage;
      if (!f.outline_fault && f.outline.bytes == 0) f.outline_fault = nothing_there({});
      if ((!f.outline_fault || f.outline.is_another) && f.outline.foreign) {
        f.outline_fault = std::move(f.outline.foreign);
        f.outline.index = index_xspace({});
      }
      if (f.outline_fault && f.outline_fault->path.empty()) f.outline_fault->path = what.files[file].path;
      f.origin_unix_ns = find_origin(f.outline.index);
      f.outlined = true;
    }
    const xspace_index* const index = f.index();
    if (files.size() == 1 && f.why_broken() && (index == nullptr || index->planes.empty())) return *f.why_broken();
    return {};
  }

  // Before anything about times or faults is said: every file was looked at, and all are on one clock.
  void settle() noexcept {
    if (!any_streams) return;
    std::call_once(settled, [this] {
      for (std::size_t i = 0; i < files.size(); ++i)
        if (files[i]->streams && !files[i]->outlined) ensure(i);
      const auto done = contained([this]() -> result<void> {
        align();
        return {};
      });
      static_cast<void>(done);
    });
  }

  bool holds(std::size_t file, file_content content) const noexcept {
    return file < what.files.size() && content_of(what.files[file].family) == content;
  }

  // A trace that is not an export, and a table of kernels, have a clock of their own.
  bool has_times(std::size_t file) const noexcept {
    const capture_file& listed = what.files[file];
    return is_trace(listed) || content_of(listed.family) == file_content::probe_records;
  }

  // The first fault is the cause of those that follow.
  static void fail(held_file& f, const std::string& path, fault why) { fail(f.broken, path, std::move(why)); }
  static void fail(std::optional<fault>& broken, const std::string& path, fault why) {
    if (broken) return;
    if (why.path.empty()) why.path = path;
    broken = std::move(why);
  }

  held_file& ensure(std::size_t file) {
    held_file& f = *files[file];
    std::call_once(f.once, [&] {
      const std::lock_guard<std::mutex> no_pass(f.passing);
      load(file, std::move(f.waiting));
    });
    return f;
  }

  // Of the files whose events count, or of exports alone.
  std::optional<std::int64_t> earliest_origin(bool of_exports) const noexcept {
    std::optional<std::int64_t> earliest;
    for (std::size_t i = 0; i < files.size(); ++i)
      if (const auto& origin = files[i]->start_unix_ns ? files[i]->start_unix_ns : files[i]->origin_unix_ns;
          origin && (what.files[i].export_of >= 0) == of_exports && (!earliest || *origin < *earliest))
        earliest = origin;
    return earliest;
  }

  void align() {
    origin_unix_ns = earliest_origin(false);
    if (!origin_unix_ns) origin_unix_ns = earliest_origin(true);
    for (std::size_t i = 0; i < files.size(); ++i) {
      held_file& f = *files[i];
      if (f.origin_unix_ns) {
        const auto shift = checked_sub(*f.origin_unix_ns, *origin_unix_ns);
        if (!shift || *shift > max_relative_ns)
          fail(f.why_broken(), what.files[i].path, out_of_reach(what.files[i].path, "the start of this file"));
        else
          f.shift_ns = *shift;
      }
      const xspace_index* const index = f.index();
      if (index == nullptr) continue;
      for (const plane_index& plane : index->planes)
        for (const line_index& line : plane.lines)
          if (!relative_ns(f.origin_unix_ns, f.shift_ns, line.header.timestamp_ns))
            fail(f.why_broken(), what.files[i].path,
                 out_of_reach(what.files[i].path, "the time of line \"" + std::string(line.name()) + "\""));
    }
  }

  // A merged trace JSON becomes its nodes, in its place; what is wrong with its bytes is wrong with its last one.
  void split_nodes(std::size_t file) {
    held_file& whole = *files[file];
    if (!whole.loaded || what.redacted || content_of(what.files[file].family) != file_content::trace_events) return;
    const std::vector<node_section> sections = find_node_sections(whole.held.bytes);
    if (sections.empty()) return;
    std::vector<std::unique_ptr<held_file>> parts;
    std::vector<capture_file> listed;
    const auto zero_of = format_of(what.files[file].family).zero;
    for (const node_section& section : sections) {
      auto part = std::make_unique<held_file>();
      std::call_once(part->once, [] {});
      part->held.bytes = section.bytes;
      part->held.owner = whole.held.owner;
      if (zero_of && what.files[file].export_of < 0) {
        const time_zero zero = zero_of(section.bytes, {what.bounds, what.host});
        part->origin_unix_ns = zero.origin_unix_ns;
        part->start_unix_ns = zero.start_unix_ns;
      }
      part->loaded = true;
      parts.push_back(std::move(part));
      capture_file& of_node = listed.emplace_back(what.files[file]);
      of_node.node = section.node;
      of_node.bytes = section.bytes.size();
      of_node.host = section.hostname.empty() ? "node:" + std::to_string(section.node) : section.hostname;
    }
    parts.back()->broken = std::move(whole.broken);
    const auto more = static_cast<std::int32_t>(sections.size()) - 1;
    for (capture_file& other : what.files)
      if (other.export_of > static_cast<std::int32_t>(file)) other.export_of += more;
    const auto at = static_cast<std::ptrdiff_t>(file);
    files.erase(files.begin() + at);
    files.insert(files.begin() + at, std::make_move_iterator(parts.begin()), std::make_move_iterator(parts.end()));
    what.files.erase(what.files.begin() + at);
    what.files.insert(what.files.begin() + at, std::make_move_iterator(listed.begin()), std::make_move_iterator(listed.end()));
  }

  // Nothing that could be a profile.
  // Adds which formats the files have that are known and not read; gives what to do about the first, null where there is none.
  static const char* name_others(const std::vector<std::string>& paths, std::string& message) {
    constexpr std::size_t most = 20;  // files whose heads are read
    std::vector<std::pair<const foreign_format*, std::size_t>> known;
    for (std::size_t i = 0; i < std::min(paths.size(), most); ++i) {
      const auto facts = look_at_path(paths[i]);
      if (!facts || facts->kind != path_kind::file) continue;  // a pipe may wait
      auto opened = open_file_source(paths[i], io_mode::read);
      if (!opened) continue;
      const std::string_view name = last_part_of(paths[i]);
      const foreign_format* const is = find_foreign_format(read_head(**opened, name), name);
      const auto at = std::find_if(known.begin(), known.end(), [&](const auto& k) { return k.first == is; });
      if (at != known.end())
        ++at->second;
      else if (is != nullptr)
        known.emplace_back(is, 1);
    }
    for (const auto& [is, files] : known)
      message += (is == known.front().first ? "; not read: " : ", ") + std::string(is->name) + (files == 1 ? "" : " (" + std::to_string(files) + " files)");
    return known.empty() ? nullptr : known.front().first->next;
  }

  static fault no_capture(const capture& found) {
    if (!found.unread.empty()) return unparsed_together(found.unread, found.path);
    fault f;
    f.code = fault_code::not_found;
    f.path = found.path;
    f.message = "no profile in " + found.path;
    if (found.ignored_count == 0) {
      f.message += ": the directory holds no files that could be one";
    } else {
      constexpr std::size_t max_named = 5;
      f.message += ": " + std::to_string(found.ignored_count) +
                   (found.ignored_count == 1 ? " file" : " files") + " looked at, none recognised (";
      for (std::size_t i = 0; i < found.ignored.size() && i < max_named; ++i)
        f.message += (i == 0 ? "" : ", ") + found.ignored[i];
      f.message += found.ignored_count > max_named ? ", …)" : ")";
    }
    const char* const next = name_others(found.ignored, f.message);
    f.hint = next != nullptr
                 ? next
                 : "Give a file (*.xplane.pb, *.trace.json.gz, *.pt.trace.json, kernel_details.csv), or a folder that holds one.";
    if (found.ignored_count != 0) f.hint += " `profkit info --why FOLDER` says what was looked at.";
    return f;
  }

  // `first`: the first file, where it is open already.
  static result<std::shared_ptr<const profile>> open_all(capture found, std::unique_ptr<source> first,
                                                         const open_options& options) {
    if (found.files.empty()) return no_capture(found);
    auto s = std::make_unique<state>();
    s->what = std::move(found);
    const std::size_t count = s->what.files.size();
    for (std::size_t i = 0; i < count; ++i) s->files.push_back(std::make_unique<held_file>());
    for (std::size_t i = 0; i < count; ++i) {
      if (!has_planes(s->what.files[i].family) && !s->has_times(i) && count > 1) continue;
      if (options.access == access_mode::one_pass && has_planes(s->what.files[i].family)) {
        result<std::unique_ptr<source>> from =
            i == 0 && first ? result<std::unique_ptr<source>>(std::move(first)) : open_source_of(s->what, i);
        if (from) {
          s->open_for_pass(i, std::move(from).value());
          // Only a pipe has to stay open until it is read.
          if (s->what.stream == nullptr) s->files[i]->waiting.reset();
        }
      }
      if (s->files[i]->streams) continue;
      if (i == 0 && first) s->files[i]->waiting = std::move(first);
      const held_file& f = s->ensure(i);
      if (f.broken && f.broken->code == fault_code::cancelled) return *f.broken;
    }
    return finish(std::move(s), options);
  }

  // A file that the host hands in: listed as open_capture() would list it.
  static result<std::shared_ptr<const profile>> open_one(std::unique_ptr<source> from, std::string label,
                                                         const open_options& options) {
    capture what = capture_at(label, options);
    capture_file& handed = what.files.emplace_back();
    handed.path = std::move(label);
    handed.encoding = from->encoding();
    handed.bytes = from->encoded_bytes() == no_offset ? 0 : from->encoded_bytes();
    if (options.redact && (!options.hostname.empty() || options.rank >= 0))
      return fault{fault_code::unsupported, "what is redacted takes no name of a host and no rank", handed.path, no_offset,
                   "leave them out: hosts get aliases"};
    if (options.redact) return open_redacted(std::move(what), std::move(from), options);
    auto s = std::make_unique<state>();
    s->what = std::move(what);
    s->hostname = options.hostname;
    capture_file& listed = s->what.files.front();
    held_file& f = *s->files.emplace_back(std::make_unique<held_file>());
    if (options.access == access_mode::one_pass && !from->span()) {
      auto recognised = look_ahead(listed, *from, options.formats);
      if (!recognised) return std::move(recognised).error();
      if (*recognised) s->open_for_pass(0, std::move(from));
    }
    if (!f.streams && !f.loaded) std::call_once(f.once, [&] { s->load(0, std::move(from)); });
    if (f.broken && f.broken->code == fault_code::cancelled) return *f.broken;
    listed.given_host = options.hostname;
    listed.given_rank = options.rank;
    if (!options.hostname.empty()) listed.host = options.hostname;
    return finish(std::move(s), options);
  }

  // What a host recorded itself: files that never were on a disk.
  static result<std::shared_ptr<const profile>> open_recordings(std::vector<recorded_file> given, const open_options& options) {
    if (given.empty()) return fault{fault_code::invalid_argument, "there is no recording", "", no_offset, ""};
    if (options.redact)
      return fault{fault_code::unsupported, "a recording of the host itself cannot be redacted", given.front().label, no_offset,
                   "give it names that can be shared"};
    auto s = std::make_unique<state>();
    s->what = capture_at(given.front().label, options);
    for (recorded_file& from : given) {
      capture_file& listed = s->what.files.emplace_back();
      listed.path = std::move(from.label);
      listed.host = std::move(from.host);
      listed.family = file_family::own;
      listed.why = "recorded by the host";
      held_file& f = *s->files.emplace_back(std::make_unique<held_file>());
      std::call_once(f.once, [&] {
        s->keep_recording(f, listed, std::make_unique<const recording>(std::move(from.rows)));
        f.loaded = true;
      });
    }
    return finish(std::move(s), options);
  }

  static result<std::shared_ptr<const profile>> open_redacted(capture what, std::unique_ptr<source> from, const open_options& options) {
    from->keep_for_rewind(options.bounds.max_materialised_bytes);
    auto recognised = look_ahead(what.files.front(), *from, options.formats);
    if (!recognised) return std::move(recognised).error();
    if (auto done = redact_capture(what, std::move(from)); !done) return std::move(done).error();
    return open_all(std::move(what), nullptr, options);
  }

  static result<std::shared_ptr<const profile>> finish(std::unique_ptr<state> s, const open_options& options) {
    if (options.host_ends_with_open) s->what.host = {};
    for (std::size_t i = s->files.size(); i-- > 0;) s->split_nodes(i);
    for (std::uint32_t i = 0; i < s->files.size(); ++i)
      if (const capture_file& listed = s->what.files[i]; listed.export_of < 0)
        s->by_content[static_cast<std::size_t>(content_of(listed.family))].push_back(i);
    if (s->files.size() == 1 && s->unreadable(0)) return *s->files[0]->broken;
    if (!s->any_streams) s->align();
    return std::shared_ptr<const profile>(new profile(std::move(s)));
  }

  // Nothing at all came out of it.
  bool unreadable(std::size_t file) const noexcept {
    const held_file& f = *files[file];
    if (!f.broken) return false;
    if (f.neutrino) return !f.neutrino->anything_intact();
    if (f.recorded) return f.recorded->all().input.rows == f.recorded->all().input.rejected;
    return f.xspace ? f.xspace->planes.empty() : f.held.bytes.empty();
  }
};

profile::profile(std::unique_ptr<state> s) : state_(std::move(s)) {}
profile::~profile() = default;

result<std::shared_ptr<const profile>> profile::open(const std::string& path, const open_options& options) {
  return contained([&]() -> result<std::shared_ptr<const profile>> {
    std::unique_ptr<source> first;
    auto found = open_capture(path, options, first);
    if (!found) return std::move(found).error();
    return state::open_all(std::move(found).value(), std::move(first), options);
  });
}

result<std::shared_ptr<const profile>> profile::open_buffer(std::string_view bytes, std::string label,
                                                            const open_options& options) {
  return contained([&]() -> result<std::shared_ptr<const profile>> {
    auto from = open_buffer_source(bytes, label, options.bounds);
    if (!from) return std::move(from).error();
    return state::open_one(std::move(from).value(), std::move(label), options);
  });
}

result<std::shared_ptr<const profile>> profile::open_callbacks(const read_at_callbacks& callbacks, std::string label,
                                                               const open_options& options) {
  return contained([&]() -> result<std::shared_ptr<const profile>> {
    auto from = open_callback_source(callbacks, label, options.bounds);
    if (!from) return std::move(from).error();
    return state::open_one(std::move(from).value(), std::move(label), options);
  });
}

result<std::shared_ptr<const profile>> profile::open_recordings(std::vector<recorded_file> files, const open_options& options) {
  return contained([&] { return state::open_recordings(std::move(files), options); });
}

const capture& profile::what() const noexcept { return state_->what; }
std::size_t profile::file_count() const noexcept { return state_->files.size(); }
const std::vector<std::uint32_t>& profile::files_with(file_content held) const noexcept {
  return state_->by_content[static_cast<std::size_t>(held)];
}

std::string_view profile::bytes(std::size_t file) const noexcept {
  return file < file_count() ? state_->ensure(file).held.bytes : std::string_view();
}

const xspace_index* profile::xspace(std::size_t file) const noexcept {
  if (file >= file_count()) return &no_planes();
  held_file& f = *state_->files[file];
  if (f.streams) {
    state_->ensure(file);
    state_->settle();
  }
  return f.xspace ? &*f.xspace : &no_planes();
}

bool profile::is_any_xspace() const noexcept { return !files_with(file_content::planes).empty(); }

bool profile::is_streamed(std::size_t file) const noexcept {
  return file < file_count() && state_->files[file]->streams && !state_->files[file]->loaded;
}

bool profile::is_any_streamed() const noexcept {
  for (std::size_t file = 0; file < file_count(); ++file)
    if (is_streamed(file)) return true;
  return false;
}

std::uint64_t profile::file_bytes(std::size_t file) const noexcept {
  if (file >= file_count()) return 0;
  const held_file& f = *state_->files[file];
  const std::uint64_t listed = state_->what.files[file].bytes;
  return listed != 0 ? listed : f.loaded ? f.held.bytes.size() : f.outlined ? f.outline.bytes : 0;
}

result<void> profile::stream(std::size_t file, stream_visitor& visitor, const hooks& host, bool again) const {
  return contained([&]() -> result<void> {
    // One that another thread has loaded since the caller looked is passed through in memory.
    if (file >= file_count() || !state_->files[file]->streams)
      return fault{fault_code::invalid_argument, "the file is not streamed", "", no_offset, ""};
    return state_->stream(file, visitor, host, again);
  });
}

const xspace_index* profile::outline(std::size_t file) const noexcept {
  return is_streamed(file) && state_->files[file]->outlined ? &state_->files[file]->outline.index : xspace(file);
}

// To ask what else a file may be reads nothing of it.
const probe_trace* profile::neutrino(std::size_t file) const noexcept {
  return state_->holds(file, file_content::probe_records) ? state_->ensure(file).neutrino.get() : nullptr;
}

const recording* profile::recorded(std::size_t file) const noexcept {
  return state_->holds(file, file_content::recording) ? state_->ensure(file).recorded.get() : nullptr;
}

const xspace_index* profile::allocations(std::size_t file) const noexcept {
  if (state_->holds(file, file_content::planes)) return xspace(file);
  if (!state_->holds(file, file_content::recording)) return nullptr;
  const held_file& f = state_->ensure(file);
  return f.allocations ? &*f.allocations : nullptr;
}

const fault* profile::file_fault(std::size_t file) const noexcept {
  if (file >= file_count()) return nullptr;
  state_->settle();
  held_file& f = *state_->files[file];
  const auto& broken = f.outlined ? f.why_broken() : state_->ensure(file).broken;
  return broken ? &*broken : nullptr;
}

std::optional<std::int64_t> profile::file_origin_unix_ns(std::size_t file) const noexcept {
  state_->settle();
  return file < file_count() ? state_->files[file]->origin_unix_ns : std::nullopt;
}

std::optional<std::int64_t> profile::origin_unix_ns() const noexcept {
  state_->settle();
  return state_->origin_unix_ns;
}

std::int64_t profile::file_shift_ns(std::size_t file) const noexcept {
  state_->settle();
  return file < file_count() ? state_->files[file]->shift_ns : 0;
}

std::optional<std::int64_t> line_base_ps(const profile& p, std::size_t file, const line_index& line) noexcept {
  const auto ns = relative_ns(p.file_origin_unix_ns(file), p.file_shift_ns(file), line.header.timestamp_ns);
  return ns ? std::optional<std::int64_t>(*ns * ps_per_ns) : std::nullopt;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

// Opening anything: which files belong together, which run is meant, and what each file is.
#include <profkit/core/capture.hpp>
#include <profkit/core/discover.hpp>

#include <base/affix.hpp>
#include <base/contained.hpp>
#include <base/hash_map.hpp>
#include <base/paths.hpp>
#include <base/progress.hpp>
#include <formats/ascend_folders.hpp>
#include <formats/ascend/unparsed.hpp>
#include <formats/neutrino/neutrino_detect.hpp>
#include <formats/registry.hpp>
#include <read/detect.hpp>
#include <read/opened_capture.hpp>
#include <read/held_source.hpp>
#include <read/redacted_capture.hpp>

#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

class pending_stream {
 public:
  explicit pending_stream(std::unique_ptr<source> s) : source_(std::move(s)) {}
  std::unique_ptr<source> take() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::move(source_);
  }

 private:
  std::mutex mutex_;
  std::unique_ptr<source> source_;
};

namespace {

constexpr std::size_t max_ignored_named = 100;
constexpr std::size_t max_runs_named = 20;

// A source that was read from already, with the bytes that were read put back before the rest.
class replayed_source final : public source {
 public:
  replayed_source(std::unique_ptr<source> rest, std::string head) : rest_(std::move(rest)), head_(std::move(head)) {}
  [[nodiscard]] const std::string& name() const noexcept override { return rest_->name(); }
  [[nodiscard]] std::uint64_t encoded_bytes() const noexcept override { return rest_->encoded_bytes(); }
  [[nodiscard]] compression encoding() const noexcept override { return rest_->encoding(); }
  [[nodiscard]] std::optional<std::string_view> span() const noexcept override { return std::nullopt; }

  result<std::size_t> read(void* into, std::size_t bytes) override {
    if (at_ == head_.size()) {
      rest_touched_ = rest_touched_ || bytes != 0;
      return rest_->read(into, bytes);
    }
    const std::size_t count = std::min(bytes, head_.size() - at_);
    std::memcpy(into, head_.data() + at_, count);
    at_ += count;
    return count;
  }

  result<void> rewind() override {
    if (rest_touched_) return rest_->rewind();
    at_ = 0;
    return {};
  }
  [[nodiscard]] std::uint64_t encoded_position() const noexcept override { return rest_->encoded_position(); }
  void keep_for_rewind(std::uint64_t max_bytes) override { rest_->keep_for_rewind(max_bytes); }
  void ask(const hooks* host) noexcept override { rest_->ask(host); }

 private:
  std::unique_ptr<source> rest_;
  std::string head_;
  std::size_t at_ = 0;
  bool rest_touched_ = false;
};

// What a look into one file gave.
struct looked_at {
  detection what;
  compression encoding = compression::none;
};

result<looked_at> look_at(const std::string& path, const limits& bounds, const own_formats& own) {
  // Positioned reads: nothing is mapped for a look, and a file that shrinks meanwhile does no harm.
  auto opened = open_file_source(path, io_mode::read, bounds);
  if (!opened.ok()) return std::move(opened).error();
  const std::string head = read_head(**opened, last_part_of(path));
  return looked_at{detect(last_part_of(path), head, own), (*opened)->encoding()};
}

// Looks at a file that is opened to stay open, if its bytes lie in memory then. Otherwise the file is not opened
// and the answer is nothing.
std::optional<looked_at> look_at_mapped(const capture& c, std::unique_ptr<source>& opened) {
  if (c.io == io_mode::read) return std::nullopt;
  auto made = open_file_source(c.path, c.io, c.bounds);
  if (!made.ok()) return std::nullopt;
  const auto bytes = (*made)->span();
  if (!bytes) return std::nullopt;
  opened = std::move(*made);
  return looked_at{detect(last_part_of(c.path), head_of(*bytes, last_part_of(c.path)), c.formats), opened->encoding()};
}

capture_file described(const std::string& path, const looked_at& look, std::uint64_t bytes) {
  capture_file file;
  file.path = path;
  file.family = look.what.family;
  file.encoding = look.encoding;
  file.bytes = bytes;
  file.host = look.what.host;
  file.why = look.what.why;
  file.own = look.what.own;
  return file;
}

// ---- a single file ----

result<capture> open_stream(capture c, const open_options& options) {
  if (c.path == "-" && !options.standard_input)
    return fault{fault_code::invalid_argument, "standard input is the host's own", c.path, no_offset,
                 "allow it by open_options::standard_input (PK_OPEN_STANDARD_INPUT), or write ./- for a file of this name"};
  auto opened = open_file_source(c.path, io_mode::read, c.bounds, &c.host);
  if (!opened.ok()) return std::move(opened).error();
  const compression encoding = (*opened)->encoding();
  (*opened)->keep_for_rewind(c.bounds.max_materialised_bytes);
  std::string head = read_head(**opened, last_part_of(c.path));
  (*opened)->ask(nullptr);
  c.files.push_back(described(c.path, {detect(last_part_of(c.path), head, c.formats), encoding}, 0));
  c.stream = std::make_shared<pending_stream>(std::make_unique<replayed_source>(std::move(*opened), std::move(head)));
  return c;
}

result<capture> open_single_file(capture c, const path_facts& facts, const open_options& options,
                                 std::unique_ptr<source>* opened) {
  if (!options.run.empty() && options.run != "all") {
    return fault{fault_code::invalid_argument, "a run can be chosen in a folder, and this is a file", c.path, no_offset,
                 "leave the run out, or name the folder that holds the runs"};
  }
  if (facts.kind == path_kind::stream) return open_stream(std::move(c), options);
  std::optional<looked_at> look;
  if (opened) look = look_at_mapped(c, *opened);
  if (!look) {
    auto read = look_at(c.path, c.bounds, c.formats);
    if (!read.ok()) return std::move(read).error();
    look = std::move(*read);
  }
  if (!is_recognised(look->what.family) && is_probe_bin(c.path, facts.name, facts.bytes)) {
    look->what = detected_probe_trace(detection_confidence::likely, "name <elapsed>.bin, or its header");
    look->encoding = compression::none;
  }
  if (!is_recognised(look->what.family) && is_probe_log(c.path, facts.name))
    look->what = detected_probe_trace(detection_confidence::certain, "the driver's first line");
  // Such a trace opens its files itself.
  if (opened && content_of(look->what.family) == file_content::probe_records) opened->reset();
  c.files.push_back(described(c.path, *look, facts.bytes));
  return c;
}

// ---- a folder ----

struct candidate {
  const found_file* file = nullptr;  // null for a pipe, a socket or a device
  std::string name;
  detection by_name;
  std::optional<looked_at> look;  // set when the name alone did not decide
};

// A folder with files of a known format directly in it.
struct run_part {
  const found_folder* folder = nullptr;
  std::string rank;  // the folder of an Ascend rank that it belongs to; "" for other formats
  std::vector<candidate> files;
  std::int64_t newest_ns = 0;
  bool has_profile = false;             // more than HLO modules, which a compiler dumps without any profile
  bool has_settings = false;            // of an Ascend recorder
  bool has_summary = false;             // tables of Ascend without times of kernels
  const found_trace* probes = nullptr;  // the folder is a Neutrino trace
};

// What was recorded together: one folder, or the folders of all ranks of an Ascend job.
struct run_folder {
  std::string path, name;
  std::vector<run_part> parts;
  std::int64_t newest_ns = 0;
  bool has_profile = false, has_settings = false, has_summary = false;
  bool itself = false;  // the folder that was given

  void add(run_part part) {
    newest_ns = std::max(newest_ns, part.newest_ns);
    has_profile = has_profile || part.has_profile;
    has_settings = has_settings || part.has_settings;
    has_summary = has_summary || part.has_summary;
    parts.push_back(std::move(part));
  }
};

// Digits of a name that is a time ("2026_11_21_06_43_55"), else nothing.
std::string time_digits(const std::string& name) {
  std::string digits;
  for (const char c : name) {
    if (c >= '0' && c <= '9') {
      digits += c;
    } else if (std::strchr("_-.:T ", c) == nullptr) {
      return {};
    }
  }
  const bool is_time = digits.size() >= 8 && (digits.compare(0, 2, "19") == 0 || digits.compare(0, 2, "20") == 0);
  return is_time ? digits : std::string();
}

class folder_reader {
 public:
  folder_reader(capture c, std::string name, const open_options& options)
      : capture_(std::move(c)), name_(std::move(name)), options_(options), meter_(options.host) {}

  result<capture> run() {
    auto found = discover(capture_.path, options_.bounds, options_.host);
    if (!found.ok()) return std::move(found).error();
    found_ = std::move(*found);
    unparsed_ = find_unparsed_ascend(found_, name_);
    if (auto done = find_runs(); !done.ok()) return std::move(done).error();
    sort_newest_first();
    if (auto done = choose(); !done.ok()) return std::move(done).error();
    if (auto done = list_files(); !done.ok()) return std::move(done).error();
    list_ignored();
    list_unparsed();
    return std::move(capture_);
  }

 private:
  result<void> find_runs() {
    std::vector<run_part> of_ranks;
    traces_ = find_probe_traces(found_);
    auto trace = traces_.begin();
    for (const found_folder& folder : found_.folders) {
      run_part part;
      if (trace != traces_.end() && trace->folder == &folder) {
        part.folder = &folder;
        part.probes = &*trace++;
        part.has_profile = true;
        part.newest_ns = part.probes->newest_ns;
        add_run(std::move(part));
        continue;
      }
      if (auto looked = look_into(folder, part); !looked.ok()) return looked;
      if (part.files.empty()) continue;
      if (!part.rank.empty()) {
        of_ranks.push_back(std::move(part));
        continue;
      }
      add_run(std::move(part));
    }
    gather_ranks(std::move(of_ranks));
    const auto profiled = [](const run_folder& r) { return r.has_profile; };
    if (std::any_of(runs_.begin(), runs_.end(), profiled)) {
      runs_.erase(std::remove_if(runs_.begin(), runs_.end(), [&](const run_folder& r) { return !profiled(r); }),
                  runs_.end());
    }
    return {};
  }

  void add_run(run_part part) {
    const found_folder& folder = *part.folder;
    run_folder& run = runs_.emplace_back();
    run.itself = &folder == &found_.folders.front();
    run.path = folder.path;
    run.name = run.itself ? name_ : last_part_of(folder.path);
    run.add(std::move(part));
  }

  result<void> look_into(const found_folder& folder, run_part& part) {
    part.folder = &folder;
    bool ascend = is_ascend_folder(folder.path);
    for (const found_file& file : folder.files) {
      if (auto go_on = meter_.step(0); !go_on.ok()) return go_on;
      candidate c{&file, file.name, detect_by_name(file.name), std::nullopt};
      const bool may_be_own = profkit::may_be_own(file.name, capture_.formats);
      if (c.by_name.sure == detection_confidence::none && !may_be_own) continue;
      file_family family = c.by_name.family;
      if (c.by_name.sure != detection_confidence::certain || may_be_own) {
        auto look = look_at(joined_path(folder.path, file.name), options_.bounds, capture_.formats);
        if (look.ok() && is_recognised(look->what.family)) {
          family = look->what.family;
          c.look = std::move(*look);
        } else if (c.by_name.sure != detection_confidence::certain) {
          continue;
        }
      }
      ascend = ascend || format_of(family).is_of_a_rank;
      const bool is_totals_table = content_of(family) == file_content::totals_table;
      const bool totals = is_totals_table && file.name.rfind("op_statistic", 0) == 0;
      part.has_profile = part.has_profile || format_of(family).makes_a_run || totals;
      part.has_settings = part.has_settings || starts_with(file.name, "profiler_info");
      part.has_summary = part.has_summary || is_totals_table || file.name == "communication.json";
      part.newest_ns = std::max(part.newest_ns, file.modified_ns);
      part.files.push_back(std::move(c));
    }
    add_pipes(folder, part, ascend);
    if (ascend) part.rank = std::string(ascend_rank_folder(folder.path));
    return {};
  }

  [[nodiscard]] static bool lies_in(const found_folder& folder, const std::string& path) {
    return joined_path(folder.path, std::string(last_part_of(path))) == path;
  }

  // Pipes, sockets and devices with the name of a profile: each is a file of the capture that cannot be read.
  void add_pipes(const found_folder& folder, run_part& part, bool& ascend) const {
    for (const std::string& path : found_.passed_over) {
      if (!lies_in(folder, path)) continue;
      const std::string name(last_part_of(path));
      const detection by_name = detect_by_name(name);
      if (by_name.sure != detection_confidence::certain) continue;
      ascend = ascend || format_of(by_name.family).is_of_a_rank;
      part.has_profile = part.has_profile || format_of(by_name.family).makes_a_run;
      part.files.push_back({nullptr, name, by_name, looked_at{by_name, compression::none}});
    }
    if (!found_.passed_over.empty())
      std::sort(part.files.begin(), part.files.end(),
                [](const candidate& a, const candidate& b) { return a.name < b.name; });
  }

  // One folder of an Ascend rank with what lies in and below it.
  struct rank_folder {
    std::string path, worker;  // the same worker has one folder for each time it was profiled
    std::string time;          // digits of the name
    run_folder content;
  };

  // Ranks that lie beside each other are one run; a worker that was profiled several times makes several.
  void gather_ranks(std::vector<run_part> parts) {
    std::vector<rank_folder> ranks;
    for (run_part& part : parts) {
      auto at = std::find_if(ranks.begin(), ranks.end(), [&](const rank_folder& r) { return r.path == part.rank; });
      if (at == ranks.end()) at = ranks.insert(ranks.end(), rank_of(part.rank));
      at->content.add(std::move(part));
    }
    drop_ranks_without_profile(ranks);
    std::sort(ranks.begin(), ranks.end(), [](const rank_folder& a, const rank_folder& b) {
      if (a.time != b.time) return a.time > b.time;
      if (a.time.empty() || a.content.newest_ns == b.content.newest_ns) return a.path < b.path;
      return a.content.newest_ns > b.content.newest_ns;
    });
    struct placed_run {
      std::string parent;
      std::vector<std::string> workers;
      std::vector<rank_folder> ranks;
    };
    std::vector<placed_run> placed;
    for (rank_folder& rank : ranks) {
      const std::string parent = rank.path.substr(0, rank.path.find_last_of('/'));
      auto at = std::find_if(placed.begin(), placed.end(), [&](const placed_run& r) {
        return r.parent == parent && std::find(r.workers.begin(), r.workers.end(), rank.worker) == r.workers.end();
      });
      if (at == placed.end()) at = placed.insert(placed.end(), placed_run{parent, {}, {}});
      at->workers.push_back(rank.worker);
      at->ranks.push_back(std::move(rank));
    }
    for (placed_run& from : placed) {
      const bool only = std::count_if(placed.begin(), placed.end(),
                                      [&](const placed_run& r) { return r.parent == from.parent; }) == 1;
      std::sort(from.ranks.begin(), from.ranks.end(),
                [](const rank_folder& a, const rank_folder& b) { return a.path < b.path; });
      run_folder& run = runs_.emplace_back();
      // A rank that was given, or one above the folder that was given, is its own run.
      const bool given = from.ranks.size() == 1 && capture_.path.size() >= from.ranks.front().path.size();
      run.path = given || !only ? from.ranks.front().path : from.parent;
      run.itself = given || (only && run.path.size() <= capture_.path.size());
      run.name = run.itself && run.path == capture_.path ? name_ : last_part_of(run.path);
      for (rank_folder& rank : from.ranks) {
        for (run_part& part : rank.content.parts) run.add(std::move(part));
      }
    }
  }

  // A rank whose recorder left its settings was recorded: that its timeline is missing is reported for the run.
  void drop_ranks_without_profile(std::vector<rank_folder>& ranks) const {
    const auto is_unparsed = [this](const rank_folder& r) {
      return std::any_of(unparsed_.begin(), unparsed_.end(),
                         [&r](const unparsed_folder& u) { return u.folder->path == r.path; });
    };
    const bool any_profile =
        std::any_of(ranks.begin(), ranks.end(), [](const rank_folder& r) { return r.content.has_profile; });
    const auto is_dropped = [&](rank_folder& r) {
      run_folder& content = r.content;
      if (content.has_profile) return false;
      content.has_profile = content.has_settings && (content.has_summary || any_profile) && !is_unparsed(r);
      return !content.has_profile;
    };
    ranks.erase(std::remove_if(ranks.begin(), ranks.end(), is_dropped), ranks.end());
  }

  // "node_139247_20230628101435_ascend_pt" is a profile that worker "node_139247" made at that time.
  static rank_folder rank_of(const std::string& path) {
    constexpr std::size_t digits_of_time = 14;
    rank_folder rank;
    rank.path = path;
    rank.worker = last_part_of(path);
    const std::size_t suffix = rank.worker.rfind("_ascend_");
    if (suffix == std::string::npos || suffix < digits_of_time) return rank;
    const std::size_t start = suffix - digits_of_time;
    const std::size_t end = rank.worker.find_first_not_of("0123456789", start);
    if (end < suffix || rank.worker.compare(start, 2, "20") != 0) return rank;
    rank.time = rank.worker.substr(start, suffix - start);
    rank.worker.resize(start);
    return rank;
  }

  // By name where all names are times, which survive copying; else by the time of the newest file.
  void sort_newest_first() {
    const bool timed =
        std::all_of(runs_.begin(), runs_.end(), [](const run_folder& r) { return !time_digits(r.name).empty(); });
    std::sort(runs_.begin(), runs_.end(), [timed](const run_folder& a, const run_folder& b) {
      if (timed) {
        const std::string a_time = time_digits(a.name), b_time = time_digits(b.name);
        if (a_time != b_time) return a_time > b_time;
      } else if (a.newest_ns != b.newest_ns) {
        return a.newest_ns > b.newest_ns;
      }
      return a.path < b.path;
    });
  }

  // Which runs are meant: the one asked for, all, the folder itself when it is a run, else the newest. Hosts that
  // were profiled together may each have a folder of their own with the same time for a name: those are one run.
  result<void> choose() {
    for (const run_folder& run : runs_) capture_.runs.push_back({run.name, run.path, false});
    const auto itself = std::find_if(runs_.begin(), runs_.end(), [](const run_folder& r) { return r.itself; });
    bool any = false;
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      bool& chosen = capture_.runs[i].chosen;
      if (!options_.run.empty()) {
        chosen = options_.run == "all" || options_.run == runs_[i].name || options_.run == runs_[i].path;
      } else if (itself != runs_.end()) {
        chosen = &*itself == &runs_[i];
      } else {
        chosen = i == 0 || (runs_[i].name == runs_[0].name && !time_digits(runs_[0].name).empty());
      }
      any = any || chosen;
    }
    if (any || options_.run.empty() || options_.run == "all") return {};
    return no_such_run();
  }

  [[nodiscard]] fault no_such_run() const {
    std::string message = "there is no run \"" + options_.run + "\" below this folder; ";
    if (runs_.empty()) {
      message += "it holds no runs at all";
    } else {
      message += "the runs are: ";
      for (std::size_t i = 0; i < runs_.size() && i < max_runs_named; ++i)
        message += (i == 0 ? "" : ", ") + runs_[i].name;
      if (runs_.size() > max_runs_named) message += " and " + std::to_string(runs_.size() - max_runs_named) + " more";
    }
    return fault{fault_code::invalid_argument, std::move(message), capture_.path, no_offset,
                 "name one of the runs, \"all\", or none for the newest"};
  }

  result<void> list_files() {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (!capture_.runs[i].chosen) continue;
      for (run_part& part : runs_[i].parts) {
        if (auto listed = list_part(part, runs_[i].name); !listed.ok()) return listed;
      }
    }
    return {};
  }

  result<void> list_part(run_part& part, const std::string& run) {
    if (part.probes != nullptr) {
      const looked_at look{detected_probe_trace(detection_confidence::certain, "event.log and result/*.bin"),
                           compression::none};
      capture_.files.push_back(described(part.folder->path, look, part.probes->bytes));
      capture_.files.back().run = run;
      return {};
    }
    const std::size_t first = capture_.files.size();
    std::vector<bool> exports;
    for (candidate& c : part.files) {
      if (auto go_on = meter_.step(0); !go_on.ok()) return go_on;
      const std::string path = joined_path(part.folder->path, c.name);
      if (!c.look) {
        auto look = look_at(path, options_.bounds, capture_.formats);
        // Not to be opened now: the name says what it is, and the fault comes when its bytes are read.
        c.look = look.ok() ? std::move(*look) : looked_at{c.by_name, compression::none};
      }
      capture_.files.push_back(described(path, *c.look, c.file != nullptr ? c.file->bytes : 0));
      capture_.files.back().run = run;
      if (!part.rank.empty() && capture_.files.back().host.empty()) {
        capture_.files.back().host = last_part_of(part.rank);
      }
      exports.push_back(c.look->what.is_export_name);
    }
    link_exports(first, exports);
    link_task_lists(first, exports);
    return {};
  }

  // Says of JSON exports and of totals that were worked out which XSpace of the same folder they show, so that nothing is
  // counted twice.
  void link_exports(std::size_t first, const std::vector<bool>& exports) {
    std::vector<std::size_t> spaces;
    for (std::size_t i = first; i < capture_.files.size(); ++i) {
      if (has_planes(capture_.files[i].family)) spaces.push_back(i);
    }
    if (spaces.empty()) return;
    for (std::size_t i = first; i < capture_.files.size(); ++i) {
      capture_file& file = capture_.files[i];
      const file_content held = content_of(file.family);
      const bool is_made_of_one = held == file_content::trace_events || held == file_content::op_totals;
      if (!exports[i - first] || !is_made_of_one) continue;
      const auto same_host = std::find_if(spaces.begin(), spaces.end(), [&](std::size_t space) {
        return !file.host.empty() && capture_.files[space].host == file.host;
      });
      if (same_host != spaces.end()) {
        file.export_of = static_cast<std::int32_t>(*same_host);
      } else if (spaces.size() == 1 || file.host.empty()) {
        // A name without a host is an export of one of several; which one does not matter for counting.
        file.export_of = static_cast<std::int32_t>(spaces.front());
      }
    }
  }

  // The tasks of the hardware beside a table of the same kernels.
  void link_task_lists(std::size_t first, const std::vector<bool>& exports) {
    const auto is_table = [&](std::size_t i) {
      return content_of(capture_.files[i].family) == file_content::kernel_table;
    };
    std::size_t table = first;
    while (table < capture_.files.size() && (!is_table(table) || exports[table - first])) ++table;
    if (table == capture_.files.size()) return;
    for (std::size_t i = first; i < capture_.files.size(); ++i)
      if (is_table(i) && exports[i - first]) capture_.files[i].export_of = static_cast<std::int32_t>(table);
  }

  // Of the chosen runs, or of everything when there is no run.
  void list_ignored() {
    for (const std::string& folder : found_.unreadable) ignore(folder);
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (!capture_.runs[i].chosen) continue;
      for (const run_part& part : runs_[i].parts)
        if (part.probes == nullptr) ignore_others(*part.folder, part.files);
    }
    if (!runs_.empty()) return;
    for (const found_folder& folder : found_.folders) ignore_others(folder, {});
  }

  // Raw data that belongs to what was chosen: it is all there is, or lies beside ranks, none of them a later profile
  // of the same worker.
  void list_unparsed() {
    if (unparsed_.empty()) return;
    hash_set<std::string> parents;
    hash_map<std::string, std::string> latest;  // by parent and worker
    const auto worker_at = [](const rank_folder& rank) {
      return joined_path(std::string(folder_of(rank.path)), rank.worker);
    };
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      if (!capture_.runs[i].chosen) continue;
      for (const run_part& part : runs_[i].parts) {
        if (part.rank.empty()) continue;
        const rank_folder rank = rank_of(part.rank);
        parents.insert(std::string(folder_of(part.rank)));
        std::string& time = latest[worker_at(rank)];
        time = std::max(time, rank.time);
      }
    }
    for (const unparsed_folder& raw : unparsed_) {
      const std::string& path = raw.folder->path;
      const rank_folder rank = rank_of(path);
      const auto later = latest.find(worker_at(rank));
      const bool was_replaced = later != latest.end() && later->second > rank.time;
      if (runs_.empty() || (parents.contains(std::string(folder_of(path))) && !was_replaced))
        capture_.unread.push_back(raw.why);
    }
  }

  void ignore_others(const found_folder& folder, const std::vector<candidate>& recognised) {
    std::size_t next = 0;  // both lists are in the order of names
    for (const found_file& file : folder.files) {
      while (next < recognised.size() && recognised[next].file == nullptr) ++next;
      if (next < recognised.size() && recognised[next].file == &file) {
        ++next;
      } else {
        ignore(joined_path(folder.path, file.name));
      }
    }
    for (const std::string& path : found_.passed_over) {
      const bool is_listed = detect_by_name(last_part_of(path)).sure == detection_confidence::certain;
      if (!is_listed && lies_in(folder, path)) ignore(path);
    }
  }

  void ignore(const std::string& path) {
    ++capture_.ignored_count;
    if (capture_.ignored.size() < max_ignored_named) capture_.ignored.push_back(path);
  }

  capture capture_;
  std::string name_;  // of the folder itself
  const open_options& options_;
  progress_meter meter_;
  discovery found_;
  std::vector<found_trace> traces_;
  std::vector<unparsed_folder> unparsed_;
  std::vector<run_folder> runs_;
};

result<capture> look_for_capture(const std::string& path, const open_options& options,
                                 std::unique_ptr<source>* opened) {
  return contained([&]() -> result<capture> {
    capture c = capture_at(path, options);
    auto facts = look_at_path(path);
    if (!facts.ok()) return facts.error();
    if (auto trace = trace_folder_around(path, *facts)) {
      c.path = std::move(*trace);
      facts = look_at_path(c.path);
      if (!facts.ok()) return facts.error();
    }
    if (facts->kind == path_kind::folder) return folder_reader(std::move(c), facts->name, options).run();
    return open_single_file(std::move(c), *facts, options, opened);
  });
}

}  // namespace

bool is_trace(const capture_file& file) noexcept {
  const file_content held = content_of(file.family);
  return (held == file_content::trace_events && file.export_of < 0) || held == file_content::kernel_table ||
         held == file_content::recording;
}

capture capture_at(std::string path, const open_options& options) {
  capture c;
  c.path = std::move(path);
  c.io = options.io;
  c.bounds = options.bounds;
  c.host = options.host;
  c.formats = options.formats;
  return c;
}

result<capture> open_capture(const std::string& path, const open_options& options) {
  if (!options.redact) return look_for_capture(path, options, nullptr);
  return contained([&]() -> result<capture> {
    auto found = look_for_capture(path, options, nullptr);
    if (found) {
      if (auto done = redact_capture(*found); !done) return std::move(done).error();
    }
    return found;
  });
}

result<capture> open_capture(const std::string& path, const open_options& options, std::unique_ptr<source>& opened) {
  return options.redact ? open_capture(path, options) : look_for_capture(path, options, &opened);
}

result<std::unique_ptr<source>> open_source_of(const capture& c, std::size_t file_index) {
  return contained([&]() -> result<std::unique_ptr<source>> {
    if (file_index >= c.files.size()) {
      return fault{fault_code::invalid_argument,
                   "file " + std::to_string(file_index) + " of " + std::to_string(c.files.size()), c.path, no_offset,
                   ""};
    }
    const std::string& path = c.files[file_index].path;
    if (c.redacted) return source_of_held(c.held[file_index], path);
    if (path != c.path)
      if (auto why = why_never_opened(path)) return std::move(*why);
    if (c.stream == nullptr) return open_file_source(path, c.io, c.bounds);
    if (auto stream = c.stream->take()) return stream;
    return fault{fault_code::unsupported, "a pipe or standard input can be read only once", c.path, no_offset,
                 "save it to a file and open that"};
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

// The oracle of the reference tool against everything that tool gave, field by field.
#include <catch.hpp>

#include "like_reference.hpp"
#include "oracle.hpp"

#include <algorithm>
#include <map>
#include <sstream>

using namespace profkit;
using profkit::test::corpus_path;
using simdjson::dom::element;

namespace {

// Goldens that are not compared, and why.
const std::map<std::string, std::string> exceptions = {
    {"mp__help", "help text: tests of the command compare ours"},
    {"mp__noargs", "usage error: tests of the command"},
    {"mp__syn_runtime_step-policy_bogus", "usage error: tests of the command"},
    {"mp__syn_runtime_step_0_all-trace", "usage error: tests of the command"},
    {"mp__bad_emptydir", "the reference calls an empty folder absent; profkit says not_found"},
    {"mp__bad_empty_pb", "the reference calls an empty file absent; profkit says that nothing can be read"},
    {"mp__syn_empty_xspace", "the same of an empty file under the name of an XSpace"},
    {"mp__nodir", "the reference calls a folder that does not exist absent; profkit says not_found"},
    {"mp__tpu2_hlo_topneg", "the reference slices with a negative --top; profkit rejects it"},
};
// The reference ends with a traceback: profkit gives a fault.
const std::vector<std::string> crashes = {"mp__bad_hlo_trunc", "mp__bad_trunc", "mp__bad_utf8mangled",
                                          "mp__syn_hlo_idxmismatch", "mp__syn_hlo_idxmismatch__noruntime"};
// Prose of the reference that profkit says in its own words.
bool is_prose(const std::string& key) { return key == "scope_note" || key == "definition" || key == "axis_units"; }
// Warnings: the part before the explanation.
std::string statement_of(const std::string& warning) {
  std::size_t cut = std::min(warning.find("; "), warning.find(" (trace"));
  if (warning.find("'Steps' line absent") != std::string::npos) cut = std::string::npos;
  return warning.substr(0, cut);
}
// Lists sorted by size, in which the reference leaves the order of equals open.
bool is_ranked(const std::string& key) { return key == "buffers" || key.compare(0, 3, "by_") == 0; }

class comparison {
 public:
  std::vector<std::string> differences;

  void compare(const element& golden, const element& ours, const std::string& path, const std::string& key) {
    if (is_prose(key)) return;
    if (golden.is_object() && ours.is_object()) return compare_objects(golden, ours, path);
    if (golden.is_array() && ours.is_array()) return compare_arrays(golden, ours, path, key);
    double a = 0, b = 0;
    if (golden.get(a) == simdjson::SUCCESS && ours.get(b) == simdjson::SUCCESS) {
      std::int64_t x = 0, y = 0;
      if (golden.get(x) == simdjson::SUCCESS && ours.get(y) == simdjson::SUCCESS) {
        if (x != y) note(path, golden, ours);
      } else if (std::fabs(a - b) > 1e-12 * std::max(std::fabs(a), std::fabs(b))) {
        note(path, golden, ours);
      }
      return;
    }
    std::string_view s, t;
    if (golden.get(s) == simdjson::SUCCESS && ours.get(t) == simdjson::SUCCESS) {
      if (statement_of(std::string(s)) != statement_of(std::string(t))) note(path, golden, ours);
      return;
    }
    if (simdjson::minify(golden) != simdjson::minify(ours)) note(path, golden, ours);
  }

 private:
  void note(const std::string& path, const element& golden, const element& ours) {
    differences.push_back(path + ": " + simdjson::minify(golden).substr(0, 200) + " / " +
                          simdjson::minify(ours).substr(0, 200));
  }

  void compare_objects(const simdjson::dom::object& golden, const simdjson::dom::object& ours,
                       const std::string& path) {
    // Ours has more of them.
    for (const auto field : golden) {
      element mine;
      if (ours[field.key].get(mine) == simdjson::SUCCESS)
        compare(field.value, mine, path + '.' + std::string(field.key), std::string(field.key));
      else
        differences.push_back(path + " lacks " + std::string(field.key));
    }
  }

  static std::int64_t size_of(const element& row) {
    return test::integer_or(row["size_bytes"].error() == simdjson::SUCCESS ? row["size_bytes"] : row["total_bytes"],
                            -1);
  }
  static bool is_rest(const element& row) {
    std::string_view key;
    return row["key"].get(key) == simdjson::SUCCESS && (key == "<other>" || key == "<tail>");
  }

  void compare_arrays(const simdjson::dom::array& golden, const simdjson::dom::array& ours, const std::string& path,
                      const std::string& key) {
    std::vector<element> a, b;
    for (const element e : golden) a.push_back(e);
    for (const element e : ours) b.push_back(e);
    if (a.size() != b.size()) {
      differences.push_back(path + ": " + std::to_string(a.size()) + " / " + std::to_string(b.size()) + " rows");
      return;
    }
    if (!is_ranked(key)) {
      for (std::size_t i = 0; i < a.size(); ++i) compare(a[i], b[i], path + '[' + std::to_string(i) + ']', "");
      return;
    }
    // Runs of equal size are compared as sets; a list that was cut may hold other members of its last run.
    for (std::size_t from = 0; from < a.size();) {
      std::size_t to = from + 1;
      while (to < a.size() && size_of(a[to]) == size_of(a[from]) && !is_rest(a[to])) ++to;
      const bool may_be_cut = to == a.size() || is_rest(a[to]);
      if (to - from == 1 || is_rest(a[from])) {
        if (size_of(a[from]) != size_of(b[from]) || !may_be_cut || is_rest(a[from]))
          compare(a[from], b[from], path + '[' + std::to_string(from) + ']', "");
        else
          compare_last(a[from], b[from], path);
      } else {
        compare_run(a, b, from, to, may_be_cut, path);
      }
      from = to;
    }
  }

  // The last row of a list that may have been cut in a run of equals: the same row, or another of its size.
  void compare_last(const element& golden, const element& ours, const std::string& path) {
    comparison inner;
    inner.compare(golden, ours, path, "");
    if (!inner.differences.empty()) ++open_ends;
  }

  void compare_run(const std::vector<element>& a, const std::vector<element>& b, std::size_t from, std::size_t to,
                   bool may_be_cut, const std::string& path) {
    std::vector<bool> used(to - from, false);
    for (std::size_t i = from; i < to; ++i) {
      if (size_of(a[i]) != size_of(b[i])) return note(path, a[i], b[i]);
      bool found = false;
      for (std::size_t j = from; j < to && !found; ++j) {
        if (used[j - from]) continue;
        comparison inner;
        inner.compare(a[i], b[j], path, "");
        if (inner.differences.empty()) used[j - from] = found = true;
      }
      if (!found && !may_be_cut) note(path + " (equals)", a[i], b[i]);
      if (!found) ++open_ends;
    }
  }

 public:
  int open_ends = 0;
};

struct command {
  std::string directory;
  memory_options options;
};

command read_command(const std::filesystem::path& file) {
  std::istringstream words(test::read_file(file));
  command c;
  std::string word;
  while (words >> word && word.find("memory_profile.py") == std::string::npos) {}
  words >> c.directory;
  while (words >> word && word != "#") {
    const auto number = [&] {
      long long n = 0;
      words >> n;
      return n;
    };
    if (word == "--no-runtime") c.options.runtime = false;
    if (word == "--all-trace") c.options.all_trace = true;
    if (word == "--include-host-pools") c.options.include_host_pools = true;
    if (word == "--step") c.options.step = number();
    if (word == "--top") c.options.top = static_cast<std::uint64_t>(number());
    if (word == "--time-samples") c.options.time_samples = static_cast<std::uint64_t>(number());
    if (word == "--persistent-threshold-steps") c.options.persistent_threshold_steps = number();
    if (word == "--step-policy") {
      words >> word;
      c.options.policy = word == "last" ? step_policy::last : word == "first" ? step_policy::first : step_policy::peak;
    }
  }
  return c;
}

}  // namespace

TEST_CASE("the oracle equals every golden of the reference") {
  const auto oracles = corpus_path("oracles/xspace-and-memory");
  if (!oracles) PROFKIT_SKIP_WITHOUT_CORPUS;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::current_path(*oracles);  // the goldens give paths relative to it
  int compared = 0, refused = 0, open_ends = 0;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator("golden"))
    if (entry.path().filename().string().compare(0, 4, "mp__") == 0 && entry.path().extension() == ".cmd")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  for (const auto& file : files) {
    const std::string name = file.stem().string();
    if (exceptions.count(name) != 0) continue;
    INFO(name);
    const command c = read_command(file);
    const auto opened = profile::open(c.directory);
    const bool crashes_there = std::find(crashes.begin(), crashes.end(), name) != crashes.end();
    if (crashes_there && !opened.ok()) {
      ++refused;
      continue;
    }
    REQUIRE(opened.ok());
    const auto found = memory::analyse_memory_like_reference(**opened, c.options);
    if (crashes_there) {
      CHECK_FALSE(found.ok());
      ++refused;
      continue;
    }
    if (!found.ok()) FAIL(found.error().message);
    const std::string text = memory::reference_memory_document(**opened, c.options, *found);
    simdjson::dom::parser golden_parser, our_parser;
    const std::string golden_text = test::read_file(std::filesystem::path(file).replace_extension(".json"));
    element golden, ours;
    REQUIRE(golden_parser.parse(golden_text).get(golden) == simdjson::SUCCESS);
    REQUIRE(our_parser.parse(text).get(ours) == simdjson::SUCCESS);
    comparison all;
    all.compare(golden, ours, "", "");
    for (std::size_t i = 0; i < all.differences.size() && i < 5; ++i) FAIL_CHECK(all.differences[i]);
    ++compared;
    open_ends += all.open_ends;
  }
  std::filesystem::current_path(before);
  CHECK(refused == static_cast<int>(crashes.size()));
  CHECK(compared + refused + static_cast<int>(exceptions.size()) == static_cast<int>(files.size()));
  std::printf("%d goldens compared, %d refused, %d rows at the open end of a cut run of equals\n", compared, refused,
              open_ends);
}

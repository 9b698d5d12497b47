// The views against protobuf's own parser: on real captures, on generated messages, and on damaged ones.
#include <catch.hpp>

#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <set>

#include "compare.hpp"
#include "support.hpp"
#include "walk.hpp"
#include "wire_generator.hpp"

namespace fs = std::filesystem;
using namespace profkit;
using namespace profkit::test;

namespace {

struct xspace_kind {
  using message = oracle::xplane::XSpace;
  using view = xspace_view;
  static void walk(view_walker& walker, const view& v) { walker.xspace(v); }
};

struct hlo_kind {
  using message = oracle::hlo::HloProto;
  using view = hlo_proto_view;
  static void walk(view_walker& walker, const view& v) { walker.hlo_proto(v); }
};

// A copy of exactly the bytes' size, so that a sanitizer sees the first byte read too far.
struct exact_copy {
  explicit exact_copy(std::string_view from) : data(new char[from.size()]), size(from.size()) {
    if (size) std::memcpy(data.get(), from.data(), size);
  }
  std::string_view view() const { return {data.get(), size}; }
  std::unique_ptr<char[]> data;
  std::size_t size;
};

template <class Kind>
bool views_find_no_damage(std::string_view bytes) {
  const exact_copy copy(bytes);
  view_walker walker;
  Kind::walk(walker, typename Kind::view(copy.view()));
  return walker.ok();
}

/// Why views and protobuf disagree about these bytes; empty when they agree.
template <class Kind>
std::string disagreement(std::string_view bytes) {
  typename Kind::message message;
  const bool accepted = message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  const bool intact = views_find_no_damage<Kind>(bytes);
  if (accepted != intact) return accepted ? "protobuf accepts, the views see damage" : "the views see no damage";
  if (!accepted) return {};
  const exact_copy copy(bytes);
  comparison c;
  compare(c, typename Kind::view(copy.view()), message);
  return c.difference();
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

bool ends_with(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

struct inputs {
  std::vector<fs::path> spaces;
  std::vector<fs::path> programs;
};

inputs find_inputs(const fs::path& root) {
  inputs found;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    const std::string name = entry.path().filename().string();
    if (!entry.is_regular_file() || name.rfind("MUST_REJECT", 0) == 0) continue;
    if (ends_with(name, ".xplane.pb")) found.spaces.push_back(entry.path());
    if (ends_with(name, ".hlo_proto.pb") || ends_with(name, ".hlo.pb")) found.programs.push_back(entry.path());
  }
  return found;
}

struct counts {
  int spaces = 0;
  int programs = 0;
  int embedded = 0;
  int damaged = 0;  // inputs that protobuf rejects, too
};

// Each content once: the corpus holds many copies.
void check_inputs(const fs::path& root, counts& n) {
  const inputs found = find_inputs(root);
  std::set<std::size_t> seen;
  const auto is_new = [&seen](std::string_view bytes) {
    return seen.insert(std::hash<std::string_view>()(bytes)).second;
  };
  for (const fs::path& path : found.spaces) {
    const std::string bytes = read_file(path);
    if (!is_new(bytes)) continue;
    INFO(path.string());
    REQUIRE(disagreement<xspace_kind>(bytes) == "");
    views_find_no_damage<xspace_kind>(bytes) ? ++n.spaces : ++n.damaged;
    for (const plane_view plane : xspace_view(bytes).planes()) {
      if (plane.name() != "/host:metadata") continue;
      for (const event_metadata_view module : plane.event_metadata()) {
        for (const stat_view stat : module.stats()) {
          if (stat.kind() != stat_kind::bytes_value || !is_new(stat.as_bytes())) continue;
          const metadata_entry kind = find_stat_metadata_linear(plane, stat.metadata_id());
          if (stat_metadata_view(kind.bytes).name() != "Hlo Proto") continue;
          INFO(std::string(module.name()));
          REQUIRE(disagreement<hlo_kind>(stat.as_bytes()) == "");
          ++n.embedded;
        }
      }
    }
  }
  for (const fs::path& path : found.programs) {
    const std::string bytes = read_file(path);
    if (!is_new(bytes)) continue;
    INFO(path.string());
    REQUIRE(disagreement<hlo_kind>(bytes) == "");
    views_find_no_damage<hlo_kind>(bytes) ? ++n.programs : ++n.damaged;
  }
}

template <class Kind>
void check_generated(std::uint64_t seeds) {
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    wire_generator generator(seed);
    const std::string bytes =
        generator.message(*Kind::message::descriptor(), static_cast<int>(1 + generator.below(seed % 16 ? 60 : 600)));
    const std::string why = disagreement<Kind>(bytes);
    INFO("seed " << seed);
    if (!why.empty()) REQUIRE(why == "");
    const bool intact = views_find_no_damage<Kind>(bytes);  // otherwise the generator tests nothing
    if (!intact) REQUIRE(intact);
  }
}

// Flips, cuts, inserts and doubles bytes: the views must see damage exactly where protobuf does.
template <class Kind>
void check_damaged(std::uint64_t seeds) {
  std::uint64_t rejected = 0;
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    wire_generator generator(seed + 1'000'000);
    std::string bytes = generator.message(*Kind::message::descriptor(), static_cast<int>(1 + generator.below(40)));
    if (bytes.empty()) continue;
    for (std::uint64_t n = 1 + generator.below(3); n; --n) {
      const std::size_t at = generator.below(bytes.size() + 1);
      switch (generator.below(4)) {
        case 0:
          if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << generator.below(8)));
          break;
        case 1: bytes.resize(at); break;
        case 2: bytes.insert(at, 1, static_cast<char>(generator.below(256))); break;
        default: bytes.insert(at, bytes.substr(at / 2, at - at / 2)); break;
      }
    }
    const std::string why = disagreement<Kind>(bytes);
    INFO("seed " << seed);
    if (!why.empty()) REQUIRE(why == "");
    if (!views_find_no_damage<Kind>(bytes)) ++rejected;
  }
  CHECK(rejected > seeds / 4);
  CHECK(rejected < seeds - seeds / 20);
}

// Ends of the top-level fields: what is cut there is a valid message.
std::vector<std::size_t> field_ends(std::string_view bytes) {
  std::vector<std::size_t> ends{0};
  wire_reader reader(bytes);
  for (wire_field f; reader.next(f);) ends.push_back(offset_in(bytes, reader.position()));
  return ends;
}

// Cuts after every byte; every `oracle_every`th cut is shown to protobuf, too.
template <class Kind>
void check_cuts(std::string_view bytes, std::size_t oracle_every) {
  const std::vector<std::size_t> ends = field_ends(bytes);
  std::size_t whole_fields = 0;
  for (std::size_t cut = 0; cut < bytes.size(); ++cut) {
    while (whole_fields + 1 < ends.size() && ends[whole_fields + 1] <= cut) ++whole_fields;
    const std::string_view part = bytes.substr(0, cut);
    const bool at_end = ends[whole_fields] == cut;
    const exact_copy copy(part);
    view_walker walker;
    Kind::walk(walker, typename Kind::view(copy.view()));
    if (walker.ok() != at_end) {
      INFO("cut at " << cut);
      REQUIRE(walker.ok() == at_end);
    }
    // Everything before the damage is there, and the damage is where it is.
    wire_reader reader(copy.view());
    std::size_t fields = 0;
    for (wire_field f; reader.next(f);) ++fields;
    if (fields != whole_fields || offset_in(copy.view(), reader.position()) != ends[whole_fields]) {
      INFO("cut at " << cut);
      REQUIRE(fields == whole_fields);
      REQUIRE(offset_in(copy.view(), reader.position()) == ends[whole_fields]);
    }
    if (cut % oracle_every == 0) {
      const std::string why = disagreement<Kind>(part);
      INFO("cut at " << cut);
      if (!why.empty()) REQUIRE(why == "");
    }
  }
}

// Any damage at random places of a real file.
template <class Kind>
void check_flips(std::string_view bytes, int rounds) {
  wire_generator generator(bytes.size());
  std::string damaged(bytes);
  for (int round = 0; round < rounds; ++round) {
    const std::size_t at = generator.below(bytes.size());
    damaged[at] = static_cast<char>(damaged[at] ^ (1 + generator.below(255)));
    const std::string why = disagreement<Kind>(damaged);
    INFO("round " << round << " at " << at);
    if (!why.empty()) REQUIRE(why == "");
    damaged[at] = bytes[at];
  }
}

constexpr const char* small_capture = "jax/mlp_nohlo/plugins/profile/2026_11_21_07_08_37/vm.xplane.pb";
constexpr const char* small_program = "jax/two_process_rank0/dump/module_0000.jit_step.cpu_after_optimizations.hlo.pb";

}  // namespace

TEST_CASE("views read the bundled captures as protobuf does") {
  counts n;
  check_inputs(data_path(""), n);
  CHECK(n.spaces >= 3);
  CHECK(n.programs >= 1);
  CHECK(n.embedded >= 1);
  CHECK(n.damaged == 0);
}

TEST_CASE("views read the corpus as protobuf does") {
  const auto captures = corpus_path("captures");
  const auto oracles = corpus_path("oracles");
  if (!captures || !oracles) PROFKIT_SKIP_WITHOUT_CORPUS;
  counts n;
  check_inputs(*captures, n);
  CHECK(n.damaged == 0);
  check_inputs(*oracles, n);
  CHECK(n.spaces >= 11);
  CHECK(n.programs >= 50);
  CHECK(n.embedded >= 20);
  std::printf("%d spaces, %d programs, %d embedded programs, %d damaged inputs\n", n.spaces, n.programs, n.embedded,
              n.damaged);
}

TEST_CASE("views read generated spaces as protobuf does") { check_generated<xspace_kind>(10'000); }

TEST_CASE("views read generated programs as protobuf does") { check_generated<hlo_kind>(10'000); }

TEST_CASE("views see damage in spaces where protobuf does") { check_damaged<xspace_kind>(10'000); }

TEST_CASE("views see damage in programs where protobuf does") { check_damaged<hlo_kind>(10'000); }

TEST_CASE("a space cut after any byte keeps what is before the cut") {
  const std::string bytes = read_file(data_path(small_capture));
  REQUIRE(!bytes.empty());
  check_cuts<xspace_kind>(bytes, 97);
}

TEST_CASE("a program cut after any byte keeps what is before the cut") {
  const std::string bytes = read_file(data_path(small_program));
  REQUIRE(!bytes.empty());
  check_cuts<hlo_kind>(bytes, 97);
}

TEST_CASE("views and protobuf agree about flipped bytes") {
  check_flips<xspace_kind>(read_file(data_path(small_capture)), 400);
  check_flips<hlo_kind>(read_file(data_path(small_program)), 400);
}

TEST_CASE("views reject a capture that went through a text conversion") {
  const auto path = corpus_path("captures/xspace/MUST_REJECT_tpu_text_mangled.xplane.pb");
  if (!path) PROFKIT_SKIP_WITHOUT_CORPUS;
  const std::string bytes = read_file(*path);
  CHECK_FALSE(views_find_no_damage<xspace_kind>(bytes));
  CHECK(disagreement<xspace_kind>(bytes) == "");
}

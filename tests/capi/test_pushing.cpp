// A capture that is pushed through the C ABI and its C++ layer gives what a profile gives that holds it.
#include <profkit/profkit.hpp>

#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handles.hpp"
#include "support.hpp"

using namespace profkit::test;
namespace lib = profkit::lib;

namespace {

std::string bytes_of_capture(const char* name) {
  std::ifstream file(data_path(std::string("xspace/") + name), std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string words(const pk_stat& stat) {
  return std::string(lib::name(stat)) + "=" + std::to_string(stat.kind) + ":" + std::to_string(stat.bits) + ":" + std::string(lib::text(stat));
}
std::string words(const pk_event& event) {
  return std::to_string(event.offset_ps) + "+" + std::to_string(event.duration_ps) + "*" + std::to_string(event.num_occurrences) + "/" +
         std::to_string(event.flags & ~std::uint32_t{PK_EVENT_HAS_START});
}

// A row an event: what it is, its name, its own stats with theirs.
std::vector<std::string> held_rows(const std::string& bytes) {
  std::vector<std::string> rows;
  const lib::profile profile = lib::profile::open_buffer(bytes, "a.xplane.pb").or_throw();
  for (const auto plane : profile.files()[0].planes())
    for (const auto line : plane.lines())
      for (const pk_event& event : line.events()) {
        std::string row = words(event) + " " + std::string(plane.name_of(event));
        for (const pk_stat& stat : plane.stats_of(event, PK_ORIGIN_EVENT)) row += " " + words(stat);
        rows.push_back(std::move(row));
      }
  return rows;
}

struct collector : lib::push_visitor {
  struct one {
    pk_event event;
    std::string stats;
  };
  std::vector<one> of_plane;
  std::vector<std::string> rows, notes, damages, names;
  std::vector<lib::profile> kept;
  std::uint64_t planes = 0, lines = 0, without_names = 0;

  bool plane_begin(const pk_pushed_plane& plane) override { return plane.plane == planes; }
  bool events(const pk_pushed_line& line, lib::row_batch<pk_event> batch) override {
    for (const pk_event& event : batch) {
      of_plane.push_back({event, std::string(static_cast<const char*>(event.stats), event.stats_bytes)});
      if (of_plane.size() < 100)
        for (const pk_stat& stat : lib::stats_of(event)) without_names += lib::name(stat).empty() ? 1 : 1000000;
    }
    return line.plane == planes;
  }
  bool line_end(const pk_pushed_line& line) override {
    ++lines;
    return (line.flags & PK_PUSHED_LINE_CHANGED) == 0;
  }
  bool plane_end(std::uint32_t position, lib::profile rest) override {
    const auto plane = rest.files()[0].planes()[0];
    for (const one& o : of_plane) {
      pk_event event = o.event;
      event.stats = o.stats.data();
      std::string row = words(event) + " " + std::string(plane.name_of(event));
      auto stats = lib::stats_of(event, rest.get());
      for (const pk_stat& stat : stats) row += " " + words(stat);
      if (!stats.ok()) row += " damaged";
      rows.push_back(std::move(row));
    }
    of_plane.clear();
    names.emplace_back(plane.name());
    kept.push_back(std::move(rest));
    return position == planes++;
  }
  bool note(std::int32_t kind, std::string_view text) override {
    notes.push_back(std::to_string(kind) + std::string(text));
    return true;
  }
  bool damage(lib::error_view why) override {
    damages.emplace_back(why.message());
    return why.byte_offset() != PK_NO_OFFSET;
  }
};

lib::error push_all(lib::xspace_push& push, std::string_view bytes, std::size_t piece) {
  for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size())))
    if (lib::error why = push.push(bytes.substr(0, piece))) return why;
  return push.finish();
}

}  // namespace

TEST_CASE("what is pushed has the events, names and stats of what is held") {
  for (const char* name : {"jax08_gemm_mi300.xplane.pb", "tpu_v6e_inference.xplane.pb"}) {
    const std::string bytes = bytes_of_capture(name);
    const std::vector<std::string> wanted = held_rows(bytes);
    REQUIRE(wanted.size() > 100);
    for (const std::size_t piece : {std::size_t{7}, std::size_t{4096}, bytes.size()}) {
      INFO(name << " in pieces of " << piece);
      collector got;
      auto push = lib::xspace_push::make(got).or_throw();
      REQUIRE_FALSE(push_all(push, bytes, piece));
      CHECK((got.rows == wanted));  // too many to be printed
      CHECK(got.damages.empty());
      CHECK((got.without_names != 0 && got.without_names < 1000000));
      // What was kept is read after the reader is gone.
      push = lib::xspace_push::make(got).or_throw();
      std::uint64_t lines = 0;
      std::vector<std::string> names;
      for (const lib::profile& rest : got.kept) {
        lines += rest.files()[0].planes()[0].lines().size();
        names.emplace_back(rest.files()[0].planes()[0].name());
      }
      CHECK(lines == got.lines);
      CHECK(names == got.names);
    }
  }
}

TEST_CASE("a pushed capture that is cut or damaged fails, with a place") {
  const std::string bytes = bytes_of_capture("jax08_gemm_mi300.xplane.pb");
  collector got;
  auto push = lib::xspace_push::make(got).or_throw();
  const lib::error why = push_all(push, std::string_view(bytes).substr(0, bytes.size() / 2), 1000);
  REQUIRE(why);
  CHECK(why.code() == PK_E_DAMAGED);
  CHECK(why.byte_offset() != PK_NO_OFFSET);
  CHECK_FALSE(got.damages.empty());
  CHECK(push.finish().code() == PK_E_INVALID_ARGUMENT);
}

TEST_CASE("what a visitor throws comes out of push(), and a refusal is PK_E_CANCELLED") {
  struct thrower : lib::push_visitor {
    bool throws = true;
    bool events(const pk_pushed_line&, lib::row_batch<pk_event>) override {
      if (throws) throw std::runtime_error("of the visitor");
      return false;
    }
  };
  const std::string bytes = bytes_of_capture("jax08_gemm_mi300.xplane.pb");
  thrower throws;
  auto push = lib::xspace_push::make(throws).or_throw();
  CHECK_THROWS_WITH(push.push(bytes), "of the visitor");
  CHECK(push.push("x").code() == PK_E_CANCELLED);
  thrower refuses;
  refuses.throws = false;
  auto refused = lib::xspace_push::make(refuses).or_throw();
  CHECK(refused.push(bytes).code() == PK_E_CANCELLED);
}

TEST_CASE("options, limits and calls out of place of a reader that is pushed to") {
  const pk_push_callbacks none = PK_PUSH_CALLBACKS_INIT;
  pk_xspace_push* made = nullptr;
  error_slot error;
  // Nobody has to listen.
  REQUIRE(pk_xspace_push_new(&none, nullptr, &made, error.out()) == PK_OK);
  const std::string bytes = bytes_of_capture("jax08_gemm_mi300.xplane.pb");
  CHECK(pk_xspace_push_bytes(made, bytes.data(), bytes.size(), error.out()) == PK_OK);
  CHECK(pk_xspace_push_bytes(made, nullptr, 0, error.out()) == PK_OK);
  CHECK(pk_xspace_push_bytes(made, nullptr, 1, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_xspace_push_finish(made, error.out()) == PK_OK);
  CHECK(pk_xspace_push_bytes(made, "x", 1, error.out()) == PK_E_INVALID_ARGUMENT);
  pk_xspace_push_free(made);

  pk_push_options options = PK_PUSH_OPTIONS_INIT;
  pk_limits limits = PK_LIMITS_INIT;
  limits.max_materialised_bytes = 100;
  options.limits = &limits;
  options.label = {"socket 7", 8};
  REQUIRE(pk_xspace_push_new(&none, &options, &made, error.out()) == PK_OK);
  CHECK(pk_xspace_push_bytes(made, bytes.data(), bytes.size(), error.out()) == PK_E_LIMIT);
  CHECK(error.message().find("socket 7") != std::string::npos);
  CHECK(pk_xspace_push_finish(made, error.out()) == PK_E_LIMIT);
  pk_xspace_push_free(made);
  options.flags = 1;
  CHECK(pk_xspace_push_new(&none, &options, &made, error.out()) == PK_E_UNSUPPORTED);
  CHECK(made == nullptr);
  options.flags = 0;
  options.label = {nullptr, 3};
  CHECK(pk_xspace_push_new(&none, &options, &made, error.out()) == PK_E_INVALID_ARGUMENT);
  pk_push_callbacks reserved = none;
  reserved.reserved = 1;
  CHECK(pk_xspace_push_new(&reserved, nullptr, &made, error.out()) == PK_E_INVALID_ARGUMENT);

  // A call from inside a callback.
  struct inside {
    pk_xspace_push* push = nullptr;
    pk_status bytes = PK_OK, finish = PK_OK;
  } in;
  pk_push_callbacks calls = PK_PUSH_CALLBACKS_INIT;
  calls.user = &in;
  calls.line_begin = [](void* user, const pk_pushed_line*) noexcept -> std::int32_t {
    inside& to = *static_cast<inside*>(user);
    to.bytes = pk_xspace_push_bytes(to.push, "x", 1, nullptr);
    to.finish = pk_xspace_push_finish(to.push, nullptr);
    return 0;
  };
  REQUIRE(pk_xspace_push_new(&calls, nullptr, &in.push, error.out()) == PK_OK);
  CHECK(pk_xspace_push_bytes(in.push, bytes.data(), bytes.size(), error.out()) == PK_OK);
  CHECK(in.bytes == PK_E_INVALID_ARGUMENT);
  CHECK(in.finish == PK_E_INVALID_ARGUMENT);
  pk_xspace_push_free(in.push);
}

TEST_CASE("stats by their bytes: damage, and places that are not there") {
  error_slot error;
  pk_stat_cursor cursor;
  pk_stat stat;
  const std::string_view two("\x22\x04\x08\x01\x20\x05\x22\x04\x08\x02\x20", 11);  // the second is cut
  REQUIRE(pk_stats_begin(two.data(), two.size(), nullptr, 0, 0, &cursor, error.out()) == PK_OK);
  REQUIRE(pk_stat_next(&cursor, &stat, error.out()) == PK_OK);
  CHECK(stat.metadata_id == 1);
  CHECK(stat.bits == 5);
  CHECK(stat.name.size == 0);
  for (int again = 0; again < 2; ++again) CHECK(pk_stat_next(&cursor, &stat, error.out()) == PK_E_DAMAGED);
  REQUIRE(pk_stats_begin(nullptr, 0, nullptr, 0, 0, &cursor, error.out()) == PK_OK);
  CHECK(pk_stat_next(&cursor, &stat, error.out()) == PK_END);
  CHECK(pk_stats_begin(nullptr, 4, nullptr, 0, 0, &cursor, error.out()) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_stats_begin(two.data(), two.size(), nullptr, 0, 1, &cursor, error.out()) == PK_E_INVALID_ARGUMENT);
  const auto held = opened(gpu_capture());
  CHECK(pk_stats_begin(two.data(), two.size(), held.get(), 0, 999, &cursor, error.out()) == PK_E_INVALID_ARGUMENT);
}

// Small captures for tests, built plane by plane with names in place of ids.
#pragma once
#include "../read/xspace_writer.hpp"

#include <profkit/core/anatomy.hpp>

#include <catch.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace profkit::test {

// One plane. Names get ids in the order they are first used, from 1 on.
class plane_builder {
 public:
  explicit plane_builder(std::string name) : name_(std::move(name)) {}

  std::int64_t event_id(const std::string& name) { return id_of(event_ids_, name); }
  std::int64_t stat_id(const std::string& name) { return id_of(stat_ids_, name); }

  // Stats for the event metadata of a name.
  message& metadata(const std::string& name) {
    event_id(name);
    return metadata_[name];
  }
  message text_stat(const std::string& name, const std::string& value) {
    return message().number(1, stat_id(name)).text(5, value);
  }
  message int_stat(const std::string& name, std::int64_t value) {
    return message().number(1, stat_id(name)).number(4, value);
  }
  message uint_stat(const std::string& name, std::uint64_t value) {
    return message().number(1, stat_id(name)).unsigned_number(3, value);
  }
  message bytes_stat(const std::string& name, const std::string& value) {
    return message().number(1, stat_id(name)).text(6, value);
  }
  message ref_stat(const std::string& name, const std::string& value) {
    return message().number(1, stat_id(name)).number(7, stat_id(value));
  }
  message event(const std::string& name, std::int64_t offset_ps, std::int64_t duration_ps,
                const std::vector<message>& stats = {}) {
    message e = test::event(event_id(name), offset_ps, duration_ps);
    for (const message& s : stats) e.sub(4, s);
    return e;
  }

  plane_builder& line(const std::string& name, const std::vector<message>& events, std::int64_t timestamp_ns = 0,
                      std::int64_t id = 1) {
    message line;
    line.number(1, id).text(2, name).number(3, timestamp_ns);
    for (const message& e : events) line.sub(4, e);
    lines_.push_back(std::move(line));
    return *this;
  }
  plane_builder& plane_stat(const message& s) {
    plane_stats_.push_back(s);
    return *this;
  }

  [[nodiscard]] message build() const {
    message plane;
    plane.text(2, name_);
    for (const message& line : lines_) plane.sub(3, line);
    for (const auto& [name, id] : event_ids_) {
      message value = message().number(1, id).text(2, name);
      const auto extra = metadata_.find(name);
      std::string bytes = value.bytes();
      if (extra != metadata_.end()) bytes += extra->second.bytes();
      plane.sub(4, message().number(1, id).text(2, bytes));
    }
    for (const auto& [name, id] : stat_ids_) plane.sub(5, metadata_entry_of(id, name));
    for (const message& s : plane_stats_) plane.sub(6, s);
    return plane;
  }

 private:
  static std::int64_t id_of(std::map<std::string, std::int64_t>& ids, const std::string& name) {
    return ids.emplace(name, static_cast<std::int64_t>(ids.size() + 1)).first->second;
  }
  std::string name_;
  std::map<std::string, std::int64_t> event_ids_, stat_ids_;
  std::map<std::string, message> metadata_;
  std::vector<message> lines_, plane_stats_;
};

inline std::string space_of(const std::vector<plane_builder>& planes) {
  message space;
  for (const plane_builder& p : planes) space.sub(1, p.build());
  return space.bytes();
}

// A profile over its bytes. Results borrow from it and tests ask a temporary: all are kept until the end.
struct opened {
  std::shared_ptr<const std::string> bytes;
  std::shared_ptr<const profile> held;
  const profile& operator*() const { return *held; }
};
inline opened open_bytes(std::string bytes, std::string label = "test.xplane.pb") {
  opened o;
  o.bytes = std::make_shared<const std::string>(std::move(bytes));
  auto p = profile::open_buffer(*o.bytes, std::move(label));
  REQUIRE(p);
  o.held = *p;
  static std::vector<opened> kept;
  kept.push_back(o);
  return o;
}

}  // namespace profkit::test

// A snapshot as a file keeps it: proto/pk_snapshot.proto.
#include <profkit/core/diff.hpp>

#include <base/contained.hpp>
#include <base/wire_encode.hpp>
#include <diff/rest.hpp>
#include <profkit/time.hpp>
#include <profkit/wire.hpp>

#include <limits>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::string_view format_name = "profkit.snapshot";
constexpr std::uint64_t newest_version = 1;

// ---- writing ----

// A message whose fields with nothing to say are left out.
class message_text {
 public:
  message_text& number(std::uint32_t field, std::uint64_t value) {
    if (value != 0) append_varint_field(bytes_, field, value);
    return *this;
  }
  message_text& time(std::uint32_t field, std::int64_t ps) { return number(field, static_cast<std::uint64_t>(ps)); }
  message_text& text(std::uint32_t field, std::string_view value) {
    if (!value.empty()) append_bytes_field(bytes_, field, value);
    return *this;
  }
  [[nodiscard]] const std::string& bytes() const noexcept { return bytes_; }

 private:
  std::string bytes_;
};

std::string bytes_of(const run_device& d) {
  std::string steps;
  for (const std::int64_t ps : d.step_ps) append_varint(steps, static_cast<std::uint64_t>(ps));
  return message_text().text(1, d.name).number(2, static_cast<std::uint64_t>(d.rank + 1)).text(3, steps).bytes();
}
std::string bytes_of(const time_use_sum& t) {
  return message_text().text(1, time_use_name(t.use)).text(2, t.cause ? idle_cause_name(*t.cause) : "").time(3, t.time_ps).bytes();
}
std::string bytes_of(const run_op& o) {
  return message_text().text(1, o.name).text(2, o.framework_op).text(3, o.module).text(4, o.shapes).text(5, kernel_class_name(o.kind))
      .number(6, o.count).time(7, o.time_ps).number(8, o.rest).bytes();
}

// ---- reading ----

fault no_snapshot(const std::string& path, const std::string& what) {
  return {fault_code::damaged, "damaged snapshot: " + what, path, no_offset, "fetch it again, or write it anew with `profkit snapshot`"};
}

// Of the values of an enumeration up to `last`, the one of that name; none of an unknown one.
template <class Enum>
std::optional<Enum> value_named(std::string_view name, const char* (*name_of)(Enum) noexcept, Enum last) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (name == name_of(static_cast<Enum>(i))) return static_cast<Enum>(i);
  return std::nullopt;
}

std::int64_t time_of_field(const wire_field& f) noexcept {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(f.value, std::numeric_limits<std::int64_t>::max()));
}

// use(field) for each field; false where the message is damaged.
template <class Use>
bool each_field(std::string_view message, Use&& use) {
  wire_reader reader(message);
  for (wire_field f; reader.next(f);) use(f);
  return reader.ok();
}

bool read_device(std::string_view message, run_device& into) {
  bool whole = true;
  const bool ok = each_field(message, [&](const wire_field& f) {
    if (f.number == 1) into.name = f.bytes;
    if (f.number == 2) into.rank = static_cast<std::int32_t>(std::min<std::uint64_t>(f.value, 1U << 30U)) - 1;
    if (f.number != 3) return;
    const char* at = f.bytes.data();
    const char* const end = at + f.bytes.size();
    for (std::uint64_t ps = 0; at != end;) {
      whole = whole && read_varint(at, end, ps) && ps <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
      if (!whole) return;
      into.step_ps.push_back(static_cast<std::int64_t>(ps));
    }
  });
  return ok && whole;
}

bool read_time(std::string_view message, run_snapshot& into) {
  time_use_sum t;
  std::optional<time_use> use;
  const bool ok = each_field(message, [&](const wire_field& f) {
    if (f.number == 1) use = value_named(f.bytes, time_use_name, time_use::not_recorded);
    if (f.number == 2) t.cause = value_named(f.bytes, idle_cause_name, static_cast<idle_cause>(idle_cause_count - 1));
    if (f.number == 3) t.time_ps = time_of_field(f);
  });
  t.use = use.value_or(time_use::other_work);
  into.time.push_back(t);
  return ok;
}

bool read_op(std::string_view message, run_op& into) {
  return each_field(message, [&](const wire_field& f) {
    switch (f.number) {
      case 1: into.name = f.bytes; break;
      case 2: into.framework_op = f.bytes; break;
      case 3: into.module = f.bytes; break;
      case 4: into.shapes = f.bytes; break;
      case 5: into.kind = value_named(f.bytes, kernel_class_name, kernel_class::other).value_or(kernel_class::other); break;
      case 6: into.count = f.value; break;
      case 7: into.time_ps = time_of_field(f); break;
      case 8: into.rest = f.value; break;
      default: break;
    }
  });
}

bool read_pair(std::string_view message, std::string& first, std::string& second, std::uint64_t& number) {
  return each_field(message, [&](const wire_field& f) {
    if (f.number == 1) first = f.bytes;
    if (f.number != 2) return;
    second = f.bytes;
    number = f.value;
  });
}

bool read_field(const wire_field& f, run_snapshot& into) {
  std::string name, value;
  std::uint64_t number = 0;
  switch (f.number) {
    case 3: into.path = f.bytes; return true;
    case 4:
      if (!read_pair(f.bytes, name, value, number)) return false;
      into.models.push_back({std::move(name), number, {}});
      return true;
    case 5: into.software.emplace_back(f.bytes); return true;
    case 6:
      if (!read_pair(f.bytes, name, value, number)) return false;
      into.facts.emplace_back(std::move(name), std::move(value));
      return true;
    case 7: into.marked = f.value != 0; return true;
    case 8: into.step_name = f.bytes; return true;
    case 9: into.warm_up_steps = f.value; return true;
    case 10: into.cut_steps = f.value; return true;
    case 11: into.other_steps = f.value; return true;
    case 12: return read_device(f.bytes, into.devices.emplace_back());
    case 13: return read_time(f.bytes, into);
    case 14: return read_op(f.bytes, into.ops.emplace_back());
    case 15: into.memory_bytes = time_of_field(f); return true;
    case 16: into.absent = f.bytes; return true;
    case 17: into.damage.push_back({0, {fault_code::damaged, std::string(f.bytes), {}, no_offset, {}}}); return true;
    default: return true;
  }
}

}  // namespace

result<void> write_snapshot(const run_snapshot& s, sink& into) {
  return contained([&]() -> result<void> {
    std::string bytes;
    std::uint64_t fields = 0;
    const auto add = [&](std::uint32_t field, std::string_view payload) {
      append_bytes_field(bytes, field, payload);
      ++fields;
    };
    const auto add_number = [&](std::uint32_t field, std::uint64_t value) {
      append_varint_field(bytes, field, value);
      ++fields;
    };
    add(1, format_name);
    add_number(2, newest_version);
    add(3, s.path);
    for (const device_model& m : s.models) add(4, message_text().text(1, m.name).number(2, m.devices).bytes());
    for (const std::string& one : s.software) add(5, one);
    for (const auto& [name, value] : s.facts) add(6, message_text().text(1, name).text(2, value).bytes());
    add_number(7, s.marked ? 1 : 0);
    add(8, s.step_name);
    add_number(9, s.warm_up_steps);
    add_number(10, s.cut_steps);
    add_number(11, s.other_steps);
    for (const run_device& d : s.devices) add(12, bytes_of(d));
    for (const time_use_sum& t : s.time) add(13, bytes_of(t));
    for (const run_op& o : diff::with_rest(s.ops, most_snapshot_ops)) add(14, bytes_of(o));
    add_number(15, static_cast<std::uint64_t>(s.memory_bytes));
    add(16, s.absent);
    for (const file_damage& d : s.damage) add(17, d.what.message);
    append_varint_field(bytes, 18, fields);
    return into.write(bytes);
  });
}

bool begins_snapshot(std::string_view bytes) noexcept {
  constexpr std::size_t head = 2;  // tag and length of the first field
  return bytes.size() >= head + format_name.size() && bytes[0] == 0x0a && static_cast<std::size_t>(bytes[1]) == format_name.size() &&
         bytes.substr(head, format_name.size()) == format_name;
}

result<run_snapshot> read_snapshot(std::string_view bytes, const std::string& path) {
  return contained([&]() -> result<run_snapshot> {
    if (!begins_snapshot(bytes)) return no_snapshot(path, "it does not begin as one");
    run_snapshot found;
    std::uint64_t version = 0, fields = 0;
    std::optional<std::uint64_t> expected;
    bool whole = true;
    const bool ok = each_field(bytes, [&](const wire_field& f) {
      whole = whole && !expected && read_field(f, found);
      if (f.number == 2) version = f.value;
      if (f.number == 18) {
        expected = f.value;
      } else {
        ++fields;
      }
    });
    if (version > newest_version)
      return fault{fault_code::unsupported, "a snapshot of version " + std::to_string(version) + "; this profkit reads up to " +
                                                std::to_string(newest_version), path, no_offset, "read it with the profkit that wrote it, or a later one"};
    if (!ok || !whole || expected != fields) return no_snapshot(path, "it is cut, or was changed");
    return found;
  });
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

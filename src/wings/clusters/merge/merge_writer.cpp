#include "merge_writer.hpp"

#include <profkit/time.hpp>
#include <profkit/xspace.hpp>

#include <optional>
#include <utility>

#include "clock_planes.hpp"

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

// Every field of a plane that is copied, with its tag, as long runs.
template <class Take>
result<void> each_copied_field(const plane_plan& p, bool tags, Take&& take) {
  wire_reader reader(p.body);
  const char* run = p.body.data();
  const char* at = run;
  for (wire_field field; reader.next(field); at = reader.position()) {
    bool copied = field.number > 3;
    if (copied && tags && field.is_bytes(6)) {
      const std::int64_t id = stat_view(field.bytes).metadata_id();
      for (const std::int64_t known : p.tag_ids) copied = copied && (known == 0 || id != known);
    }
    if (copied) continue;
    if (at != run)
      if (auto ok = take(std::string_view(run, static_cast<std::size_t>(at - run))); !ok) return ok;
    run = reader.position();
  }
  at = reader.position();
  return at == run ? result<void>() : take(std::string_view(run, static_cast<std::size_t>(at - run)));
}

class byte_planner {
 public:
  byte_planner(const merge_options& o, merge_plan& plan, merge_result& made) : o_(o), plan_(plan), made_(made) {}

  void run() {
    for (plane_plan& p : plan_.planes) {
      const aligned_trace& t = plan_.trace_of(p);
      p.head.clear();
      if (p.named.id != 0) append_varint_field(p.head, 1, as_wire(p.named.id));
      if (!p.named.name.empty()) append_bytes_field(p.head, 2, p.named.name);
      if (plan_.tags(p)) p.tail = tags_of(p, t.report);
      p.body_bytes = p.head.size() + p.tail.size();
      static_cast<void>(each_copied_field(p, plan_.tags(p), [&](std::string_view bytes) {
        p.body_bytes += bytes.size();
        return result<void>();
      }));
      for (std::size_t i = p.first_line; i < p.first_line + p.line_count; ++i) {
        plan_line(p, plan_.lines[i]);
        p.body_bytes += delimited_field_bytes(3, plan_.lines[i].body_bytes);
      }
      merged_plane listed{p.named.name, p.named.id, p.node, std::string(p.name), p.named.moved};
      if (!t.before.empty()) listed.node = node_stat_of(p).value_or(p.node);
      made_.planes.push_back(std::move(listed));
      t.forget(p.body);
    }
  }

 private:
  // The node that an earlier merge gave a plane.
  static std::optional<std::int64_t> node_stat_of(const plane_plan& p) {
    for (const stat_view stat : plane_view(p.body).stats())
      if (p.tag_ids[0] != 0 && stat.metadata_id() == p.tag_ids[0]) return stat.as_int64();
    return std::nullopt;
  }

  void plan_line(const plane_plan& p, line_plan& line) {
    const line_facts& f = line.facts;
    std::int64_t id = f.id;
    const std::int64_t display_id = f.display_id;
    std::string name = as_utf8(f.name), display = as_utf8(f.display_name);
    const bool before = !plan_.trace_of(p).before.empty();
    if (!before && p.named.is_host) {
      const std::string prefix = "/node:" + std::to_string(p.node) + '/';
      const std::string numbered = "line_" + std::to_string(f.id);
      display = "Node " + std::to_string(p.node) + ": " +
                (!display.empty() ? display
                 : !name.empty()  ? name
                                  : numbered);
      name = prefix + (name.empty() ? numbered : name);
    }
    if (!before && p.named.shifts_lines) {
      const auto shifted = checked_mul(p.node, line_ids_per_node);
      id = static_cast<std::int64_t>(as_wire(id) + as_wire(shifted.value_or(0)));
    }
    line.head.clear();
    line.tail.clear();
    if (id != 0) append_varint_field(line.head, 1, as_wire(id));
    if (!name.empty()) append_bytes_field(line.head, 2, name);
    std::int64_t timestamp_ns = 0;
    if (o_.zero == merge_zero::none) timestamp_ns = made_.origin_ns;
    if (timestamp_ns != 0) append_varint_field(line.head, 3, as_wire(timestamp_ns));
    if (display_id != 0) append_varint_field(line.tail, 10, as_wire(display_id));
    if (!display.empty()) append_bytes_field(line.tail, 11, display);
    line.body_bytes = line.head.size() + f.event_bytes + f.other_bytes + line.tail.size();
  }

  const merge_options& o_;
  merge_plan& plan_;
  merge_result& made_;
};

class plan_writer {
 public:
  plan_writer(const merge_options& o, const merge_plan& plan, const merge_result& made, const hooks& host,
              shared_progress& progress)
      : o_(o), plan_(plan), made_(made), host_(host), progress_(progress) {}

  result<std::uint64_t> run(sink& into) {
    merge_output out(into, host_);
    for (const plane_plan& p : plan_.planes)
      if (auto ok = write_plane(p, out); !ok) return std::move(ok).error();
    for (std::size_t i = 0; i < made_.nodes.size(); ++i)
      if (auto ok = out.literal(clock_plane_field(made_.nodes[i], static_cast<std::int64_t>(i), made_, o_.plane_prefix));
          !ok)
        return std::move(ok).error();
    if (auto ok = out.literal(environment_field(plan_, made_.origin_ns)); !ok) return std::move(ok).error();
    if (auto ok = write_texts(out); !ok) return std::move(ok).error();
    std::string hosts;
    for (const std::string& h : made_.hostnames) append_bytes_field(hosts, 4, as_utf8(h));
    if (auto ok = out.literal(std::move(hosts)); !ok) return std::move(ok).error();
    return out.finish();
  }

 private:
  result<void> write_plane(const plane_plan& p, merge_output& out) {
    const aligned_trace& t = plan_.trace_of(p);
    std::string head;
    append_delimited_head(head, 1, p.body_bytes);
    head += p.head;
    if (auto ok = out.literal(std::move(head)); !ok) return ok;
    for (std::size_t i = p.first_line; i < p.first_line + p.line_count; ++i)
      if (auto ok = write_line(p, plan_.lines[i], out); !ok) return ok;
    const auto copy = [&](std::string_view bytes) -> result<void> { return out.copy(bytes); };
    if (auto ok = each_copied_field(p, plan_.tags(p), copy); !ok) return ok;
    if (auto ok = out.literal(p.tail); !ok) return ok;
    // What was rendered is still borrowed until it is written.
    return out.when_written([&t, body = p.body] { t.forget(body); });
  }

  result<void> write_line(const plane_plan& p, const line_plan& line, merge_output& out) {
    const aligned_trace& t = plan_.trace_of(p);
    std::string head;
    append_delimited_head(head, 3, line.body_bytes);
    head += line.head;
    if (auto ok = out.literal(std::move(head)); !ok) return ok;
    if (line.facts.in_order) {
      const auto& marks = line.facts.marks;
      for (std::size_t m = 0; m < marks.size(); ++m) {
        auto ok = out.render(written_bytes(line.facts, m), [this, &line, m](char* to) {
          write_events(line.body, line.clock, plan_.rules, line.facts, m, to);
        });
        if (!ok) return ok;
        const std::uint64_t end = m + 1 < marks.size() ? marks[m + 1].at : line.body.size();
        const std::uint64_t bytes = end - marks[m].at;
        const std::string_view part =
            line.body.substr(static_cast<std::size_t>(marks[m].at), static_cast<std::size_t>(bytes));
        if (ok = out.when_written([&t, part] { t.forget(part); }); !ok) return ok;
        if (ok = progress_.add(bytes); !ok) return ok;
      }
    } else {
      if (auto ok = out.flush(); !ok) return ok;
      if (auto ok = write_unsorted(line.body, line.clock, plan_.rules, line.facts.events, out); !ok) return ok;
      if (auto go_on = progress_.add(line.body.size()); !go_on) return go_on;
    }
    if (line.facts.other_bytes > 0) {
      wire_reader reader(line.body);
      const char* at = line.body.data();
      for (wire_field field; reader.next(field); at = reader.position())
        if (is_copied_line_field(field.number))
          if (auto ok = out.copy(std::string_view(at, static_cast<std::size_t>(reader.position() - at))); !ok)
            return ok;
    }
    return out.literal(line.tail);
  }

  // Errors and warnings of the traces, each with its node.
  result<void> write_texts(merge_output& out) {
    for (const aligned_trace& t : plan_.all.traces) {
      if (!t.usable) continue;
      wire_reader reader(t.bytes);
      for (wire_field field; reader.next(field);) {
        if (!field.is_bytes(2) && !field.is_bytes(3)) continue;
        std::string text;
        const std::string prefix = t.before.empty() ? "node " + std::to_string(t.input.node_id) + ": " : std::string();
        append_bytes_field(text, field.number, prefix + as_utf8(field.bytes));
        if (auto ok = out.literal(std::move(text)); !ok) return ok;
      }
    }
    for (const aligned_trace& t : plan_.all.traces)
      for (const std::string& loss : losses_of(t)) {
        std::string text;
        append_bytes_field(text, 2, as_utf8(loss));
        if (auto ok = out.literal(std::move(text)); !ok) return ok;
      }
    return {};
  }

  const merge_options& o_;
  const merge_plan& plan_;
  const merge_result& made_;
  const hooks& host_;
  shared_progress& progress_;
};

}  // namespace

void plan_bytes(const merge_options& o, merge_plan& plan, merge_result& made) { byte_planner(o, plan, made).run(); }

result<std::uint64_t> write_plan(const merge_options& o, const merge_plan& plan, const merge_result& made, sink& into,
                                 const hooks& host, shared_progress& progress) {
  return plan_writer(o, plan, made, host, progress).run(into);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

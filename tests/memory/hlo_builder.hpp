// Writes HloProto bytes field by field, for tests and benchmarks: sound ones and broken ones.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace profkit::test {

class message {
 public:
  message& varint(std::uint32_t field, std::int64_t value) {
    tag(field, 0);
    raw(static_cast<std::uint64_t>(value));
    return *this;
  }
  message& bytes(std::uint32_t field, std::string_view payload) {
    tag(field, 2);
    raw(payload.size());
    text_ += payload;
    return *this;
  }
  message& sub(std::uint32_t field, const message& m) { return bytes(field, m.text_); }
  /// A field that claims more bytes than follow.
  message& claim(std::uint32_t field, std::uint64_t length) {
    tag(field, 2);
    raw(length);
    return *this;
  }
  const std::string& text() const { return text_; }

 private:
  void tag(std::uint32_t field, std::uint32_t type) { raw(field << 3 | type); }
  void raw(std::uint64_t v) {
    for (; v >= 0x80; v >>= 7) text_ += static_cast<char>(v | 0x80);
    text_ += static_cast<char>(v);
  }
  std::string text_;
};

/// One instruction; operands by id.
inline message instruction(std::int64_t id, std::string_view name, std::string_view opcode,
                           const std::vector<std::int64_t>& operands = {}, const std::vector<std::int64_t>& called = {},
                           std::string_view op_name = {}) {
  message i;
  i.bytes(1, name).bytes(2, opcode);
  i.sub(3, message().varint(2, 11).varint(3, 4));  // f32[4]
  if (!op_name.empty()) i.sub(7, message().bytes(2, op_name).bytes(3, "model.py").varint(4, 12));
  i.varint(35, id);
  for (const std::int64_t o : operands) i.varint(36, o);
  for (const std::int64_t c : called) i.varint(38, c);
  return i;
}

inline message computation(std::int64_t id, std::string_view name, const std::vector<message>& instructions,
                           std::int64_t root) {
  message c;
  c.bytes(1, name);
  for (const message& i : instructions) c.sub(2, i);
  return c.varint(5, id).varint(6, root);
}

inline message sequence(std::int64_t computation, const std::vector<std::int64_t>& order) {
  message ids;
  for (const std::int64_t id : order) ids.varint(1, id);
  return message().varint(1, computation).sub(2, ids);
}

inline message logical_buffer(std::int64_t id, std::int64_t size, std::int64_t defined_by, std::int64_t color = 0) {
  return message().varint(1, id).varint(2, size).sub(3, message().varint(4, defined_by)).varint(4, color);
}

struct assigned {
  std::int64_t buffer, offset, size;
};
enum allocation_flags { temporary = 0, parameter = 1, constant = 2, live_out = 4, thread_local_memory = 8 };

inline message allocation(std::int64_t index, std::int64_t size, int flags, const std::vector<assigned>& buffers,
                          std::int64_t color = 0) {
  message a;
  a.varint(1, index).varint(2, size).varint(8, color);
  if ((flags & thread_local_memory) != 0) a.varint(3, 1);
  if ((flags & parameter) != 0) a.varint(5, 1);
  if ((flags & live_out) != 0) a.varint(7, 1);
  if ((flags & constant) != 0) a.varint(12, 1);
  for (const assigned& b : buffers) a.sub(9, message().varint(1, b.buffer).varint(2, b.offset).varint(3, b.size));
  return a;
}

enum heap_kind { alloc = 0, free_ = 1, share = 2 };
inline message heap_event(heap_kind kind, std::int64_t buffer, std::int64_t with = 0,
                          std::string_view instruction_name = {}) {
  message e;
  e.varint(1, kind).varint(2, buffer).bytes(3, "main").bytes(4, instruction_name);
  if (kind == share) e.varint(5, with);
  return e;
}
inline message heap_trace(const std::vector<message>& events, std::int64_t allocation_index = 0) {
  message t;
  for (const message& e : events) t.sub(1, e);
  return t.varint(2, 1).varint(3, allocation_index);
}

/// A module of one entry computation `main` (id 1) unless more are given.
struct module_parts {
  std::string name = "jit_test";
  std::int64_t id = 7;
  std::vector<message> computations;
  std::int64_t entry = 1;
  std::vector<message> sequences, buffers, aliases, allocations, traces;

  std::string text() const {
    message m;
    m.bytes(1, name);
    for (const message& c : computations) m.sub(3, c);
    m.varint(5, id).varint(6, entry);
    message schedule;
    for (const message& s : sequences) schedule.sub(1, s);
    if (!sequences.empty()) m.sub(7, schedule);
    message b;
    for (const message& x : buffers) b.sub(1, x);
    for (const message& x : aliases) b.sub(2, x);
    for (const message& x : allocations) b.sub(3, x);
    for (const message& x : traces) b.sub(4, x);
    return message().sub(1, m).sub(3, b).text();
  }
};

}  // namespace profkit::test

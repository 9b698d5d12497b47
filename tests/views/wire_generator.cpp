#include "wire_generator.hpp"

#include <google/protobuf/descriptor.pb.h>

#include <algorithm>

namespace profkit::test {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

namespace {

constexpr unsigned varint_type = 0, fixed64_type = 1, delimited_type = 2, group_type = 3, end_group_type = 4,
                   fixed32_type = 5;

// How a value of the field's type is written when it is not packed.
unsigned native_type(const FieldDescriptor& field) {
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
    case FieldDescriptor::CPPTYPE_STRING: return delimited_type;
    case FieldDescriptor::CPPTYPE_DOUBLE: return fixed64_type;
    case FieldDescriptor::CPPTYPE_FLOAT: return fixed32_type;
    default: return varint_type;
  }
}

// The value in groups of seven bits, in at least `length` bytes.
std::string base_128(std::uint64_t value, std::size_t length) {
  std::string out;
  do {
    out += static_cast<char>((value & 0x7f) | 0x80);
    value >>= 7;
  } while (value || out.size() < length);
  out.back() = static_cast<char>(out.back() & 0x7f);
  return out;
}

}  // namespace

std::string wire_generator::message(const Descriptor& type, int fields) {
  fields_left_ = fields;
  return body(type, 0);
}

std::string wire_generator::body(const Descriptor& type, int depth) {
  std::vector<std::string> fields;
  for (int i = 0; i < type.field_count(); ++i)
    if (chance(type.field_count() > 12 ? 30 : 65)) append_known(fields, *type.field(i), depth);
  const bool plain = chance(40);  // sometimes what an ordinary writer gives
  if (!plain) {
    while (chance(20)) fields.push_back(unknown(&type, depth));
    std::shuffle(fields.begin(), fields.end(), random_);
  }
  std::string out;
  for (const std::string& field : fields) out += field;
  return out;
}

void wire_generator::append_known(std::vector<std::string>& fields, const FieldDescriptor& field, int depth) {
  const auto number = static_cast<std::uint32_t>(field.number());
  std::uint64_t occurrences = field.is_repeated() ? below(5) : chance(80) ? 1 : 2 + below(2);
  if (chance(3)) {  // a number of ours with a wire type that is not: an unknown field
    const unsigned types[] = {varint_type, fixed64_type, delimited_type, group_type, fixed32_type};
    const unsigned type = types[below(5)];
    const bool packable = field.is_repeated() && native_type(field) != delimited_type;
    if (type != native_type(field) && !(packable && type == delimited_type))
      fields.push_back(foreign(number, type, depth));
  }
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_MESSAGE:
      if (depth > 9) return;
      for (; occurrences && fields_left_ > 0; --occurrences) {
        --fields_left_;
        fields.push_back(delimited(number, body(*field.message_type(), depth + 1)));
      }
      return;
    case FieldDescriptor::CPPTYPE_STRING:
      for (; occurrences; --occurrences, --fields_left_) fields.push_back(delimited(number, text_for(field)));
      return;
    default:
      if (field.is_repeated()) return append_numbers(fields, field);
      for (; occurrences; --occurrences, --fields_left_)
        fields.push_back(tag(number, native_type(field)) + number_for(field));
  }
}

void wire_generator::append_numbers(std::vector<std::string>& fields, const FieldDescriptor& field) {
  const auto number = static_cast<std::uint32_t>(field.number());
  for (std::uint64_t runs = below(4); runs; --runs, --fields_left_) {
    if (chance(40)) {
      fields.push_back(tag(number, native_type(field)) + number_for(field));
      continue;
    }
    std::string packed;
    for (std::uint64_t n = below(6); n; --n) packed += number_for(field);
    fields.push_back(delimited(number, packed));
  }
}

std::string wire_generator::number_for(const FieldDescriptor& field) {
  switch (native_type(field)) {
    case fixed64_type: return fixed(integer(), 8);
    case fixed32_type: return fixed(integer(), 4);
    default: return varint(integer_for(field));
  }
}

std::string wire_generator::unknown(const Descriptor* type, int depth) {
  std::uint32_t number = 0;
  do {
    number = static_cast<std::uint32_t>(chance(70) ? 1 + below(120) : 1 + below((1U << 29) - 1));
  } while (type && type->FindFieldByNumber(static_cast<int>(number)));
  const unsigned types[] = {varint_type, fixed64_type, delimited_type, group_type, fixed32_type};
  return foreign(number, types[below(5)], depth);
}

std::string wire_generator::foreign(std::uint32_t number, unsigned wire_type, int depth) {
  const std::string start = tag(number, wire_type);
  switch (wire_type) {
    case varint_type: return start + varint(integer());
    case fixed64_type: return start + fixed(integer(), 8);
    case fixed32_type: return start + fixed(integer(), 4);
    case delimited_type: return delimited(number, text());
    default: break;
  }
  std::string group = start;
  while (chance(50) && depth < 14) group += unknown(nullptr, depth + 1);
  return group + tag(number, end_group_type);
}

std::uint64_t wire_generator::integer() {
  static constexpr std::uint64_t extremes[] = {0,
                                               1,
                                               127,
                                               128,
                                               0x7fffffff,
                                               0x80000000,
                                               0xffffffff,
                                               0x100000000,
                                               0x7fffffffffffffff,
                                               0x8000000000000000,
                                               0xffffffffffffffff,
                                               0xffffffff80000000,
                                               0xfffffffffffffffe};
  if (chance(25)) return extremes[below(std::size(extremes))];
  return random_() >> below(64);
}

std::uint64_t wire_generator::integer_for(const FieldDescriptor& field) {
  static constexpr std::uint64_t keys[] = {0, 1, 2, 0xfffffffffffffffb, 0x8000000000000000};
  // Few different keys, so that entries meet.
  if (field.containing_type()->options().map_entry()) return keys[below(std::size(keys))];
  if (field.cpp_type() == FieldDescriptor::CPPTYPE_BOOL && chance(70)) return below(2);
  return integer();
}

std::string wire_generator::text() {
  std::string out;
  const std::uint64_t length = chance(85) ? below(24) : chance(90) ? 120 + below(20) : 16380 + below(8);
  for (std::uint64_t i = 0; i < length; ++i) out += static_cast<char>(ascii_text_ ? below(128) : below(256));
  return out;
}

std::string wire_generator::text_for(const FieldDescriptor& field) {
  if (field.containing_type()->options().map_entry() && field.number() == 1) {
    static const std::string keys[] = {"", "mesh", "x\xff"};
    return keys[below(ascii_text_ ? 2 : std::size(keys))];
  }
  return text();
}

std::string wire_generator::varint(std::uint64_t value) {
  std::string out = base_128(value, chance(95) ? 1 : 1 + below(10));
  if (out.size() == 10 && chance(20)) out.back() = static_cast<char>(out.back() | (below(63) << 1));  // falls out
  return out;
}

std::string wire_generator::tag(std::uint32_t number, unsigned wire_type) {
  std::string out = base_128(number << 3 | wire_type, chance(97) ? 1 : 1 + below(5));
  if (out.size() == 5 && chance(20)) out.back() = static_cast<char>(out.back() | (below(7) << 4));  // falls out
  return out;
}

std::string wire_generator::delimited(std::uint32_t number, const std::string& payload) {
  return tag(number, delimited_type) + base_128(payload.size(), chance(97) ? 1 : 1 + below(5)) + payload;
}

std::string wire_generator::fixed(std::uint64_t value, int bytes) {
  std::string out;
  for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i));
  return out;
}

}  // namespace profkit::test

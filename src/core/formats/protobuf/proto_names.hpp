// Names of the fields, messages and enum values that `profkit dump` knows. proto/field_names.py makes the table.
#pragma once
#include <profkit/namespace.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// Values are those of google.protobuf.FieldDescriptorProto.Type.
enum class proto_type : std::uint8_t {
  double_value = 1,
  float_value,
  int64,
  uint64,
  int32,
  fixed64,
  fixed32,
  boolean,
  string,
  group,
  message,
  bytes,
  uint32,
  enumeration,
  sfixed32,
  sfixed64,
  sint32,
  sint64,
};

// A name of the table.
struct proto_name {
  std::uint16_t at;  // in the text of all names
  [[nodiscard]] const char* text() const noexcept;
};

struct proto_field_name {
  std::uint32_t number;
  std::uint8_t type;  // proto_type
  bool repeated;
  std::int16_t index;  // of the message or enum; -1 for scalars
  std::int16_t oneof;  // within the message; -1 when it is in none
  proto_name name;
  [[nodiscard]] constexpr proto_type kind() const noexcept { return static_cast<proto_type>(type); }
};

struct proto_message_name {
  proto_name name;                         // without the package: "XSpace", "OpMetadata.ProfileInfo"
  std::uint16_t first_field, field_count;  // fields stand by ascending number
  bool map_entry;
};

struct proto_enum_value {
  std::int32_t number;
  proto_name name;
};

struct proto_enum_name {
  proto_name name;
  std::uint16_t first_value, value_count;  // values stand by ascending number
};

struct proto_names {
  const proto_field_name* fields;
  std::size_t field_count;
  const proto_message_name* messages;
  std::size_t message_count;
  const proto_enum_value* values;
  std::size_t value_count;
  const proto_enum_name* enums;
  std::size_t enum_count;

  // nullptr when the name is not known. A name may have its package before it ("xla.HloProto").
  [[nodiscard]] const proto_message_name* find_message(std::string_view name) const noexcept;
  // nullptr when `m` is null or has no such field.
  [[nodiscard]] const proto_field_name* find_field(const proto_message_name* m, std::uint32_t number) const noexcept;
  // nullptr for a number the enum does not name.
  [[nodiscard]] const char* find_value(std::int16_t enumeration, std::int32_t number) const noexcept;
};

const proto_names& known_proto_names() noexcept;  // proto_names.cpp

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

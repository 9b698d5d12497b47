// Random messages of a given type, made at the level of the wire: everything a protobuf parser must accept, in any
// order. Fields are shuffled, repeated and split into pieces, numbers packed and unpacked, map keys and values
// missing, doubled or split, unknown fields and groups strewn in, known numbers used with foreign wire types, varints
// padded.
#pragma once
#include <google/protobuf/descriptor.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace profkit::test {

class wire_generator {
 public:
  /// With `ascii_text` all strings and bytes are ASCII, for readers that insist on UTF-8.
  explicit wire_generator(std::uint64_t seed, bool ascii_text = false) : random_(seed), ascii_text_(ascii_text) {}

  /// A message of about at most `fields` fields, sub-messages included.
  std::string message(const google::protobuf::Descriptor& type, int fields);

  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  bool chance(unsigned percent) { return below(100) < percent; }

 private:
  std::string body(const google::protobuf::Descriptor& type, int depth);
  void append_known(std::vector<std::string>& fields, const google::protobuf::FieldDescriptor& field, int depth);
  void append_numbers(std::vector<std::string>& fields, const google::protobuf::FieldDescriptor& field);
  std::string number_for(const google::protobuf::FieldDescriptor& field);
  std::string unknown(const google::protobuf::Descriptor* type, int depth);
  std::string foreign(std::uint32_t number, unsigned wire_type, int depth);
  std::uint64_t integer();
  std::uint64_t integer_for(const google::protobuf::FieldDescriptor& field);
  std::string text();
  std::string text_for(const google::protobuf::FieldDescriptor& field);
  std::string varint(std::uint64_t value);
  std::string tag(std::uint32_t number, unsigned wire_type);
  std::string delimited(std::uint32_t number, const std::string& payload);
  std::string fixed(std::uint64_t value, int bytes);

  std::mt19937_64 random_;
  bool ascii_text_;
  int fields_left_ = 0;
};

}  // namespace profkit::test

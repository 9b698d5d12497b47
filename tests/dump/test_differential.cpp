// What a dump of a real file says, read back by protobuf, is that file.
#include "../views/wire_generator.hpp"
#include "support.hpp"

#include <profkit/core/chrome.hpp>
#include <profkit/core/dump.hpp>

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>

#include <catch.hpp>

#include <fstream>
#include <iterator>
#include <set>

using namespace profkit;
using namespace profkit::test;

namespace {

std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The schemas as protobuf knows them.
class schemas {
 public:
  schemas() {
    google::protobuf::FileDescriptorSet files;
    REQUIRE(files.ParseFromString(contents(DUMP_SCHEMAS)));
    REQUIRE(files.file_size() > 0);
    for (const auto& file : files.file()) REQUIRE(pool_.BuildFile(file) != nullptr);
  }
  std::unique_ptr<google::protobuf::Message> make(const std::string& type) {
    return std::unique_ptr<google::protobuf::Message>(factory_.GetPrototype(pool_.FindMessageTypeByName(type))->New());
  }

 private:
  google::protobuf::DescriptorPool pool_;
  google::protobuf::DynamicMessageFactory factory_;
};

std::string dumped(const std::string& bytes, const std::string& type, dump_format format) {
  std::string out;
  auto into = memory_sink(out);
  dump_options options;
  options.format = format;
  const auto done = dump_message(bytes, type, *into, options);
  REQUIRE(done.ok());
  CHECK_FALSE(done->damage);
  REQUIRE(into->finish().ok());
  return out;
}

// Keeps what the text parser complains about; without this it logs, a warning for every field without a name.
struct text_errors : google::protobuf::io::ErrorCollector {
  std::string told;
  void AddError(int line, int column, const std::string& message) override {
    told += std::to_string(line + 1) + ':' + std::to_string(column + 1) + ' ' + message + '\n';
  }
};

// What protobuf's dynamic messages keep beside what the schemas know: unknown fields within maps, and entries of a map
// that a later one replaces.
void tidy(google::protobuf::Message& message) {
  const auto& reflection = *message.GetReflection();
  reflection.MutableUnknownFields(&message)->Clear();
  std::vector<const google::protobuf::FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != google::protobuf::FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      tidy(*reflection.MutableMessage(&message, field));
      continue;
    }
    std::set<std::string> keys;
    for (int i = reflection.FieldSize(message, field); i-- > 0;) {
      auto& element = *reflection.MutableRepeatedMessage(&message, field, i);
      tidy(element);
      if (!field->is_map()) continue;
      std::string key;
      google::protobuf::TextFormat::PrintFieldValueToString(element, field->message_type()->map_key(), -1, &key);
      if (keys.insert(key).second) continue;
      reflection.SwapElements(&message, field, i, reflection.FieldSize(message, field) - 1);
      reflection.RemoveLast(&message, field);
    }
  }
}

// What of `bytes` the schemas know, read back from a dump, must be what protobuf reads from `bytes`.
void check(schemas& known, const std::string& bytes, const std::string& type) {
  const auto original = known.make(type), from_text = known.make(type), from_json = known.make(type);
  REQUIRE(original->ParsePartialFromString(bytes));
  tidy(*original);
  google::protobuf::util::DefaultFieldComparator nan_is_nan;
  nan_is_nan.set_treat_nan_as_equal(true);
  const auto differences = [&](const google::protobuf::Message& read) {
    google::protobuf::util::MessageDifferencer differencer;
    differencer.set_field_comparator(&nan_is_nan);
    std::string told;
    differencer.ReportDifferencesToString(&told);
    differencer.Compare(*original, read);
    return told.substr(0, 500);
  };
  const std::string json = dumped(bytes, type, dump_format::json);
  google::protobuf::util::JsonParseOptions lenient;
  lenient.ignore_unknown_fields = true;
  const auto parsed =
      google::protobuf::util::JsonStringToMessage(std::string(json_member(json, "message")), from_json.get(), lenient);
  CAPTURE(parsed.ToString());
  REQUIRE(parsed.ok());
  CHECK(differences(*from_json) == "");

  google::protobuf::TextFormat::Parser reader;
  text_errors errors;
  reader.RecordErrorsTo(&errors);
  reader.AllowUnknownField(true);  // fields without a name
  const std::string text = dumped(bytes, type, dump_format::text);
  reader.MergeFromString(text, from_text.get());  // unlike Parse: a field may come twice
  REQUIRE(errors.told == "");
  tidy(*from_text);
  CHECK(differences(*from_text) == "");
}

const char* type_of(const std::string& path) {
  if (path.find(".xplane.pb") != std::string::npos) return "profkit.fixture.xplane.XSpace";
  if (path.find(".hlo.pb") != std::string::npos || path.find(".hlo_proto.pb") != std::string::npos)
    return "profkit.fixture.hlo.HloProto";
  return nullptr;
}

std::size_t check_folder(const std::filesystem::path& folder, std::uintmax_t max_bytes) {
  schemas known;
  std::size_t checked = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    const char* const type = type_of(path);
    if (type == nullptr || !entry.is_regular_file() || entry.file_size() > max_bytes ||
        path.find("MUST_REJECT") != std::string::npos)
      continue;
    CAPTURE(path);
    check(known, contents(path), type);
    ++checked;
  }
  return checked;
}

}  // namespace

TEST_CASE("dumps of the vendored captures read back") { CHECK(check_folder(data_path(""), 400'000) >= 4); }

TEST_CASE("dumps of the corpus read back") {
  const auto captures = corpus_path("captures");
  if (!captures) PROFKIT_SKIP_WITHOUT_CORPUS;
  CHECK(check_folder(*captures, 1'000'000) >= 70);
}

TEST_CASE("dumps of random messages read back") {
  schemas known;
  static constexpr const char* types[] = {"profkit.fixture.xplane.XSpace", "profkit.fixture.hlo.HloProto",
                                          "profkit.fixture.op_stats.OpStats"};
  for (std::uint64_t seed = 0; seed < 900; ++seed) {
    const char* const type = types[seed % 3];
    const std::string bytes = wire_generator(seed, true).message(*known.make(type)->GetDescriptor(), 80);
    CAPTURE(type, seed);
    check(known, bytes, type);
  }
}

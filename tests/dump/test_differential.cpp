// What a dump of a real file says, read back by protobuf, is that file.
#include "support.hpp"

#include <profkit/core/chrome.hpp>
#include <profkit/core/dump.hpp>

#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/dynamic_message.h>
#include <google/protobuf/text_format.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>

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
  CHECK(done->status == document_status::ok);
  REQUIRE(into->finish().ok());
  return out;
}

void check(schemas& known, const std::string& bytes, const std::string& type) {
  const auto original = known.make(type), from_text = known.make(type), from_json = known.make(type);
  REQUIRE(original->ParseFromString(bytes));
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
  REQUIRE(parsed.ok());
  original->DiscardUnknownFields();
  CHECK(differences(*from_json).empty());

  // Files newer than the schemas hold fields that protobuf's text parser would refuse.
  std::string known_only;
  original->SerializeToString(&known_only);
  REQUIRE(google::protobuf::TextFormat::ParseFromString(dumped(known_only, type, dump_format::text), from_text.get()));
  CHECK(differences(*from_text).empty());
}

const char* type_of(const std::string& path) {
  if (path.find(".xplane.pb") != std::string::npos) return "profkit.fixture.xplane.XSpace";
  if (path.find(".hlo.pb") != std::string::npos || path.find(".hlo_proto.pb") != std::string::npos)
    return "profkit.fixture.hlo.HloProto";
  return nullptr;
}

std::size_t check_folder(const std::filesystem::path& folder, std::uintmax_t most_bytes) {
  schemas known;
  std::size_t checked = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    const char* const type = type_of(path);
    if (type == nullptr || !entry.is_regular_file() || entry.file_size() > most_bytes ||
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
  if (!captures) PROFKIT_SKIP("no corpus: captures are missing");
  CHECK(check_folder(*captures, 1'000'000) >= 70);
}

// The architecture report through the C ABI: the command's own document and Markdown, and arguments that make no sense.
#include <profkit/core/architecture.hpp>

#include <profkit/profkit.hpp>

#include "handles.hpp"

using namespace profkit::test;

TEST_CASE("the C ABI writes the architecture of the command") {
  const auto profile = opened(tpu_capture());
  pk_architecture_options options = PK_ARCHITECTURE_OPTIONS_INIT;
  options.limit = 3;
  pk_architecture* made = nullptr;
  REQUIRE(pk_architecture_open(profile.get(), &options, &made, nullptr) == PK_OK);
  const owned<pk_architecture> architecture(made);
  const auto core = profkit::profile::open(tpu_capture());
  REQUIRE(core.ok());
  profkit::architecture_options o;
  o.limit = 3;
  const auto found = profkit::analyse_architecture(profkit::trace(*core), o);
  REQUIRE(found.ok());
  std::string ours, theirs;
  std::int32_t status = -1;
  REQUIRE(pk_architecture_write(architecture.get(), append, &ours, &status, nullptr) == PK_OK);
  CHECK(status == PK_DOCUMENT_STATUS_OK);
  auto sink = profkit::memory_sink(theirs);
  REQUIRE(profkit::write_architecture_document(**core, o, *found, *sink).ok());
  REQUIRE(sink->finish().ok());
  CHECK(ours == theirs);
  ours.clear();
  theirs.clear();
  REQUIRE(pk_architecture_write_markdown(architecture.get(), append, &ours, nullptr) == PK_OK);
  sink = profkit::memory_sink(theirs);
  REQUIRE(profkit::write_architecture_markdown(*found, *sink).ok());
  REQUIRE(sink->finish().ok());
  CHECK(ours == theirs);
  CHECK(text_of(pk_architecture_summary(architecture.get())) == found->found.summary);
  CHECK(text_of(pk_architecture_file_name(architecture.get())) == profkit::architecture_file_name(*found));
}

TEST_CASE("architecture through profkit.hpp") {
  const profkit::lib::profile profile = profkit::lib::profile::open(tpu_capture()).or_throw();
  const profkit::lib::architecture model = profile.find_architecture().or_throw();
  std::string text;
  const auto take = [&](std::string_view piece) {
    text += piece;
    return true;
  };
  REQUIRE(model.write_markdown(take).ok());
  CHECK(text.find("## 10. Model architecture summary") != std::string::npos);
  text.clear();
  REQUIRE(model.write_document(take).ok());
  CHECK(text.find("profkit.architecture") != std::string::npos);
  CHECK(!model.file_name().empty());
}

TEST_CASE("architecture: arguments that make no sense") {
  const auto profile = opened(tpu_capture());
  pk_architecture* made = nullptr;
  CHECK(pk_architecture_open(nullptr, nullptr, &made, nullptr) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_architecture_open(profile.get(), nullptr, nullptr, nullptr) == PK_E_INVALID_ARGUMENT);
  pk_architecture_options options = PK_ARCHITECTURE_OPTIONS_INIT;
  options.flags = 1;
  CHECK(pk_architecture_open(profile.get(), &options, &made, nullptr) == PK_E_UNSUPPORTED);
  CHECK(made == nullptr);
  REQUIRE(pk_architecture_open(profile.get(), nullptr, &made, nullptr) == PK_OK);
  const owned<pk_architecture> architecture(made);
  CHECK(pk_architecture_write(architecture.get(), nullptr, nullptr, nullptr, nullptr) == PK_E_INVALID_ARGUMENT);
  CHECK(pk_architecture_write(architecture.get(), refuse, nullptr, nullptr, nullptr) == PK_E_CANCELLED);
  CHECK(pk_architecture_write_markdown(architecture.get(), refuse, nullptr, nullptr) == PK_E_CANCELLED);
  CHECK(pk_architecture_write_markdown(nullptr, append, nullptr, nullptr) == PK_E_INVALID_ARGUMENT);
  CHECK(text_of(pk_architecture_summary(nullptr)).empty());
  pk_architecture_free(nullptr);
}

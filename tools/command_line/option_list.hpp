// The options of one command, as plain data: parser.cpp gives them to the library that reads the arguments, generate/
// writes them down for shells and for the manual.
#pragma once
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace profkit_tool {

enum class option_kind {
  argument,
  arguments,
  flag,
  value,
  repeated,  // one value an occurrence, any number of occurrences
  values,    // any number of values after one name
};

// What a shell offers in the place of a value.
enum class shell_offer { nothing, words, file, folder };

using typed_place = std::variant<bool*, std::string*, std::vector<std::string>*>;

struct listed_option {
  option_kind kind;
  std::string heading;  // of the help, under which it stands
  std::string names;    // "-o,--output"; one without a hyphen may be left out on the command line
  std::string value_name;
  std::string description;
  typed_place into;  // where what is typed arrives
  bool required = false;
  std::string excluded = {};  // the name of another option, with which it is not given
  shell_offer offer = shell_offer::nothing;
  std::vector<std::string> words = {};
  std::string more = {};  // what the manual says beyond the description

  listed_option& offer_words(std::vector<std::string> those) {
    offer = shell_offer::words;
    words = std::move(those);
    return *this;
  }
  listed_option& offer_files() {
    offer = shell_offer::file;
    return *this;
  }
  listed_option& offer_folders() {
    offer = shell_offer::folder;
    return *this;
  }
  listed_option& exclude(const char* other) {
    excluded = other;
    return *this;
  }
  listed_option& add_to_manual(const char* text) {
    more = text;
    return *this;
  }
};

class option_list {
 public:
  // The heading of the help under which the options that follow stand.
  void group(const char* heading) { heading_ = heading; }
  listed_option& argument(const char* name, std::string& into, const char* description, bool required) {
    listed_option& added = add(option_kind::argument, name, &into, "", description);
    added.required = required;
    return added;
  }
  listed_option& arguments(const char* name, std::vector<std::string>& into, const char* description) {
    return add(option_kind::arguments, name, &into, "", description);
  }
  listed_option& flag(const char* names, bool& into, const char* description) {
    return add(option_kind::flag, names, &into, "", description);
  }
  listed_option& value(const char* names, std::string& into, const char* value, const char* description) {
    return add(option_kind::value, names, &into, value, description);
  }
  listed_option& repeated(const char* names, std::vector<std::string>& into, const char* value,
                          const char* description) {
    return add(option_kind::repeated, names, &into, value, description);
  }
  listed_option& values(const char* names, std::vector<std::string>& into, const char* value,
                        const char* description) {
    return add(option_kind::values, names, &into, value, description);
  }

  [[nodiscard]] std::vector<listed_option>::const_iterator begin() const noexcept { return all_.begin(); }
  [[nodiscard]] std::vector<listed_option>::const_iterator end() const noexcept { return all_.end(); }

 private:
  listed_option& add(option_kind kind, const char* names, typed_place into, const char* value,
                     const char* description) {
    all_.push_back({kind, heading_, names, value, description, into});
    return all_.back();
  }

  std::vector<listed_option> all_;
  std::string heading_;
};

}  // namespace profkit_tool

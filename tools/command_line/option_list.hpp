// The options of one command, as its part of the command line names them. parser.cpp gives them to the library that
// reads the arguments.
#pragma once
#include <string>
#include <vector>

namespace profkit_tool {

class option_list {
 public:
  virtual ~option_list() = default;

  // The heading of the help under which the options that follow stand.
  virtual void group(const char* heading) = 0;
  virtual void argument(const char* name, std::string& into, const char* description, bool required) = 0;
  virtual void arguments(const char* name, std::vector<std::string>& into, const char* description) = 0;
  virtual void flag(const char* names, bool& into, const char* description) = 0;
  virtual void value(const char* names, std::string& into, const char* value, const char* description) = 0;
  // One value an occurrence, any number of occurrences.
  virtual void repeated(const char* names, std::vector<std::string>& into, const char* value,
                        const char* description) = 0;
  // Any number of values after one name.
  virtual void values(const char* names, std::vector<std::string>& into, const char* value,
                      const char* description) = 0;
  // Two names that are not given together.
  virtual void exclude(const char* name, const char* other) = 0;
};

}  // namespace profkit_tool

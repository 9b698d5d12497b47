#include "report_folder.hpp"

#include <profkit/core/text.hpp>

#include <sys/stat.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace profkit_tool {
namespace {

bool is_folder(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

}  // namespace

bool names_folder(const std::string& path) { return !path.empty() && (path.back() == '/' || is_folder(path)); }

profkit::result<void> make_folder(const std::string& path) {
  if (is_folder(path) || mkdir(path.c_str(), 0777) == 0 || is_folder(path)) return {};
  using profkit::fault_code;
  const int why = errno;
  const fault_code code = why == ENOENT                   ? fault_code::not_found
                          : why == EACCES || why == EPERM ? fault_code::permission
                                                          : fault_code::output;
  return profkit::fault{code, std::string("the folder cannot be made: ") + std::strerror(why), path, profkit::no_offset,
                        "make it first, or give one that is there"};
}

std::string file_in(const std::string& folder, const std::string& name) {
  return folder.empty() || folder.back() == '/' ? folder + name : folder + '/' + name;
}

void print_written(const std::string& path) {
  std::fputs(("wrote " + profkit::escape_for_terminal(path) + '\n').c_str(), stdout);
}

}  // namespace profkit_tool

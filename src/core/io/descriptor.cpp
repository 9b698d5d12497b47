#include "descriptor.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

int descriptor::close() noexcept {
  if (number_ < 0) return 0;
  // Never repeated after EINTR: the number may belong to another thread by then.
  return ::close(std::exchange(number_, -1)) == 0 || errno == EINTR ? 0 : errno;
}

descriptor open_descriptor(const std::string& path, int flags, unsigned mode) noexcept {
  for (;;) {
    const int number = ::open(path.c_str(), flags | O_CLOEXEC, mode);
    if (number >= 0 || errno != EINTR) return descriptor(number);
  }
}

std::string error_text(int error) { return std::system_category().message(error); }

fault input_fault(int error, const std::string& what, const std::string& path) {
  fault f{fault_code::io, what + ": " + error_text(error), path, no_offset, ""};
  switch (error) {
    case ENOENT:
    case ENOTDIR:
      f.code = fault_code::not_found;
      f.hint = "check the path; it may have been moved or removed";
      break;
    case EACCES:
    case EPERM:
      f.code = fault_code::permission;
      f.hint = "ask for read permission on this path and on every folder above it";
      break;
    case ENOMEM: f.code = fault_code::out_of_memory; break;
    case ENAMETOOLONG:
    case ELOOP:
      f.code = fault_code::not_found;
      f.hint = "no file can be reached by this path";
      break;
    default: f.hint = "the operating system could not read the file; try a copy on a local disk";
  }
  return f;
}

fault output_fault(int error, const std::string& what, const std::string& path) {
  fault f{fault_code::output, what + ": " + error_text(error), path, no_offset, ""};
  switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EFBIG:
      f.code = fault_code::output_full;
      f.hint = "free some space or write elsewhere";
      break;
    case EPIPE: f.hint = "the program that read the output has ended"; break;
    case EACCES:
    case EPERM:
    case EROFS: f.hint = "choose an output path that may be written"; break;
    case ENOENT:
    case ENOTDIR: f.hint = "create the folder first, or choose another output path"; break;
    default: break;
  }
  return f;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

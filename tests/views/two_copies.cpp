// Two vendored copies of the headers in one program, kept apart by PROFKIT_NAMESPACE.
#include <cstring>
#include <string_view>

std::size_t planes_of_copy_a(std::string_view bytes);
std::size_t planes_of_copy_b(std::string_view bytes);
const char* name_of_copy_a();
const char* name_of_copy_b();

int main() {
  const std::string_view bytes("\x0a\x00\x0a\x00", 4);
  const bool count = planes_of_copy_a(bytes) == 2 && planes_of_copy_b(bytes) == 2;
  const bool apart = std::strstr(name_of_copy_a(), "copy_a") && std::strstr(name_of_copy_b(), "copy_b");
  return count && apart ? 0 : 1;
}

#define PROFKIT_NAMESPACE copy_b
#include "copy_functions.hpp"

std::size_t planes_of_copy_b(std::string_view bytes) { return count_planes(bytes); }
const char* name_of_copy_b() { return view_name(profkit::plane_view()); }

#define PROFKIT_NAMESPACE copy_a
#include "copy_functions.hpp"

std::size_t planes_of_copy_a(std::string_view bytes) { return count_planes(bytes); }
const char* name_of_copy_a() { return view_name(profkit::plane_view()); }

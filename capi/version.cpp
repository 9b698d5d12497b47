#include <profkit/profkit.h>

#define PK_TEXT_OF(x) #x
#define PK_DOTTED(major, minor, patch) PK_TEXT_OF(major) "." PK_TEXT_OF(minor) "." PK_TEXT_OF(patch)

uint32_t pk_version_number(void) noexcept { return PK_VERSION_NUMBER; }
const char* pk_version_string(void) noexcept { return PK_DOTTED(PK_VERSION_MAJOR, PK_VERSION_MINOR, PK_VERSION_PATCH); }

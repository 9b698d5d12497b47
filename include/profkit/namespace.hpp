// The inline namespace of every profkit C++ name. Define PROFKIT_NAMESPACE before the first include
// when two vendored copies of these headers meet in one program: the linker then keeps them apart.
#pragma once

#ifndef PROFKIT_NAMESPACE
#define PROFKIT_NAMESPACE v0
#endif

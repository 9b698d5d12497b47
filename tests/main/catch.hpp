// Catch2 as the system has it: version 3, or 2 (Debian 12).
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
namespace profkit::test {
using catch_listener = Catch::EventListenerBase;
}
#else
#include <catch2/catch.hpp>
namespace profkit::test {
#if defined(CATCH_CONFIG_RUNNER)
using catch_listener = Catch::TestEventListenerBase;
#endif
}  // namespace profkit::test
#endif

// How a merged trace JSON keeps its nodes apart: the events of a node stand together, and one before them says whose they are and
// what the node's own file said around its events. Such a section reads like that file.
#pragma once
#include <profkit/namespace.hpp>

#include <string_view>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

// What a section begins with, up to the arguments of its first event; on a line of its own.
inline constexpr std::string_view section_head = "{\"ph\":\"M\",\"name\":\"profkit_node\",\"pid\":0,\"args\":";
// Stands early in the file's own header.
inline constexpr std::string_view sections_key = "profkit_nodes";
// What an event ends with that no node recorded: the name or place of a process that had none.
inline constexpr std::string_view added_event_end = ",\"added\":true}}";

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

// Every compiled program of a capture, each once.
#pragma once
#include "spaces.hpp"

#include <memory>
#include <vector>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace memory {

struct found_modules {
  std::vector<module_memory> modules;                             // by peak in space 0, then total, then label
  hash_map<const char*, std::unique_ptr<program_study>> studies;  // by where a module's blob begins
  std::vector<file_damage> damage;
  std::vector<std::uint32_t> files;  // that can hold programs
};

// Embedded blobs, *.hlo_proto.pb and *.hlo.pb of all files. Equal bytes, or the same name and id with the same memory,
// are one module with several sources; the same name and id with other memory is listed in differs_from.
result<found_modules> find_modules(const profile& p, const memory_options& o, const hooks& host);

// The module a name or id means: exact label, name or id first, else part of a label; of several the one with the
// highest peak in the memory space. Faults: not_found. `how` says what was chosen and why.
result<std::size_t> choose_module(const std::vector<module_memory>& modules, const std::string& wanted,
                                  std::int64_t color, std::string& how);

}  // namespace memory
}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

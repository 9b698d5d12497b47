#include <profkit/core/finding.hpp>

#include <map>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

void number_findings(std::vector<finding>& all) {
  std::map<std::string, std::uint64_t> met;
  for (finding& f : all)
    if (const std::uint64_t nth = ++met[f.id]; nth > 1) f.id += '.' + std::to_string(nth);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

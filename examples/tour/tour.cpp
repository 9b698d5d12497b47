// Six things with libprofkit in C++17; see README.md. Usage: tour CAPTURE MERGED
#include <profkit/profkit.hpp>

#include <cstdint>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>

namespace lib = profkit::lib;

int main(int count, char** arguments) try {
  if (count != 3) return 2;
  std::ifstream file(arguments[1], std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  const lib::profile profile = lib::profile::open_buffer(bytes, arguments[1]).or_throw();

  std::size_t devices = 0;
  for ([[maybe_unused]] const pk_device& device : profile.rows<pk_device>().or_throw()) ++devices;
  std::cout << devices << " devices\n";

  std::string name;
  std::int64_t most_ps = 0;
  for (const pk_op& op : profile.rows<pk_op>().or_throw()) {
    if (op.self_ps <= most_ps) continue;
    most_ps = op.self_ps;
    name = lib::view(op.display_name);
  }
  std::cout << "busiest op: " << name << ", " << most_ps << " ps\n";

  std::int64_t longest_ps = 0;
  pk_bubble gap;
  pk_value cause;
  std::string text;
  lib::table gaps = profile.table(PK_TABLE_GAPS).or_throw();
  while (gaps.read(&gap, 1).or_throw() != 0) {
    if (gap.end_ps - gap.start_ps <= longest_ps) continue;
    longest_ps = gap.end_ps - gap.start_ps;
    gaps.values("cause", &cause, 1).or_throw();
    text = std::string(lib::view(gap.after)) + ", cause " + std::string(lib::view(cause.text));
  }
  std::cout << "longest gap: " << longest_ps << " ps before " << text << '\n';

  std::int64_t peak_bytes = 0;
  for (const pk_live_buffer& buffer : profile.rows<pk_live_buffer>().or_throw()) peak_bytes += buffer.size_bytes;
  std::cout << "memory at the peak: " << peak_bytes << " bytes\n";

  const char* const traces[] = {arguments[1]};
  pk_merge_options options = PK_MERGE_OPTIONS_INIT;
  options.traces = traces, options.trace_count = 1, options.output = arguments[2];
  options.correction = PK_CORRECTION_NONE, options.flags = PK_MERGE_KEEP_GOING;
  std::cout << "merged " << lib::merge::run(options).or_throw().node(0).events << " events\n";
} catch (const std::exception& why) {
  std::cerr << why.what() << '\n';
  return 1;
}

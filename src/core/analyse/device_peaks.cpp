#include <analyse/device_peaks.hpp>

#include <trace/stats.hpp>
#include <base/affix.hpp>
#include <trace/line_scan.hpp>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

struct listed_device {
  std::string_view words;
  std::array<double, number_types> tera_flops;
  double giga_bytes;
  std::string_view source;
};
constexpr listed_device listed_devices[] = {
#define PROFKIT_DEVICE_PEAKS(words, f64, f32, tf32, f16, bf16, f8, f4, i8, memory, source) \
  {words, {f64, f32, tf32, f16, bf16, f8, f4, i8}, memory, source},
#include <analyse/device_peaks.inc>
#undef PROFKIT_DEVICE_PEAKS
};

struct listed_capability {
  std::string_view vendor;
  std::uint64_t major, minor;
  std::array<double, number_types> of_cycle;
  double memory_factor;
};
constexpr listed_capability listed_capabilities[] = {
#define PROFKIT_CAPABILITY_PEAKS(vendor, major, minor, f64, f32, tf32, f16, bf16, f8, f4, i8, memory) \
  {vendor, major, minor, {f64, f32, tf32, f16, bf16, f8, f4, i8}, memory},
#include <analyse/device_peaks.inc>
#undef PROFKIT_CAPABILITY_PEAKS
};

constexpr bool is_of_word(char c) noexcept { return (folded(c) >= 'a' && folded(c) <= 'z') || is_digit(c); }

// All words stand in the name, one after another, each as a whole: "A10" is not in "A100-SXM4-40GB".
bool has_words(std::string_view name, std::string_view words) noexcept {
  std::size_t at = 0;
  while (!words.empty()) {
    const std::string_view word = words.substr(0, std::min(words.find(' '), words.size()));
    words.remove_prefix(std::min(words.size(), word.size() + 1));
    const auto stands_at = [&](std::size_t place) {
      const bool begins = place == 0 || !is_of_word(name[place - 1]);
      const bool ends = place + word.size() == name.size() || !is_of_word(name[place + word.size()]);
      return begins && ends && std::equal(word.begin(), word.end(), name.begin() + static_cast<std::ptrdiff_t>(place),
                                          [](char a, char b) { return folded(a) == folded(b); });
    };
    while (at + word.size() <= name.size() && !stands_at(at)) ++at;
    if (at + word.size() > name.size()) return false;
    at += word.size();
  }
  return true;
}

void take_rate_of_16_bits(device_peaks& peaks) noexcept {
  const auto of = [&](number_type t) { return peaks.flops_by_type[static_cast<std::size_t>(t)]; };
  peaks.flops_per_s = std::max(of(number_type::bf16), of(number_type::f16));
}

// By the model's name. What the plane says stays.
void look_up(device_peaks& peaks) {
  for (const listed_device& each : listed_devices) {
    if (!has_words(peaks.device_type, each.words)) continue;
    if (peaks.flops_per_s == 0) {
      for (std::size_t t = 0; t < number_types; ++t) peaks.flops_by_type[t] = each.tera_flops[t] * 1e12;
      take_rate_of_16_bits(peaks);
    }
    if (peaks.hbm_bytes_per_s == 0) peaks.hbm_bytes_per_s = each.giga_bytes * 1e9;
    if (peaks.source.empty()) peaks.source = each.source;
    return;
  }
}

struct plane_numbers {
  std::string_view vendor;
  std::uint64_t major = 0, minor = 0, multiprocessors = 0, clock_khz = 0;
  double memory_bytes_per_s = 0;
};

// What is not known yet.
void look_up(device_peaks& peaks, const plane_numbers& n) {
  const std::string_view vendor = n.vendor == "AMD" ? n.vendor : std::string_view();
  double memory_factor = 1;
  for (const listed_capability& each : listed_capabilities) {
    if (peaks.flops_per_s > 0 || each.vendor != vendor || each.major != n.major || each.minor != n.minor) continue;
    const double cycles = static_cast<double>(n.multiprocessors) * static_cast<double>(n.clock_khz) * 1e3;
    for (std::size_t t = 0; t < number_types; ++t) peaks.flops_by_type[t] = each.of_cycle[t] * cycles;
    take_rate_of_16_bits(peaks);
    memory_factor = each.memory_factor;
    if (cycles > 0) peaks.source = "the plane's multiprocessors, clock and compute capability";
  }
  if (peaks.hbm_bytes_per_s > 0 || n.memory_bytes_per_s <= 0) return;
  peaks.hbm_bytes_per_s = n.memory_bytes_per_s * memory_factor;
  if (peaks.source.empty()) peaks.source = "the plane";
}

}  // namespace

device_peaks peaks_of(const std::vector<named_stat>& plane_stats) {
  const auto number = [&](std::string_view name) { return std::max(stat_number_of(find_named_stat(plane_stats, name)), 0.0); };
  const auto whole = [&](std::string_view name) { return static_cast<std::uint64_t>(std::min(number(name), 1e18)); };
  const auto text = [&](std::string_view name) {
    const named_stat* const stat = find_named_stat(plane_stats, name);
    return stat == nullptr ? std::string_view() : stat->text;
  };
  device_peaks peaks;
  peaks.flops_per_s = number("peak_teraflops_per_second") * 1e12;
  peaks.hbm_bytes_per_s = number("peak_hbm_bw_gigabytes_per_second") * 1e9;
  peaks.vmem_read_bytes_per_s = number("peak_vmem_rd_bw_gigabytes_per_second") * 1e9;
  peaks.vmem_write_bytes_per_s = number("peak_vmem_wr_bw_gigabytes_per_second") * 1e9;
  peaks.cmem_read_bytes_per_s = number("peak_cmem_rd_bw_gigabytes_per_second") * 1e9;
  peaks.cmem_write_bytes_per_s = number("peak_cmem_wr_bw_gigabytes_per_second") * 1e9;
  peaks.device_type = text("device_type_string");
  plane_numbers numbers;
  numbers.vendor = text("device_vendor");
  numbers.major = whole("compute_cap_major");
  numbers.minor = whole("compute_cap_minor");
  numbers.multiprocessors = whole("core_count");
  numbers.clock_khz = whole("clock_rate");
  numbers.memory_bytes_per_s = number("memory_bandwidth");
  if (peaks.flops_per_s > 0 || peaks.hbm_bytes_per_s > 0) peaks.source = "the plane";
  if (peaks.device_type.empty()) peaks.device_type = numbers.vendor;
  if (peaks.flops_per_s == 0 || peaks.hbm_bytes_per_s == 0) look_up(peaks);
  look_up(peaks, numbers);
  return peaks;
}

device_peaks peaks_of_device(std::string device_type) {
  device_peaks peaks;
  peaks.device_type = std::move(device_type);
  look_up(peaks);
  return peaks;
}

device_peaks peaks_of(const profile& p, const ops_line& line) {
  if (const plane_index* const plane = find_plane(p, line.file, line.plane)) return peaks_of(plane_stats(*plane));
  return peaks_of_device(std::string(line.device_model));
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

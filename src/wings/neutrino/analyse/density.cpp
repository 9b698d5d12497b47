// Which pages of memory were referenced when, and to which tensors they belong.
#include "fields.hpp"

#include <base/contained.hpp>
#include <base/hash_map.hpp>
#include <base/progress.hpp>

#include <algorithm>
#include <charconv>
#include <utility>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {

constexpr std::uint64_t page_mask = (std::uint64_t{1} << probe_page_bits) - 1;
constexpr std::size_t max_tensors = std::size_t{1} << 20;

// value * by / whole for value < whole, exact: the product need not fit.
std::uint64_t scaled(std::uint64_t value, std::uint32_t by, std::uint64_t whole) noexcept {
  if (by == 0 || value <= ~std::uint64_t{0} / by) return value * by / whole;
  std::uint64_t quotient = 0, rest = 0;
  for (unsigned bit = 32; bit-- != 0;) {
    quotient *= 2;
    if (rest >= whole - rest) {
      rest -= whole - rest;
      ++quotient;
    } else {
      rest += rest;
    }
    if ((by >> bit & 1) == 0) continue;
    if (rest >= whole - value) {
      rest -= whole - value;
      ++quotient;
    } else {
      rest += value;
    }
  }
  return quotient;
}

// A reference: its time, and its page by rank.
struct reference {
  std::uint64_t clock;
  std::uint32_t rank;
  friend bool operator<(const reference& a, const reference& b) noexcept {
    return a.clock != b.clock ? a.clock < b.clock : a.rank < b.rank;
  }
  friend bool operator==(const reference& a, const reference& b) noexcept {
    return a.clock == b.clock && a.rank == b.rank;
  }
};

class tensor_index {
 public:
  explicit tensor_index(std::vector<tensor_allocation>& tensors) : tensors_(tensors) {}
  // The allocation that covers the address, or null.
  [[nodiscard]] tensor_allocation* find(std::uint64_t address) const noexcept {
    auto after = std::upper_bound(tensors_.begin(), tensors_.end(), address,
                                  [](std::uint64_t a, const tensor_allocation& t) { return a < t.address; });
    if (after == tensors_.begin()) return nullptr;
    --after;
    return address - after->address < after->bytes ? &*after : nullptr;
  }

 private:
  std::vector<tensor_allocation>& tensors_;
};

void find_groups(page_density& found, const std::vector<std::uint64_t>& references) {
  for (std::size_t i = 0; i < found.pages.size(); ++i) {
    const std::uint64_t page = found.pages[i];
    if (found.groups.empty() || page - found.groups.back().last > page_mask + 1)
      found.groups.push_back({page, page, 0, 0});
    page_group& group = found.groups.back();
    group.last = page;
    ++group.pages;
    group.references += references[i];
  }
}

void count_cells(page_density& found, std::vector<reference>& all, std::uint64_t top) {
  std::sort(all.begin(), all.end());
  const auto busier = [](const page_cell& a, const page_cell& b) {
    if (a.count != b.count) return a.count > b.count;
    return a.clock != b.clock ? a.clock < b.clock : a.page < b.page;
  };
  for (std::size_t i = 0; i < all.size();) {
    std::size_t end = i + 1;
    while (end < all.size() && all[end] == all[i]) ++end;
    ++found.cells;
    found.clocks += i == 0 || all[i].clock != all[i - 1].clock;
    const page_cell cell{all[i].clock, found.pages[all[i].rank], end - i};
    i = end;
    if (top == 0) continue;
    // A heap of the busiest, the least busy on top.
    if (found.top.size() < top) {
      found.top.push_back(cell);
      std::push_heap(found.top.begin(), found.top.end(), busier);
    } else if (busier(cell, found.top.front())) {
      std::pop_heap(found.top.begin(), found.top.end(), busier);
      found.top.back() = cell;
      std::push_heap(found.top.begin(), found.top.end(), busier);
    }
  }
  std::sort(found.top.begin(), found.top.end(), busier);
}

// "[call]  ns  shape  bytes  address  variable  function  file:line", two blanks apart.
std::optional<tensor_allocation> read_tensor_line(std::string_view line) {
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  std::string_view parts[8];
  std::size_t count = 0;
  while (count < 8) {
    const auto end = count == 7 ? std::string_view::npos : line.find("  ");
    parts[count++] = line.substr(0, end);
    if (end == std::string_view::npos) break;
    line.remove_prefix(end + 2);
  }
  if (count < 5 || parts[0] != "[call]") return std::nullopt;
  const auto number = [](std::string_view text) -> std::optional<std::uint64_t> {
    std::uint64_t n = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), n);
    return read.ec == std::errc() && read.ptr == text.data() + text.size() ? std::optional(n) : std::nullopt;
  };
  const auto time = number(parts[1]), bytes = number(parts[3]), address = number(parts[4]);
  if (!time || !bytes || !address) return std::nullopt;
  tensor_allocation found;
  found.time_ns = *time;
  found.shape = std::string(parts[2]);
  found.bytes = *bytes;
  found.address = *address;
  found.variable = std::string(parts[5]);
  found.function = std::string(parts[6]);
  found.place = std::string(parts[7]);
  return found;
}

}  // namespace

std::vector<tensor_allocation> read_tensor_trace(std::string_view text) {
  std::vector<tensor_allocation> all;
  while (!text.empty() && all.size() < max_tensors) {
    const auto end = text.find('\n');
    if (auto read = read_tensor_line(text.substr(0, end))) all.push_back(std::move(*read));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  // The newest of each address, and of equally new ones the last.
  std::stable_sort(all.begin(), all.end(), [](const tensor_allocation& a, const tensor_allocation& b) {
    return a.address != b.address ? a.address < b.address : a.time_ns < b.time_ns;
  });
  std::vector<tensor_allocation> newest;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (i + 1 == all.size() || all[i + 1].address != all[i].address) newest.push_back(std::move(all[i]));
  return newest;
}

result<page_density> analyse_page_density(const probe_bin_map& map, std::string_view file,
                                          const density_options& options, const hooks& host) {
  return contained([&]() -> result<page_density> {
    const auto clock = find_field(*map.shape, {"clock", "clk"});
    const auto address = find_field(*map.shape, {"addr", "address"});
    if (!clock || !address) return wrong_map(map, "page references", "clock and addr");
    page_density found;
    found.tensors = read_tensor_trace(options.tensor_trace);
    const tensor_index tensors(found.tensors);
    const probe_records records = records_of(map, file);
    progress_meter meter(host, 2 * map.place.present_bytes);
    result<void> go_on;

    // Each page in the order of its first reference, until all are known.
    hash_map<std::uint64_t, std::uint32_t> order;
    std::vector<std::uint64_t> references;
    std::vector<reference> all;
    std::uint64_t last_page = 0, until = 0;
    std::uint32_t last = ~std::uint32_t{0};
    records.each_lane([&](const probe_lane& lane) {
      if (until-- == 0) {
        until = lanes_per_step;
        go_on = meter.step(0);
        if (!go_on) return false;
      }
      for (std::uint64_t k = 0; k < lane.capacity(); ++k) {
        const std::uint64_t now = lane.record(k).value(*clock), at = lane.record(k).value(*address);
        if (now == 0 && at == 0) {
          ++found.unwritten;
          continue;
        }
        const std::uint64_t page = at & ~page_mask;
        if (last == ~std::uint32_t{0} || page != last_page) {
          const auto [entry, is_new] = order.emplace(page, static_cast<std::uint32_t>(found.pages.size()));
          if (is_new) {
            found.pages.push_back(page);
            references.push_back(0);
          }
          last = entry->second;
          last_page = page;
        }
        ++references[last];
        ++found.records;
        found.max_clock = std::max(found.max_clock, now);
        all.push_back({now, last});
        if (tensor_allocation* tensor = tensors.find(at))
          ++tensor->references;
        else
          ++found.unattributed;
      }
      return true;
    });
    if (!go_on) return std::move(go_on).error();

    // Then by address.
    std::vector<std::uint32_t> by_address(found.pages.size()), rank(found.pages.size());
    for (std::uint32_t i = 0; i < by_address.size(); ++i) by_address[i] = i;
    std::sort(by_address.begin(), by_address.end(),
              [&](std::uint32_t a, std::uint32_t b) { return found.pages[a] < found.pages[b]; });
    std::vector<std::uint64_t> pages, counts;
    for (std::uint32_t i = 0; i < by_address.size(); ++i) {
      rank[by_address[i]] = i;
      pages.push_back(found.pages[by_address[i]]);
      counts.push_back(references[by_address[i]]);
    }
    found.pages = std::move(pages);
    find_groups(found, counts);

    found.width = options.width;
    found.height = options.height;
    found.grid.resize(std::size_t{options.width} * options.height);
    const std::uint64_t span = found.max_clock == ~std::uint64_t{0} ? found.max_clock : found.max_clock + 1;
    for (reference& each : all) {
      each.rank = rank[each.rank];
      if (found.grid.empty()) continue;
      const std::uint64_t column = scaled(std::min(each.clock, span - 1), options.width, span);
      const std::uint64_t row = std::uint64_t{each.rank} * options.height / found.pages.size();
      ++found.grid[static_cast<std::size_t>(row * options.width + column)];
    }
    count_cells(found, all, options.top);
    return found;
  });
}

page_table read_page_table(std::string_view bytes) {
  page_table found;
  std::size_t at = 0;
  const auto has = [&](std::size_t more) { return bytes.size() - at >= more; };
  const auto word = [&] {
    const std::uint64_t value = detail::probe_u64(bytes.data() + at);
    at += 8;
    return value;
  };
  const auto cut = [&](const char* what) {
    found.damage = fault{fault_code::damaged, std::string("the page table ends inside ") + what, "", at,
                         "what came before is used"};
    return found;
  };
  if (!has(16)) return cut("its header");
  const std::uint64_t pages = word(), clocks = word();
  for (std::uint64_t i = 0; i < pages; ++i) {
    if (!has(8)) return cut("the list of pages");
    found.pages.push_back(word());
  }
  for (std::uint64_t i = 0; i < clocks; ++i) {
    if (!has(16)) return cut("a row");
    const std::uint64_t clock = word(), cells = word();
    for (std::uint64_t k = 0; k < cells; ++k) {
      if (!has(12)) return cut("a cell");
      const std::uint64_t page = word();
      found.cells.push_back({clock, page, detail::probe_u32(bytes.data() + at)});
      at += 4;
    }
  }
  return found;
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

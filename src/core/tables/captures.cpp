// Files, devices and modules as rows.
#include <tables/rows_of_list.hpp>

#include <formats/xspace/xspace_index.hpp>
#include <profkit/core/filters.hpp>
#include <profkit/core/modules.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {


}  // namespace

void fill_row(const profile& p, std::size_t file, pk_file_info& row) {
  const capture_file& known = p.what().files[file];
  row.file = static_cast<std::uint32_t>(file);
  row.path = borrowed(known.path);
  row.host = borrowed(host_of_file(p, file));
  row.run = borrowed(known.run);
  row.encoded_bytes = known.bytes;
  row.shift_ns = p.file_shift_ns(file);
  row.family = static_cast<std::int32_t>(known.family);
  row.compression = static_cast<std::int32_t>(known.encoding);
  row.export_of = known.export_of;
  row.plane_count = static_cast<std::uint32_t>(p.outline(file)->planes.size());
  const auto origin = p.file_origin_unix_ns(file);
  row.origin_unix_ns = origin.value_or(0);
  row.flags = bit_if(origin.has_value(), PK_FILE_HAS_ORIGIN);
}

std::vector<file_damage> damage_of(const profile& p) {
  std::vector<file_damage> all;
  for (std::uint32_t file = 0; file < p.file_count(); ++file)
    if (const fault* const why = p.file_fault(file)) all.push_back({file, *why});
  return all;
}

std::unique_ptr<row_source> file_rows(const profile& p) {
  return make_rows<rows::files>(
      table_kind::files, p.what().files.size(),
      [&p](std::uint64_t at, rows::files& row) { fill_row(p, static_cast<std::size_t>(at), row); }, damage_of(p));
}

std::unique_ptr<row_source> device_rows(std::shared_ptr<const capture_devices> devices) {
  const std::size_t count = devices->all().size();
  std::vector<file_damage> lost = damage_of(devices->files());
  return make_rows<rows::devices>(table_kind::devices, count,
                                  [devices = std::move(devices)](std::uint64_t at, rows::devices& row) {
                                    const capture_device& d = devices->all()[static_cast<std::size_t>(at)];
                                    row.file = d.file;
                                    row.device = static_cast<std::int32_t>(at);
                                    row.name = borrowed(d.name);
                                    row.accelerator = static_cast<std::int32_t>(d.type);
                                    row.ordinal = d.ordinal;
                                    row.plane = d.plane;
                                  },
                                  std::move(lost));
}

result<std::unique_ptr<row_source>> open_modules(const asked_rows& asked) {
  auto found = analyse_modules(asked.of, asked.filters, asked.host);
  if (!found) return std::move(found).error();
  auto held = std::make_shared<const modules_result>(std::move(*found));
  const std::size_t count = held->modules.size();
  return make_rows<rows::modules>(
      table_kind::modules, count,
      [held](std::uint64_t at, rows::modules& row) { fill(held->modules[static_cast<std::size_t>(at)], row); },
      held->damage);
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

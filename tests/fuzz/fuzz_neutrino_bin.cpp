// Any bytes as a record file: no read past the end, no record that the bytes cannot hold, the same records however they
// are asked for.
#include <profkit/core/probe.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

using namespace profkit;

namespace {

void require(bool condition) {
  if (!condition) std::abort();
}

std::uint64_t digest(const probe_record& record, std::uint32_t bytes) {
  std::uint64_t sum = 0;
  for (std::uint32_t i = 0; i < bytes; ++i) sum = sum * 31 + static_cast<unsigned char>(record.data()[i]);
  return sum;
}

void check_map(const probe_map& place, std::string_view file, std::uint32_t record_bytes) {
  const probe_records records(file, place, record_bytes);
  require(records.present_lanes() <= records.lane_count());
  require(records.present_lanes() <= file.size());
  std::uint64_t by_rows = 0, rows = 0, by_records = 0, by_lanes = 0;
  for (const probe_records::row& row : records) {
    by_rows += digest(row.record, record_bytes);
    require(row.record.data() >= file.data() && row.record.data() + record_bytes <= file.data() + file.size());
    if (rows++ < 64 && row.block != no_block)
      require(records.lane(row.block, row.lane).record(row.k).data() == row.record.data());
  }
  records.each_record([&](const probe_record& record) { by_records += digest(record, record_bytes); });
  records.each_lane([&](const probe_lane& lane) {
    const std::uint64_t used = lane.used();
    require(used <= lane.capacity());
    for (std::uint64_t k = 0; k < used; ++k) by_lanes += digest(lane.record(k), record_bytes);
  });
  require(by_rows == by_records && by_rows == by_lanes);
}

void analyse(const probe_map& place, std::string_view file, std::uint8_t kind) {
  auto shape = std::make_shared<probe_shape>();
  const auto tool = static_cast<probe_tool>(1 + kind % 5);
  const auto record = probe_tool_record(tool);
  require(record.has_value());
  shape->name = record->name;
  shape->fields = record->fields;
  shape->record_bytes = record->record_bytes;
  const probe_bin_map map{place, shape};
  const probe_survey survey = survey_map(map, file);
  require(survey.used_lanes <= survey.lanes && survey.records <= file.size());
  static_cast<void>(analyse_lane_totals(map, file));
  static_cast<void>(analyse_progress(map, file));
  if (const auto found = analyse_block_schedule(map, file)) {
    std::uint64_t blocks = found->blocks_without_records;
    for (const sm_schedule& sm : found->sms) {
      blocks += sm.blocks.size();
      for (const scheduled_block& block : sm.blocks) require(block.slot < sm.slots && block.end >= block.start);
    }
    require(blocks == found->blocks);
  }
  if (const auto found = analyse_page_density(map, file)) {
    std::uint64_t drawn = 0;
    for (const std::uint64_t count : found->grid) drawn += count;
    require(drawn == found->records);
  }
  static_cast<void>(read_page_table(file));
}

}  // namespace

// The first three bytes choose what is known from elsewhere, the record and the analysis; the rest is the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 3) return 0;
  const std::size_t bytes = size - 3;
  const std::unique_ptr<char[]> copy(new char[bytes]);
  std::copy(data + 3, data + size, copy.get());
  const std::string_view text(copy.get(), bytes);
  const probe_file file(text);
  const std::size_t count = file.section_count();
  std::vector<probe_hint> hints(count);
  for (std::size_t i = 0; i < count; ++i) {
    hints[i].level = static_cast<probe_level>((data[0] + i) % 3);
    hints[i].record_bytes = data[1] & 31;
    hints[i].logged = (data[0] & 4) != 0;
    hints[i].logged_lanes = 2;
    hints[i].logged_lane_bytes = data[1];
    hints[i].logged_bytes = bytes / (count == 0 ? 1 : count);
  }
  const probe_evidence evidence{(data[0] & 8) != 0 ? hints.data() : nullptr, count,
                                static_cast<probe_writer>((data[0] >> 4) % 5), (data[0] & 128) != 0};
  std::vector<probe_map> maps(count);
  const probe_layout layout = resolve_probe_maps(file, evidence, maps.data());
  if (layout.status != probe_status::ok) return 0;
  for (std::size_t i = 0; i < count && i < 8; ++i) {
    require(maps[i].index == i);
    require(maps[i].present_bytes <= maps[i].bytes && maps[i].present_bytes <= bytes);
    check_map(maps[i], text, 1 + data[1] % 40u);
    analyse(maps[i], text, data[2]);
  }
  return 0;
}

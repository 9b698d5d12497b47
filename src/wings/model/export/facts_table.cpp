// Facts of the model that ran, as rows.
#include <tables/rows_of_list.hpp>

#include <profkit/core/architecture.hpp>

#include <string>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {
namespace {


std::string all_texts(const std::vector<std::string>& texts) {
  std::string all;
  for (const std::string& text : texts) all.append(all.empty() ? "" : "; ").append(text);
  return all;
}

}  // namespace

std::unique_ptr<row_source> fact_rows(const capture_devices& devices, const architecture_report& of) {
  const activity& read = *of.of;
  std::uint32_t file = read.hosts().empty() ? 0 : read.hosts().front().file;
  std::int32_t device = -1;
  if (of.found.reported < of.found.devices.size()) {
    const activity_device& reported = read.devices()[of.found.devices[of.found.reported].device];
    file = reported.file;
    device = devices.of(read, reported);
  }
  return make_rows<rows::facts>(table_kind::facts, of.found.facts.size(),
                                [&of, file, device, kept = kept_texts()](std::uint64_t at, rows::facts& row) {
                                  const model_fact& f = of.found.facts[static_cast<std::size_t>(at)];
                                  row.file = file;
                                  row.device = device;
                                  row.name = borrowed(f.name);
                                  row.value = kept(fact_text(f.value));
                                  row.unit = borrowed(f.unit);
                                  row.certainty = static_cast<std::int32_t>(f.sure);
                                  row.source = static_cast<std::int32_t>(f.source);
                                  row.evidence = borrowed(f.evidence);
                                  row.contradictions = kept(all_texts(f.contradictions));
                                },
                                damage_of(read));
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

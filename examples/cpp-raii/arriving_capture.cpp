// Reads a capture piece by piece, as a socket would give it, and shows the busiest event name of every plane when it ends.
#include <profkit/profkit.hpp>

#include <array>
#include <cstdint>
#include <fstream>
#include <iostream>
#include <map>

namespace {

// Adds up durations by id while a plane arrives; its names are known when it has ended.
class busiest_names final : public profkit::lib::push_visitor {
 public:
  bool events(const pk_pushed_line&, profkit::lib::row_batch<pk_event> rows) override {
    for (const pk_event& event : rows) total_ps_[event.metadata_id] += event.duration_ps;
    return true;
  }
  bool plane_end(std::uint32_t, profkit::lib::profile rest) override {
    std::int64_t busiest = 0, most_ps = 0;
    for (const auto& [id, total_ps] : total_ps_)
      if (total_ps > most_ps) busiest = id, most_ps = total_ps;
    const auto plane = rest.files()[0].planes()[0];
    if (const auto known = plane.find_event_metadata(busiest); known && most_ps != 0)
      std::cout << plane.name() << ": " << profkit::lib::view(known->name).substr(0, 60) << ", " << most_ps / 1000 << " ns\n";
    total_ps_.clear();
    return true;
  }
  bool damage(profkit::lib::error_view why) override {
    std::cerr << why.message() << '\n';
    return true;
  }

 private:
  std::map<std::int64_t, std::int64_t> total_ps_;
};

}  // namespace

int main(int argc, char** argv) {
  std::ifstream connection(argc == 2 ? argv[1] : "/dev/stdin", std::ios::binary);
  busiest_names seen;
  auto capture = profkit::lib::xspace_push::make(seen).or_throw();
  std::array<char, 4096> piece;
  profkit::lib::error why;
  while (!why && (connection.read(piece.data(), piece.size()), connection.gcount() > 0))
    why = capture.push({piece.data(), static_cast<std::size_t>(connection.gcount())});
  if (!why) why = capture.finish();
  if (!why) return 0;
  std::cerr << why.message() << '\n';
  return 1;
}

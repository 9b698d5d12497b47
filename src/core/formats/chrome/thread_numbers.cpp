#include <formats/chrome/thread_numbers.hpp>

#include <base/affix.hpp>

namespace profkit {
inline namespace PROFKIT_NAMESPACE {

void thread_numbers::name_threads(std::size_t file, const chrome_tracks& tracks) {
  for (std::uint32_t track = 0; track < numbers_.size(); ++track) {
    if (numbers_[track] == no_thread) continue;
    const chrome_track& on = tracks.track(track);
    const chrome_trace_process& of = tracks.process_of_track(track);
    activity_thread& t = parts_.threads[numbers_[track]];
    t.file = static_cast<std::uint32_t>(file);
    t.plane = of.position;
    t.line = on.position;
    t.process = of.name.empty() ? "process " + of.pid : of.name;
    if (!of.name.empty() && !contains(of.name, of.pid)) t.process += ' ' + of.pid;
    t.name = on.name.empty() ? "thread " + on.tid : on.name;
  }
}

}  // namespace PROFKIT_NAMESPACE
}  // namespace profkit

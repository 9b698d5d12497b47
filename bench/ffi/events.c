/* The C time per event: events.c CAPTURE ROUNDS prints the best ns per event, read in batches, and a sum to compare. */
#define _POSIX_C_SOURCE 200809L
#include <inttypes.h>
#include <profkit/profkit.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* CPU time: the wall clock tells what else the machine does. */
static double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

int main(int argc, char **argv) {
  static pk_event events[256];
  pk_profile *profile = NULL;
  double best = 1e300;
  uint64_t count = 0;
  int64_t sum = 0;
  int round;
  if (argc != 3 || pk_profile_open(argv[1], NULL, &profile, NULL) != PK_OK) return 1;
  for (round = 0; round < atoi(argv[2]); ++round) {
    const double begin = now_ns();
    double took;
    uint32_t plane, line;
    count = 0;
    sum = 0;
    for (plane = 0; plane < pk_plane_count(profile, 0); ++plane)
      for (line = 0; line < pk_line_count(profile, 0, plane); ++line) {
        pk_event_cursor cursor;
        size_t got = 0, at;
        if (pk_events_begin(profile, 0, plane, line, &cursor, NULL) != PK_OK) return 1;
        while (pk_events_read(&cursor, events, 256, &got, NULL) == PK_OK) {
          for (at = 0; at < got; ++at) sum += events[at].duration_ps;
          count += got;
        }
      }
    took = (now_ns() - begin) / (double)count;
    if (took < best) best = took;
  }
  printf("%.3f %" PRIu64 " %" PRId64 "\n", best, count, sum);
  pk_profile_free(profile);
  return 0;
}

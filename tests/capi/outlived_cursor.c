/* The misuse that nothing can refuse: a cursor, and a text, that are used after the last pk_profile_free(), and a buffer
 * that is freed before its profile. Under AddressSanitizer this program ends with a report; tests/capi/outlived.py looks
 * for it.
 * Usage: outlived_cursor cursor|text|buffer */
#include <profkit/profkit.h>
#include <stdlib.h>
#include <string.h>

/* One plane "p" with one line of two events. */
static const char bytes[] = "\x0a\x11\x12\x01p\x1a\x0c\x22\x04\x08\x07\x18\x05\x22\x04\x08\x07\x18\x05";

/* Without PK_OPEN_COPY a profile borrows its buffer. */
static int buffer_freed_too_early(void) {
  char *const buffer = malloc(sizeof bytes - 1);
  pk_profile *profile = NULL;
  pk_event_cursor cursor;
  pk_event event;
  if (buffer == NULL) return 3;
  memcpy(buffer, bytes, sizeof bytes - 1);
  if (pk_profile_open_buffer(buffer, sizeof bytes - 1, "a.xplane.pb", NULL, &profile, NULL) != PK_OK ||
      pk_events_begin(profile, 0, 0, 0, &cursor, NULL) != PK_OK)
    return 3;
  free(buffer);
  return pk_event_next(&cursor, &event, NULL) == PK_OK ? 0 : 1;
}

int main(int argc, char **argv) {
  pk_open_options options = PK_OPEN_OPTIONS_INIT;
  pk_profile *profile = NULL;
  pk_event_cursor cursor;
  pk_plane_info plane;
  pk_event event;
  options.flags = PK_OPEN_COPY;
  if (argc == 2 && strcmp(argv[1], "buffer") == 0) return buffer_freed_too_early();
  if (argc != 2 || pk_profile_open_buffer(bytes, sizeof bytes - 1, "a.xplane.pb", &options, &profile, NULL) != PK_OK ||
      pk_events_begin(profile, 0, 0, 0, &cursor, NULL) != PK_OK ||
      pk_plane_get(profile, 0, 0, &plane, NULL) != PK_OK || pk_event_next(&cursor, &event, NULL) != PK_OK)
    return 3; /* the test itself is wrong */
  pk_profile_free(profile);
  if (strcmp(argv[1], "cursor") == 0) return pk_event_next(&cursor, &event, NULL) == PK_OK ? 0 : 1;
  return plane.name.data[0] == 'p' ? 0 : 1;
}

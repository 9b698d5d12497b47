// Package arrowrows reads an Arrow C stream as far as tests need it: cgo cannot be used in test files.
package arrowrows

/*
#cgo pkg-config: profkit
#include <profkit/profkit.h>
#include <string.h>

// Rows until the end; -1 after a failure. Releases every batch.
static int64_t drain(struct ArrowArrayStream *stream, int64_t *batches, int64_t *columns) {
  int64_t rows = 0;
  struct ArrowSchema schema;
  if (stream->get_schema(stream, &schema) != 0) return -1;
  *columns = schema.n_children;
  schema.release(&schema);
  for (*batches = 0;; ++*batches) {
    struct ArrowArray batch;
    if (stream->get_next(stream, &batch) != 0) return -1;
    if (!batch.release) return rows;
    rows += batch.length;
    batch.release(&batch);
  }
}
static const char *why(struct ArrowArrayStream *stream) { const char *text = stream->get_last_error(stream); return text ? text : ""; }

// What a consumer does that takes the stream over, reads a little, and leaves it before its batch.
static int64_t leave_early(struct ArrowArrayStream *stream) {
  struct ArrowArrayStream moved = *stream;
  struct ArrowArray batch;
  int64_t rows;
  stream->release = NULL;
  if (moved.get_next(&moved, &batch) != 0 || !batch.release) return -1;
  moved.release(&moved);
  rows = batch.children[0]->length;
  batch.release(&batch);
  return rows;
}
*/
import "C"

import (
	"errors"
	"unsafe"
)

// Count reads a stream to its end: rows, batches, columns.
func Count(stream unsafe.Pointer) (rows, batches, columns int64, err error) {
	var seen, width C.int64_t
	count := C.drain((*C.struct_ArrowArrayStream)(stream), &seen, &width)
	if count < 0 {
		return 0, int64(seen), int64(width), errors.New(C.GoString(C.why((*C.struct_ArrowArrayStream)(stream))))
	}
	return int64(count), int64(seen), int64(width), nil
}

// LeaveEarly takes a stream over, reads one batch, and releases the stream before it. It gives the rows of that batch.
func LeaveEarly(stream unsafe.Pointer) int64 {
	return int64(C.leave_early((*C.struct_ArrowArrayStream)(stream)))
}

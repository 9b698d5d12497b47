package profkit

/*
#include <profkit/profkit.h>
#include <stdint.h>

extern int32_t pkgoProgress(void *user, uint64_t done, uint64_t total);
extern void pkgoLog(void *user, int32_t level, char *message);
extern int32_t pkgoWrite(void *user, void *data, size_t size);
extern int64_t pkgoReadAt(void *user, uint64_t offset, void *into, size_t size);
*/
import "C"

import (
	"io"
	"math"
	"runtime/cgo"
	"unsafe"
)

// call is what one call of the C ABI may do on the caller's behalf.
type call struct {
	progress func(done, total uint64) bool
	log      func(level int, message string)
	to       io.Writer
	from     io.ReaderAt
	failed   error // of `to` or `from`
	panicked any
}

func callOf(user unsafe.Pointer) *call { return (*(*cgo.Handle)(user)).Value().(*call) }

// guarded keeps a panic from unwinding C++; it goes on when the call has returned.
func (c *call) guarded(run func() C.int32_t) (status C.int32_t) {
	if c.panicked != nil {
		return 1
	}
	defer func() {
		if why := recover(); why != nil {
			c.panicked, status = why, 1
		}
	}()
	return run()
}

//export pkgoProgress
func pkgoProgress(user unsafe.Pointer, done, total C.uint64_t) C.int32_t {
	c := callOf(user)
	return c.guarded(func() C.int32_t {
		if c.progress(uint64(done), uint64(total)) {
			return 0
		}
		return 1
	})
}

//export pkgoLog
func pkgoLog(user unsafe.Pointer, level C.int32_t, message *C.char) {
	c := callOf(user)
	c.guarded(func() C.int32_t {
		c.log(int(level), C.GoString(message))
		return 0
	})
}

//export pkgoWrite
func pkgoWrite(user, data unsafe.Pointer, size C.size_t) C.int32_t {
	c := callOf(user)
	return c.guarded(func() C.int32_t {
		if size == 0 {
			return 0
		}
		if _, c.failed = c.to.Write(unsafe.Slice((*byte)(data), int(size))); c.failed != nil {
			return 1
		}
		return 0
	})
}

//export pkgoReadAt
func pkgoReadAt(user unsafe.Pointer, offset C.uint64_t, into unsafe.Pointer, size C.size_t) C.int64_t {
	c := callOf(user)
	read := 0
	stop := c.guarded(func() C.int32_t {
		if size == 0 {
			return 0
		}
		if c.failed != nil || offset > math.MaxInt64 {
			return 1
		}
		var err error
		if read, err = c.from.ReadAt(unsafe.Slice((*byte)(into), int(size)), int64(offset)); err != nil && err != io.EOF {
			c.failed = err
			return 1
		}
		return 0
	})
	if stop != 0 {
		return -1
	}
	return C.int64_t(read)
}

package profkit

/*
#include <profkit/profkit.h>
#include <stdint.h>
#include <stdlib.h>

extern int32_t pkgoProgress(void *user, uint64_t done, uint64_t total);
extern void pkgoLog(void *user, int32_t level, char *message);
extern int32_t pkgoWrite(void *user, void *data, size_t size);
extern int64_t pkgoReadAt(void *user, uint64_t offset, void *into, size_t size);
extern int64_t pkgoReadOwned(void *user, uint64_t offset, void *into, size_t size);
extern void pkgoEndOwned(void *user);
*/
import "C"

import (
	"fmt"
	"io"
	"math"
	"runtime/cgo"
	"sync"
	"unsafe"
)

// call is what one call of the C ABI may do on the caller's behalf.
type call struct {
	progress func(done, total uint64) bool
	log      func(level LogLevel, message string)
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
		c.log(LogLevel(level), C.GoString(message))
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

// ownedReader is read until the library ends it, by one thread at a time.
type ownedReader struct {
	from   ReaderAtCloser
	mutex  sync.Mutex
	why    error  // of the last read that failed
	failed uint64 // reads
}

func (r *ownedReader) read(into []byte, offset int64) (read int, err error) {
	defer func() {
		if why := recover(); why != nil {
			err = fmt.Errorf("the reader panicked: %v", why)
		}
		if err != nil {
			r.mutex.Lock()
			r.why = err
			r.failed++
			r.mutex.Unlock()
		}
	}()
	if read, err = r.from.ReadAt(into, offset); err == io.EOF {
		err = nil
	}
	return read, err
}

func (r *ownedReader) end() {
	defer func() { _ = recover() }() // nobody is there to hear of it
	_ = r.from.Close()
}

// failures is how many reads failed until now.
func (r *ownedReader) failures() uint64 {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.failed
}

// explain is the error of a call before which so many reads had failed. The library takes what it can read: the call says
// that this was not all.
func (r *ownedReader) explain(err error, before uint64) error {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if r.failed == before {
		return err
	}
	if err == nil {
		return &Error{Status: ErrIO.Status, Code: ErrIO.Code, Message: r.why.Error(), ByteOffset: -1, cause: r.why}
	}
	if why, ok := err.(*Error); ok && why.cause == nil {
		why.Message, why.cause = why.Message+": "+r.why.Error(), r.why
	}
	return err
}

//export pkgoReadOwned
func pkgoReadOwned(user unsafe.Pointer, offset C.uint64_t, into unsafe.Pointer, size C.size_t) C.int64_t {
	if size == 0 {
		return 0
	}
	if offset > math.MaxInt64 {
		return -1
	}
	reader := (*(*cgo.Handle)(user)).Value().(*ownedReader)
	read, err := reader.read(unsafe.Slice((*byte)(into), int(size)), int64(offset))
	if err != nil {
		return -1
	}
	return C.int64_t(read)
}

//export pkgoEndOwned
func pkgoEndOwned(user unsafe.Pointer) {
	handle := *(*cgo.Handle)(user)
	reader := handle.Value().(*ownedReader)
	handle.Delete()
	C.free(user)
	reader.end()
}

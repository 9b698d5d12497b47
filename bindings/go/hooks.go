package profkit

/*
#include <profkit/profkit.h>

extern int32_t pkgoProgress(void *user, uint64_t done, uint64_t total);
extern void pkgoLog(void *user, int32_t level, char *message);
extern int32_t pkgoWrite(void *user, void *data, size_t size);

static void pkgo_hooks(pk_hooks *hooks, void *user, int progress, int log, uint32_t threads, const pk_cancel_token *cancel) {
  const pk_hooks initial = PK_HOOKS_INIT;
  *hooks = initial;
  hooks->user = user;
  hooks->threads = threads;
  if (progress) hooks->progress = pkgoProgress;
  if (log) hooks->log = (void (*)(void *, int32_t, const char *))pkgoLog;
  hooks->cancel = cancel;
}
static pk_write_callback pkgo_writer(void) { return (pk_write_callback)pkgoWrite; }
*/
import "C"

import (
	"context"
	"io"
	"runtime/cgo"
	"unsafe"
)

// Hooks say what a call may do on the caller's behalf. The zero value asks for nothing.
type Hooks struct {
	// Progress is called at most every 50 ms with the bytes done and the bytes in all (0: unknown); false stops the work.
	Progress func(done, total uint64) bool
	// Log hears remarks.
	Log func(level LogLevel, message string)
	// Threads to work with; 0 and 1 are the calling one. Results do not depend on it.
	Threads int
}

// writer is the callback that hands bytes to the writer of a call.
func writer() C.pk_write_callback { return C.pkgo_writer() }

// calling runs a call of the C ABI that takes pk_hooks. The context may be nil; its end stops the work. `to` is for writer().
func calling(ctx context.Context, hooks Hooks, to io.Writer,
	run func(memory *arena, raw *C.pk_hooks, user unsafe.Pointer) error) error {
	if ctx == nil {
		ctx = context.Background()
	}
	state := &call{progress: hooks.Progress, log: hooks.Log, to: to}
	var memory arena
	defer memory.free()
	user := (*cgo.Handle)(memory.alloc(unsafe.Sizeof(cgo.Handle(0))))
	*user = cgo.NewHandle(state)
	defer user.Delete()

	var token *C.pk_cancel_token
	if ctx.Done() != nil {
		var raw *C.pk_error
		if err := failure(C.pk_cancel_token_new(&token, &raw), raw); err != nil {
			return err
		}
		defer C.pk_cancel_token_free(token)
		ended, watched := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(watched)
			select {
			case <-ctx.Done():
				C.pk_cancel_token_cancel(token)
			case <-ended:
			}
		}()
		defer func() { close(ended); <-watched }() // before the token is freed
		if ctx.Err() != nil {
			C.pk_cancel_token_cancel(token)
		}
	}
	given := (*C.pk_hooks)(memory.alloc(unsafe.Sizeof(C.pk_hooks{})))
	C.pkgo_hooks(given, unsafe.Pointer(user), boolean(hooks.Progress != nil), boolean(hooks.Log != nil),
		C.uint32_t(hooks.Threads), token)
	err := run(&memory, given, unsafe.Pointer(user))
	if state.panicked != nil {
		panic(state.panicked)
	}
	if state.failed != nil {
		return &Error{Status: C.PK_E_OUTPUT, Code: ErrOutput.Code, Message: state.failed.Error(), ByteOffset: -1,
			cause: state.failed}
	}
	if why, ok := err.(*Error); ok && why.Status == C.PK_E_CANCELLED {
		why.cause = ctx.Err()
	}
	return err
}

func boolean(value bool) C.int {
	if value {
		return 1
	}
	return 0
}

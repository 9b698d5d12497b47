package profkit

/*
#include <profkit/profkit.h>
*/
import "C"

import (
	"runtime/cgo"
	"unsafe"
)

// pushed calls a visitor: an error of it, or a panic, comes out when the call has returned.
func pushed(user unsafe.Pointer, call func(*PushVisitor) error) (status C.int32_t) {
	state := (*(*cgo.Handle)(user)).Value().(*pushState)
	defer func() {
		if why := recover(); why != nil {
			state.panicked, status = why, 1
		}
	}()
	if state.failed = call(&state.visitor); state.failed != nil {
		return 1
	}
	return 0
}

//export pkgoPushPlaneBegin
func pkgoPushPlaneBegin(user, plane unsafe.Pointer) C.int32_t {
	return pushed(user, func(to *PushVisitor) error {
		if to.PlaneBegin == nil {
			return nil
		}
		return to.PlaneBegin(pushedPlaneOf((*C.pk_pushed_plane)(plane)))
	})
}

//export pkgoPushLineBegin
func pkgoPushLineBegin(user, line unsafe.Pointer) C.int32_t {
	return pushed(user, func(to *PushVisitor) error {
		if to.LineBegin == nil {
			return nil
		}
		return to.LineBegin(pushedLineOf((*C.pk_pushed_line)(line)))
	})
}

//export pkgoPushEvents
func pkgoPushEvents(user, line, events unsafe.Pointer, count C.size_t) C.int32_t {
	return pushed(user, func(to *PushVisitor) error {
		if to.Events == nil {
			return nil
		}
		return to.Events(pushedLineOf((*C.pk_pushed_line)(line)), unsafe.Slice((*Event)(events), int(count)))
	})
}

//export pkgoPushLineEnd
func pkgoPushLineEnd(user, line unsafe.Pointer) C.int32_t {
	return pushed(user, func(to *PushVisitor) error {
		if to.LineEnd == nil {
			return nil
		}
		return to.LineEnd(pushedLineOf((*C.pk_pushed_line)(line)))
	})
}

//export pkgoPushPlaneEnd
func pkgoPushPlaneEnd(user unsafe.Pointer, plane C.uint32_t, rest unsafe.Pointer) C.int32_t {
	return pushed(user, func(to *PushVisitor) error {
		if to.PlaneEnd == nil {
			return nil
		}
		return to.PlaneEnd(int(plane), profileOf(C.pk_profile_ref((*C.pk_profile)(rest))))
	})
}

//export pkgoPushNote
func pkgoPushNote(user unsafe.Pointer, kind C.int32_t, said unsafe.Pointer) C.int32_t {
	return pushed(user, func(to *PushVisitor) error {
		if to.Note == nil {
			return nil
		}
		return to.Note(NoteKind(kind), text(*(*C.pk_str)(said)))
	})
}

//export pkgoPushDamage
func pkgoPushDamage(user, why unsafe.Pointer) C.int32_t {
	return pushed(user, func(to *PushVisitor) error {
		if to.Damage == nil {
			return nil
		}
		raw := (*C.pk_error)(why)
		return to.Damage(errorOf(C.pk_error_code(raw), raw))
	})
}

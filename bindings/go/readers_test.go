package profkit

import (
	"bytes"
	"errors"
	"os"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// owned counts what is done with it; it must not be read after it was closed.
type owned struct {
	*bytes.Reader
	reads, closed int32
	trouble       any // an error that reads give, or what they panic with
}

func (o *owned) ReadAt(into []byte, offset int64) (int, error) {
	if atomic.LoadInt32(&o.closed) != 0 {
		panic("read after it was closed")
	}
	atomic.AddInt32(&o.reads, 1)
	if why, ok := o.trouble.(error); ok {
		return 0, why
	}
	if o.trouble != nil {
		panic(o.trouble)
	}
	return o.Reader.ReadAt(into, offset)
}

func (o *owned) Close() error {
	atomic.AddInt32(&o.closed, 1)
	return errFull
}

func ownedGPU(t *testing.T) *owned {
	content, err := os.ReadFile(gpuPath())
	if err != nil {
		t.Fatal(err)
	}
	return &owned{Reader: bytes.NewReader(content)}
}

func TestReaderIsClosedByTheCallThatOpens(t *testing.T) {
	source := ownedGPU(t)
	profile, err := OpenOwned(background, source, source.Size(), "gemm.xplane.pb", OpenOptions{})
	if err != nil || source.closed != 1 {
		t.Fatal(err, source.closed)
	}
	profile.Close()
	for _, trouble := range []any{errFull, "the host's own trouble"} {
		source = ownedGPU(t)
		source.trouble = trouble
		_, err = OpenOwned(background, source, source.Size(), "gemm.xplane.pb", OpenOptions{OnePass: true})
		if !errors.Is(err, ErrIO) || source.closed != 1 {
			t.Fatal(err, source.closed)
		}
	}
	if !strings.HasSuffix(err.Error(), ": the reader panicked: the host's own trouble") {
		t.Fatal(err)
	}
	if source.closed != 1 {
		t.Fatal(source.closed)
	}
}

func TestReaderOfOnePassLivesAsLongAsItIsNeeded(t *testing.T) {
	source := ownedGPU(t)
	profile, err := OpenOwned(background, source, source.Size(), "gemm.xplane.pb", OpenOptions{OnePass: true})
	if err != nil {
		t.Fatal(err)
	}
	expected, err := profile.JSON(DocumentOps)
	if err != nil {
		t.Fatal(err)
	}
	before := source.reads
	if again, err := profile.JSON(DocumentOps); err != nil || !bytes.Equal(again, expected) || source.reads == before {
		t.Fatal(err, source.reads)
	}
	source.trouble = errFull
	if _, err := profile.JSON(DocumentOps); !errors.Is(err, errFull) || !errors.Is(err, ErrIO) {
		t.Fatal(err)
	}
	source.trouble = "the host's own trouble"
	if _, err := profile.JSON(DocumentInfo); !errors.Is(err, ErrIO) || !strings.HasSuffix(err.Error(), "the host's own trouble") {
		t.Fatal(err)
	}
	source.trouble = nil
	var threads sync.WaitGroup
	for i := 0; i < 8; i++ {
		threads.Add(1)
		go func() {
			defer threads.Done()
			if found, err := profile.JSON(DocumentOps); err != nil || !bytes.Equal(found, expected) {
				t.Error(err)
			}
		}()
	}
	threads.Wait()
	kernels, err := profile.Kernels(background, KernelOptions{})
	if err != nil {
		t.Fatal(err)
	}
	profile.Close()
	runtime.GC()
	if source.closed != 0 {
		t.Fatal("closed while kernels are open")
	}
	kernels.Close()
	if source.closed != 1 {
		t.Fatal(source.closed)
	}
}

func TestNoAnswerHidesThatAReaderFailed(t *testing.T) {
	for name, ask := range map[string]func(*Profile) error{
		"kernels": func(p *Profile) error { _, err := p.Kernels(background, KernelOptions{}); return err },
		"bubbles": func(p *Profile) error { _, err := p.Bubbles(background, BubbleOptions{}); return err },
		"table": func(p *Profile) error {
			_, err := p.Table(background, TableDevices, DocumentOptions{}, TableOptions{})
			return err
		},
		"report": func(p *Profile) error { _, err := p.JSON(DocumentReport); return err },
		"info":   func(p *Profile) error { _, err := p.JSON(DocumentInfo); return err },
	} {
		source := ownedGPU(t)
		profile, err := OpenOwned(background, source, source.Size(), "gemm.xplane.pb", OpenOptions{OnePass: true})
		if err != nil {
			t.Fatal(err)
		}
		source.trouble = errFull
		if err := ask(profile); !errors.Is(err, errFull) || !errors.Is(err, ErrIO) {
			t.Error(name, err)
		}
		profile.Close()
		if source.closed != 1 {
			t.Error(name, "what was made of it is left")
		}
	}
}

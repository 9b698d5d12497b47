//go:build !cgo

package profkit

// Without cgo this is the error that the compiler gives.
var _ int = "profkit calls libprofkit through cgo: build with CGO_ENABLED=1, a C compiler, and the folder of profkit.pc in PKG_CONFIG_PATH"

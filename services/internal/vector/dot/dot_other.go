//go:build !amd64

package dot

const vectorised = false

// eights is never called here.
func eights(_, _ *float32, _ int) float32 { return 0 }

// sixteens is never called here.
func sixteens(_ *int16, _ *int8, _ int) int32 { return 0 }

// fetch does nothing here.
func fetch(_ *byte) {}

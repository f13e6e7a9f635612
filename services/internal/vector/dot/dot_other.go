//go:build !amd64

package dot

const vectorised = false

// eights is never called here.
func eights(_, _ *float32, _ int) float32 { return 0 }

// sixteens is never called here.
func sixteens(_ *int16, _ *int8, _ int) int32 { return 0 }

// foursixteens is never called here.
func foursixteens(_ *int16, _, _, _, _ *int8, _ int, _ *[4]int32) {}

// fetch does nothing here.
func fetch(_ *byte) {}

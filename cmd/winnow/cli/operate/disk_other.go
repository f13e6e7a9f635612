//go:build !linux && !darwin

package operate

import "errors"

// freeSpace is not known here.
func freeSpace(string) (int64, error) { return 0, errors.ErrUnsupported }

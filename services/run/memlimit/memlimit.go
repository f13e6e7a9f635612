// Package memlimit tells the runtime how much memory a process may have: nine tenths of what
// its container or slice permits. Without it the collector lets the heap grow to twice what is
// in use, and the system kills a process whose live data would have fitted. Below the limit it
// lets the collector wait for longer, since the memory is there.
package memlimit

import (
	"bytes"
	"math"
	"os"
	"path"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
)

// share of the permitted memory that the heap and the runtime may use; the rest is for
// what the runtime does not count, such as pages of mapped files.
const share = 0.9

// noLimit is what version 1 of control groups says of one without a limit, and more than any
// machine has.
const noLimit = 1 << 60

// patience is by how many per cent of what is in use the heap may grow before it is collected,
// where a limit ends that growth. The runtime's own 100 costs a search of 10,000 memories a fifth
// of its time.
const patience = 400

// Apply sets the soft limit of this process and returns it in bytes. It returns 0 where no
// limit is known, or where GOMEMLIMIT gives one, which the runtime has read itself. With a
// limit of either kind the heap may grow by [patience], unless GOGC says otherwise.
func Apply() int64 { return apply("/", os.Getenv("GOMEMLIMIT"), os.Getenv("GOGC")) }

func apply(root, limited, collected string) (limit int64) {
	permitted := permitted(root)
	if limited == "" && permitted == 0 {
		return 0
	}
	if collected == "" {
		debug.SetGCPercent(patience)
	}
	if limited != "" {
		return 0
	}
	limit = int64(float64(permitted) * share)
	debug.SetMemoryLimit(limit)
	return limit
}

// permitted returns the least limit of the process's control group and of those above it,
// in bytes; 0 for none. In a container the group is the root of what the process sees.
func permitted(root string) int64 {
	least := int64(math.MaxInt64)
	read := func(file string) {
		text, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return // another version of control groups, or another system
		}
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(text)), 10, 64); err == nil && n > 0 && n < noLimit {
			least = min(least, n) // "max" is no number
		}
	}
	for group := groupOf(root); ; group = path.Dir(group) {
		read("sys/fs/cgroup" + group + "/memory.max")
		if group == "/" || group == "." {
			break
		}
	}
	read("sys/fs/cgroup/memory.max")
	read("sys/fs/cgroup/memory/memory.limit_in_bytes")
	if least == math.MaxInt64 {
		return 0
	}
	return least
}

// groupOf returns the path of the process's control group of version 2.
func groupOf(root string) string {
	text, err := os.ReadFile(filepath.Join(root, "proc/self/cgroup"))
	if err != nil {
		return "/"
	}
	for line := range strings.Lines(string(text)) {
		if group, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			return path.Clean("/" + group)
		}
	}
	return "/"
}

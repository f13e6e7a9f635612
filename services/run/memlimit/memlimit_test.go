package memlimit

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

// The limit follows from the least of the groups that the process is in; what a person
// stated stands, and without a limit nothing is set. Where there is one, the collector waits.
func TestLimitOfTheGroup(t *testing.T) {
	const none = "9223372036854771712\n"
	for name, c := range map[string]struct {
		files  map[string]string
		stated string
		want   int64
		waits  bool
	}{
		"a container":       {map[string]string{"sys/fs/cgroup/memory.max": "1000000000\n", "proc/self/cgroup": "0::/\n"}, "", 900_000_000, true},
		"a container of v1": {map[string]string{"sys/fs/cgroup/memory/memory.limit_in_bytes": "500000000\n", "proc/self/cgroup": "9:memory:/docker/x\n"}, "", 450_000_000, true},
		"a slice below another": {map[string]string{
			"sys/fs/cgroup/system.slice/winnow.service/memory.max": "max\n", "sys/fs/cgroup/system.slice/memory.max": "200000000\n",
			"proc/self/cgroup": "0::/system.slice/winnow.service\n",
		}, "", 180_000_000, true},
		"no limit":       {map[string]string{"sys/fs/cgroup/memory.max": "max\n", "proc/self/cgroup": "0::/\n"}, "", 0, false},
		"no limit in v1": {map[string]string{"sys/fs/cgroup/memory/memory.limit_in_bytes": none}, "", 0, false},
		"another system": {nil, "", 0, false},
		"nonsense":       {map[string]string{"sys/fs/cgroup/memory.max": "-5\n", "proc/self/cgroup": "0::../../x\n"}, "", 0, false},
		"stated":         {map[string]string{"sys/fs/cgroup/memory.max": "1000000000\n"}, "2GiB", 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			before := debug.SetMemoryLimit(-1)
			defer debug.SetMemoryLimit(before)
			root := t.TempDir()
			for file, text := range c.files {
				at := filepath.Join(root, file)
				if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			percent := debug.SetGCPercent(100)
			defer debug.SetGCPercent(percent)
			got := apply(root, c.stated, "")
			if got != c.want {
				t.Errorf("limit %d, want %d", got, c.want)
			}
			want := before
			if c.want > 0 {
				want = c.want
			}
			if is := debug.SetMemoryLimit(-1); is != want {
				t.Errorf("the runtime has %d, want %d", is, want)
			}
			if is := debug.SetGCPercent(100); (is == patience) != c.waits {
				t.Errorf("the heap may grow by %d %%", is)
			}
			apply(root, c.stated, "50")
			if is := debug.SetGCPercent(100); is != 100 {
				t.Errorf("GOGC is stated, and %d %% is set", is)
			}
		})
	}
}

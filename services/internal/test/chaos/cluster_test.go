package chaos

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	devpostgres "github.com/winnowhq/winnow/services/internal/devstack/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
)

// ownPostgres gives the fleet a server of its own, which the test may kill.
func (f *fleet) ownPostgres() {
	f.t.Helper()
	root, err := os.MkdirTemp("", "winnow-storm-")
	if err == nil {
		err = os.Chmod(root, 0o755) // root's server runs as another user
	}
	if err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() { _ = os.RemoveAll(root) })
	f.clusterOptions = devpostgres.Options{
		DataDir: filepath.Join(root, "data"), SocketDir: filepath.Join(root, "socket"),
		Settings: map[string]string{"max_connections": "300", "shared_buffers": "128MB"},
	}
	if f.cluster, err = devpostgres.Start(f.t.Context(), f.clusterOptions); err != nil {
		f.t.Fatal(err)
	}
	f.t.Cleanup(func() {
		if err := f.cluster.Stop(context.Background()); err != nil && !strings.Contains(err.Error(), "killed") {
			f.t.Logf("stop postgres: %v", err)
		}
	})
	f.dbURL = f.cluster.URL("postgres")
	if err := postgres.Migrate(f.t.Context(), f.dbURL); err != nil {
		f.t.Fatal(err)
	}
	if err := postgres.Provision(f.t.Context(), f.dbURL, postgres.DevOptions()); err != nil {
		f.t.Fatal(err)
	}
}

// killPostgres kills the server as the kernel would, and starts it again.
func (f *fleet) killPostgres() {
	_ = syscall.Kill(f.cluster.PID(), syscall.SIGKILL)
	<-f.cluster.Done()
	_ = f.cluster.Stop(context.Background()) // gives back the folder
	ctx, cancel := context.WithTimeout(context.Background(), waitTimeout)
	defer cancel()
	again, err := devpostgres.Start(ctx, f.clusterOptions)
	if err != nil {
		f.t.Errorf("start postgres again: %v", err)
		return
	}
	f.cluster = again
}

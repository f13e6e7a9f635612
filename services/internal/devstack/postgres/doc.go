// Package postgres runs a private PostgreSQL cluster as a child of this process.
//
// It decides where the server's programs come from, as whom they run, and what
// becomes of a cluster whose parent died:
//
//   - Programs are those already on the machine ($WINNOW_PG_BINDIR, PATH,
//     pg_config, the usual folders of the distributions, newest first). Only
//     with Options.Download are they fetched. None found is an error with three
//     ways out that can be pasted into a shell.
//   - PostgreSQL refuses to run as root, and root is what containers and CI
//     give us, so there the server runs as the user nobody. Every folder above
//     the data folder must therefore be open to that user.
//   - The server listens on a Unix socket only, in a folder of mode 0700 that
//     belongs to its user. That folder is the authentication: whoever can enter
//     it is the same user or root, so pg_hba says trust. Never widen its mode.
//   - The server is asked to shut down when its parent dies (Linux). Where the
//     kernel cannot do that, and when the server itself is killed, the next
//     Start on the folder stops the orphan or lets recovery run.
//
// One process owns a data folder at a time; a lock beside the folder says which.
package postgres

// Package postgres runs a private PostgreSQL cluster as a child of this process.
//
// It decides which programs the server uses, which user runs them, and what happens
// to a cluster after its parent was killed:
//
//   - The programs are installed ones: $WINNOW_PG_BINDIR, PATH, pg_config, then the
//     usual folders of the distributions, newest first. They are downloaded only
//     with Options.Download. Without programs the error names three remedies that
//     can be pasted into a shell.
//   - PostgreSQL refuses to run as root, the usual user of containers and CI. For
//     root the server runs as the user nobody, who must be able to traverse every
//     folder above the data folder.
//   - The server listens only on a Unix socket, in a folder of mode 0700 that its
//     user owns. The folder is the authentication: only that user and root can enter
//     it, so pg_hba trusts every connection. Never widen the mode.
//   - On Linux the kernel signals the server to shut down when its parent ends. On
//     other systems, and after the server itself was killed, the next Start on the
//     folder stops the orphan or waits for crash recovery.
//
// One process at a time owns a data folder, by a lock file next to the folder.
package postgres

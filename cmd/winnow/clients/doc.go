// Package clients configures coding agents to start a program as their MCP
// server, by an entry in their own configuration files.
//
// Such a file belongs to a person. An edit preserves every byte outside of the
// entry, with order, indentation and comments. Before a write, the result is
// parsed and compared with the previous content. A file that cannot be parsed is
// not changed, and no file is ever damaged.
package clients

// Package clients makes coding agents start a program as their MCP server, by an
// entry in their own configuration.
//
// Such a file belongs to a person: every byte of it that is not the entry stays,
// with order, indentation and comments. A result is parsed and compared with what
// was there before anything is written, so a file that cannot be understood is
// left alone, and none is ever broken.
package clients

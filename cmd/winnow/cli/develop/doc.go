// Package develop holds the commands that the help lists under Develop: the MCP
// server and its installation in coding agents, measurements, calibration and the
// health check.
//
// It decides how reports look and where a coding agent finds Winnow; what is
// measured is decided in package eval.
package develop

// Package develop contains the commands of the help's group Develop: the MCP
// server and its installation in coding agents, measurements, calibration and
// the health check.
//
// The package decides the form of reports and where a coding agent finds Winnow.
// Package eval decides what is measured.
package develop

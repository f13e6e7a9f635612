// Package compose tests docker-compose.yml without Docker. It loads the file with the
// code of Docker's own client and compares the project with the fleet's topology. It
// has tests only.
package compose

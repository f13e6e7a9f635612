// Package compose checks docker-compose.yml without Docker: it loads the file
// with the code that Docker's own client loads it with, and holds the project
// against the fleet's topology. It has tests only.
package compose

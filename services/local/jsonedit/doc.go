// Package jsonedit changes single values of a JSON file that belongs to a
// person, such as the settings of an editor or an agent. All other bytes stay
// unchanged: order, indentation, comments, and commas at the end of a list.
//
// hujson parses a text and gives the position of each value. Package jsonedit
// decides where a new value is inserted and how it is indented.
package jsonedit

// Package jsonedit changes single values of a JSON file that belongs to a person,
// such as the settings of an editor or an agent. Every byte that is not the value
// stays: order, indentation, comments, and commas that end a list.
//
// A text is read by hujson, which says where each value begins and ends. Package
// jsonedit decides where a new one goes and how it is indented.
package jsonedit

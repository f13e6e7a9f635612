// Package plausible judges a value by itself: whether it may be a password or a token, or
// is what texts about secrets mention beside them, such as a placeholder, a variable, a
// date, a version, a host or an algorithm.
//
// How much a value must look like a secret depends on what announces it, which the
// callers know. From lenient to strict: Password, Loose, Named, Strict for what people
// choose, and Token for what machines draw.
package plausible

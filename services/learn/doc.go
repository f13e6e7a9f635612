// Package learn is the worker that learns from what happens with memories.
//
// It decides which observations nobody reported are signals: a memory that was shown in
// a session was used (S4.8), and a session that ended well or badly says something about
// each memory that was shown in it (D21). Once a day it rolls old signals up, lets
// evidence decay and archives what proved useless (S4.27, D22). What signals mean is in
// package confidence; feedback and reported outcomes are recorded by the api.
package learn

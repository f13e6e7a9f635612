// Package forget erases words for good: the one deletion that there is, and only a person
// asks for it (SPEC §7, D9).
//
// It decides what carries the words (the store's function does), and in which order the
// places are cleared, so that a process that is killed anywhere can be repeated: the streams
// while the rows still say what to look for, then the rows in one transaction, then the
// streams again for what was published meanwhile, then the vault.
package forget

// Package weekly is S1's strategy for the scope of one user: a model reads the user's
// memories once a week and says which to keep, to merge and to delete.
//
// The model's word is a suggestion. [Decide] reads it strictly, and a wrong answer skips
// the user (D10, S1.16). Of a right one it carries out what the rules allow: a merge only
// when nothing of its sources is lost or contradicted, a deletion only within the erosion
// budget and never of what a person set. "Delete" archives, with a reason, and every
// archive can be undone (D9).
//
// The package computes. Who reads the rows, asks the model and commits the change of
// [Apply] is the worker's.
package weekly

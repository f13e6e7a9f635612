// Package access says what each worker may do in the database.
//
// One table, [Matrix], names for every table of the schema which worker reads, inserts,
// updates and deletes. The statements that make the roles and grant them their rights
// follow from it, so a right that is not in the table is not in the database. Migrating
// applies them. The package decides and computes; it connects to nothing.
//
// Each worker's role also exists as a bound one, such as winnow_api_bound, with the same
// rights within the tenants that an owner bound its login to.
package access

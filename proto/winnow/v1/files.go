package winnowv1

import "embed"

// Files are the .proto files of this package, for those who generate code of their own.
//
//go:embed *.proto
var Files embed.FS

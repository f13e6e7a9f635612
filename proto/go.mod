module github.com/winnowhq/winnow/proto

go 1.25.0

require google.golang.org/protobuf v1.36.12

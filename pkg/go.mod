module github.com/winnowhq/winnow/pkg

go 1.25.0

require (
	github.com/nats-io/nats.go v1.55.0
	github.com/winnowhq/winnow/proto v0.1.0
	google.golang.org/protobuf v1.36.12
)

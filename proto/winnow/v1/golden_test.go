package winnowv1_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/reflect/protoregistry"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

var update = flag.Bool("update", false, "write the binary golden files from the JSON ones")

// golden is one value of one event: NAME.json, written by hand, and NAME.hex,
// its binary encoding. NAME is the message, and a variant after a dot.
type golden struct {
	path string // without extension
	desc protoreflect.MessageType
	json []byte
}

func goldens(t *testing.T) []golden {
	t.Helper()
	files, err := filepath.Glob("../../testdata/golden/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no golden files: %v", err)
	}
	var out []golden
	for _, f := range files {
		path := strings.TrimSuffix(f, ".json")
		name, _, _ := strings.Cut(filepath.Base(path), ".")
		mt, err := protoregistry.GlobalTypes.FindMessageByName(protoreflect.FullName("winnow.v1." + name))
		if err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		data, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, golden{path, mt, data})
	}
	return out
}

// What is on a stream today must be readable in a year, by whoever wrote JSON as
// by whoever wrote protobuf: a changed field number or JSON name fails here.
func TestEncodingsStayTheSame(t *testing.T) {
	t.Parallel()
	for _, g := range goldens(t) {
		fromJSON := g.desc.New().Interface()
		// Strict: a renamed field makes its old name unknown.
		if err := protojson.Unmarshal(g.json, fromJSON); err != nil {
			t.Errorf("%s.json: %v", g.path, err)
			continue
		}
		binary, err := proto.MarshalOptions{Deterministic: true}.Marshal(fromJSON)
		if err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile(g.path+".hex", wrap(hex.EncodeToString(binary)), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		stored, err := os.ReadFile(g.path + ".hex")
		if err != nil {
			t.Errorf("%v; run: go test ./winnow/v1 -update", err)
			continue
		}
		want, err := hex.DecodeString(strings.ReplaceAll(string(stored), "\n", ""))
		if err != nil {
			t.Fatalf("%s.hex: %v", g.path, err)
		}
		if !bytes.Equal(binary, want) {
			t.Errorf("%s: the value of .json encodes differently from .hex: a field number or type has changed", g.path)
		}

		fromBinary := g.desc.New().Interface()
		if err := proto.Unmarshal(want, fromBinary); err != nil {
			t.Errorf("%s.hex: %v", g.path, err)
			continue
		}
		written, err := protojson.Marshal(fromBinary)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := canonical(t, written), canonical(t, g.json); got != want {
			t.Errorf("%s: the value of .hex is written as\n%s\nand the golden is\n%s", g.path, got, want)
		}
	}
}

// A field that no golden sets is a field that nothing guards.
func TestEveryFieldHasAGolden(t *testing.T) {
	t.Parallel()
	set := map[protoreflect.FullName]bool{}
	for _, g := range goldens(t) {
		m := g.desc.New()
		if err := protojson.Unmarshal(g.json, m.Interface()); err != nil {
			t.Fatal(err)
		}
		mark(m, set)
	}
	for _, file := range contract() {
		messages := file.Messages()
		for i := range messages.Len() {
			fields := messages.Get(i).Fields()
			for j := range fields.Len() {
				if name := fields.Get(j).FullName(); !set[name] {
					t.Errorf("%s is in no file of testdata/golden", name)
				}
			}
		}
	}
}

// Readers take the id of an event they know nothing else about from field 1.
func TestFieldOneOfAnEventIsItsID(t *testing.T) {
	t.Parallel()
	for _, g := range goldens(t) {
		fd := g.desc.Descriptor().Fields().ByNumber(1)
		if fd == nil || fd.Name() != "id" || fd.Kind() != protoreflect.StringKind {
			t.Errorf("%s: field 1 is %v", g.desc.Descriptor().FullName(), fd)
		}
	}
}

func contract() []protoreflect.FileDescriptor {
	return []protoreflect.FileDescriptor{
		winnowv1.File_winnow_v1_session_proto,
		winnowv1.File_winnow_v1_proposal_proto,
		winnowv1.File_winnow_v1_memory_proto,
		winnowv1.File_winnow_v1_signal_proto,
		winnowv1.File_winnow_v1_consolidation_proto,
		winnowv1.File_winnow_v1_digest_proto,
	}
}

func mark(m protoreflect.Message, set map[protoreflect.FullName]bool) {
	m.Range(func(fd protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		set[fd.FullName()] = true
		switch {
		case fd.IsList() && fd.Message() != nil:
			for i := range v.List().Len() {
				mark(v.List().Get(i).Message(), set)
			}
		case fd.Message() != nil:
			mark(v.Message(), set)
		}
		return true
	})
}

// canonical writes JSON with sorted keys: protojson varies its blanks on
// purpose, and the golden files are laid out for people.
func canonical(t *testing.T, data []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(data, &v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func wrap(s string) []byte {
	var b bytes.Buffer
	for len(s) > 80 {
		b.WriteString(s[:80] + "\n")
		s = s[80:]
	}
	b.WriteString(s + "\n")
	return b.Bytes()
}

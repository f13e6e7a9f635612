// Command scripted is a language model that answers as scripted, for scripts
// that want a server: it prints its address and answers until it is interrupted,
// then prints how often it was asked.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/winnowhq/winnow/services/internal/model/llm/llmtest"
)

func main() {
	addr := flag.String("addr", "127.0.0.1:0", "address to listen on")
	behaviour := flag.String("behaviour", "valid", "how to answer: "+strings.Join(append(llmtest.Names(), llmtest.MergeNames()...), ", "))
	delay := flag.Duration("delay", 0, "how long to think first")
	flag.Parse()
	reply, err := llmtest.Named(*behaviour, *delay)
	if err == nil {
		err = serve(*addr, llmtest.New(llmtest.Always(reply)))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func serve(addr string, model *llmtest.Server) error {
	model.Forget()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: model}
	go func() {
		<-ctx.Done()
		_ = server.Close() // answers that wait are cut off
	}()
	fmt.Printf("http://%s/v1\n", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	requests, questions := model.Counts()
	fmt.Printf("%d requests, %d questions\n", requests, questions)
	return nil
}

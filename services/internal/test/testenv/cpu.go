package testenv

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// CPUSeconds returns the processor time of this process and its children, 0 where the
// kernel does not report it. The unit of the kernel is a hundredth of a second.
func CPUSeconds() float64 {
	seconds := OwnCPUSeconds()
	for _, pid := range Children(os.Getpid()) {
		seconds += secondsOf(pid, 4) // including children that ended
	}
	return seconds
}

// OwnCPUSeconds is [CPUSeconds] of this process alone.
func OwnCPUSeconds() float64 { return secondsOf(os.Getpid(), 2) }

// secondsOf adds the first n of a process's times: user, system, and both of the
// children that ended.
func secondsOf(pid, n int) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	ticks := 0
	// The program's name may contain spaces and ends with a bracket.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	for _, field := range fields[11 : 11+n] {
		t, _ := strconv.Atoi(field)
		ticks += t
	}
	return float64(ticks) / 100
}

// Children returns the descendants of a process, started by any of its threads.
func Children(pid int) []int {
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	var all []int
	for _, list := range lists {
		text, err := os.ReadFile(list)
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range strings.Fields(string(text)) {
			if child, err := strconv.Atoi(field); err == nil {
				all = append(append(all, child), Children(child)...)
			}
		}
	}
	return all
}

// Command eventstime tells the Go time per event: eventstime CAPTURE ROUNDS prints the best ns per event, the number of
// events and the sum of their durations, once by batches and once event by event.
package main

import (
	"fmt"
	"math"
	"os"
	"strconv"
	"syscall"

	profkit "github.com/profkit/profkit/bindings/go"
)

// nowNs is CPU time: the wall clock tells what else the machine does.
func nowNs() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return float64(usage.Utime.Nano() + usage.Stime.Nano())
}

func measure(profile *profkit.Profile, rounds int, read func(*profkit.Rows[profkit.Event]) (int64, int64)) {
	best := math.Inf(1)
	var count, sum int64
	for round := 0; round < rounds; round++ {
		begin := nowNs()
		count, sum = 0, 0
		profile.Planes()(func(plane profkit.Plane) bool {
			plane.Lines()(func(line profkit.Line) bool {
				events, durations := read(line.Events())
				count += events
				sum += durations
				return true
			})
			return true
		})
		best = math.Min(best, (nowNs()-begin)/float64(count))
	}
	fmt.Printf("%.3f %d %d\n", best, count, sum)
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: eventstime CAPTURE ROUNDS")
		os.Exit(2)
	}
	rounds, err := strconv.Atoi(os.Args[2])
	if err != nil {
		panic(err)
	}
	profile, err := profkit.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	defer profile.Close()
	measure(profile, rounds, func(events *profkit.Rows[profkit.Event]) (count, sum int64) {
		events.Batches()(func(batch []profkit.Event) bool {
			for at := range batch {
				sum += batch[at].DurationPs
			}
			count += int64(len(batch))
			return true
		})
		return count, sum
	})
	measure(profile, rounds, func(events *profkit.Rows[profkit.Event]) (count, sum int64) {
		events.All()(func(event profkit.Event) bool {
			sum += event.DurationPs
			count++
			return true
		})
		return count, sum
	})
}

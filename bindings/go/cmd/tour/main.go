// Six things with profkit in Go; see examples/tour/README.md. Usage: tour CAPTURE MERGED
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	profkit "github.com/profkit/profkit/bindings/go"
)

func try[T any](value T, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func main() {
	capture, merged, background := os.Args[1], os.Args[2], context.Background()
	profile := try(profkit.OpenBytes(try(os.ReadFile(capture)), capture, profkit.OpenOptions{}))
	defer profile.Close()
	table := func(kind profkit.TableKind) *profkit.Table {
		return try(profile.Table(background, kind, profkit.DocumentOptions{}, profkit.TableOptions{}))
	}
	fmt.Println(try(table(profkit.TableDevices).Next(1000)), "devices")

	busiest, most := "", int64(0)
	table(profkit.TableOps).Rows("display_name", "self_ps").All()(func(op []any) bool {
		if selfPs := op[1].(int64); selfPs > most {
			busiest, most = op[0].(string), selfPs
		}
		return true
	})
	fmt.Printf("busiest op: %s, %d ps\n", busiest, most)

	var longest profkit.Bubble
	gaps := try(profile.Bubbles(background, profkit.BubbleOptions{})).Gaps()
	gaps.All()(func(gap profkit.Bubble) bool {
		if gap.EndPs-gap.StartPs > longest.EndPs-longest.StartPs {
			longest = gap
		}
		return true
	})
	fmt.Printf("longest gap: %d ps before %s, cause %s\n", longest.EndPs-longest.StartPs, longest.After, longest.Cause)

	peakBytes := int64(0)
	buffers := try(profile.Memory(background, profkit.MemoryOptions{})).LiveBuffers()
	buffers.All()(func(buffer profkit.LiveBuffer) bool { peakBytes += buffer.SizeBytes; return true })
	fmt.Println("memory at the peak:", peakBytes, "bytes")

	merge := try(profkit.MergeFile(background, merged, profkit.MergeOptions{Traces: []string{capture},
		Correction: profkit.CorrectionNone, KeepGoing: true}))
	fmt.Println("merged", try(merge.Nodes())[0].Events, "events")
}

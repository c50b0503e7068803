// The result of each investigation, as soon as it is there. Repeats are dropped by the last sequence of each session.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/signal"
	"strconv"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/sasl/plain"
)

// Completed is schemas/public/tarsy.session.completed.1.json.
type Completed struct {
	Analysis         string `json:"analysis"`
	ExecutiveSummary string `json:"executive_summary"`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	client, err := kgo.NewClient(append(security(),
		kgo.SeedBrokers(env("TARSY_KAFKA", "127.0.0.1:9092")),
		kgo.ConsumeTopics(env("TARSY_TOPIC_PREFIX", "tarsy")+".events"),
		kgo.ConsumerGroup("tarsy.consumer-go"),
		kgo.ConsumeResetOffset(kgo.NewOffset().AtStart()),
		kgo.AutoCommitMarks(),
	)...)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	defer client.Close()
	last := map[string]int{}
	for ctx.Err() == nil {
		client.PollFetches(ctx).EachRecord(func(record *kgo.Record) {
			show(record, last)
			client.MarkCommitRecords(record)
		})
	}
}

func show(record *kgo.Record, last map[string]int) {
	headers := map[string]string{}
	for _, header := range record.Headers {
		headers[header.Key] = string(header.Value)
	}
	session := headers["ce_subject"]
	sequence, err := strconv.Atoi(headers["ce_sequence"])
	if err != nil || sequence <= last[session] {
		return
	}
	last[session] = sequence
	var event Completed
	if headers["ce_type"] == "tarsy.session.completed" && json.Unmarshal(record.Value, &event) == nil {
		fmt.Println(session, event.ExecutiveSummary)
	}
}

// security is that of a broker with passwords, such as the one of `tarsy up` (.tarsy/kafka/kcat.conf has its user and password).
func security() []kgo.Opt {
	user, password := os.Getenv("TARSY_KAFKA_USERNAME"), os.Getenv("TARSY_KAFKA_PASSWORD")
	if user == "" {
		return nil
	}
	return []kgo.Opt{kgo.SASL(plain.Auth{User: user, Pass: password}.AsMechanism())}
}

func env(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return otherwise
}

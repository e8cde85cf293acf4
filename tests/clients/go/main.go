// Reads documents with the generated types: each line of standard input names a shape and has the document's text,
// each line of output has what it was written as again, or what was wrong with it.
package main

import (
	"bufio"
	"encoding/json"
	"log"
	"os"
)

type task struct {
	Shape string
	Text  string
}

type verdict struct {
	Text string `json:"text"`
	Why  string `json:"why"`
}

func judge(one task) verdict {
	value := shapes[one.Shape]()
	if err := json.Unmarshal([]byte(one.Text), value); err != nil {
		return verdict{Why: err.Error()}
	}
	text, err := json.Marshal(value)
	if err != nil {
		log.Fatalf("%s reads and cannot be written: %v", one.Shape, err)
	}
	return verdict{Text: string(text)}
}

func main() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for tasks, verdicts := json.NewDecoder(in), json.NewEncoder(out); tasks.More(); {
		var one task
		if err := tasks.Decode(&one); err != nil {
			log.Fatal(err)
		}
		if err := verdicts.Encode(judge(one)); err != nil {
			log.Fatal(err)
		}
	}
}

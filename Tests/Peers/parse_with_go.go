// Parses forms that Hoist wrote with Go's mime/multipart; see parse_with_python.py for the format.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"os"
)

type part struct {
	Name        string  `json:"name"`
	FileName    *string `json:"fileName"`
	ContentType *string `json:"contentType"`
	Content     []byte  `json:"content"`
}

type form struct {
	ContentType string `json:"contentType"`
	Body        []byte `json:"body"`
	Parts       []part `json:"parts"`
}

func parse(f form) ([]part, error) {
	_, parameters, err := mime.ParseMediaType(f.ContentType)
	if err != nil {
		return nil, err
	}
	reader := multipart.NewReader(bytes.NewReader(f.Body), parameters["boundary"])
	parts := []part{}
	for {
		next, err := reader.NextRawPart()
		if err == io.EOF {
			return parts, nil
		}
		if err != nil {
			return nil, err
		}
		content, err := io.ReadAll(next)
		if err != nil {
			return nil, err
		}
		found := part{Name: next.FormName(), Content: content}
		if _, options, err := mime.ParseMediaType(next.Header.Get("Content-Disposition")); err != nil {
			return nil, err
		} else if name, ok := options["filename"]; ok {
			found.FileName = &name
		}
		if values := next.Header["Content-Type"]; len(values) == 1 {
			found.ContentType = &values[0]
		}
		parts = append(parts, found)
	}
}

func main() {
	file, err := os.Open(os.Args[1])
	if err != nil {
		panic(err)
	}
	lines := bufio.NewReaderSize(file, 1<<20)
	agreed := 0
	for number := 0; ; number++ {
		line, err := lines.ReadBytes('\n')
		if err == io.EOF {
			break
		}
		var f form
		if err := json.Unmarshal(line, &f); err != nil {
			panic(err)
		}
		parts, err := parse(f)
		found, _ := json.Marshal(parts)
		expected, _ := json.Marshal(f.Parts)
		if err == nil && bytes.Equal(found, expected) {
			agreed++
		} else {
			fmt.Printf("go differs on form %d: %v %.500s instead of %.500s\n", number, err, found, expected)
		}
	}
	fmt.Println("go", agreed)
}

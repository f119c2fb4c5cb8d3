// Parses BODY with Go's mime/multipart, content thrown away: prints bytes and seconds.
package main

import (
	"bytes"
	"fmt"
	"io"
	"mime/multipart"
	"os"
	"time"
)

func main() {
	body, err := os.ReadFile(os.Args[1])
	if err != nil {
		panic(err)
	}
	start := time.Now()
	reader := multipart.NewReader(bytes.NewReader(body), os.Args[2])
	for {
		part, err := reader.NextRawPart()
		if err == io.EOF {
			break
		}
		if err != nil {
			panic(err)
		}
		if _, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, part, make([]byte, 65536)); err != nil {
			panic(err)
		}
	}
	fmt.Println(len(body), time.Since(start).Seconds())
}

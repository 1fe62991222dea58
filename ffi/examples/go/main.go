package main

import (
	"fmt"
	"os"
	"strings"
	"sync"
)

func main() {
	if len(os.Args) < 3 {
		fmt.Fprintln(os.Stderr, "usage: compile ENVIRONMENTPATH NODE...")
		os.Exit(2)
	}
	host := Host{
		Functions: map[string]Function{
			"site::shout": {[]string{"Callable[String]"}, func(arguments []any) (any, error) {
				return strings.ToUpper(arguments[0].(string)), nil
			}},
		},
		Log: func(level, message string) { fmt.Fprintln(os.Stderr, level+":", message) },
	}
	environment, err := Load(os.Args[1], "production", host)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	nodes := os.Args[2:]
	results := make([]string, len(nodes))
	var all sync.WaitGroup
	for index, node := range nodes {
		all.Add(1)
		go func(index int, node string) {
			defer all.Done()
			catalog, err := environment.Compile(node, map[string]any{"os": map[string]any{"family": "Debian"}})
			if err != nil {
				results[index] = err.Error()
				return
			}
			results[index] = strings.Join(catalog.Resources(), "\n  ")
		}(index, node)
	}
	all.Wait()
	for index, node := range nodes {
		fmt.Printf("%s:\n  %s\n", node, results[index])
	}
}

// Package main compiles catalogs by the C library, with functions that are written in Go.
//
//	go build -o compile . && ./compile ENVIRONMENTPATH NODE...
//
// Goroutines compile in one environment at the same time. A callback comes on the goroutine that compiles.
package main

/*
#cgo pkg-config: bunraku
#include <bunraku.h>
#include <stdlib.h>

extern bool goFindFunction(void *data, bunraku_text name, bunraku_sink *sink);
extern bool goCallFunction(void *data, bunraku_text name, size_t signature, bunraku_text arguments_json,
                           bunraku_call *call, bunraku_sink *sink);
extern void goLog(void *data, bunraku_text entry_json);
extern void goFreeData(void *data);
*/
import "C"

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"runtime/cgo"
	"unsafe"
)

// A Function is what manifests may call: its signatures, each a Callable, and what it does.
type Function struct {
	Signatures []string
	Call       func(arguments []any) (any, error)
}

// A Host is what a program brings to an environment.
type Host struct {
	Functions map[string]Function
	Log       func(level, message string)
}

// An Environment has manifests, modules and data. Any number of goroutines may use one.
type Environment struct{ pointer *C.bunraku_environment }

// A Catalog is what a compilation makes for a node.
type Catalog struct{ pointer *C.bunraku_catalog }

// texts are the texts of a call; the library is given copies outside of Go's memory.
type texts []unsafe.Pointer

func (own *texts) of(given string) C.bunraku_text {
	if given == "" {
		return C.bunraku_text{}
	}
	copied := C.CBytes([]byte(given))
	*own = append(*own, copied)
	return C.bunraku_text{data: (*C.char)(copied), length: C.size_t(len(given))}
}

func (own *texts) free() {
	for _, copied := range *own {
		C.free(copied)
	}
}

// read copies a text of the library.
func read(given C.bunraku_text) string { return C.GoStringN(given.data, C.int(given.length)) }

// failure makes a Go error of one of the library's, which it frees.
func failure(given *C.bunraku_error) error {
	if given == nil {
		return nil
	}
	defer C.bunraku_error_free(given)
	return errors.New(read(C.bunraku_error_trace(given)))
}

// Load loads an environment from one of the directories of the environmentpath.
func Load(directory, name string, host Host) (*Environment, error) {
	var own texts
	defer own.free()
	// The number of the host is in memory that Go does not move; goFreeData frees it.
	data := C.malloc(C.size_t(unsafe.Sizeof(cgo.Handle(0))))
	*(*cgo.Handle)(data) = cgo.NewHandle(host)
	callbacks := (*C.bunraku_host)(C.calloc(1, C.sizeof_bunraku_host))
	defer C.free(unsafe.Pointer(callbacks))
	callbacks.size = C.sizeof_bunraku_host
	callbacks.data = data
	callbacks.find_function = (*[0]byte)(C.goFindFunction)
	callbacks.call_function = (*[0]byte)(C.goCallFunction)
	callbacks.log = (*[0]byte)(C.goLog)
	callbacks.free_data = (*[0]byte)(C.goFreeData)
	directories := (*C.bunraku_text)(C.malloc(C.sizeof_bunraku_text))
	defer C.free(unsafe.Pointer(directories))
	*directories = own.of(directory)
	environment := new(Environment)
	loaded := C.bunraku_environment_load(directories, 1, own.of(name), C.bunraku_text{}, callbacks, &environment.pointer)
	if err := failure(loaded); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(environment, func(own *Environment) { C.bunraku_environment_free(own.pointer) })
	return environment, nil
}

// Compile compiles the catalog of a node with these facts.
func (environment *Environment) Compile(node string, facts map[string]any) (*Catalog, error) {
	var own texts
	defer own.free()
	given, err := json.Marshal(facts)
	if err != nil {
		return nil, err
	}
	catalog := new(Catalog)
	compiled := C.bunraku_environment_compile(environment.pointer, own.of(node), own.of(string(given)), C.bunraku_text{}, nil,
		&catalog.pointer)
	runtime.KeepAlive(environment)
	if err := failure(compiled); err != nil {
		return nil, err
	}
	runtime.SetFinalizer(catalog, func(own *Catalog) { C.bunraku_catalog_free(own.pointer) })
	return catalog, nil
}

// Resources lists the resources as references with the number of their parameters.
func (catalog *Catalog) Resources() []string {
	var list []string
	for index := C.size_t(0); index < C.bunraku_catalog_resource_count(catalog.pointer); index++ {
		resource := C.bunraku_catalog_resource(catalog.pointer, index)
		kind, title := read(C.bunraku_resource_type(resource)), read(C.bunraku_resource_title(resource))
		count := int(C.bunraku_resource_parameter_count(resource))
		list = append(list, fmt.Sprintf("%s[%s] %d", kind, title, count))
	}
	runtime.KeepAlive(catalog)
	return list
}

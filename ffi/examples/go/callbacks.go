package main

/*
#include <bunraku.h>
#include <stdlib.h>
*/
import "C"

import (
	"encoding/json"
	"fmt"
	"runtime/cgo"
	"unsafe"
)

func hostOf(data unsafe.Pointer) Host { return (*(*cgo.Handle)(data)).Value().(Host) }

func write(sink *C.bunraku_sink, answer []byte) {
	copied := C.CBytes(answer)
	defer C.free(copied)
	C.bunraku_sink_write(sink, C.bunraku_text{data: (*C.char)(copied), length: C.size_t(len(answer))})
}

//export goFindFunction
func goFindFunction(data unsafe.Pointer, name C.bunraku_text, sink *C.bunraku_sink) C.bool {
	function, found := hostOf(data).Functions[read(name)]
	for _, signature := range function.Signatures {
		var own texts
		C.bunraku_sink_add(sink, own.of(signature))
		own.free()
	}
	return C.bool(found)
}

//export goCallFunction
func goCallFunction(data unsafe.Pointer, name C.bunraku_text, signature C.size_t, given C.bunraku_text,
	call *C.bunraku_call, sink *C.bunraku_sink) (succeeded C.bool) {
	// A panic must not go through the library.
	defer func() {
		if panicked := recover(); panicked != nil {
			write(sink, []byte(fmt.Sprint(panicked)))
			succeeded = false
		}
	}()
	var arguments []any
	err := json.Unmarshal([]byte(read(given)), &arguments)
	var answer []byte
	if err == nil {
		var result any
		if result, err = hostOf(data).Functions[read(name)].Call(arguments); err == nil {
			answer, err = json.Marshal(result)
		}
	}
	if err != nil {
		write(sink, []byte(err.Error()))
		return false
	}
	write(sink, answer)
	return true
}

//export goLog
func goLog(data unsafe.Pointer, entry C.bunraku_text) {
	var said struct{ Level, Message string }
	if log := hostOf(data).Log; log != nil && json.Unmarshal([]byte(read(entry)), &said) == nil {
		log(said.Level, said.Message)
	}
}

//export goFreeData
func goFreeData(data unsafe.Pointer) {
	(*(*cgo.Handle)(data)).Delete()
	C.free(data)
}

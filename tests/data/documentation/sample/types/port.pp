# @summary A port
# @example
#   Sample::Port
type Sample::Port = Variant[ Integer[1,65535] , Enum['any'] ]
type Sample::Ports = Array[Sample::Port]
type Sample::One = String

# Documented.
class case::with-dash { }

# Documented.
define case::camelCase { }

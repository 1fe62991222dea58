# A class.
class case::autoload::other inherits case::base {
}

# A class.
class case::autoload { }

# A class.
class class_without_module { }

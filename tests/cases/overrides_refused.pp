# A parameter that has a value cannot be overridden from a class that does not inherit.
class a { file { '/x': mode => '0644' } }
class b { File['/x'] { mode => '0600' } }
include a, b

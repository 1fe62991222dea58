notice(staging_parse('http://h/a/b.tar.gz'), staging_parse('/x/y.zip', 'basename'), staging_parse('/x/y.tar.gz', 'basename', '.tar.gz'), staging_parse('C:\a\b.exe', 'extname'), staging_parse('/x/y/z', 'parent'))
notice(staging_parse('/x', 'nope'))
notice(staging_parse('mailto:x'))
notice(staging_parse())
notice(staging_parse(1))
File { mode => '0644' } notice(scope_defaults('file', 'mode'), scope_defaults('File', 'owner'), scope_defaults('exec', 'path'))
class c { Exec { path => '/bin', loglevel => 'debug' } notice(scope_defaults('exec', 'path')) include d } class d { notice(scope_defaults('exec', 'path'), scope_defaults('exec', 'loglevel')) } Exec { user => 'x' } include c notice(scope_defaults('exec', 'path'), scope_defaults('exec', 'user'))
class c { File { owner => 'x' } c::in { 'x': } } define c::in { notice(scope_defaults('file', 'owner'), scope_defaults('file', 'group')) } include c
notice(scope_defaults('a'))

# Functions and types of modules, written in the language.
notice(tools::double(21), tools::port('https'))
notice(8080 =~ Tools::Port, 80 =~ Tools::Port, type(tools::double(1)))
notice(tools::double('a'))

# -- modules/tools/functions/double.pp --
function tools::double(Integer $n) >> Integer { $n * 2 }

# -- modules/tools/functions/port.pp --
function tools::port(String $name) {
  case $name {
    'http': { 80 }
    /^https$/: { 443 }
    default: { fail("unknown: ${name}") }
  }
}

# -- modules/tools/types/port.pp --
type Tools::Port = Variant[Integer[1024, 65535], Enum['any']]

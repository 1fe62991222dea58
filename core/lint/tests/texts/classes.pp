class case::Wrong-name($a = 1, $b, Array[String] $c, $d = { 'x' => [1, 2] }, Optional[Integer] $e) inherits other::params {
  class inner {
    define in_it { }
  }
  File['/a'] ->
  File['/b'] ~>

  File['/c']
  File['/d'] <- File['/e']
  notice("$undefined and ${also_undefined} ${::top} ${a} $c")
  [$x, $y] = [1, 2]
  notice($x, $y, $z)
  $list.each |$i, Integer $j| {
    notice($i, $j, $k)
  }
  notice($j)
}

# documented

class case::late { }

# documented
class case::classes {
  case $a {
    'x': { case $b { 'y': { } default: { } } }
    'z', default: { }
  }
  case $a {
    'x': { case $b { 'y': { } default: { } } }
  }
}

define case::defined::deep($camelCase, $with_default = undef,) {
  if($camelCase) { notice($camelCase['key'], $facts['os'], $trusted['x'], $title, $1) }
  notice($other-value)
}
node one, 'two', three.example { }

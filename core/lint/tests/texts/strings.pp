# A class.
class case::strings {
  $a = "plain"
  $b = "with \$ escape"
  $c = "it's"
  $d = "${a}"
  $e = "$a"
  $f = "$a['x'] $b-c ${a['x']} $d[1][2] x"
  $g = "${facts['fqdn']}"
  $h = 'puppet://server/file'
  $i = "puppet:///modules/x/${a}"
  $j = "puppet:///x/${a}"
  $k = 'true'
  $l = "false"
  $m = 'some ${x}'
  $n = inline_template('${x}')
  $o = @("END")
    text $a ${b} ${c['x'].map |$q| { "${q} $a" }}
    \$no $::fqdn
    | END
  $p = @(END)
    text $a ${b}
    END
  $q = { "${a}b" => 1, "${d}" => 2 }
  $r = "${a.b("c")} ${ a } ${::ipaddress_eth0}"
  $s = "multi
  line"
  $t = "$$a ${$b} ${$::hostname}"
}
notice(@(A), @(B), 1)
  first

    A
  second
  | B

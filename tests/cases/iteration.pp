# Functions that call lambdas.
$users = { 'ann' => { 'uid' => 1001 }, 'bob' => { 'uid' => 1002, 'shell' => '/bin/zsh' } }
$users.each |$name, $options| {
  user { $name: * => { 'shell' => '/bin/sh' } + $options }
}
notice([1, 2, 3, 4].filter |$n| { $n % 2 == 0 }.map |$n| { $n * 10 })
notice($users.map |$name, $options| { "${name}=${options['uid']}" }.join(' '))
notice([1, 2, 3].reduce |$memo, $n| { $memo + $n })
notice(['a', 'b', 'c', 'd'].slice(2))
notice([[1, [2, 3]], 4].flatten, $users.dig('bob', 'shell'))

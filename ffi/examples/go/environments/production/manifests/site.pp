node 'two.example.net' {
  fail(site::shout('not this one'))
}

node default {
  notify { site::shout("hello ${trusted['certname']}"): }
}

# Templates in EPP, in files and inline, with their parameters checked.
#: facts {"os": {"family": "Debian"}}
file { '/motd': content => epp('motd/motd.epp', { 'names' => ['ann', 'bob'] }) }
file { '/inline': content => inline_epp('<%= $facts["os"]["family"] -%> <%- [1, 2].each |$n| { -%><%= $n %>,<% } -%>') }

# -- modules/motd/templates/motd.epp --
<%- | Array[String] $names, String $greeting = 'Hello' | -%>
<%# no text -%>
<% $names.each |$index, $name| { -%>
<%= $index + 1 %>. <%= $greeting %>, <%= $name.capitalize %>!
<% } -%>

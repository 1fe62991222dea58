# Variables that templates set, and texts that they write to: instance variables keep what they were.
$outer = 'top'
class c {
  $known = 'k'
  notice(inline_template('<% scope["fresh"] = "new" %><%= @fresh.inspect %> <%= scope["fresh"] %> <%= @known %>'))
  notice(inline_template('<% scope["outer"] = "inner" %><%= @outer.inspect %> <%= scope["outer"] %> <%= instance_variables.include?(:@outer) %>'))
  notice(inline_template('<%= @later.inspect %><% scope["later"] = [1] %><%= @later.inspect %> <%= scope["later"].inspect %>'))
  notice(inline_template('<% scope["list"] = [1]; @list %><% scope["list"] << 2 %><%= scope["list"].inspect %> <%= @list.inspect %>'))
  notice(inline_template('<% t = "" ; t << "a".freeze << "b" ; t << t %><%= t %> <%= "x".freeze.frozen? %><% u = "q".freeze %><% begin; u << "r"; rescue => e %><%= e.class %><% end %>'))
}
include c

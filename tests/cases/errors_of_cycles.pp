# A cycle of dependencies is an error where a compilation asks for the check.
notify { 'a': require => Notify['b'] }
notify { 'b': require => Notify['c'] }
notify { 'c': require => Notify['a'] }

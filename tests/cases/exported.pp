# Exported resources are in the catalog of the node that exports them, and are realized only by its own collector.
@@file { '/shared': content => 'x' }
@@notify { 'mine': tag => 'here' }
Notify <<| tag == 'here' |>>

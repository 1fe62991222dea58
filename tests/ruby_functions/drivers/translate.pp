notice(translate('hello'), translate('a %{x} b', {'x' => 1}))
notice(translate('a %{x} b', {'y' => 1}))
notice(translate(1))

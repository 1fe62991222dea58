notice(mongodb_password('user', 'pass'), mongodb_password(1, true), mongodb_password('', ''))
notice(mongodb_password('a'))
notice(mongodb_password(Sensitive('a'), 'b'))
notice(mongodb_password([1], {'a' => 'b'}))

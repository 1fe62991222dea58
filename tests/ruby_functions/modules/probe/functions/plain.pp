function probe::plain($x) { "plain ${x}" }

# Runs the service.
# With care.
class service::run (
  # Where it listens.
  Integer[1, 65535] $port = 8080,
  Optional[String] $host = undef, # Whom it answers.
  $options = { 'a' => [1, 2] },
) {
  /** A part of it. */
  define part($name_of) { }
}

function service::double(Integer $n) >> Integer { $n * 2 }

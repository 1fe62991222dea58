# What may be said of an account.
type Profile::Account = Struct[{
  uid              => Integer[1000],
  Optional[shell]  => String[1],
  Optional[groups] => Array[String[1]],
}]

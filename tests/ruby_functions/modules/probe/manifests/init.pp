class probe($value = 'given') {
  $local = 'of the class'
  notice(probe_legacy('variables'), probe::scoped('local'))
}

# @summary Runs everything
# @param targets Where
plan sample::all(TargetSpec $targets, Boolean $noop = false) {
  return run_task('sample::run', $targets)
}

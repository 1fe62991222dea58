//! Recorded answers of the reference, Ruby, Psych, puppet-strings and PuppetDB, each about one part of the
//! library.

mod autoload;
mod classifier;
mod cycles;
mod documentation;
mod explained_secrets;
mod explanations;
mod format;
mod generated;
mod issues;
mod kept_state;
mod kinds;
mod patterns;
mod repeated;
mod tokens;
mod trusted;
mod wire;
mod yaml;

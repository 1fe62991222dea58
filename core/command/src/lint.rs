//! `bunraku lint`.

use bunraku::host::disk::{self, DiskHost};
use bunraku::requests;
use bunraku::syntax::watch::Watch;
use bunraku::{Choice, Host as _, ListedFile, list_files};
use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command, FromArgMatches, ValueEnum};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use serde_json::{Map, Value as Json, json};

use crate::arguments::{FileArguments, text};
use crate::console::in_parentheses;
use crate::formats::{FindingFormat, Level, Listed};
use crate::screen::Part;
use crate::{CommandError, Outcome, Session, parallel};

/// Check the style of manifests
///
/// Reports what the checks of puppet-lint find in manifests (.pp), and old names of facts in YAML, in
/// directories too. The checks of many plug-ins are there, and run when they are chosen. Comments
/// # lint:ignore:CHECK and # lint:endignore switch checks off. Options may stand in .puppet-lint.rc, one on
/// each line: in /etc/puppet-lint.rc, the home directory and the working directory.
#[derive(clap::Args)]
#[command(after_help = "Checks are switched by --no-CHECK-check and --CHECK-check.\n\n\
                  Exit status: 0 no errors, 1 errors (with --fail-on-warnings: warnings), 2 wrong options or \
                  unreadable files.")]
pub(crate) struct Arguments {
    /// Files and directories [default: the working directory]
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// Mend what can be mended
    #[arg(long, short)]
    fix: bool,
    /// Run these checks only (repeatable)
    #[arg(long, value_name = "CHECK", value_delimiter = ',', help_heading = "Checks")]
    only_checks: Vec<String>,
    /// List all checks
    #[arg(long, help_heading = "Checks")]
    list_checks: bool,
    /// Expect the layout of a module relative to its root
    #[arg(long, help_heading = "Checks")]
    relative: bool,
    /// Run the checks of this plug-in of puppet-lint, too (repeatable); voxpupuli-puppet-lint-plugins names
    /// several
    #[arg(long, value_name = "NAME", value_delimiter = ',', help_heading = "Checks")]
    plugin: Vec<String>,
    /// How comments may document parameters: doc, kafo, strings (repeatable) [default: all]
    #[arg(long, value_name = "STYLE", value_delimiter = ',', help_heading = "Checks")]
    docs_allowed_styles: Vec<String>,
    /// How far strict_indent wants lines indented for each level [default: 2]
    #[arg(long, value_name = "NUMBER", help_heading = "Checks")]
    chars_per_indent: Option<u32>,
    /// Variables of the top scope that are no facts (repeatable)
    #[arg(long, value_name = "NAME", value_delimiter = ',', help_heading = "Checks")]
    top_scope_variables: Vec<String>,
    #[command(flatten)]
    switches: Switches,
    /// Exit with status 1 for warnings, too
    #[arg(long, help_heading = "Findings")]
    fail_on_warnings: bool,
    /// Report only findings of this kind
    #[arg(long, value_name = "LEVEL", value_enum, help_heading = "Findings")]
    error_level: Option<ErrorLevel>,
    /// Report what comments ignore, too
    #[arg(long, help_heading = "Findings")]
    show_ignored: bool,
    /// Leave out files whose paths match (repeatable) [default: vendor/**/*.pp]
    #[arg(long, value_name = "PATTERN", value_delimiter = ',', help_heading = "Findings")]
    ignore_paths: Option<Vec<String>>,
    /// Do not read .puppet-lint.rc
    #[arg(long)]
    no_rc: bool,
    #[command(flatten)]
    files: FileArguments,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, help_heading = "Output")]
    format: FindingFormat,
    /// Write findings so: %{path}, %{filename}, %{fullpath}, %{line}, %{column}, %{kind}, %{KIND}, %{check},
    /// %{message}
    #[arg(long, value_name = "TEXT", help_heading = "Output")]
    log_format: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ErrorLevel {
    All,
    Warning,
    Error,
}

/// Checks that options switch on or off.
#[derive(Clone, Debug, Default)]
struct Switches(Vec<(&'static str, bool)>);

impl FromArgMatches for Switches {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut made = Self::default();
        made.update_from_arg_matches(matches)?;
        Ok(made)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for (check, on, off) in switches() {
            for (id, wanted) in [(on, true), (off, false)] {
                if matches.value_source(id).is_some_and(|source| source != ValueSource::DefaultValue) {
                    self.0.push((check, wanted));
                }
            }
        }
        Ok(())
    }
}

impl clap::Args for Switches {
    fn augment_args(command: Command) -> Command {
        let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue).hide(true);
        let all = switches().into_iter().flat_map(|(_, on, off)| [flag(on), flag(off)]);
        all.fold(command, Command::arg)
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

/// Names of checks with their options; none in a build without them.
fn switches() -> Vec<(&'static str, &'static str, &'static str)> {
    requests::lint_switches().unwrap_or_default()
}

/// What applies: what the command was given, over the files say.
#[derive(Clone, Debug)]
struct Settings {
    only_checks: Option<Vec<String>>,
    switches: Vec<(String, bool)>,
    top_scope_variables: Vec<String>,
    ignore_paths: Vec<String>,
    error_level: ErrorLevel,
    log_format: Option<String>,
    fix: bool,
    relative: bool,
    fail_on_warnings: bool,
    show_ignored: bool,
}

/// What came of a file.
struct Linted {
    findings: Vec<Json>,
    warnings: Vec<String>,
    fixed: Option<String>,
}

impl Session<'_> {
    pub(crate) fn lint(&self, given: &Arguments) -> Outcome {
        if given.list_checks {
            return self.list_checks();
        }
        let settings = Settings::of(given, self)?;
        let mut request = settings.request();
        request["plugins"] = given.plugin.clone().into();
        if !given.docs_allowed_styles.is_empty() {
            request["docs_allowed_styles"] = given.docs_allowed_styles.clone().into();
        }
        if let Some(number) = given.chars_per_indent {
            request["chars_per_indent"] = number.into();
        }
        // A request that is wrong is wrong for all files.
        requests::lint("", &request, &Watch::default()).map_err(CommandError::of_arguments)?;
        let here = [".".to_owned()];
        let paths = if given.paths.is_empty() { &here[..] } else { &given.paths };
        let mut files = list_files(paths, &Choice { data: true, ..Choice::default() })?;
        let ignored = ignored(&settings.ignore_paths)?;
        files.retain(|file| {
            let is_checked = [".pp", ".yaml", ".yml"].iter().any(|ending| file.path.ends_with(ending));
            (file.is_named || is_checked) && !ignored.is_match(&file.path)
        });
        self.console.name_empty(paths, &files, "manifests")?;
        let answers = parallel::of_files(&files, |file| self.lint_file(file, given, &request));
        let (mut told, mut status) = (Vec::new(), 0);
        for (ListedFile { path, .. }, answer) in files.iter().zip(answers) {
            match answer {
                Ok(linted) => {
                    let warn = |text: &String| self.console.err().line(&format!("{path}: warning: {text}"));
                    linted.warnings.iter().try_for_each(warn)?;
                    if let Some(fixed) = &linted.fixed {
                        disk::write(path, fixed.as_bytes())?;
                    }
                    status = status.max(settings.status(&linted.findings));
                    told.extend(linted.findings);
                }
                Err(failure @ CommandError::Output(_)) => return Err(failure),
                Err(failure) => status = status.max(self.console.show(&failure)),
            }
        }
        told.retain(|finding| settings.is_told(finding));
        let found: Vec<Listed<'_>> = told.iter().map(listed).collect();
        let mut shown = told.iter();
        self.show_listed(&found, given.format, &|| told.iter().cloned().collect(), |_| {
            shown.next().map_or(Ok(()), |finding| self.show_lint(finding, &settings))
        })?;
        Ok(status)
    }

    fn list_checks(&self) -> Outcome {
        let checks = requests::lint_checks()?;
        for check in checks.as_array().into_iter().flatten() {
            let mut notes = vec![check["severity"].as_str().unwrap_or_default()];
            notes.extend(Some("mended by --fix").filter(|_| check["fixed"] == true));
            notes.extend(Some("off").filter(|_| check["on"] == false));
            notes.extend(check["plugin"].as_str());
            let (name, about) = (check["check"].as_str(), check["about"].as_str());
            let (name, about) = (name.unwrap_or_default(), about.unwrap_or_default());
            self.console.out().line(&format!("{name}: {about} ({})", notes.join(", ")))?;
        }
        Ok(0)
    }

    fn lint_file(
        &self,
        file: &ListedFile,
        given: &Arguments,
        request: &Json,
    ) -> Result<Linted, CommandError> {
        let path = file.path.as_str();
        let bytes = if file.is_named { given.files.bytes(path, self)? } else { given.files.found(path)? };
        let source = text(bytes, path)?;
        let mut request = request.clone();
        if path != "-" {
            request["path"] = disk::absolute_path(path)?.into();
        }
        let usage = self.reading();
        let mut answer = requests::lint(&source, &request, &Watch::new(&usage.ends))?;
        let Json::Array(mut findings) = answer["findings"].take() else { return Err(no_answer()) };
        for finding in &mut findings {
            finding["file"] = path.into();
        }
        let warnings = answer["warnings"].as_array().into_iter().flatten();
        let warnings = warnings.filter_map(|text| text.as_str().map(str::to_owned)).collect();
        let fixed = answer["fixed"].as_str().filter(|fixed| *fixed != source && path != "-");
        Ok(Linted { findings, warnings, fixed: fixed.map(str::to_owned) })
    }

    fn show_lint(&self, finding: &Json, settings: &Settings) -> Result<(), CommandError> {
        if let Some(format) = &settings.log_format {
            return Ok(self.console.out().line(&written(format, finding)?)?);
        }
        let told = listed(finding);
        let (line, column) = (told.line.unwrap_or_default(), told.column.unwrap_or_default());
        let place = format!("{}:{line}:{column}: ", told.file.unwrap_or_default());
        let reason = finding["reason"].as_str().filter(|reason| !reason.is_empty());
        let reason = reason.map(|reason| format!(": {reason}")).unwrap_or_default();
        let message = format!(": {}{}{reason}", told.message, in_parentheses(told.code));
        let parts =
            [Part::Plain(&place), Part::Coloured(told.name, told.level.colour()), Part::Plain(&message)];
        Ok(self.console.out().parts(&parts)?)
    }
}

fn no_answer() -> CommandError {
    bunraku::Error::plain("the linter has no answer").into()
}

impl Settings {
    fn of(given: &Arguments, session: &Session<'_>) -> Result<Self, CommandError> {
        let mut made = Self {
            only_checks: None,
            switches: Vec::new(),
            top_scope_variables: Vec::new(),
            ignore_paths: vec!["vendor/**/*.pp".to_owned()],
            error_level: ErrorLevel::All,
            log_format: None,
            fix: false,
            relative: false,
            fail_on_warnings: false,
            show_ignored: false,
        };
        if !given.no_rc {
            let home = DiskHost.environment_variable("HOME").map(|home| format!("{home}/.puppet-lint.rc"));
            let files = [Some("/etc/puppet-lint.rc".to_owned()), home, Some(".puppet-lint.rc".to_owned())];
            for path in files.into_iter().flatten() {
                if DiskHost.info(&path).is_some_and(|info| !info.is_directory) {
                    let options = given.files.text(&path, session)?;
                    for (number, line) in options.lines().enumerate() {
                        let wrong =
                            |message| CommandError::misuse(format!("{path}:{}: {message}", number + 1));
                        made.read(line.trim()).map_err(wrong)?;
                    }
                }
            }
        }
        if !given.only_checks.is_empty() {
            made.only_checks = Some(given.only_checks.clone());
            made.switches.clear();
        }
        made.switches.extend(given.switches.0.iter().map(|(check, wanted)| ((*check).to_owned(), *wanted)));
        if !given.top_scope_variables.is_empty() {
            made.top_scope_variables.clone_from(&given.top_scope_variables);
        }
        if let Some(patterns) = &given.ignore_paths {
            made.ignore_paths.clone_from(patterns);
        }
        made.error_level = given.error_level.unwrap_or(made.error_level);
        made.log_format = given.log_format.clone().or(made.log_format);
        made.fix |= given.fix;
        made.relative |= given.relative;
        made.fail_on_warnings |= given.fail_on_warnings;
        made.show_ignored |= given.show_ignored;
        Ok(made)
    }

    /// Reads a line of a file with options. What is no option says nothing.
    fn read(&mut self, line: &str) -> Result<(), String> {
        if !line.starts_with('-') {
            return Ok(());
        }
        let (name, value) = line.split_once('=').unwrap_or((line, ""));
        let list = || value.split(',').map(|one| one.trim().to_owned()).collect::<Vec<_>>();
        match name {
            "--fix" | "-f" => self.fix = true,
            "--relative" => self.relative = true,
            "--fail-on-warnings" => self.fail_on_warnings = true,
            "--show-ignored" => self.show_ignored = true,
            "--only-checks" => {
                self.only_checks = Some(list());
                self.switches.clear();
            }
            "--ignore-paths" => self.ignore_paths = list(),
            "--top-scope-variables" => self.top_scope_variables = list(),
            "--log-format" => self.log_format = Some(value.to_owned()),
            "--error-level" => {
                self.error_level = ErrorLevel::from_str(value, true)
                    .map_err(|_| format!("'{value}' is none of all, warning, error"))?;
            }
            // What puppet-lint shows of a finding is always shown.
            "--with-context" | "--with-filename" | "--no-config" => {}
            _ => {
                let switch = name.trim_start_matches('-');
                let known = switches().into_iter().find(|(_, on, off)| [*on, *off].contains(&switch));
                match known {
                    Some((check, on, _)) => self.switches.push((check.to_owned(), switch == on)),
                    // A check of a plug-in does not run here.
                    None if switch.ends_with("-check") => {}
                    None => return Err(format!("there is no option '{name}'")),
                }
            }
        }
        Ok(())
    }

    /// What is asked of each file.
    fn request(&self) -> Json {
        let switches: Map<String, Json> =
            self.switches.iter().map(|(check, wanted)| (check.clone(), (*wanted).into())).collect();
        let mut request = json!({
            "fix": self.fix, "relative": self.relative, "top_scope_variables": self.top_scope_variables,
            "checks": switches,
        });
        if let Some(checks) = &self.only_checks {
            request["only_checks"] = checks.iter().cloned().collect();
        }
        request
    }

    fn status(&self, findings: &[Json]) -> u8 {
        let fails = |kind: &Json| kind == "error" || kind == "warning" && self.fail_on_warnings;
        findings.iter().any(|finding| fails(&finding["kind"])).into()
    }

    fn is_told(&self, finding: &Json) -> bool {
        match finding["kind"].as_str() {
            Some("ignored") => self.show_ignored,
            Some("error") => self.error_level != ErrorLevel::Warning,
            Some("warning") => self.error_level != ErrorLevel::Error,
            _ => true,
        }
    }
}

fn listed(finding: &Json) -> Listed<'_> {
    let number = |name: &str| finding[name].as_u64().and_then(|number| u32::try_from(number).ok());
    let (level, name) = match finding["kind"].as_str() {
        Some("error") => (Level::Error, "error"),
        Some("warning") => (Level::Warning, "warning"),
        Some("fixed") => (Level::Note, "fixed"),
        _ => (Level::Note, "ignored"),
    };
    Listed {
        level,
        name,
        code: finding["check"].as_str(),
        message: finding["message"].as_str().unwrap_or_default(),
        file: finding["file"].as_str(),
        line: number("line"),
        column: number("column"),
        end_line: None,
        end_column: None,
    }
}

/// A finding as a format of the user's has it.
fn written(format: &str, finding: &Json) -> Result<String, CommandError> {
    let told = listed(finding);
    let (path, kind) = (told.file.unwrap_or_default(), finding["kind"].as_str().unwrap_or_default());
    let values = [
        ("%{path}", path.to_owned()),
        ("%{filename}", path.rsplit('/').next().unwrap_or_default().to_owned()),
        ("%{fullpath}", if path == "-" { path.to_owned() } else { disk::absolute_path(path)? }),
        ("%{line}", told.line.unwrap_or_default().to_string()),
        ("%{column}", told.column.unwrap_or_default().to_string()),
        ("%{linenumber}", told.line.unwrap_or_default().to_string()),
        ("%{kind}", kind.to_owned()),
        ("%{KIND}", kind.to_uppercase()),
        ("%{check}", told.code.unwrap_or_default().to_owned()),
        ("%{message}", told.message.to_owned()),
    ];
    let mut out = String::new();
    let mut rest = format;
    while let Some((before, behind)) = rest.find('%').and_then(|at| rest.split_at_checked(at)) {
        out.push_str(before);
        match values.iter().find_map(|(name, value)| Some((behind.strip_prefix(name)?, value))) {
            Some((next, value)) => {
                out.push_str(value);
                rest = next;
            }
            None => {
                out.push('%');
                rest = behind.strip_prefix('%').unwrap_or_default();
            }
        }
    }
    out.push_str(rest);
    Ok(out)
}

/// Patterns as shells have them; `*` stands for slashes, too, as in puppet-lint, so that `**` is no
/// different.
fn ignored(patterns: &[String]) -> Result<GlobSet, CommandError> {
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let mut own = pattern.replace('{', "[{]").replace('}', "[}]");
        while own.contains("**") {
            own = own.replace("**", "*");
        }
        let wrong = |error: globset::Error| {
            CommandError::misuse(format!("'{pattern}' is no pattern: {}", error.kind()))
        };
        set.add(GlobBuilder::new(&own).backslash_escape(true).build().map_err(wrong)?);
    }
    set.build().map_err(|error| CommandError::misuse(error.to_string()))
}

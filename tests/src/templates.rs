//! Templates in ERB: how many of a tree of modules use only what the built-in Ruby knows, and whether it
//! writes what Ruby itself has written (`data/erb`).

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bunraku::diagnostic::{Error, LogLevel};
use bunraku::host::ForeignResource;
use bunraku::pcore::Value;
use bunraku::pcore::fuel::Fuel;
use bunraku::pcore::value::{Str, Timestamp};
use bunraku::ruby::{self, Program, RefusedError, World, erb};
use serde_json::{Value as Json, json};

use crate::environments::MODULES;
use crate::report::{Outcome, Report};
use crate::{data, workers};

/// The result of a survey of templates.
#[derive(Debug, Default)]
pub struct Survey {
    /// The number of templates.
    pub templates: usize,
    /// The number of them that only use supported constructs.
    pub known: usize,
    /// The unsupported constructs of the others, with the number of templates that use them.
    pub unsupported: BTreeMap<String, usize>,
    /// The others, by path, each with its complaints.
    pub refused: Vec<(PathBuf, Vec<String>)>,
}

impl Survey {
    /// The survey as a table.
    pub fn text(&self) -> String {
        let share = 100.0 * self.known as f64 / self.templates.max(1) as f64;
        let mut out =
            format!("templates {}, of known constructs only {} ({share:.1} %)\n", self.templates, self.known);
        let mut constructs: Vec<_> = self.unsupported.iter().collect();
        constructs.sort_by(|a, b| b.1.cmp(a.1).then(a.0.cmp(b.0)));
        for (construct, count) in constructs {
            out.push_str(&format!("{count:5}  {construct}\n"));
        }
        for (path, complaints) in &self.refused {
            out.push_str(&format!("{}: {}\n", path.display(), complaints.join(", ")));
        }
        out
    }
}

/// The subject of a survey.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Templates in ERB.
    Templates,
    /// Functions, backends of Hiera, and the files that they require.
    Files,
}

/// Parses all templates in the directories `templates` below a directory, or all files of Ruby that
/// compilations load.
pub fn survey(root: &Path, kind: Kind) -> io::Result<Survey> {
    let mut paths = Vec::new();
    find(root, kind, false, &mut paths)?;
    paths.sort();
    let mut survey = Survey::default();
    for path in paths {
        let text = String::from_utf8_lossy(&fs::read(&path)?).into_owned();
        survey.templates += 1;
        let text = if kind == Kind::Templates { erb::to_ruby(&text, erb::Trim::Dash) } else { text };
        let parse = if kind == Kind::Templates { ruby::parse } else { ruby::parse_file };
        let complaints: Vec<(String, u32)> = match parse(&path.to_string_lossy(), &text) {
            Ok(program) if program.unknown.is_empty() => {
                survey.known += 1;
                continue;
            }
            Ok(program) => program.unknown.into_iter().map(|one| (one.construct, one.line)).collect(),
            Err(RefusedError::Syntax { message, line }) => vec![(format!("syntax error ({message})"), line)],
            Err(RefusedError::Unsupported(list)) => {
                list.into_iter().map(|one| (one.construct, one.line)).collect()
            }
        };
        let mut constructs: Vec<&String> = complaints.iter().map(|(construct, _)| construct).collect();
        constructs.sort();
        constructs.dedup();
        for construct in constructs {
            *survey.unsupported.entry(construct.clone()).or_default() += 1;
        }
        let shown = complaints.iter().map(|(construct, line)| format!("{construct} (line {line})")).collect();
        survey.refused.push((path.strip_prefix(root).unwrap_or(&path).to_owned(), shown));
    }
    Ok(survey)
}

fn find(directory: &Path, kind: Kind, inside: bool, paths: &mut Vec<PathBuf>) -> io::Result<()> {
    let loaded = ["lib/puppet/functions", "lib/puppet/parser/functions", "lib/hiera", "lib/puppet_x"];
    let (extension, is_place): (&str, &dyn Fn(&Path) -> bool) = match kind {
        Kind::Templates => ("erb", &|path| path.ends_with("templates")),
        Kind::Files => ("rb", &|path| loaded.iter().any(|place| path.ends_with(place))),
    };
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        let inside = inside || is_place(&path);
        if path.is_dir() {
            find(&path, kind, inside, paths)?;
        } else if inside && path.extension().is_some_and(|own| own == extension) {
            paths.push(path);
        }
    }
    Ok(())
}

/// Renders the templates of a file of rows and compares the output with Ruby's. A row has the text of a
/// template, or the path of one below the directory of Debian's modules (skipped if it is not installed), the
/// variables, and `answer` or `error`: the class of the exception and its message. `endless`: Ruby does not
/// end, so that only the end of the built-in Ruby counts.
pub fn check(rows: &Path) -> io::Result<Report> {
    let all = data::read_lines(rows)?;
    let (mut asked, mut absent) = (Vec::new(), Vec::new());
    for (number, row) in all.into_iter().enumerate() {
        let id = row["id"].as_str().map_or_else(|| format!("{}", number + 1), str::to_owned);
        let text = match (row["template"].as_str(), row["path"].as_str()) {
            (Some(text), _) => text.to_owned(),
            (None, Some(path)) => match fs::read(Path::new(MODULES).join(path)) {
                Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                Err(_) => {
                    absent.push(id);
                    continue;
                }
            },
            (None, None) => return Err(io::Error::other(format!("{id} has no template"))),
        };
        asked.push((id, row, text));
    }
    let answers = workers::run_all(&asked, |(_, row, text)| render(text, &row["variables"]));
    let outcomes = asked.into_iter().zip(answers).map(|((id, row, _), answer)| {
        let actual = answer.unwrap_or_else(|panic| json!({ "panic": panic }));
        let expected = match row.get("answer") {
            Some(answer) => json!({ "answer": answer }),
            None => json!({ "error": row["error"] }),
        };
        let passed = if row["endless"] == true { actual.get("panic").is_none() } else { expected == actual };
        Outcome { id, passed, question: row, expected, actual }
    });
    let name = rows.file_name().unwrap_or_default().to_string_lossy();
    let name = name.split('.').next().unwrap_or_default().to_owned();
    Ok(Report { name, outcomes: outcomes.collect(), not_asked: 0, absent })
}

/// Renders a template with variables: `answer`, `error`, or `refused`.
pub fn render(text: &str, variables: &Json) -> Json {
    let given = variables.as_object().into_iter().flatten();
    let given = given.map(|(name, given)| (name.clone(), value(given))).collect();
    let world = Variables { variables: RefCell::new(given), steps: Cell::new(0) };
    run(ruby::parse_template("template", text, erb::Trim::Dash), &world)
}

fn run(program: Result<Program, RefusedError>, world: &Variables) -> Json {
    let program = match program {
        Ok(program) => Arc::new(program),
        Err(RefusedError::Syntax { .. }) => return json!({ "error": "SyntaxError" }),
        Err(refused) => return json!({ "refused": refused.to_error().message }),
    };
    match ruby::render(&program, world) {
        Ok(text) => json!({ "answer": text }),
        Err(failure) => match failure.name {
            Some(class) => json!({ "error": format!("{class}: {}", failure.error.message) }),
            None => json!({ "refused": failure.error.message }),
        },
    }
}

/// Runs the programs of a file of rows and compares with what Ruby has answered.
pub fn check_programs(rows: &Path) -> io::Result<Report> {
    let all = data::read_lines(rows)?;
    let answers = workers::run_all(&all, |row| run_ruby(row["program"].as_str().unwrap_or_default()));
    let outcomes = all.into_iter().zip(answers).enumerate().map(|(at, (row, answer))| {
        let actual = answer.unwrap_or_else(|panic| json!({ "panic": panic }));
        let expected = match row.get("answer") {
            Some(answer) => json!({ "answer": answer }),
            None => json!({ "error": row["error"] }),
        };
        Outcome { id: (at + 1).to_string(), passed: expected == actual, question: row, expected, actual }
    });
    let outcomes = outcomes.collect();
    Ok(Report { name: "ruby-programs".to_owned(), outcomes, not_asked: 0, absent: Vec::new() })
}

/// Runs a program of Ruby: `answer` (the `inspect` of its last value), `error`, or `refused`.
pub fn run_ruby(program: &str) -> Json {
    let world = Variables { variables: RefCell::default(), steps: Cell::new(0) };
    run(ruby::parse("template", &format!("(\n{program}\n).inspect")), &world)
}

/// A world of only variables.
struct Variables {
    variables: RefCell<BTreeMap<String, Value>>,
    steps: Cell<u64>,
}

/// The maximum number of steps of a template, and the maximum size of a value in bytes.
const LIMITS: (u64, usize) = (1 << 20, 1 << 25);

fn value(json: &Json) -> Value {
    match json {
        Json::Null => Value::Undef,
        Json::Bool(truth) => Value::Boolean(*truth),
        Json::Number(number) => match number.as_i64() {
            Some(number) => Value::Integer(number),
            None => Value::Float(number.as_f64().unwrap_or(0.0)),
        },
        Json::String(text) => Value::from(text.as_str()),
        Json::Array(values) => Value::array(values.iter().map(value)),
        Json::Object(members) => {
            Value::hash(members.iter().map(|(name, member)| (Value::from(name.as_str()), value(member))))
        }
    }
}

impl Fuel for Variables {
    fn charge(&self, steps: u64) -> Result<(), Error> {
        self.steps.set(self.steps.get().saturating_add(steps));
        if self.steps.get() > LIMITS.0 { Err(Error::limit("too long")) } else { Ok(()) }
    }

    fn check_size(&self, bytes: usize) -> Result<(), Error> {
        if bytes > LIMITS.1 { Err(Error::limit("too large")) } else { Ok(()) }
    }
}

impl World for Variables {
    fn lookup_top_variable(&self, name: &str) -> Result<Option<Value>, Error> {
        self.lookup_variable(name)
    }

    fn set_top_variable(&self, name: &str, value: Value) -> Result<(), Error> {
        self.set_variable(name, value)
    }

    fn call_from_top(&self, name: &str, arguments: &[Value]) -> Result<Value, Error> {
        let result = self.call_function(name, arguments, false)?;
        result.ok_or_else(|| Error::argument(format!("Unknown function: '{name}'.")))
    }

    fn module_directory(&self, _: &str) -> Option<Str> {
        None
    }

    fn resource(&self, _: &str, _: &str) -> Option<ForeignResource> {
        None
    }

    fn enter(&self) -> Result<(), Error> {
        Ok(())
    }

    fn leave(&self) {}

    fn now(&self) -> Timestamp {
        Timestamp::default()
    }

    fn lookup_variable(&self, name: &str) -> Result<Option<Value>, Error> {
        Ok(self.variables.borrow().get(name.trim_start_matches("::")).cloned())
    }

    fn has_variable(&self, name: &str) -> bool {
        self.variables.borrow().contains_key(name)
    }

    fn variables(&self) -> Vec<(Str, Value)> {
        let set = self.variables.borrow();
        let set = set.iter().filter(|(_, value)| !value.is_undef());
        set.map(|(name, value)| (name.as_str().into(), value.clone())).collect()
    }

    fn set_variable(&self, name: &str, value: Value) -> Result<(), Error> {
        match self.variables.borrow_mut().entry(name.to_owned()) {
            Entry::Occupied(_) => Err(Error::plain(format!("Cannot reassign variable '${name}'"))),
            Entry::Vacant(place) => {
                place.insert(value);
                Ok(())
            }
        }
    }

    fn change_variable(&self, name: &str, _: &Value, new: &Value) {
        self.variables.borrow_mut().insert(name.to_owned(), new.clone());
    }

    fn call_function(&self, name: &str, arguments: &[Value], _: bool) -> Result<Option<Value>, Error> {
        // The only function in the recording: `versioncmp` of plain versions.
        let ([a, b], "versioncmp") = (arguments, name) else { return Ok(None) };
        let text = |parameter: &str, given: &Value| match given {
            Value::String(text) => Ok(text.clone()),
            other => {
                let kind = match other {
                    Value::Undef => "Undef",
                    Value::Boolean(_) => "Boolean",
                    Value::Integer(_) => "Integer",
                    Value::Float(_) => "Float",
                    Value::Array(_) => "Array",
                    _ => "Hash",
                };
                let message =
                    format!("'versioncmp' parameter '{parameter}' expects a String value, got {kind}");
                Err(Error::argument(message))
            }
        };
        let (a, b) = (text("a", a)?, text("b", b)?);
        let parts =
            |text: &str| -> Vec<u64> { text.split('.').filter_map(|part| part.parse().ok()).collect() };
        Ok(Some(Value::Integer(parts(&a).cmp(&parts(&b)) as i64)))
    }

    fn classes(&self) -> Vec<Str> {
        Vec::new()
    }

    fn catalog_tags(&self) -> Vec<Str> {
        Vec::new()
    }

    fn environment(&self) -> Str {
        "production".into()
    }

    fn node(&self) -> Str {
        "node".into()
    }

    fn scope_name(&self) -> Str {
        "Scope(Class[main])".into()
    }

    fn module(&self) -> Option<Str> {
        None
    }

    fn read_file(&self, _: &str) -> Result<Option<String>, Error> {
        Ok(None)
    }

    fn file_kind(&self, _: &str) -> Option<bool> {
        None
    }

    fn log(&self, _: LogLevel, _: String) {}
}

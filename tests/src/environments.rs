//! Golden environments: every case is compiled in both forms, every Hiera question is asked, and where values
//! come from.
//!
//! The layout of an environment, the keys of a case and the rules of comparison are in
//! `data/environments/FORMAT.md`.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value, json};

use crate::compare;
use crate::program::Program;
use crate::report::{Outcome, Report};
use crate::{data, protocol, ratchet, workers};

/// The directory where Debian's `puppet-module-*` packages install modules.
pub const MODULES: &str = "/usr/share/puppet/modules";

/// Debian's lists of the files of each installed package.
const PACKAGES: &str = "/var/lib/dpkg/info";

/// One question about an environment with its golden answer.
struct Question {
    id: String,
    request: Value,
    expected: Value,
    form: Form,
    /// The golden catalog as it is written.
    written: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Agent,
    PuppetDb,
    Lookup,
    Provenance,
}

/// Whether the environment needs modules that are not on this machine: its file `PACKAGES` lists one of
/// Debian's packages that is not installed, or nearly all of their modules cannot be seen.
pub fn lacks_modules(directory: &Path) -> bool {
    let packages = fs::read_to_string(directory.join("PACKAGES")).unwrap_or_default();
    let names = packages.lines().filter_map(|line| line.split_whitespace().next());
    let modules: Vec<&str> = names.filter(|name| name.starts_with("puppet-module-")).collect();
    // Packages may be installed, and their modules out of sight: most, not the one that an administrator
    // took.
    let seen = fs::read_dir(MODULES).map_or(0, Iterator::count);
    20 * seen < 19 * modules.len()
        || modules.iter().any(|name| !Path::new(PACKAGES).join(format!("{name}.list")).exists())
}

/// Asks a program for all catalogs of an environment whose questions [`Program`] can ask: it has no host with
/// exported resources of other nodes.
///
/// # Errors
/// The environment cannot be read, or the program ends early.
pub fn check_through(program: &Path, directory: &Path) -> io::Result<Report> {
    let environment = Golden::open(directory)?;
    let mut program = Program::start(program)?;
    let mut outcomes = Vec::new();
    for question in environment.compilations()? {
        if question.request.get("exported").is_none() {
            let answer = program.answer(&question.request)?;
            outcomes.push(environment.outcome(question, Ok(answer)));
        }
    }
    program.end()?;
    Ok(Report { name: environment.report_name(), outcomes, ..Report::default() })
}

/// Asks all questions about an environment.
pub fn check(directory: &Path) -> io::Result<Report> {
    let environment = Golden::open(directory)?;
    let mut questions = environment.compilations()?;
    questions.extend(environment.lookups()?);
    questions.extend(environment.provenance()?);
    let answers = workers::run_all(&questions, |question| match question.form {
        Form::Agent | Form::PuppetDb => {
            let (reply, catalog) = protocol::compile(&question.request);
            (protocol::whole(reply, catalog.as_deref()), catalog)
        }
        Form::Lookup | Form::Provenance => (protocol::answer(&question.request), None),
    });
    let outcomes = questions.into_iter().zip(answers).map(|(mut question, answer)| {
        let golden = question.written.take();
        let (answer, catalog) = match answer {
            Ok((answer, catalog)) => (Ok(answer), catalog),
            Err(panic) => (Err(panic), None),
        };
        let outcome = environment.outcome(question, answer);
        match (golden, catalog) {
            (Some(golden), Some(catalog)) if outcome.passed => environment.bytes(outcome, &golden, &catalog),
            _ => outcome,
        }
    });
    Ok(Report { name: environment.report_name(), outcomes: outcomes.collect(), ..Report::default() })
}

/// Asks lookup questions in the golden environments below a directory for explanations as data,
/// `explain_data`.
///
/// # Errors
/// An environment cannot be read.
pub fn explanations(directory: &Path, questions: Vec<Value>) -> io::Result<Report> {
    let mut outcomes = Vec::new();
    for (number, mut question) in questions.into_iter().enumerate() {
        let environment =
            Golden::open(&directory.join(question["environment"].as_str().unwrap_or_default()))?;
        let actual =
            environment.normalise(protocol::answer(&environment.lookup(&question)?))["explain_data"].take();
        let expected = question["explain_data"].take();
        let passed = compare::same(&expected, &actual);
        let id = format!("{}/{}/{number}", question["node"].as_str().unwrap_or_default(), question["key"]);
        outcomes.push(Outcome { id, question, expected, actual, passed });
    }
    Ok(Report { name: "explanations".to_owned(), outcomes, ..Report::default() })
}

/// The cases of an environment that have a catalog: the file of the case, and the request for it.
pub fn cases(directory: &Path) -> io::Result<Vec<(PathBuf, Value)>> {
    let environment = Golden::open(directory)?;
    let mut cases = requests(directory)?;
    cases.retain(|(path, _)| {
        let case = path.file_stem().unwrap_or_default().to_string_lossy();
        !environment.spec.join(format!("golden/{case}.error.json")).exists()
    });
    Ok(cases)
}

/// All cases of an environment: the file of the case, and the request for it.
pub fn requests(directory: &Path) -> io::Result<Vec<(PathBuf, Value)>> {
    let environment = Golden::open(directory)?;
    let files = sorted_files(&environment.spec.join("nodes"))?.into_iter();
    files.map(|path| Ok((path.clone(), environment.request(&data::read_json(&path)?)?))).collect()
}

struct Golden {
    name: String,
    directory: PathBuf,
    spec: PathBuf,
}

impl Golden {
    fn open(directory: &Path) -> io::Result<Self> {
        let directory = fs::canonicalize(directory)?;
        let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Ok(Self { spec: directory.join("spec"), name, directory })
    }

    fn report_name(&self) -> String {
        format!("environments-{}", self.name)
    }

    fn compilations(&self) -> io::Result<Vec<Question>> {
        let mut questions = Vec::new();
        for path in sorted_files(&self.spec.join("nodes"))? {
            let case = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let request = self.request(&data::read_json(&path)?)?;
            let golden =
                |what: &str| data::read_json(&self.spec.join("golden").join(format!("{case}.{what}.json")));
            let logs = golden("logs").unwrap_or(json!([]));
            let error = golden("error").ok();
            let written = |what: &str| {
                data::read_golden(&self.spec.join("golden").join(format!("{case}.{what}.json"))).ok()
            };
            let expected = match &error {
                Some(error) => json!({ "error": error, "logs": error["logs"] }),
                None => json!({ "catalog": golden("catalog")?, "logs": logs }),
            };
            questions.push(Question {
                id: format!("{}/{case}", self.name),
                request: with(&request, &[("op", json!("compile")), ("format", json!("agent"))]),
                expected,
                form: Form::Agent,
                written: written("catalog"),
            });
            if error.is_some() {
                continue;
            }
            let expected = match golden("puppetdb_error") {
                Ok(error) => json!({ "error": error }),
                Err(_) => json!({ "catalog": golden("puppetdb")? }),
            };
            questions.push(Question {
                id: format!("{}/{case}:puppetdb", self.name),
                request: with(&request, &[("op", json!("compile")), ("format", json!("puppetdb"))]),
                expected,
                form: Form::PuppetDb,
                written: written("puppetdb"),
            });
        }
        Ok(questions)
    }

    fn lookups(&self) -> io::Result<Vec<Question>> {
        let path = self.spec.join("golden/hiera.json");
        if !path.exists() {
            return Ok(Vec::new());
        }
        let answers = data::read_json(&path)?;
        let answers = answers.as_array().cloned().unwrap_or_default();
        let mut questions = Vec::new();
        for answer in answers {
            let request = self.lookup(&answer)?;
            let id = format!("{}/hiera/{}", self.name, answer["id"]);
            let asked = ["error", "value", "explain_text", "logs"];
            let expected = members(&answer, |key| asked.contains(&key));
            questions.push(Question { id, request, expected, form: Form::Lookup, written: None });
        }
        Ok(questions)
    }

    /// The request for a lookup question: the keys, and a case as `node`.
    fn lookup(&self, question: &Value) -> io::Result<Value> {
        let case = question["node"].as_str().unwrap_or_default();
        let case = data::read_json(&self.spec.join("nodes").join(format!("{case}.json")))?;
        // The reference's explanations show what becomes Sensitive.
        let asked = [("op", json!("lookup")), ("show_secrets", json!(true))];
        let mut request = with(&self.request(&case)?, &asked);
        for key in ["key", "type", "default", "merge", "explain", "explain_options", "compile"] {
            if let Some(value) = question.get(key) {
                request[key] = value.clone();
            }
        }
        Ok(request)
    }

    /// Questions where the value of a parameter comes from.
    fn provenance(&self) -> io::Result<Vec<Question>> {
        let path = self.spec.join("provenance.json");
        if !path.exists() {
            return Ok(Vec::new());
        }
        let mut questions = Vec::new();
        for entry in data::read_json(&path)?.as_array().into_iter().flatten() {
            let text = |key: &str| entry[key].as_str().unwrap_or_default();
            let case = data::read_json(&self.spec.join("nodes").join(format!("{}.json", text("node"))))?;
            let members = [
                ("op", json!("provenance")),
                ("resource", entry["resource"].clone()),
                ("parameter", entry["parameter"].clone()),
            ];
            questions.push(Question {
                id: format!("{}/why/{}/{}/{}", self.name, text("node"), text("resource"), text("parameter")),
                request: with(&self.request(&case)?, &members),
                expected: json!({ "value": entry["value"], "source": entry["source"] }),
                form: Form::Provenance,
                written: None,
            });
        }
        Ok(questions)
    }

    /// The request for a case: files read, defaults left to the answerer, paths absolute.
    fn request(&self, case: &Value) -> io::Result<Value> {
        let mut facts = Map::new();
        let names = match &case["facts_file"] {
            Value::Array(names) => names.clone(),
            Value::Null => Vec::new(),
            one => vec![one.clone()],
        };
        for name in names {
            let read = data::read_json(&self.spec.join("facts").join(name.as_str().unwrap_or_default()))?;
            facts.extend(read.as_object().cloned().unwrap_or_default());
        }
        facts.extend(case["facts"].as_object().cloned().unwrap_or_default());
        let mut request = json!({
            "environmentpath": self.directory.parent().map(|path| path.to_string_lossy().into_owned()),
            "environment": case.get("environment").cloned().unwrap_or_else(|| json!(self.name)),
            "node": case["node"],
            "facts": facts,
        });
        for key in ["trusted", "classes", "parameters", "server_facts", "storeconfigs"] {
            if let Some(value) = case.get(key) {
                request[key] = value.clone();
            }
        }
        if let Some(settings) = case["settings"].as_object() {
            let expand =
                |value: &Value| value.as_str().map_or_else(|| value.clone(), |text| json!(self.expand(text)));
            request["settings"] =
                settings.iter().map(|(name, value)| (name.clone(), expand(value))).collect();
        }
        if let Some(path) = case["global_hiera"].as_str() {
            request["global_hiera"] = json!(self.absolute(&self.spec, path));
        }
        if let Some(path) = case["exported"].as_str() {
            request["exported"] = data::read_json(&self.spec.join(path))?;
        }
        if let Some(paths) = case["modulepath"].as_array() {
            let paths =
                paths.iter().filter_map(Value::as_str).map(|path| self.absolute(&self.directory, path));
            request["modulepath"] = paths.collect();
        }
        if let Some(path) = case["manifest"].as_str() {
            request["manifest"] = json!(self.absolute(&self.directory, path));
        }
        Ok(request)
    }

    fn expand(&self, text: &str) -> String {
        text.replace("<env>", &self.directory.to_string_lossy()).replace("<modules>", MODULES)
    }

    fn absolute(&self, base: &Path, path: &str) -> String {
        base.join(self.expand(path)).to_string_lossy().into_owned()
    }

    fn outcome(&self, question: Question, answer: Result<Value, String>) -> Outcome {
        let Question { id, request, expected, form, .. } = question;
        let (actual, passed) = match answer {
            Ok(actual) => {
                // Members that the goldens do not contain.
                let untold = ["explain_data", if form == Form::PuppetDb { "logs" } else { "" }];
                let actual = members(&self.normalise(actual), |key| !untold.contains(&key));
                let passed = agrees(form, &expected, &actual)
                    || ratchet::is_crash_that_is_told(&id, &expected, &actual);
                (actual, passed)
            }
            Err(panic) => (json!({ "panic": panic }), false),
        };
        Outcome { id, question: request, expected, actual, passed }
    }

    /// Whether an agreeing catalog has the bytes of the golden one, except for values that differ in each
    /// compilation.
    fn bytes(&self, outcome: Outcome, golden: &str, catalog: &str) -> Outcome {
        let golden = golden.replace('\n', "");
        let mut catalog = self.placed(catalog);
        if golden.contains("\"sha256:") {
            catalog = compare::masked(&catalog);
        }
        for key in ["version", "catalog_uuid"] {
            let (want, got) = (&outcome.expected["catalog"][key], &outcome.actual["catalog"][key]);
            catalog = catalog.replacen(&format!("\"{key}\":{got}"), &format!("\"{key}\":{want}"), 1);
        }
        if catalog == golden {
            return outcome;
        }
        let same = golden.chars().zip(catalog.chars()).take_while(|(want, got)| want == got).count();
        let part = |text: &str| text.chars().skip(same.saturating_sub(40)).take(100).collect::<String>();
        let (expected, actual) = (json!({ "bytes": part(&golden) }), json!({ "bytes": part(&catalog) }));
        Outcome { expected, actual, passed: false, ..outcome }
    }

    /// A text with `<env>` and `<modules>` for the directories.
    fn placed(&self, text: &str) -> String {
        text.replace(&*self.directory.to_string_lossy(), "<env>").replace(MODULES, "<modules>")
    }

    /// Puts `<env>` and `<modules>` for the directories in every text.
    fn normalise(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.placed(&text)),
            Value::Array(values) => values.into_iter().map(|value| self.normalise(value)).collect(),
            Value::Object(members) => {
                members.into_iter().map(|(key, value)| (self.placed(&key), self.normalise(value))).collect()
            }
            other => other,
        }
    }
}

/// The members of an answer whose names are wanted.
fn members(answer: &Value, is_wanted: impl Fn(&str) -> bool) -> Value {
    let members = answer.as_object().into_iter().flatten();
    members.filter(|(key, _)| is_wanted(key)).map(|(key, value)| (key.clone(), value.clone())).collect()
}

fn agrees(form: Form, expected: &Value, actual: &Value) -> bool {
    let error = &expected["error"];
    let text = error["message"].as_str().or(actual["error"]["message"].as_str());
    let logs = || compare::logs_agree(&expected["logs"], &actual["logs"], text);
    match form {
        Form::Lookup => {
            let explain = match expected["explain_text"].as_str() {
                Some(want) => {
                    actual["explain_text"].as_str().is_some_and(|got| compare::same_text(want, got))
                }
                None => actual["explain_text"].is_null(),
            };
            let answer = match error.is_object() {
                true => compare::error_agrees(error, &actual["error"]),
                false => {
                    actual["error"].is_null()
                        && compare::same(&expected["value"], &actual["value"])
                        && expected.get("value").is_some() == actual.get("value").is_some()
                }
            };
            answer && explain && logs()
        }
        Form::Provenance => {
            compare::same(&expected["value"], &actual["value"])
                && expected["source"] == told(&actual["source"])
        }
        _ if error.is_object() => {
            compare::error_agrees(error, &actual["error"]) && (form == Form::PuppetDb || logs())
        }
        Form::Agent => compare::catalog_agrees(&expected["catalog"], &actual["catalog"]) && logs(),
        Form::PuppetDb => compare::catalog_agrees(&expected["catalog"], &actual["catalog"]),
    }
}

/// An origin with only the members of the golden ones: without the column, the level of the hierarchy, and
/// the sources of variables; merged parts keep the layer and the place.
fn told(source: &Value) -> Value {
    let mut source = source.clone();
    let Some(members) = source.as_object_mut() else { return source };
    members.retain(|key, _| !["column", "level", "sources"].contains(&key.as_str()));
    let is_merged = members.contains_key("merge");
    if let Some(Value::Array(parts)) = members.get_mut("parts") {
        for part in parts {
            *part = told(part);
            if let Some(members) = part.as_object_mut().filter(|_| is_merged) {
                members.retain(|key, _| !["kind", "key"].contains(&key.as_str()));
            }
        }
    }
    source
}

fn sorted_files(directory: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(directory)?.collect::<Result<Vec<_>, _>>()?;
    let mut paths: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    paths.sort();
    Ok(paths)
}

fn with(request: &Value, members: &[(&str, Value)]) -> Value {
    let mut request = request.clone();
    for (key, value) in members {
        request[*key] = value.clone();
    }
    request
}

//! `bunraku diff`.

use std::cell::OnceCell;
use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use bunraku::catalog::Catalog;
use bunraku::compiler::{self, CompileOptions, NodeInput};
use bunraku::diagnostic::bug::locked;
use bunraku::eval::Limits;
use bunraku::eval::limits::Usage;
use bunraku::host::disk;
use bunraku::loader::{Environment, Log, PuppetConf};
use bunraku::pcore::value::Hash;
use bunraku::requests;
use bunraku::wire::agent;
use bunraku::{Error, ErrorKind};
use serde_json::{Value as Json, json};

use clap::ValueEnum;

use crate::arguments::NodeArguments;
use crate::console::Console;
use crate::facts::{found_in, read_found};
use crate::node::NodeOptions;
use crate::place::{self, EnvironmentSource, check_name, is_directory, missing_modules};
use crate::revision::Repository;
use crate::{BUG, CommandError, MISUSED, Outcome, Session};

/// Compare catalogs
///
/// Compiles nodes in two environments and compares their catalogs, or compares two written catalogs (in the
/// form of agents or of PuppetDB).
#[derive(clap::Args)]
#[command(
    override_usage = "bunraku diff --from DIR|REV --to DIR|REV --node NAME | --all-nodes FACTS_DIR [OPTIONS]\n\
                      \x20      bunraku diff A.json B.json [OPTIONS]",
    after_help = "Exit status: 0 no differences, 1 differences (or one side fails), 2 wrong options or unreadable \
                  files. A node that fails on both sides for the same reason does not count as different."
)]
pub(crate) struct Arguments {
    /// Files with two catalogs
    #[arg(value_name = "CATALOG")]
    files: Vec<String>,
    /// First environment: a directory, or a git revision
    #[arg(long, value_name = "DIR|REV")]
    from: Option<String>,
    /// Second environment: a directory, or a git revision
    #[arg(long, value_name = "DIR|REV")]
    to: Option<String>,
    /// Directory of the environment in the git repository, for revisions [default: the working directory]
    #[arg(long, value_name = "DIR")]
    directory: Option<String>,
    /// Compile every node with facts in this directory (NAME.json or NAME.yaml)
    #[arg(long, value_name = "FACTS_DIR")]
    all_nodes: Option<String>,
    /// Write an HTML page with the differences
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    html: Option<String>,
    /// Number of nodes to compile at once [default: number of processors]
    #[arg(long, value_name = "NUMBER", help_heading = "Output")]
    threads: Option<usize>,
    #[command(flatten)]
    node: NodeArguments,
    /// Environment name under which both sides are compiled; in a directory of environments, the one to
    /// compare [default: production]
    #[arg(long, value_name = "NAME", help_heading = "Output")]
    environment: Option<String>,
    /// Ignore differences such as 'File[/etc/motd]/content', 'Package[*]' or '*/owner' (repeatable)
    #[arg(long, value_name = "RULE", help_heading = "Output")]
    ignore: Vec<String>,
    /// File with rules for --ignore, one a line; # begins a comment
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    ignore_file: Option<String>,
    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t, help_heading = "Output")]
    format: Format,
}

/// How differences are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
    /// For merge requests.
    Markdown,
}

/// The width of the progress bar.
const BAR: usize = 30;

/// The differences of nodes, and the names of the sides.
struct Compared {
    from: String,
    to: String,
    /// The nodes and the differences of each.
    nodes: Vec<(String, Json)>,
}

impl Compared {
    /// The differences of all nodes together, in a format.
    fn report(&self, format: &str, watch: &Usage<'_>) -> Result<String, Error> {
        let nodes = self.nodes.iter().map(|(node, diff)| json!({ "node": node, "diff": diff }));
        let nodes: Vec<Json> = nodes.collect();
        let asked = json!({ "from": self.from, "to": self.to, "nodes": nodes, "format": format });
        requests::fleet(asked, watch)
    }
}

impl Session<'_> {
    pub(crate) fn diff(&self, given: &Arguments) -> Outcome {
        match self.compare(given) {
            // An error is trouble, too: 1 means differences.
            Err(CommandError::Failed(error, logs)) => {
                self.console.error(&error, &logs)?;
                Ok(if error.kind == ErrorKind::Bug { BUG } else { MISUSED })
            }
            outcome => outcome,
        }
    }

    fn compare(&self, given: &Arguments) -> Outcome {
        let mut compared = if given.files.is_empty() {
            self.diff_of_environments(given)?
        } else {
            self.diff_of_files(given)?
        };
        let rules = self.rules(given)?;
        if !rules.is_empty() {
            for (_, diff) in &mut compared.nodes {
                let all = std::mem::take(diff);
                *diff = requests::without_ignored(all, &rules).map_err(CommandError::of_arguments)?;
            }
        }
        let watch = self.other_work();
        if let Some(path) = &given.html {
            disk::write(path, compared.report("html", &watch)?.as_bytes())?;
        }
        self.show(&compared, given, &watch)?;
        Ok(compared.nodes.iter().any(|(_, diff)| !is_empty(diff)).into())
    }

    /// The rules of what does not count.
    fn rules(&self, given: &Arguments) -> Result<Vec<String>, CommandError> {
        let mut rules = given.ignore.clone();
        if let Some(path) = &given.ignore_file {
            let text = given.node.files.text(path, self)?;
            let lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
            rules.extend(lines.map(str::to_owned));
        }
        Ok(rules)
    }

    fn diff_of_environments(&self, given: &Arguments) -> Result<Compared, CommandError> {
        let (Some(from), Some(to)) = (&given.from, &given.to) else {
            return Err(CommandError::misuse("--from and --to are missing, or two files"));
        };
        let NodeArguments { classifier, node_classifier_script, .. } = &given.node;
        if classifier.is_some() || node_classifier_script.is_some() {
            return Err(CommandError::misuse(
                "diff asks no classifier; --class and --parameter say how nodes are classified",
            ));
        }
        let options = given.node.node_options(self)?;
        if options.name.is_none() && given.all_nodes.is_none() {
            return Err(CommandError::misuse("--node or --all-nodes is missing"));
        }
        let conf = given.node.paths.conf(&given.node.files, self)?;
        let conf = conf.as_ref();
        let repository = OnceCell::new();
        let side = |side: &str| self.environment_in(side, given, conf, &repository);
        let environments = [side(from)?, side(to)?];
        self.tell_of_missing(environments.iter().flat_map(|side| missing_modules(side)).collect())?;
        let nodes = nodes_of(&options, given)?;
        let names: Vec<String> = nodes.iter().map(|(name, _)| name.clone()).collect();
        let limits = options.limits().map_err(CommandError::of_arguments)?;
        let inputs = nodes.iter().map(|(name, facts)| options.input(name, facts));
        let inputs: Vec<NodeInput> = inputs.collect::<Result<_, _>>().map_err(CommandError::of_arguments)?;
        let work = Arc::new(Fleetwork {
            environments,
            limits,
            count: inputs.len(),
            queue: Mutex::new(inputs.into()),
            done: Mutex::default(),
            console: Arc::clone(&self.console),
        });
        let threads = given.threads.unwrap_or_else(disk::processors).clamp(1, work.count.max(1));
        let shared = Arc::clone(&work);
        let ended = self.embedder.in_parallel(threads, Arc::new(move || shared.charge()));
        self.console.err().hide_progress();
        ended?;
        let mut done = std::mem::take(&mut *locked(&work.done));
        let nodes = names.into_iter().filter_map(|node| {
            let diff = done.remove(&node)?;
            Some(diff.map(|diff| (node, diff)))
        });
        let nodes = nodes.collect::<Result<Vec<_>, Error>>()?;
        Ok(Compared { from: from.clone(), to: to.clone(), nodes })
    }

    fn diff_of_files(&self, given: &Arguments) -> Result<Compared, CommandError> {
        let [from, to] = given.files.as_slice() else {
            return Err(CommandError::misuse("diff compares two files"));
        };
        let read = |path: &str| -> Result<Json, CommandError> {
            Ok(requests::parse_document(&given.node.files.text(path, self)?)
                .map_err(|error| Error::argument(format!("{path}: {}", error.message)))?)
        };
        let documents = [read(from)?, read(to)?];
        let node = documents[1]["name"].as_str().unwrap_or(to).to_owned();
        let diff = requests::diff(&documents[0], &documents[1], &self.other_work())?;
        Ok(Compared { from: from.clone(), to: to.clone(), nodes: vec![(node, diff)] })
    }

    fn environment_in(
        &self,
        directory: &str,
        given: &Arguments,
        conf: Option<&PuppetConf>,
        repository: &OnceCell<Repository>,
    ) -> Result<Arc<Environment>, CommandError> {
        let name = given.environment.as_deref().unwrap_or("production").to_owned();
        check_name(&name)?;
        if !is_directory(directory) {
            let repository = match repository.get() {
                Some(repository) => repository,
                None => {
                    let found = Repository::at(given.directory.as_deref().unwrap_or("."), self)?;
                    repository.get_or_init(|| found)
                }
            };
            let place = EnvironmentSource::Directory { directory: repository.directory().to_owned(), name };
            let loaded = given.node.load(self, &place, conf, Some((repository, directory)));
            return loaded.map_err(|error| error.in_revision(directory));
        }
        let path = place::directory(directory)?;
        let holds_several = given.environment.is_some() && is_directory(&format!("{path}/{name}"));
        let place = match holds_several {
            true => EnvironmentSource::Path { path: vec![path], name },
            false => EnvironmentSource::Directory { directory: path, name },
        };
        given.node.load(self, &place, conf, None)
    }

    fn show(&self, compared: &Compared, given: &Arguments, watch: &Usage<'_>) -> Result<(), CommandError> {
        match given.format {
            Format::Text => {}
            Format::Json => {
                let json = format!("{}\n", compared.report("json", watch)?);
                return Ok(self.console.out().data(&json, true)?);
            }
            Format::Markdown => {
                return Ok(self.console.out().data(&compared.report("markdown", watch)?, false)?);
            }
        }
        let mut out = self.console.out();
        match compared.nodes.as_slice() {
            [(_, diff)] if is_empty(diff) => {}
            [(node, diff)] => {
                out.line(&format!("{node}: {} -> {}", compared.from, compared.to))?;
                out.line(&requests::diff_text(diff.clone(), watch)?)?;
            }
            _ => out.line(&compared.report("text", watch)?)?,
        }
        Ok(())
    }
}

/// The nodes to compile, by their names in order, with their facts.
fn nodes_of(options: &NodeOptions, given: &Arguments) -> Result<Vec<(String, Hash)>, CommandError> {
    let Some(directory) = &given.all_nodes else {
        return Ok(vec![(options.name.clone().unwrap_or_default(), options.facts.clone())]);
    };
    let mut nodes: Vec<(String, Hash)> = Vec::new();
    for file in found_in(directory)? {
        let (name, facts) = read_found(&given.node.facts, &given.node.files, &file)?;
        nodes.retain(|(other, _)| *other != name);
        nodes.push((name, facts));
    }
    if let Some(wanted) = &options.name {
        nodes.retain(|(name, _)| name == wanted);
        if nodes.is_empty() {
            return Err(CommandError::misuse(format!("there are no facts of {wanted}")));
        }
    }
    nodes.sort_by(|(one, _), (other, _)| one.cmp(other));
    Ok(nodes)
}

/// Nodes that several threads compile in two environments.
struct Fleetwork {
    environments: [Arc<Environment>; 2],
    limits: Limits,
    count: usize,
    queue: Mutex<VecDeque<NodeInput>>,
    done: Mutex<HashMap<String, Result<Json, Error>>>,
    console: Arc<Console>,
}

impl Fleetwork {
    /// Compiles and compares until no node is left.
    fn charge(&self) {
        loop {
            let Some(node) = locked(&self.queue).pop_front() else { return };
            let name = node.name.clone();
            let [from, to] =
                self.environments.each_ref().map(|environment| self.document(environment, &node));
            self.tell_of_failure(&name, &from, &to);
            let watch = Usage::of_other_work(None, &*self.environments[0].host);
            let diff = diff_of(from, to, &watch);
            let count = {
                let mut done = locked(&self.done);
                done.insert(name.clone(), diff);
                done.len()
            };
            if self.count > 1 {
                let filled = BAR * count / self.count;
                let bar = format!("{}{}", "#".repeat(filled), ".".repeat(BAR - filled));
                self.console.err().progress(&format!("[{bar}] {count}/{} {name}", self.count));
            }
        }
    }

    /// The catalog of a node as an agent gets it.
    fn document(&self, environment: &Environment, node: &NodeInput) -> Result<Json, Error> {
        let options = CompileOptions { limits: self.limits.clone(), ..CompileOptions::default() };
        let catalog: Catalog = compiler::compile(environment, node.clone(), options).outcome?;
        agent::to_json(&catalog, &environment.settings, &Log::default())
    }

    /// Reports a compilation that fails in the same way on both sides, which is not a difference.
    fn tell_of_failure(&self, name: &str, from: &Result<Json, Error>, to: &Result<Json, Error>) {
        if let (Err(from), Err(to)) = (from, to)
            && from.to_string() == to.to_string()
        {
            // If nothing can be written, the failure cannot be reported.
            let _ = self.console.err().line(&format!("{name}: fails on both sides: {from}"));
        }
    }
}

/// The differences of two catalogs, or of a catalog and the error of a missing one.
fn diff_of(from: Result<Json, Error>, to: Result<Json, Error>, watch: &Usage<'_>) -> Result<Json, Error> {
    let document =
        |side: Result<Json, Error>| side.unwrap_or_else(|error| json!({ "error": error.to_string() }));
    requests::diff(&document(from), &document(to), watch)
}

/// Whether nothing differs.
fn is_empty(diff: &Json) -> bool {
    let lists = ["/added", "/removed", "/changed"].into_iter();
    let sides = ["/edges/added", "/edges/removed", "/classes/added", "/classes/removed"];
    let is_list_empty = |path: &str| diff.pointer(path).and_then(Json::as_array).is_none_or(Vec::is_empty);
    diff["failure"].is_null() && lists.chain(sides).all(is_list_empty)
}

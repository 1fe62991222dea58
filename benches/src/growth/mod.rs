//! Shapes of environments that are written in any size, to see how work grows with it: `make bench-growth`.

mod data;
mod expressions;
mod resources;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde_json::{Value as Json, json};

/// An environment that is written in any size.
pub struct Shape {
    /// The name of the growing part.
    pub name: &'static str,
    /// The smallest size that is measured.
    pub base: usize,
    write: fn(usize, &mut Files),
}

/// All shapes.
pub fn shapes() -> Vec<Shape> {
    let all = resources::SHAPES.iter().chain(expressions::SHAPES).chain(data::SHAPES);
    all.map(|&(name, base, write)| Shape { name, base, write }).collect()
}

/// A row of a table of shapes: name, smallest size, and what writes it.
type Row = (&'static str, usize, fn(usize, &mut Files));

impl Shape {
    /// Writes the environment below a directory; its own directory, which is laid out as the golden
    /// environments are.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn write(&self, below: &Path, size: usize) -> io::Result<PathBuf> {
        let letters = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        let directory = below.join(format!("{}_{size}", self.name.chars().map(letters).collect::<String>()));
        let mut files = Files::default();
        (self.write)(size, &mut files);
        let mut case = json!({ "node": "node0.example.net", "facts": files.facts });
        if !files.exported.is_empty() {
            case["exported"] = json!("exported.json");
            let exported = Json::from(std::mem::take(&mut files.exported));
            files.add("spec/exported.json", exported.to_string());
        }
        files.add("spec/nodes/node0.json", case.to_string());
        files.add("environment.conf", "environment_timeout = unlimited\n");
        for (path, text) in files.all {
            let path = directory.join(path);
            fs::create_dir_all(path.parent().unwrap_or(&directory))?;
            fs::write(path, text)?;
        }
        Ok(directory)
    }
}

/// The files of an environment in the making.
#[derive(Default)]
pub(crate) struct Files {
    all: Vec<(String, String)>,
    facts: serde_json::Map<String, Json>,
    exported: Vec<Json>,
}

impl Files {
    fn add(&mut self, path: impl Into<String>, text: impl Into<String>) {
        self.all.push((path.into(), text.into()));
    }

    /// The main manifest.
    fn main(&mut self, text: impl Into<String>) {
        self.add("manifests/site.pp", text);
    }

    /// A manifest of a module, by the name of its definition.
    fn manifest(&mut self, name: &str, text: impl Into<String>) {
        let (module, rest) = name.split_once("::").unwrap_or((name, "init"));
        self.add(format!("modules/{module}/manifests/{}.pp", rest.replace("::", "/")), text);
    }

    /// Data of the environment: levels of a hierarchy from the first to the last.
    fn data(&mut self, levels: &[&str]) {
        let paths: Vec<String> = (0..levels.len()).map(|level| format!("\"level{level}.yaml\"")).collect();
        self.add(
            "hiera.yaml",
            format!("version: 5\nhierarchy:\n  - name: all\n    paths: [{}]\n", paths.join(", ")),
        );
        for (level, text) in levels.iter().enumerate() {
            self.add(format!("data/level{level}.yaml"), *text);
        }
    }

    fn fact(&mut self, name: impl Into<String>, value: Json) {
        self.facts.insert(name.into(), value);
    }

    fn export(&mut self, resource: Json) {
        self.exported.push(resource);
    }
}

/// The texts for each number below a size.
fn each(size: usize, text: impl Fn(usize) -> String) -> String {
    (0..size).fold(String::new(), |mut all, number| {
        let _ = write!(all, "{}", text(number));
        all
    })
}

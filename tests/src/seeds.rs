//! Seeds of the fuzz targets in `tests/fuzz`: manifests and templates, their notation and binary form, and
//! the data, patterns, types, documents and Ruby that the tests keep.

use std::fs;
use std::io;
use std::path::Path;
use std::sync::Arc;

use bunraku::source::Source;
use bunraku::syntax::{ParseOptions, binary, parse, pn};
use bunraku::{Environment, NodeInput, PuppetDbVersion, Submission};
use serde_json::Value;

use crate::{data, manifests};

/// Larger files are left out: fuzzers like small ones.
const LARGEST: usize = 8 << 10;

/// The seeds of each target come from at most about this number of rows of a file.
const ROWS: usize = 500;

/// Writes the seeds into directories below `to`, each named after its content. Returns the number of
/// manifests that they come from.
///
/// # Errors
/// A directory or a file cannot be written.
pub fn write(to: &Path) -> io::Result<usize> {
    for kind in ["pp", "epp", "pn", "binary"] {
        fs::create_dir_all(to.join(kind))?;
    }
    let mut all = manifests::bundled();
    all.extend(manifests::installed().into_iter().step_by(8));
    all.retain(|manifest| manifest.text.len() <= LARGEST);
    for (number, manifest) in all.iter().enumerate() {
        let name = number.to_string();
        let kind = if manifest.epp { "epp" } else { "pp" };
        fs::write(to.join(kind).join(&name), &manifest.text)?;
        let source = Arc::new(Source::new(None, manifest.text.as_str()));
        let Ok(program) =
            parse(source, &ParseOptions { epp: manifest.epp, tasks: false, ..ParseOptions::default() })
        else {
            continue;
        };
        fs::write(to.join("binary").join(&name), binary::write(&program))?;
        if let Ok(notation) = pn::to_text(&program, program.body()) {
            fs::write(to.join("pn").join(&name), notation)?;
        }
    }
    let mut seeds = Seeds { to, number: 0 };
    seeds.data()?;
    seeds.documents()?;
    seeds.requests()?;
    Ok(all.len())
}

struct Seeds<'t> {
    to: &'t Path,
    number: usize,
}

impl Seeds<'_> {
    fn add(&mut self, kind: &str, content: impl AsRef<[u8]>) -> io::Result<()> {
        if content.as_ref().len() > LARGEST {
            return Ok(());
        }
        self.number += 1;
        fs::create_dir_all(self.to.join(kind))?;
        fs::write(self.to.join(kind).join(self.number.to_string()), content)
    }

    /// Some of the rows of a file with golden data.
    fn rows(path: &str) -> io::Result<Vec<Value>> {
        let rows = data::read_lines(&data::directory().join(path))?;
        let step = rows.len().div_ceil(ROWS).max(1);
        Ok(rows.into_iter().step_by(step).collect())
    }

    fn data(&mut self) -> io::Result<()> {
        for row in Self::rows("yaml/answers.jsonl.gz")? {
            let text = row["text"].as_str().unwrap_or_default();
            for kind in ["yaml", "hiera", "data"] {
                self.add(kind, text)?;
            }
        }
        for row in Self::rows("patterns/patterns.jsonl")? {
            let of = |at: usize| row[at].as_str().unwrap_or_default();
            self.add("patterns", format!("{}\n{}", of(0), of(1)))?;
        }
        for row in Self::rows("conformance/types.jsonl.gz")? {
            self.add("types", row["source"].as_str().unwrap_or_default())?;
        }
        for row in Self::rows("ruby/programs.jsonl.gz")? {
            self.add("ruby", format!("<%= {} %>", row["program"].as_str().unwrap_or_default()))?;
        }
        for row in Self::rows("erb/erb-methods.jsonl")? {
            self.add("ruby", row["template"].as_str().unwrap_or_default())?;
        }
        Ok(())
    }

    /// Generic data, streams, and catalogs in all their forms.
    fn documents(&mut self) -> io::Result<()> {
        for row in Self::rows("conformance/serialization.jsonl.gz")? {
            let expected = &row["expect"];
            let generic = expected["generic"].to_string();
            self.add("json", &generic)?;
            self.add("data", &generic)?;
            self.add("streams", expected["json"].to_string())?;
            let packed = &expected["json"];
            if let Ok(stream) = bunraku::pcore::serialize::msgpack::encode(&packed.into()) {
                self.add("streams", stream)?;
            }
        }
        for row in Self::rows("conformance/catalog.jsonl.gz")? {
            let code = row["source"].as_str().unwrap_or_default();
            let environment = Environment::builder("production").code(code).load();
            let Some(catalog) = environment.ok().and_then(|of| of.compile(NodeInput::new("a")).ok()) else {
                continue;
            };
            if let Ok(text) = catalog.to_json() {
                self.add("documents", text)?;
            }
            if let Ok(text) = catalog.to_puppetdb(PuppetDbVersion::V9, &Submission::default()) {
                self.add("documents", text)?;
            }
        }
        Ok(())
    }

    /// Rules, requests of the classifier, and what describes modules.
    fn requests(&mut self) -> io::Result<()> {
        let group = r#"{"name":"web","parent":"00000000-0000-4000-8000-000000000000","environment":"production",
            "classes":{"apache":{"port":80}},"rule":["and",["=",["fact","os","name"],"Debian"],["not",["~","name","^db"]]]}"#;
        for text in [
            r#"["or",["=","name","a"],["~",["trusted","certname"],"x$"],[">",["fact","n"],"3"]]"#.to_owned(),
            format!("POST /v1/groups\n{group}"),
            "GET /v1/groups?inherited=true\n".to_owned(),
            "POST /v1/classified/nodes/web1\n{\"fact\":{\"os\":{\"name\":\"Debian\"}},\"trusted\":{}}"
                .to_owned(),
            format!("POST /v1/validate/group\n{group}"),
            "POST /v1/rules/translate?format=inventory\n[\"=\",\"name\",\"a\"]".to_owned(),
            format!("POST /v1/import-hierarchy\n[{group}]"),
        ] {
            self.add("classifier", text)?;
        }
        for text in [
            r#"{"name":"bob-a","version":"1.0.0","author":"bob","license":"Apache-2.0","summary":"s","source":"x",
                "dependencies":[{"name":"puppetlabs/stdlib","version_requirement":">= 9.0.0 < 10.0.0"}],
                "operatingsystem_support":[{"operatingsystem":"Debian","operatingsystemrelease":["12"]}],
                "requirements":[{"name":"puppet","version_requirement":">= 8.0.0"}]}"#,
            r#"{"description":"d","input_method":"both","puppet_task_version":1,"supports_noop":true,
                "parameters":{"p":{"type":"Optional[Enum[a,b]]","default":"a","sensitive":true}},
                "implementations":[{"name":"a.sh","requirements":["shell"],"files":["a/files/x"]}]}"#,
            "# @summary s\n# @param x y\n# @return [Integer] z\nfunction a::c(Integer $x) >> Integer { $x }",
        ] {
            self.add("modules", text)?;
        }
        Ok(())
    }
}

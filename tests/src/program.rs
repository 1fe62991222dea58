//! Asks another program, such as `ffi/examples/answer.c`, which documents the form of a question for a
//! catalog.

use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Map, Value, json};

use crate::protocol;

/// A program that answers, one question after the other.
pub struct Program {
    child: Child,
    questions: BufWriter<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Program {
    /// Starts the program, with nothing in its environment: no path to find Ruby on, for one thing.
    pub fn start(path: &Path) -> io::Result<Self> {
        let mut child =
            Command::new(path).env_clear().stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let missing = || io::Error::other("the program has no pipe");
        let questions = BufWriter::new(child.stdin.take().ok_or_else(missing)?);
        let answers = BufReader::new(child.stdout.take().ok_or_else(missing)?);
        Ok(Self { child, questions, answers })
    }

    /// The answer to a compile request, in the form of [`protocol::answer`].
    pub fn answer(&mut self, request: &Value) -> io::Result<Value> {
        let server_facts = request.get("server_facts").cloned().unwrap_or_else(protocol::server_facts);
        let form = if request["format"] == "puppetdb" { "puppetdb:9" } else { "agent" };
        let options = members(
            &protocol::as_asked(request),
            &["modulepath", "manifest", "global_hiera", "settings", "storeconfigs"],
        );
        let mut known = members(request, &["trusted", "classes", "parameters"]);
        known["server_facts"] = server_facts;
        let submission = json!({
            "producer": known["server_facts"]["servername"], "producer_timestamp": "1970-01-01T00:00:00.000Z",
        });
        let text = |key: &str| request[key].as_str().unwrap_or_default().to_owned();
        let columns = [
            text("environmentpath"),
            text("environment"),
            options.to_string(),
            text("node"),
            request["facts"].to_string(),
            known.to_string(),
            form.to_owned(),
            submission.to_string(),
        ];
        writeln!(self.questions, "{}", columns.join("\t"))?;
        self.questions.flush()?;
        let mut line = String::new();
        if self.answers.read_line(&mut line)? == 0 {
            return Err(io::Error::other(format!("the program ended: {}", self.child.wait()?)));
        }
        let mut answer: Value = serde_json::from_str(&line)?;
        if let Some(logs) = answer["logs"].as_array_mut() {
            logs.retain(|entry| entry["level"] != "debug");
            for entry in logs {
                name_position(entry);
                // The driver's answers do not have the key of messages that are logged once in a process.
                entry.as_object_mut().map(|members| members.remove("once"));
            }
        }
        if answer["error"].is_object() {
            name_position(&mut answer["error"]);
        } else {
            // Indexing has added a null.
            answer.as_object_mut().map(|members| members.remove("error"));
        }
        Ok(answer)
    }

    /// Ends the program by closing its input.
    ///
    /// # Errors
    /// It has not ended well.
    pub fn end(mut self) -> io::Result<()> {
        drop(self.questions);
        let status = self.child.wait()?;
        if status.success() { Ok(()) } else { Err(io::Error::other(format!("the program ended: {status}"))) }
    }
}

fn members(request: &Value, keys: &[&str]) -> Value {
    let known = keys.iter().filter_map(|key| Some(((*key).to_owned(), request.get(*key)?.clone())));
    Value::Object(known.collect::<Map<_, _>>())
}

/// The column is called `pos` in the goldens.
fn name_position(place: &mut Value) {
    if let Some(members) = place.as_object_mut()
        && let Some(column) = members.remove("column")
    {
        members.insert("pos".to_owned(), column);
    }
}

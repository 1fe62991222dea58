//! An index for the bindings.

use bunraku_syntax::source::{Span, Unit};
use rustc_hash::FxHashSet;
use serde_json::{Map, Value as Json, json};

use super::{Definition, FileIndex, Index, Located, Parameter, Renamed, Use};

impl Index {
    /// The index as an object: `definitions` and `references`, arrays of objects, and `unused`, the indices
    /// of definitions without references.
    pub fn to_json(&self) -> Json {
        let unused: FxHashSet<*const Definition> =
            self.unused().into_iter().map(|place| std::ptr::from_ref(place.item)).collect();
        let mut definitions = Vec::new();
        let mut numbers = Vec::new();
        for file in self.files() {
            for one in &file.definitions {
                if unused.contains(&std::ptr::from_ref(one)) {
                    numbers.push(definitions.len());
                }
                definitions.push(definition(file, one));
            }
        }
        let references: Vec<Json> = self.uses().map(used).collect();
        json!({ "definitions": definitions, "references": references, "unused": numbers })
    }
}

impl Index {
    /// The `definitions` and `references` of one file, as in [`to_json`](Self::to_json); empty if the file is
    /// not indexed.
    pub fn file_json(&self, path: &str) -> Json {
        let file = self.file(path).map(|file| &**file);
        let definitions: Vec<Json> =
            file.iter().flat_map(|file| file.definitions.iter().map(|one| definition(file, one))).collect();
        let references: Vec<Json> =
            file.iter().flat_map(|file| file.uses.iter().map(|item| used(Located { file, item }))).collect();
        json!({ "definitions": definitions, "references": references })
    }
}

impl Renamed {
    /// As an object: `files`, an array of objects with `path` (null for a main manifest that was given as
    /// text) and `text`; `moves`, an array of objects with `from` and `to`.
    pub fn to_json(&self) -> Json {
        let files: Vec<Json> =
            self.files.iter().map(|(path, text)| json!({ "path": path.as_deref(), "text": text })).collect();
        let moves: Vec<Json> =
            self.moves.iter().map(|(from, to)| json!({ "from": &**from, "to": to })).collect();
        json!({ "files": files, "moves": moves })
    }
}

/// Returns a place and the element at that place.
fn at(file: &FileIndex, span: Span, said: Json) -> Json {
    let range = file.source.range_in(span, Unit::Character);
    let mut members = Map::new();
    for (name, value) in [
        ("file", Json::from(file.path.as_deref())),
        ("line", range.start.line.into()),
        ("column", range.start.column.into()),
        ("end_line", range.end.line.into()),
        ("end_column", range.end.column.into()),
    ] {
        members.insert(name.to_owned(), value);
    }
    if let Json::Object(said) = said {
        members.extend(said);
    }
    Json::Object(members)
}

fn definition(file: &FileIndex, one: &Definition) -> Json {
    let parameters: Vec<Json> = one.parameters.iter().map(parameter).collect();
    let said = json!({
        "kind": one.kind.name(), "name": one.name, "module": file.module, "documentation": one.documentation,
        "parent": one.parent, "parameters": parameters,
    });
    at(file, one.name_span, said)
}

fn parameter(one: &Parameter) -> Json {
    json!({
        "name": one.name, "type": one.type_text, "default": one.default_text, "required": one.is_required(),
    })
}

fn used(found: Located<'_, Use>) -> Json {
    let Located { file, item } = found;
    let inside = item.inside.and_then(|index| file.definitions.get(index));
    let said = json!({
        "kind": item.kind.name(), "usage": item.usage.name(), "name": item.name, "title": item.title,
        "inside": inside.map(|one| one.name.as_str()),
    });
    at(file, item.span, said)
}

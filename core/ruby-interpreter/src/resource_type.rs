//! The declaration of a resource type in Ruby, if its text is not sufficient: the file is run, with a small
//! part of `Puppet::Type` that records declarations.

use super::failure::Run;
use super::function::FunctionWorld;
use super::interpreter::Interpreter;
use super::title_patterns::patterns;
use super::value::Heap;
use super::{parse_file, prelude};
use bunraku_host::{RequiredFiles, RubyType};

/// The part of the library that has `Puppet::Type`. Only what runs here sees it.
const PART: &str = "Puppet::Type of a file";

/// The declaration of the type `name` in a file; `files` reads the files that it requires.
///
/// Returns `None` if the file cannot run, or does not declare the type. The number of its steps is limited.
pub fn declared(name: &str, file: &str, text: &str, files: RequiredFiles<'_>) -> Option<RubyType> {
    with_type(file, text, files, &[], |interpreter| declared_type(interpreter, name))
}

/// What `ask` answers once a type's file has run, with further parts of the library.
pub(super) fn with_type<T>(
    file: &str,
    text: &str,
    files: RequiredFiles<'_>,
    parts: &[&str],
    ask: impl for<'a> FnOnce(&mut Interpreter<'a>) -> Run<'a, Option<T>>,
) -> Option<T> {
    let program = parse_file(file, text).ok()?;
    let world = FunctionWorld::loading(files);
    let heap = Heap::default();
    let mut interpreter = Interpreter::new(&heap, &world, &program.file);
    interpreter.definition = Some(super::function::Definition::default());
    for part in [PART].iter().chain(parts) {
        interpreter.load_prelude(prelude::part_of_constant(part)?).ok()?;
    }
    interpreter.run(&program).ok()?;
    ask(&mut interpreter).ok()?
}

pub(super) fn declared_type<'a>(interpreter: &mut Interpreter<'a>, name: &str) -> Run<'a, Option<RubyType>> {
    let types = interpreter.constant("Puppet::Type", interpreter.outside)?;
    let loaded = interpreter.send(types, "bunraku_loaded", &[])?;
    let name = interpreter.string(name);
    let declared = interpreter.send(loaded, "[]", &[name])?;
    if declared.is_nil() {
        return Ok(None);
    }
    let answer = interpreter.send(declared, "bunraku_declared", &[])?;
    let [keys, attributes, isomorphic, titles] = interpreter.vec(answer)?[..] else { return Ok(None) };
    let mut made = RubyType {
        keys: Vec::new(),
        attributes: Vec::new(),
        isomorphic: isomorphic.is_truthy(),
        title_patterns: Vec::new(),
    };
    for key in interpreter.vec(keys)? {
        made.keys.push(interpreter.name(key)?);
    }
    for attribute in interpreter.vec(attributes)? {
        if let [name, is_property] = interpreter.vec(attribute)?[..] {
            made.attributes.push((interpreter.name(name)?, is_property.is_truthy()));
        }
    }
    let patterns = patterns(interpreter, titles)?.into_iter();
    made.title_patterns = patterns.map(|(pattern, names)| (pattern.source, names)).collect();
    Ok(Some(made))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_declared_by_other_files_counts() {
        let shared = "module PuppetX; module Shared\n ATTRIBUTES = proc { ensurable; newparam(:name); newproperty(:size) { munge { |v| \
                      boom(v) } } }\n def self.more(type)\n  type.newparam(:kind) { isnamevar }\n  \
                      type.define_singleton_method(:title_patterns) { [[/\\A(.*):(.*)\\z/, [[:name], [:kind]]]] }\n end\nend; end\n";
        let files = |path: &str| Ok((path == "/m/lib/shared.rb").then(|| (path.into(), shared.into())));
        let text = "require_relative '../../shared'\nPuppet::Type.newtype(:t) do\n  \
                    instance_eval(&PuppetX::Shared::ATTRIBUTES)\n  PuppetX::Shared.more(self)\nend\n";
        let told = declared("t", "/m/lib/puppet/type/t.rb", text, &files).expect("it can be run");
        assert_eq!(told.keys, ["name", "kind"]);
        assert_eq!(told.attributes.iter().filter(|(_, is_property)| *is_property).count(), 2);
        assert_eq!(told.title_patterns.len(), 1);
    }

    #[test]
    fn classes_that_a_type_declares_have_constants() {
        let text = "Puppet::Type.newtype(:gate_x) do\n newparam(:name)\n newproperty(:size)\n \
                    provide(:iron) {}\nend\n\
                    found = [Puppet::Type::Gate_x::ParameterName, Puppet::Type::Gate_x::Size, \
                    Puppet::Type::Gate_x::ProviderIron]\n\
                    raise 'no' unless found.first.name == :name && found[1].name == :size\n";
        let told = declared("gate_x", "/t.rb", text, &|_: &str| Ok(None)).expect("it can be run");
        let names: Vec<&str> = told.attributes.iter().map(|(name, _)| &**name).collect();
        assert_eq!(names, ["name", "size", "provider"]);
    }

    #[test]
    fn no_property_names_a_resource() {
        let text = "Puppet::Type.newtype(:t) { newparam(:name, namevar: true)\n newparam(:zone, namevar: true)\n \
                    newproperty(:place, namevar: true) }";
        let told = declared("t", "/t.rb", text, &|_: &str| Ok(None)).expect("it can be run");
        assert_eq!(told.keys, ["name", "zone"]);
    }

    #[test]
    fn what_cannot_be_run_is_not_known() {
        let none = |_: &str| Ok(None);
        for body in ["mystery", "newparam(`ls`)", "loop {}", "raise 'no'"] {
            let text = format!("Puppet::Type.newtype(:t) {{ {body} }}");
            assert!(declared("t", "/t.rb", &text, &none).is_none(), "{body}");
        }
    }
}

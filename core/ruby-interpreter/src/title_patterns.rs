//! `title_patterns` of a resource type in Ruby: the method is taken out of the type's file and run, with the
//! modules of the files that it requires.

use lib_ruby_parser::Node as Ast;

use super::failure::Run;
use super::function::FunctionWorld;
use super::interpreter::Interpreter;
use super::lower::{self, Role};
use super::tree_of;
use super::value::{Heap, Val};
use bunraku_pcore::value::{RegexpValue, Str};

/// A regular expression, and the parameters for its groups.
pub type TitlePattern = (RegexpValue, Vec<Str>);

/// The maximum number of files that a type can require.
const MAX_FILES: usize = 50;

/// The result of a type's `title_patterns`; `library` returns the text of a required file, by its name in
/// `require`. `None` if the type has no such method, or it cannot run here.
pub fn title_patterns(
    file: &str,
    text: &str,
    library: &dyn Fn(&str) -> Option<String>,
) -> Option<Vec<TitlePattern>> {
    let tree = tree_of(file, text).ok()??;
    let method = find(&tree)?;
    let mut libraries = Vec::new();
    let mut wanted = required(&tree);
    let mut seen = Vec::new();
    while let Some(name) = wanted.pop() {
        if seen.contains(&name) || seen.len() > MAX_FILES {
            continue;
        }
        seen.push(name.clone());
        let Some(text) = library(&name) else { continue };
        let Ok(Some(tree)) = tree_of(&name, &text) else { continue };
        wanted.extend(required(&tree));
        libraries.push(lower::lower(&name, &text, Some(&tree), Role::Library).0);
    }
    let program = format!("module Type\n{}\nend\nType.title_patterns", text.get(method)?);
    let tree = tree_of(file, &program).ok()?;
    let (program, unsupported) = lower::lower(file, &program, tree.as_deref(), Role::WithLibraries);
    if !unsupported.is_empty() {
        return None;
    }
    let world = FunctionWorld::outside();
    let heap = Heap::default();
    let mut interpreter = Interpreter::new(&heap, &world, file);
    for library in libraries.iter().rev() {
        interpreter.run(library).ok()?;
    }
    let value = interpreter.run(&program).ok()?;
    patterns(&mut interpreter, value).ok()
}

/// The range of the method.
fn find(tree: &Ast) -> Option<std::ops::Range<usize>> {
    let mut work = vec![tree];
    while let Some(node) = work.pop() {
        match node {
            Ast::Defs(def) if def.name == "title_patterns" => {
                return Some(def.expression_l.begin..def.expression_l.end);
            }
            Ast::Begin(begin) => work.extend(&begin.statements),
            Ast::Block(block) => work.extend(block.body.as_deref()),
            Ast::Module(module) => work.extend(module.body.as_deref()),
            _ => {}
        }
    }
    None
}

/// The files that a file requires by plain names.
fn required(tree: &Ast) -> Vec<String> {
    let statements = match tree {
        Ast::Begin(begin) => begin.statements.as_slice(),
        one => std::slice::from_ref(one),
    };
    let names = statements.iter().filter_map(|statement| match statement {
        Ast::Send(send) if send.recv.is_none() && send.method_name == "require" => match send.args.as_slice()
        {
            [Ast::Str(name)] => Some(name.value.to_string_lossy()),
            _ => None,
        },
        _ => None,
    });
    names.collect()
}

pub(super) fn patterns<'a>(interpreter: &mut Interpreter<'a>, value: Val<'a>) -> Run<'a, Vec<TitlePattern>> {
    let mut found = Vec::new();
    for pair in interpreter.vec(value)? {
        let pair = interpreter.vec(pair)?;
        let (Some(Val::Regexp(pattern)), Some(groups)) = (pair.first(), pair.get(1)) else { continue };
        let mut names = Vec::new();
        for group in interpreter.vec(*groups)? {
            let group = interpreter.vec(group)?;
            names.push(interpreter.name(group.first().copied().unwrap_or(Val::Nil))?);
        }
        found.push((RegexpValue::new(pattern.source.clone()), names));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_come_from_modules_that_the_type_requires() {
        let library = "if Gem::Version.new(Puppet.version)\nend\nmodule PuppetX\n module Titles\n  class Unset; end\n  def \
                       self.plain\n   Regexp.new(/(?:[^:]|:[^:])+/)\n  end\n  def self.split(*names)\n   regexps = \
                       [plain, plain]\n   [[/^(#{regexps[0]})::(#{regexps[1]})$/, names.map { |name| [name] }], \
                       [/^(.*)$/, [[names[0]]]]]\n  end\n  def self.other\n   `ls`\n  end\n end\nend\n";
        let text = "require 'puppet_x/titles'\nPuppet::Type.newtype(:t) do\n  def self.title_patterns\n    \
                    PuppetX::Titles.split(:name, :kind)\n  end\nend\n";
        let find = |name: &str| (name == "puppet_x/titles").then(|| library.to_owned());
        let found = title_patterns("t.rb", text, &find).unwrap_or_default();
        let names: Vec<Vec<&str>> =
            found.iter().map(|(_, names)| names.iter().map(Str::as_str).collect()).collect();
        assert_eq!(names, [vec!["name", "kind"], vec!["name"]]);
        let whole = found.first().and_then(|(pattern, _)| {
            pattern
                .regex(&bunraku_pcore::fuel::Unmetered)
                .ok()?
                .captures("a:b::c", &bunraku_pcore::fuel::Unmetered)
                .ok()?
        });
        assert_eq!(whole.map(|groups| groups.len()), Some(3));
    }
}

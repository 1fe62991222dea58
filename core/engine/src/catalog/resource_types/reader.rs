//! Reads the declaration of a resource type from a module's Ruby file, as far as possible without running it.
//!
//! Follows the reference's `type.rb` and `metatype/manager.rb`: `newtype` with `newparam`, `newproperty`,
//! `ensurable`, `isnamevar`, `feature`, `isomorphic` and `title_patterns`; `resource_api` reads
//! `Puppet::ResourceApi.register_type`. Declarations under a condition are included. If a declaration is
//! computed, the file is run; if this is impossible, all attributes are accepted.

use lib_ruby_parser::traverse::visitor::{Visitor, visit_const, visit_send};
use lib_ruby_parser::{Node as Ast, nodes};

use super::constant::{Constant, Method, Scope, parameters_of};
use super::declared::Declared;
use super::{AttributeKind, ResourceType, Titles, resource_api};
use bunraku_host::RequiredFiles;
use bunraku_pcore::value::{RegexpValue, Str};
use bunraku_ruby_interpreter::{resource_type, title_patterns, tree_of};

/// The maximum nesting of declarations in blocks, conditions and methods.
const MAX_DEPTH: u32 = 50;

/// A file that declares a type.
#[derive(Clone, Copy, Debug)]
pub struct Source<'s> {
    /// The type's name.
    pub name: &'s str,
    /// The path of the file.
    pub file: &'s str,
    /// The content.
    pub text: &'s str,
}

/// The resource type that a file declares.
///
/// `library` returns the text of a module's other Ruby file by its path below `lib`, for methods that the
/// type uses; `required` reads the files that the file requires if it must be run; `has_providers` is whether
/// a file with a provider for the type exists.
pub fn read(
    source: &Source<'_>,
    library: &dyn Fn(&str) -> Option<String>,
    required: RequiredFiles<'_>,
    has_providers: bool,
) -> ResourceType {
    let Source { name, file, text } = *source;
    let main = tree_of(name, text).ok().flatten();
    let mut constants = Constants::default();
    if let Some(main) = &main {
        constants.visit(main);
    }
    let borrowed: Vec<Box<Ast>> =
        constants.paths.iter().filter_map(|path| tree_of(path, &library(path)?).ok()?).collect();
    let mut reader = Reader { wanted: name, found: None, scope: Scope::default(), depth: 0 };
    borrowed.iter().for_each(|tree| reader.borrow(tree));
    if let Some(main) = &main {
        reader.top(main);
    }
    let mut found = reader.found.unwrap_or(Declared { is_computed: true, ..Declared::default() });
    if matches!(found.patterns, Some(Titles::Unread)) {
        // The method does more than to put literals together: it is run.
        let patterns = title_patterns::title_patterns(name, text, library);
        found.patterns = Some(patterns.map_or(Titles::Unread, Titles::Patterns));
    }
    let is_unread = found.is_computed || matches!(found.patterns, Some(Titles::Unread));
    if is_unread && let Some(run) = resource_type::declared(name, file, text, required) {
        // If the text is not sufficient, the file is run.
        let features = std::mem::take(&mut found.features);
        found = Declared { features, has_providers: found.has_providers, ..Declared::from_ruby(run) };
    }
    found.into_type(name, has_providers)
}

/// The definitions for the Resource API that a file registers; one that is computed is null. `library` as in
/// [`read`].
pub fn definitions_with(
    file: &str,
    text: &str,
    library: &dyn Fn(&str) -> Option<String>,
) -> Vec<serde_json::Value> {
    let Ok(Some(main)) = tree_of(file, text) else { return Vec::new() };
    let mut constants = Constants::default();
    constants.visit(&main);
    let borrowed: Vec<Box<Ast>> =
        constants.paths.iter().filter_map(|path| tree_of(path, &library(path)?).ok()?).collect();
    let mut reader = Reader { wanted: "", found: None, scope: Scope::default(), depth: 0 };
    borrowed.iter().for_each(|tree| reader.borrow(tree));
    reader.borrow(&main);
    resource_api::definitions(&main, &reader.scope)
}

/// The possible files of a program's constants, by the convention of modules.
#[derive(Default)]
struct Constants {
    paths: Vec<String>,
}

impl Visitor for Constants {
    fn on_const(&mut self, node: &nodes::Const) {
        if let Some(path) = path_of(node).filter(|path| path.contains('/') && !self.paths.contains(path)) {
            self.paths.push(path);
        }
        visit_const(self, node);
    }
}

/// `PuppetX::IniSetting` is in `puppet_x/ini_setting.rb`.
fn path_of(node: &nodes::Const) -> Option<String> {
    let mut path = String::new();
    let mut before = ' ';
    for letter in node.name.chars() {
        if letter.is_uppercase() && (before.is_lowercase() || before.is_numeric()) {
            path.push('_');
        }
        path.extend(letter.to_lowercase());
        before = letter;
    }
    match node.scope.as_deref() {
        None | Some(Ast::Cbase(_)) => Some(path),
        Some(Ast::Const(outer)) => Some(format!("{}/{path}", path_of(outer)?)),
        Some(_) => None,
    }
}

/// Words of a type's body that declare no attributes.
const HARMLESS: &[&str] = &[
    "desc",
    "doc",
    "autorequire",
    "autobefore",
    "autosubscribe",
    "autonotify",
    "validate",
    "require",
    "require_relative",
    "include",
    "attr_reader",
    "attr_writer",
    "attr_accessor",
    "private",
    "public",
    "protected",
    "private_class_method",
    "alias_method",
    "define_method",
    "undef_method",
    "remove_method",
    "private_constant",
    "module_function",
    "raise",
    "fail",
    "warn",
    "apply_to_device",
    "apply_to_host",
    "apply_to_all",
    "apply_to",
    "debug",
    "info",
    "notice",
    "warning",
    "lambda",
    "proc",
    "puts",
];

struct Reader<'t> {
    wanted: &'t str,
    found: Option<Declared>,
    scope: Scope<'t>,
    depth: u32,
}

impl<'t> Reader<'t> {
    /// Remembers the methods and constants of a file that the type borrows from.
    fn borrow(&mut self, node: &'t Ast) {
        for statement in statements(node) {
            match statement {
                Ast::Def(nodes::Def { name, args, body, .. })
                | Ast::Defs(nodes::Defs { name, args, body, .. }) => {
                    let method = Method { arguments: args.as_deref(), body: body.as_deref() };
                    self.scope.methods.insert(name.clone(), method);
                }
                Ast::Casgn(_) => drop(self.scope.value(statement)),
                other => bodies(other).for_each(|body| self.borrow(body)),
            }
        }
    }

    /// Code outside of the type.
    fn top(&mut self, node: &'t Ast) {
        self.depth += 1;
        if self.depth <= MAX_DEPTH {
            for statement in statements(node) {
                self.top_statement(statement);
            }
        }
        self.depth -= 1;
    }

    fn top_statement(&mut self, node: &'t Ast) {
        match node {
            Ast::Block(block) => match &*block.call {
                Ast::Send(call) if self.is_newtype(call) => {
                    let mut declared = Declared::default();
                    // A parent type has attributes of its own.
                    let options = call.args.get(1).and_then(|options| self.scope.value(options));
                    declared.is_computed = options.is_some_and(|options| options.member("parent").is_some());
                    self.found = Some(declared);
                    self.body(block.body.as_deref());
                }
                _ => self.optional_top(block.body.as_deref()),
            },
            Ast::Send(call) if self.is_newtype(call) => self.found = Some(Declared::default()),
            Ast::Send(call) if call.method_name == "register_type" => {
                let definition = call.args.first().and_then(|definition| self.scope.value(definition));
                self.found = Some(resource_api::declared(definition.as_ref()));
            }
            Ast::Casgn(nodes::Casgn { value: Some(value), .. })
            | Ast::Lvasgn(nodes::Lvasgn { value: Some(value), .. }) => {
                let _ = self.scope.value(node);
                self.top(value);
            }
            Ast::Def(_) | Ast::Defs(_) => self.borrow(node),
            other => bodies(other).for_each(|body| self.top(body)),
        }
    }

    fn optional_top(&mut self, node: Option<&'t Ast>) {
        if let Some(node) = node {
            self.top(node);
        }
    }

    fn is_newtype(&mut self, call: &'t nodes::Send) -> bool {
        let name = call.args.first().and_then(|name| self.scope.value(name));
        call.method_name == "newtype" && name.as_ref().and_then(Constant::text) == Some(self.wanted)
    }

    fn declared(&mut self) -> &mut Declared {
        self.found.get_or_insert_default()
    }

    /// The body of the type, or a part of it.
    fn body(&mut self, node: Option<&'t Ast>) {
        let Some(node) = node else { return };
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.declared().is_computed = true;
        } else {
            for statement in statements(node) {
                self.statement(statement);
            }
        }
        self.depth -= 1;
    }

    fn statement(&mut self, node: &'t Ast) {
        match node {
            Ast::Block(block) => {
                if let Ast::Send(call) = &*block.call {
                    self.call(call, Some(block));
                }
            }
            Ast::Send(call) => self.call(call, None),
            Ast::Def(nodes::Def { name, .. }) => {
                self.declared().methods_of_ensure |= match name.as_str() {
                    "exists?" => 0b001,
                    "create" => 0b010,
                    "destroy" => 0b100,
                    _ => 0,
                };
            }
            Ast::Defs(nodes::Defs { name, args, body, .. }) => {
                self.class_method(name, Method { arguments: args.as_deref(), body: body.as_deref() });
            }
            Ast::SClass(class) => {
                for statement in class.body.iter().flat_map(|body| statements(body)) {
                    if let Ast::Def(nodes::Def { name, args, body, .. }) = statement {
                        let method = Method { arguments: args.as_deref(), body: body.as_deref() };
                        self.class_method(name, method);
                    }
                }
            }
            Ast::Ivasgn(nodes::Ivasgn { name, value: Some(value), .. }) if name == "@isomorphic" => {
                match self.scope.value(value) {
                    Some(Constant::Boolean(true)) => {}
                    _ => self.declared().is_not_isomorphic = true,
                }
            }
            Ast::Casgn(nodes::Casgn { value: Some(value), .. })
            | Ast::Lvasgn(nodes::Lvasgn { value: Some(value), .. })
                if !declares(value) =>
            {
                let _ = self.scope.value(node);
            }
            Ast::Casgn(nodes::Casgn { value: Some(value), .. })
            | Ast::Lvasgn(nodes::Lvasgn { value: Some(value), .. })
            | Ast::Ivasgn(nodes::Ivasgn { value: Some(value), .. }) => self.statement(value),
            Ast::Class(_) | Ast::Module(_) => {}
            other => {
                let mut is_simple = true;
                for body in bodies(other) {
                    is_simple = false;
                    self.body(Some(body));
                }
                self.declared().is_computed |= is_simple && declares(other);
            }
        }
    }

    /// A method of the class: it can return the title patterns, or be called later.
    fn class_method(&mut self, name: &str, method: Method<'t>) {
        if name == "title_patterns" {
            let patterns = self.scope.call(method, &[]).as_ref().and_then(titles);
            self.declared().patterns = Some(patterns.unwrap_or(Titles::Unread));
        }
        self.scope.methods.insert(name.to_owned(), method);
    }

    fn call(&mut self, call: &'t nodes::Send, block: Option<&'t nodes::Block>) {
        let name = call.method_name.as_str();
        match call.recv.as_deref() {
            None | Some(Ast::Self_(_)) => {}
            Some(receiver) => {
                // Code that receives the type can declare anything in it.
                self.declared().is_computed |= call.args.iter().any(|one| matches!(one, Ast::Self_(_)));
                return self.call_of_other(receiver, name, block);
            }
        }
        match name {
            "newparam" => self.attribute(AttributeKind::Parameter, call, block),
            "newproperty" => self.attribute(AttributeKind::Property, call, block),
            "ensurable" => self.declared().declare(AttributeKind::Property, "ensure"),
            "provide" => self.declared().has_providers = true,
            "feature" => {
                let feature = call.args.first().and_then(|name| self.scope.value(name));
                if let Some(feature) = feature.as_ref().and_then(Constant::text) {
                    let feature = Str::from(feature);
                    self.declared().features.push(feature);
                }
            }
            // Its methods are known if its file was found.
            "extend" => {
                let paths = call.args.iter().filter_map(|argument| match argument {
                    Ast::Const(constant) => path_of(constant),
                    _ => None,
                });
                let is_known = paths.count() == call.args.len() && !self.scope.methods.is_empty();
                self.declared().is_computed |= !is_known;
            }
            name if HARMLESS.contains(&name) => {}
            name => self.own_method(name, call, block),
        }
    }

    /// Calls a method that the file defines, and includes its declarations.
    fn own_method(&mut self, name: &str, call: &'t nodes::Send, block: Option<&'t nodes::Block>) {
        let given: Option<Vec<Constant>> =
            call.args.iter().map(|argument| self.scope.value(argument)).collect();
        let (Some(method), Some(given)) = (self.scope.methods.get(name).copied(), given) else {
            self.declared().is_computed = true;
            return;
        };
        let outside = self.scope.clone();
        if self.scope.bind(method.arguments, &given).is_some() {
            self.pass_block(method.arguments, block);
            self.body(method.body);
        } else {
            self.declared().is_computed = true;
        }
        self.scope = outside;
    }

    /// A `&block` that is passed to a declaration can declare the namevar.
    fn pass_block(&mut self, parameters: Option<&'t Ast>, block: Option<&'t nodes::Block>) {
        let takes_block = parameters_of(parameters).any(|parameter| matches!(parameter, Ast::Blockarg(_)));
        if takes_block && block.is_some_and(|block| says_namevar(block.body.as_deref(), 0)) {
            self.declared().is_computed = true;
        }
    }

    /// A call with a receiver: a loop over values that are known, or something that has nothing to do with
    /// attributes.
    fn call_of_other(&mut self, receiver: &'t Ast, name: &str, block: Option<&'t nodes::Block>) {
        match (name, block) {
            (
                "class_eval" | "instance_eval" | "module_eval" | "class_exec" | "instance_exec" | "send"
                | "public_send" | "__send__",
                _,
            ) => self.declared().is_computed = true,
            ("each" | "each_pair" | "each_key" | "map" | "collect" | "each_with_index", Some(block)) => {
                let over = match self.scope.value(receiver) {
                    Some(Constant::List(values)) => values,
                    Some(Constant::Hash(pairs)) if name == "each_key" => {
                        pairs.into_iter().map(|(key, _)| key).collect()
                    }
                    Some(Constant::Hash(pairs)) => {
                        pairs.into_iter().map(|(key, value)| Constant::List(vec![key, value])).collect()
                    }
                    _ => return self.body(block.body.as_deref()),
                };
                for value in over {
                    let outside = self.scope.clone();
                    let several = parameters_of(block.args.as_deref()).count() > 1;
                    let given = match value {
                        Constant::List(values) if several => values,
                        one => vec![one],
                    };
                    if self.scope.bind(block.args.as_deref(), &given).is_none() {
                        self.declared().is_computed = true;
                    }
                    self.body(block.body.as_deref());
                    self.scope = outside;
                }
            }
            (_, Some(block)) => self.body(block.body.as_deref()),
            _ => {}
        }
    }

    fn attribute(&mut self, kind: AttributeKind, call: &'t nodes::Send, block: Option<&'t nodes::Block>) {
        let name = call.args.first().and_then(|name| self.scope.value(name));
        let Some(name) = name.as_ref().and_then(Constant::text) else {
            self.declared().is_computed = true;
            return;
        };
        self.declared().declare(kind, name);
        let options = call.args.get(1).and_then(|options| self.scope.value(options));
        let is_said =
            options.is_some_and(|options| options.member("namevar") == Some(&Constant::Boolean(true)));
        let body = block.and_then(|block| block.body.as_deref());
        if kind == AttributeKind::Parameter && (name == "name" || is_said || says_namevar(body, 0)) {
            self.declared().add_key(name);
        }
    }
}

/// Whether attributes are declared anywhere in an expression.
fn declares(node: &Ast) -> bool {
    struct Search(bool);
    impl Visitor for Search {
        fn on_send(&mut self, call: &nodes::Send) {
            self.0 |= matches!(call.method_name.as_str(), "newparam" | "newproperty" | "ensurable");
            visit_send(self, call);
        }
    }
    let mut search = Search(false);
    search.visit(node);
    search.0
}

/// Whether the body of a parameter calls `isnamevar`.
fn says_namevar(body: Option<&Ast>, depth: u32) -> bool {
    let Some(body) = body.filter(|_| depth < MAX_DEPTH) else { return false };
    statements(body).iter().any(|statement| match statement {
        Ast::Send(call) => {
            call.method_name == "isnamevar" && matches!(call.recv.as_deref(), None | Some(Ast::Self_(_)))
        }
        Ast::Def(_) | Ast::Defs(_) => false,
        other => bodies(other).any(|body| says_namevar(Some(body), depth + 1)),
    })
}

/// The statements of a sequence; anything else is one statement.
fn statements(node: &Ast) -> &[Ast] {
    match node {
        Ast::Begin(begin) => &begin.statements,
        Ast::KwBegin(begin) => &begin.statements,
        other => std::slice::from_ref(other),
    }
}

/// The parts of a statement that may be run: of modules, conditions, rescues.
fn bodies(node: &Ast) -> impl Iterator<Item = &Ast> {
    let found: Vec<Option<&Ast>> = match node {
        Ast::Module(node) => vec![node.body.as_deref()],
        Ast::Class(node) => vec![node.body.as_deref()],
        Ast::SClass(node) => vec![node.body.as_deref()],
        Ast::If(node) => vec![node.if_true.as_deref(), node.if_false.as_deref()],
        Ast::IfMod(node) => vec![node.if_true.as_deref(), node.if_false.as_deref()],
        Ast::Case(node) => node.when_bodies.iter().map(Some).chain([node.else_body.as_deref()]).collect(),
        Ast::When(node) => vec![node.body.as_deref()],
        Ast::Rescue(node) => [node.body.as_deref(), node.else_.as_deref()]
            .into_iter()
            .chain(node.rescue_bodies.iter().map(Some))
            .collect(),
        Ast::RescueBody(node) => vec![node.body.as_deref()],
        Ast::Ensure(node) => vec![node.body.as_deref(), node.ensure.as_deref()],
        Ast::Begin(_) | Ast::KwBegin(_) => vec![Some(node)],
        _ => Vec::new(),
    };
    found.into_iter().flatten()
}

/// The title patterns of a list of `[regular expression, [[name, conversion], …]]`.
fn titles(patterns: &Constant) -> Option<Titles> {
    let patterns = patterns.list()?.iter().map(|entry| {
        let [Constant::Pattern(source, options), Constant::List(names)] = entry.list()? else { return None };
        let names = names.iter().map(|name| match name.list()? {
            [Constant::Text(name)] | [Constant::Text(name), Constant::Nil | Constant::Identity] => {
                Some(Str::from(name.as_str()))
            }
            _ => None,
        });
        Some((pattern(source, options), names.collect::<Option<Vec<_>>>()?))
    });
    Some(Titles::Patterns(patterns.collect::<Option<_>>()?))
}

/// A regular expression with its options in it.
pub(super) fn pattern(source: &str, options: &str) -> RegexpValue {
    if options.is_empty() {
        RegexpValue::new(source)
    } else {
        RegexpValue::new(format!("(?{options}:{source})"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> ResourceType {
        let library = |path: &str| {
            (path == "puppet_x/shared/words")
                .then(|| "module X; def words; newparam(:borrowed); end; end".to_owned())
        };
        let source = super::Source { name: "x", file: "/m/lib/puppet/type/x.rb", text };
        super::read(
            &source,
            &library,
            &|name: &str| Ok(library(name).map(|text| (name.into(), text.into()))),
            false,
        )
    }

    #[test]
    fn declarations_are_read_and_texts_are_not() {
        let of = read(
            "Puppet::Type.newtype(:x) do\n  desc <<-DOC\n  newparam(:no)\n  DOC\n  ensurable\n  \
             newparam(:key, namevar: true) do\n    desc 'isnamevar'\n  end\n  newproperty :p\n  \
             %w[a b].each { |n| newproperty(\"#{n}_c\".to_sym) }\n  extend PuppetX::Shared::Words\n  words\nend\n",
        );
        assert_eq!(of.keys, ["key"]);
        assert!(["p", "ensure", "a_c", "b_c", "borrowed"].iter().all(|name| of.has_parameter(name)));
        assert!(!of.has_parameter("no") && !of.has_parameter("provider") && !of.accepts_all);
    }

    #[test]
    fn what_is_computed_is_accepted() {
        for text in ["newtype(:x) { mystery }", "newtype(:x) { newparam(some_name) }", "newtype(:x", "1"] {
            let of = read(text);
            assert!(of.accepts_all && of.has_parameter("anything"), "{text}");
        }
    }

    #[test]
    fn title_patterns_take_titles_apart() {
        let of = read(
            "newtype(:x) do\n def self.title_patterns\n  n = /[^@]+/\n  [[/^(#{n})@(.*)$/, [[:name, ->(s) { s }], [:type]]],\n  \
             [%r{^([^@]+)$}, [[:name]]]]\n end\n newparam(:name) { isnamevar }\n newparam(:type) { isnamevar }\nend",
        );
        let pairs = of.parse_title("a@b").unwrap_or_default();
        assert_eq!(pairs.as_slice(), [("name".into(), "a".into()), ("type".into(), "b".into())]);
    }
}

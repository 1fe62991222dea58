//! The kinds of findings, each with its documentation.

use std::fmt::Write as _;

use super::examples::{BESIDE, EXAMPLES};

/// The subject of a kind of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Names that mean nothing.
    Names,
    /// Arguments and types.
    Types,
    /// Resources.
    Resources,
    /// Files and templates.
    Files,
    /// Hiera.
    Data,
    /// Modules.
    Modules,
    /// What is evaluated, and what is not.
    Flow,
    /// The language itself.
    Language,
}

/// Declares [`Code`] and the table.
macro_rules! codes {
    ($($variant:ident $name:literal $subject:ident $severity:literal $title:literal $text:literal)*) => {
        /// A kind of findings.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code {
            $(#[doc = $title] $variant,)*
        }

        /// Every code, in the order of the documentation.
        pub const CODES: &[Code] = &[$(Code::$variant),*];

        impl Code {
            /// The name in data, options and comments.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// The subject.
            pub const fn subject(self) -> Subject {
                match self { $(Self::$variant => Subject::$subject),* }
            }

            /// Which severities its findings have.
            pub const fn severity(self) -> &'static str {
                match self { $(Self::$variant => $severity),* }
            }

            /// A short description.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$variant => $title),* }
            }

            /// The meaning, the reason for the failure, and the remedy.
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text),* }
            }
        }
    };
}

codes! {
    Syntax "syntax" Language "error, warning"
        "The text is not of the language."
        "The parser or the validator refuses the file, as `puppet parser validate` does. Nothing that the \
         file defines can be used."
    UnknownClass "unknown-class" Names "error, warning"
        "A class that no module defines."
        "`include`, `contain`, `require`, `class { … }`, `inherits` or `Class[…]` names a class that is \
         not where Puppet looks for it: `a::b` in `modules/a/manifests/b.pp`. It is an error where the \
         module is there, and a warning (`missing-module`) where it is not."
    UnknownResourceType "unknown-resource-type" Names "error, warning"
        "A type of resources that nobody defines."
        "Neither the core nor a module has a type or a defined type of this name. It is a warning where \
         the name resembles no other and stands under a condition, as a module that is not installed may \
         bring it."
    UnknownFunction "unknown-function" Names "error, warning"
        "A function that there is not."
        "No built-in function, no file in `functions` or `lib/puppet/functions` has this name. It is a \
         warning where a module that the metadata or the Puppetfile ask for is not installed, which may \
         bring it."
    UnknownType "unknown-type" Names "error, warning"
        "A data type that there is not."
        "The name stands for no type: neither a built-in one, nor a resource type, nor an alias in the \
         directory `types` of a module."
    UnknownTask "unknown-task" Names "error"
        "A task or plan that there is not."
        "`run_task` or `run_plan` names a task or plan that the module does not have. Modules that are not \
         installed are left alone, as Bolt brings some."
    UnknownVariable "unknown-variable" Names "error, warning, note"
        "A variable that nobody sets."
        "`$module::class::x` is an error where the class is known and neither has such a parameter nor \
         sets such a variable. `$x` is a warning where no scope around sets it and it is no known fact: \
         Puppet then looks for a fact, and fails with `strict_variables`, which is the default. In `%{x}` of \
         Hiera it is a note unless the name resembles a known one, as external facts and classifiers bring \
         variables."
    UnknownFact "unknown-fact" Names "warning, note"
        "A fact that nobody is known to bring."
        "`$facts['x']` names a fact that is none of Facter's and of no module in this environment. In \
         `%{facts.x}` of Hiera it is a warning where the name resembles a known one."
    UnknownParameter "unknown-parameter" Types "error"
        "A parameter that the class, type or template does not have."
        "A declaration gives a value for a name that is none of the parameters. The compilation fails: \
         `has no parameter named …`."
    MissingParameter "missing-parameter" Types "error, warning"
        "A parameter without default is not given."
        "A class, defined type or template has a parameter without default, and the declaration does not \
         give it. For classes, data of Hiera is looked at, too: with `include`, and where neither the \
         environment nor the global layer has a hierarchy, it is a warning, as data that is not here may \
         have the key."
    DuplicateParameter "duplicate-parameter" Types "error"
        "A parameter is given twice."
        "A body of a resource gives a value for the same name twice."
    WrongType "wrong-type" Types "error, warning, note"
        "A value that the parameter's type does not accept."
        "No value that the expression can have is one of the parameter's type, whatever the facts are. The \
         body counts as well: a value that makes it fail, further down too, is an error where that happens \
         whenever the body is evaluated, and a warning under a condition that may hold or not. Titles are \
         Strings. It is a note where only some values are refused, such as `undef`."
    WrongArguments "wrong-arguments" Types "error, note"
        "Arguments that the function does not accept."
        "The number or the types of the arguments fit none of the function's signatures. It is a note where \
         only some values of an argument are refused, such as `undef`."
    WrongOperand "wrong-operand" Types "error"
        "An operator that cannot work on its operands."
        "Such as arithmetic on a text that is no number, or `<` between a number and a list."
    UndefAccess "undef-access" Types "error, note"
        "An element of a value that is undef."
        "`$x['key']` where `$x` is undef fails: `Operator '[]' is not applicable to an Undef Value`. It is \
         a note where `$x` may have another value. Ask for it first (`if $x { … }`, `$x =~ NotUndef`), or \
         use `dig` or `get`, which give undef."
    UnmatchedSelector "unmatched-selector" Types "error"
        "A selector without an entry for any value that it can get."
        "`$x ? { … }` fails where no entry fits and there is none for `default`: `No matching entry for \
         selector`. No value that `$x` can have is one of those in the entries."
    WrongReturn "wrong-return" Types "error"
        "A function returns a value of another type than it says."
        "No value that the body can end with is one of the type behind `>>`."
    DuplicateResource "duplicate-resource" Resources "error, warning"
        "Two resources of one type and title."
        "A scope declares the same resource twice, which fails as soon as both are evaluated. It is a \
         warning where only the first one stands under a condition."
    UnknownResource "unknown-resource" Resources "warning"
        "A reference to a resource that no manifest declares."
        "A relationship names a resource by a literal title, and neither a resource of this title is \
         declared anywhere, nor one with a computed title that could be it. Catalogs with such \
         relationships are refused: `Could not find resource …`."
    MissingFile "missing-file" Files "error, warning"
        "A file of a module that is not there."
        "`file('module/name')` and `puppet:///modules/module/name` name files below `files` of the \
         module. The function fails the compilation; a source fails on the node, and is a warning."
    MissingTemplate "missing-template" Files "error"
        "A template that is not there."
        "`template('module/name.erb')` and `epp('module/name.epp')` name files below `templates` of the \
         module."
    TemplateVariable "template-variable" Files "error, warning, note"
        "A template reads a variable that nobody sets."
        "`@x` in a template of ERB is `nil` where no scope that renders the template sets `$x`, and it is \
         no known fact. It is a note where the template asks whether there is a value. `<%= x %>` without \
         `@` is an error where the template sets no such local variable, and `scope['a::x']` is a warning \
         where the class has no such variable."
    UnknownKey "unknown-key" Data "warning"
        "A key of data that belongs to no parameter."
        "`module::class::parameter` in a data file, or in its `lookup_options`, names a class or parameter \
         that there is not, and nobody looks the key up. The value is never used."
    WrongData "wrong-data" Data "error"
        "A value in data that the parameter's type does not accept."
        "The class cannot be declared on any node that gets this value. Interpolated values (`%{…}`) are \
         taken as unknown texts; keys that `lookup_options` merge or convert are checked for their sort \
         alone."
    InvalidData "invalid-data" Data "error"
        "A data file that cannot be read."
        "The file is no YAML or JSON, or not a map of keys to values."
    EncryptedData "encrypted-data" Data "error, warning"
        "An encrypted value that no lookup decrypts."
        "`ENC[PKCS7,…]` in a level whose backend is not `eyaml_lookup_key` is taken as it stands, which is a \
         warning. In a level with this backend it is an error where the text between the brackets is no \
         message, or where the keys of `options` are here and do not open it. The value is never shown."
    DuplicateKey "duplicate-key" Data "warning"
        "A key stands twice in a data file."
        "The last one counts; the others are lost without a word."
    MissingDataFile "missing-data-file" Data "warning, note"
        "A path of a hierarchy that matches no file."
        "The level has no data. It is a note in modules, and where the path has interpolations, as its files \
         may come with other nodes."
    MissingKey "missing-key" Data "warning, note"
        "A key that no data has."
        "`lookup('key')`, `hiera('key')` or an interpolation such as `%{lookup('key')}` asks for a key that \
         no level of the environment's data has, and gives no default. The lookup fails: `Function lookup() \
         did not find a value for the name …`. It is a note where the directory of a level is not here. \
         Where a level has a backend whose keys are not known, only a key that differs in one letter from \
         a known one is told."
    InvalidInterpolation "invalid-interpolation" Data "error"
        "An interpolation that Hiera refuses."
        "The methods of interpolations are `lookup`, `hiera`, `alias`, `literal` and `scope`. Configurations \
         take none of them, but variables alone."
    InvalidHierarchy "invalid-hierarchy" Data "error, warning"
        "`hiera.yaml` cannot be used."
        "Every lookup fails, and so every compilation that declares a class with parameters. It is a warning \
         where a function for data is missing that a module may bring which is not installed."
    MissingModule "missing-module" Modules "warning"
        "A name of a module that is not installed."
        "The name cannot be checked, and fails where it is evaluated."
    UndeclaredDependency "undeclared-dependency" Modules "warning"
        "A module uses another one that its metadata do not name."
        "Add it to `dependencies` of `metadata.json`, or whoever installs the module does not get what it \
         needs."
    UnusedDependency "unused-dependency" Modules "warning"
        "A module asks for another one that it does not use."
        "Neither the name of the module nor that of one of its functions, types, providers or facts stands in \
         a file of the module whose `metadata.json` asks for it."
    OutdatedDependency "outdated-dependency" Modules "warning"
        "A version that metadata allow lacks what the module uses."
        "`version_requirement` in `metadata.json` allows a release of Puppet or of `stdlib` that does not \
         have a function or data type yet, or has it no more. With this release the compilation fails. Raise \
         the lower bound, or lower the upper one."
    MissingFixture "missing-fixture" Modules "warning"
        "A module that tests need and `.fixtures.yml` does not bring."
        "The metadata name the module, or a manifest uses it, and neither `repositories` nor `forge_modules` \
         nor `symlinks` of the fixtures does: tests that declare its classes fail."
    InheritanceCycle "inheritance-cycle" Modules "error"
        "A class inherits itself."
        "The chain of parents comes back to the class, so none of them can be evaluated."
    IncludeCycle "include-cycle" Modules "warning, note"
        "Classes that declare each other in a circle."
        "Where every class requires or contains the next, their resources wait for each other, and the agent \
         refuses the catalog: `Found 1 dependency cycle`. A circle with a plain `include`, or with one under \
         a condition, is a note."
    TaskParameter "task-parameter" Modules "warning, note"
        "A parameter of a task that only its metadata or only its script know."
        "Whoever gives a parameter that no script of the task reads gets nothing for it; it is a note where a \
         script takes its input as a whole. A script that reads `PT_x` gets nothing where the metadata list \
         parameters and `x` is none of them."
    MisplacedDefinition "misplaced-definition" Modules "error"
        "A definition where Puppet does not look for it."
        "The class, defined type, function or type is in a file of another name than the autoloader asks \
         for."
    DuplicateDefinition "duplicate-definition" Modules "error"
        "Two definitions of one name."
        "A class, defined type or function is defined twice; loading the second one fails."
    UnknownTag "unknown-tag" Names "warning, note"
        "A collector asks for a tag that nothing has."
        "The word stands nowhere in the manifests, templates, data and Ruby files of the environment, apart \
         from collectors, so the collector finds nothing. It is a note where a module is not installed that \
         may have it. Exported resources are left alone."
    Deprecated "deprecated" Names "warning"
        "Something that its documentation advises against."
        "The documentation of the class, defined type, function or data type has the tag `@deprecated` or \
         begins with this word, or that of the parameter does. Uses in the module itself are left alone."
    ShadowedNode "shadowed-node" Flow "warning"
        "A node definition that no node gets."
        "Puppet takes the node definition with the node's name, or else the first whose pattern matches. A \
         pattern behind one that matches all its names is never asked."
    ConstantCondition "constant-condition" Flow "warning, note"
        "A condition or comparison that always has the same result."
        "The types of the operands decide it: an Enum is compared with a text that it does not have, a \
         number with a text, or a text is taken for a condition (only undef and false are not true, while \
         '' and [] are). It is a note where a variable has one value only, such as a constant that is \
         set a few lines above."
    UnreachableCode "unreachable-code" Flow "warning, note"
        "Code that is never evaluated."
        "It stands behind a call of `fail`, `return`, `break` or `next`, or it belongs to an option of \
         `case` or of a selector whose values the tested expression never has, or that an earlier option \
         has taken."
    UnusedVariable "unused-variable" Flow "warning, note"
        "A variable that nobody reads."
        "Neither the definition that sets it, nor its blocks, nor templates, nor other classes by the \
         qualified name read it. It is a note in classes of modules with metadata, as other modules can \
         read it. A name that begins with `_` says that it is meant so."
    UnusedParameter "unused-parameter" Flow "warning, note"
        "A parameter that nobody reads."
        "Whoever gives it a value gets nothing for it. It is a note where the documentation calls it \
         deprecated or unused, and for the last parameter of a block. A name that begins with `_` says \
         that it is meant so."
    UnusedFunction "unused-function" Flow "warning"
        "A private function that nobody calls."
        "The function is marked `@api private`, or is in the environment itself or in a module without \
         metadata, and no manifest, template, function or hierarchy of the environment names it."
}

/// The documentation of all codes, as Markdown.
pub fn documentation() -> String {
    let mut text = String::from(
        "# What `bunraku check` finds\n\n\
         A finding is an **error** where every evaluation of the place fails, whatever facts and data there\n\
         are; a **warning** where something is surely not meant; a **note** (shown with `--notes`) where it\n\
         may not be.\n\n\
         `# bunraku:ignore[code] reason` behind a line, or alone on the line above it, leaves out what is\n\
         found there;\n\
         `--ignore` and `--select` take codes or beginnings of codes.\n\n\
         | code | severity | what |\n|---|---|---|\n",
    );
    for code in CODES {
        let _ = writeln!(text, "| [`{0}`](#{0}) | {1} | {2} |", code.name(), code.severity(), code.title());
    }
    text.push_str("\nThe examples stand beside a module `ntp`:\n\n");
    push_files(&mut text, BESIDE);
    for code in CODES {
        let _ = write!(text, "\n## {}\n\n{}", code.name(), body(*code));
    }
    text
}

/// The documentation of a code, as Markdown.
pub fn page(code: Code) -> String {
    let mut text = format!("# {}\n\n{}\nThe files beside it:\n\n", code.name(), body(code));
    push_files(&mut text, BESIDE);
    let _ = write!(text, "\nA comment `# bunraku:ignore[{}] reason` leaves it out of a line.\n", code.name());
    text
}

/// What a code means, with its example.
fn body(code: Code) -> String {
    let mut text = format!("{} ({})\n\n", code.title(), code.severity());
    push_wrapped(&mut text, code.text());
    if let Some(example) = EXAMPLES.iter().find(|example| example.code == code) {
        text.push_str("\nWrong:\n\n");
        push_files(&mut text, example.wrong);
        text.push_str("\nRight:\n\n");
        push_files(&mut text, example.right);
    }
    text
}

/// Adds files as blocks of code, with their paths where it is not the main manifest.
fn push_files(text: &mut String, files: &str) {
    for (number, (path, content)) in super::examples::files(files).iter().enumerate() {
        let language = match path.rsplit('.').next() {
            Some("pp" | "epp") => "puppet",
            Some("json") => "json",
            Some("yaml") => "yaml",
            _ => "text",
        };
        let blank = if number > 0 { "\n" } else { "" };
        let _ = match *path {
            "manifests/site.pp" => write!(text, "{blank}```{language}\n{content}```\n"),
            _ => write!(text, "{blank}`{path}`\n\n```{language}\n{content}```\n"),
        };
    }
}

/// Adds a paragraph with lines of at most 110 columns.
fn push_wrapped(text: &mut String, paragraph: &str) {
    let mut width = 0;
    for word in paragraph.split_whitespace() {
        if width > 0 && width + 1 + word.chars().count() > 110 {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += word.chars().count();
    }
    text.push('\n');
}

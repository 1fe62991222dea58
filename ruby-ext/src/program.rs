//! `Bunraku::Program`: a parsed manifest or template.

use std::sync::Arc;

use bunraku::diagnostic::Diagnostic;
use bunraku::loader::Strictness;
use bunraku::source::Source;
use bunraku::syntax::ast::Program;
use bunraku::syntax::validate::{ValidateOptions, validate};
use bunraku::syntax::{ParseOptions, parse, pn};
use magnus::{Class as _, Error, Module as _, Object as _, RHash, RModule, Ruby, function, method};

use crate::convert::json_to_ruby;
use crate::{failure, gvl};

/// A parsed file as Ruby sees it.
#[magnus::wrap(class = "Bunraku::Program", free_immediately, size, frozen_shareable)]
struct NativeProgram {
    program: Arc<Program>,
    tasks: bool,
}

impl NativeProgram {
    fn parse(
        ruby: &Ruby,
        source: String,
        path: Option<String>,
        epp: bool,
        tasks: bool,
    ) -> Result<Self, Error> {
        let parsed = gvl::without(move || {
            parse(Arc::new(Source::new(path.as_deref(), source)), &ParseOptions { epp, tasks })
        });
        match parsed {
            Ok(program) => Ok(Self { program: Arc::new(program), tasks }),
            Err(diagnostic) => Err(failure::parse_exception(ruby, &diagnostic)),
        }
    }

    fn validate(ruby: &Ruby, own: &Self, strict: String) -> Result<magnus::RArray, Error> {
        let strict = match strict.as_str() {
            "off" => Strictness::Off,
            "warning" => Strictness::Warning,
            "error" => Strictness::Error,
            _ => return Err(Error::new(ruby.exception_arg_error(), "strict is one of off, warning, error")),
        };
        let options = ValidateOptions { strict, tasks: own.tasks, ..ValidateOptions::default() };
        let found = gvl::without(|| validate(&own.program, &options));
        let array = ruby.ary_new_capa(found.len());
        for diagnostic in &found {
            array.push(to_hash(ruby, diagnostic)?)?;
        }
        Ok(array)
    }

    fn to_pn(&self) -> String {
        pn::to_text(&self.program, self.program.body())
    }

    fn to_data(ruby: &Ruby, own: &Self) -> Result<magnus::Value, Error> {
        json_to_ruby(ruby, &pn::to_data(&own.program, own.program.body()))
    }

    fn to_json(&self) -> String {
        pn::to_data(&self.program, self.program.body()).to_string()
    }

    fn source(&self) -> String {
        self.program.source().text().to_owned()
    }

    fn path(&self) -> Option<String> {
        self.program.source().path().map(|path| path.to_string())
    }

    fn node_count(&self) -> usize {
        self.program.node_count()
    }
}

fn to_hash(ruby: &Ruby, diagnostic: &Diagnostic) -> Result<RHash, Error> {
    let hash = ruby.hash_new();
    hash.aset(ruby.to_symbol("severity"), ruby.to_symbol(diagnostic.severity.name()))?;
    hash.aset(ruby.to_symbol("issue_code"), diagnostic.issue.code())?;
    hash.aset(ruby.to_symbol("message"), diagnostic.message.as_str())?;
    hash.aset(ruby.to_symbol("file"), diagnostic.location.file.as_deref())?;
    hash.aset(ruby.to_symbol("line"), diagnostic.location.line)?;
    hash.aset(ruby.to_symbol("column"), diagnostic.location.column)?;
    Ok(hash)
}

/// Defines the class.
pub(crate) fn define(ruby: &Ruby, module: RModule) -> Result<(), Error> {
    let class = module.define_class("Program", ruby.class_object())?;
    class.undef_default_alloc_func();
    class.define_singleton_method("native_parse", function!(NativeProgram::parse, 4))?;
    class.define_method("native_validate", method!(NativeProgram::validate, 1))?;
    class.define_method("to_pn", method!(NativeProgram::to_pn, 0))?;
    class.define_method("to_data", method!(NativeProgram::to_data, 0))?;
    class.define_method("native_json", method!(NativeProgram::to_json, 0))?;
    class.define_method("source", method!(NativeProgram::source, 0))?;
    class.define_method("path", method!(NativeProgram::path, 0))?;
    class.define_method("node_count", method!(NativeProgram::node_count, 0))
}

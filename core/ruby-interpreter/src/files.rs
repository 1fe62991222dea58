//! Files that a program loads: `require`, `require_relative`.

use std::sync::Arc;

use super::failure::{R, Run, Unwind};
use super::interpreter::Interpreter;
use super::lower::{self, Role};
use super::modules::{Context, Module, Nesting, Visibility};
use super::tree::Program;
use super::value::{Frame, Val};
use super::{RefusedError, class, tree_of};
use bunraku_pcore::value::Str;

impl<'a> Interpreter<'a> {
    /// `require_relative` in a file.
    pub fn require_relative(&mut self, name: &str, file: &str) -> R<'a> {
        let directory = file.rsplit_once('/').map_or("", |(directory, _)| directory);
        let name = if name.ends_with(".rb") { name.to_owned() } else { format!("{name}.rb") };
        let path = super::methods::library::expanded(&name, directory);
        if self.loaded.iter().any(|known| *known == path) {
            return Ok(Val::Boolean(false));
        }
        match self.world.read_file(&path).map_err(|error| self.fail(error))? {
            Some(text) => self.load(path.into(), &text),
            None => {
                let shown = path.strip_suffix(".rb").unwrap_or(&path);
                Err(self.raise(&class::LOAD_ERROR, format!("cannot load such file -- {shown}")))
            }
        }
    }

    /// `require` of a file other than Ruby's libraries.
    pub fn require(&mut self, name: &str) -> R<'a> {
        let absolute = name.starts_with('/').then(|| super::methods::library::expanded(name, ""));
        let name = absolute.as_deref().unwrap_or(name);
        let found = match self.world.library(name).map_err(|error| self.fail(error))? {
            None if absolute.is_none() => self.on_load_path(name)?,
            found => found,
        };
        match found {
            Some((path, _)) if self.loaded.contains(&path) => Ok(Val::Boolean(false)),
            Some((path, text)) => self.load(path, &text),
            // Puppet's own files are available as far as they are known.
            None if name.starts_with("puppet/") || matches!(name, "puppet_x" | "puppet_pal") => {
                Ok(Val::Boolean(false))
            }
            None if self.definition.is_some() && !name.starts_with('/') => {
                Err(self.raise(&class::LOAD_ERROR, format!("cannot load such file -- {name}")))
            }
            None => Err(self.unsupported(format!("library {name}"))),
        }
    }

    /// `$LOAD_PATH`: the directories that the program adds to those of modules.
    pub fn load_path(&mut self) -> Val<'a> {
        let heap = self.heap;
        *self.globals.entry("LOAD_PATH").or_insert_with(|| heap.array(Vec::new()))
    }

    /// A file below a directory of `$LOAD_PATH`.
    fn on_load_path(&mut self, name: &str) -> Run<'a, Option<(Str, Str)>> {
        let Val::Array(directories) = self.load_path() else { return Ok(None) };
        let file = if name.ends_with(".rb") { name.to_owned() } else { format!("{name}.rb") };
        for directory in directories.to_vec() {
            let directory = self.to_s(directory)?;
            let path = super::methods::library::expanded(&file, &directory);
            if let Some(text) = self.world.read_file(&path).map_err(|error| self.fail(error))? {
                return Ok(Some((path.into(), text.into())));
            }
        }
        Ok(None)
    }

    /// Renders a template in sight of the variables of a binding.
    pub fn render_erb(&mut self, text: &str, trim: super::erb::Trim, binding: Val<'a>) -> R<'a> {
        self.charge_steps(1 + text.len() as u64 / 64)?;
        let ruby = super::erb::to_ruby(text, trim);
        let tree = match tree_of("(erb)", &ruby) {
            Ok(tree) => tree,
            Err(refused) => return Err(self.raise(&class::SYNTAX_ERROR, refused.to_error().message)),
        };
        let (env, frame, names) = match binding {
            Val::Binding(binding) => (Some(binding.env), binding.frame, binding.names.to_vec()),
            _ => (None, self.outer_frame(), Vec::new()),
        };
        let (program, unsupported) =
            lower::lower_inside("(erb)", &ruby, tree.as_deref(), Role::WithLibraries, names);
        if let Some(first) = unsupported.first() {
            return Err(self.unsupported(format!("{} ((erb):{})", first.construct, first.line)));
        }
        let program = self.heap.program(Arc::new(program));
        let own = self.heap.env(program.locals.len(), env);
        let line = self.line;
        self.enter()?;
        let result = self.eval(&program.body, own, frame);
        self.world.leave();
        let value = result?;
        self.line = line;
        let text = self.to_s(value)?;
        Ok(self.string(text))
    }

    /// `instance_eval(text, file)`: the text runs inside the object, and its definitions are methods of only
    /// this object.
    pub fn evaluate_text(&mut self, itself: Val<'a>, text: &str, path: Str) -> R<'a> {
        let definee = match itself {
            Val::Object(_) | Val::Module(_) | Val::Class(_) => Some(self.singleton(itself)?),
            _ => None,
        };
        self.evaluate_text_in(itself, definee, self.outside, text, path)
    }

    /// `module_eval(text, file)`: as if the text were in the body of the class or module.
    pub fn evaluate_body(&mut self, module: &'a Module<'a>, itself: Val<'a>, text: &str, path: Str) -> R<'a> {
        let nesting = self.heap.nesting(Nesting { module: Some(module), outer: Some(self.outside) });
        self.evaluate_text_in(itself, Some(module), nesting, text, path)
    }

    fn evaluate_text_in(
        &mut self,
        itself: Val<'a>,
        definee: Option<&'a Module<'a>>,
        nesting: &'a Nesting<'a>,
        text: &str,
        path: Str,
    ) -> R<'a> {
        self.charge_steps(1 + text.len() as u64 / 64)?;
        let program = self.program_of(&path, text)?;
        let context = self.heap.context(Context {
            itself,
            nesting,
            definee,
            method: None,
            visibility: Visibility::Public.into(),
        });
        let env = self.heap.env(program.locals.len(), None);
        let frame = Frame { context, ..self.outer_frame() };
        let line = self.line;
        self.enter()?;
        let result = self.eval(&program.body, env, frame);
        self.world.leave();
        let value = result?;
        self.line = line;
        Ok(value)
    }

    pub fn load(&mut self, path: Str, text: &str) -> R<'a> {
        self.charge_steps(1 + text.len() as u64 / 64)?;
        self.loaded.push(path.clone());
        let program = self.program_of_file(&path, text)?;
        let line = self.line;
        self.enter()?;
        self.kept.loads += 1;
        let result = self.run_file(program);
        self.kept.loads -= 1;
        self.world.leave();
        result?;
        if self.kept.is_called {
            self.restore_state()?;
        }
        self.line = line;
        Ok(Val::Boolean(true))
    }

    /// The program of a file, which the world may have kept.
    fn program_of_file(&mut self, path: &Str, text: &str) -> Run<'a, &'a Program> {
        let program = self.world.program(path, text, &|| super::parse_file(path, text));
        program.map(|program| self.heap.program(program)).map_err(|refused| self.refused(path, refused))
    }

    /// The program of a text.
    fn program_of(&mut self, path: &Str, text: &str) -> Run<'a, &'a Program> {
        let program = super::parse_file(path, text).map_err(|refused| self.refused(path, refused))?;
        Ok(self.heap.program(Arc::new(program)))
    }

    fn refused(&self, path: &str, refused: RefusedError) -> Unwind<'a> {
        match refused {
            RefusedError::Syntax { message, line } => {
                self.raise(&class::SYNTAX_ERROR, format!("{path}:{line}: syntax error, {message}"))
            }
            RefusedError::Unsupported(list) => {
                let first = list.first();
                let construct = first.map_or("", |first| first.construct.as_str());
                let line = first.map_or(0, |first| first.line);
                self.unsupported(format!("{construct} ({path}:{line})"))
            }
        }
    }
}

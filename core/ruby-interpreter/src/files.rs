//! Files that a program loads: `require`, `require_relative`.

use std::sync::Arc;

use super::failure::{R, Run};
use super::interpreter::Interpreter;
use super::lower::{self, Role};
use super::modules::{Context, Visibility};
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

    /// `require` of what is none of Ruby's libraries.
    pub fn require(&mut self, name: &str) -> R<'a> {
        match self.world.library(name).map_err(|error| self.fail(error))? {
            Some((path, _)) if self.loaded.contains(&path) => Ok(Val::Boolean(false)),
            Some((path, text)) => self.load(path, &text),
            // Puppet's own parts are there as far as they are known.
            None if name.starts_with("puppet/") => Ok(Val::Boolean(false)),
            None if self.definition.is_some() && !name.starts_with('/') => {
                Err(self.raise(&class::LOAD_ERROR, format!("cannot load such file -- {name}")))
            }
            None => Err(self.unsupported(format!("library {name}"))),
        }
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

    /// `instance_eval(text, file)`: what the text says is said inside of the object, what it defines are methods
    /// of it alone.
    pub fn evaluate_text(&mut self, itself: Val<'a>, text: &str, path: Str) -> R<'a> {
        self.charge_steps(1 + text.len() as u64 / 64)?;
        let program = self.program_of(path, text)?;
        let definee = match itself {
            Val::Object(_) | Val::Module(_) | Val::Class(_) => Some(self.singleton(itself)?),
            _ => None,
        };
        let context = self.heap.context(Context {
            itself,
            nesting: self.outside,
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
        let program = self.program_of(path, text)?;
        let line = self.line;
        self.enter()?;
        let result = self.run_file(program);
        self.world.leave();
        result?;
        self.line = line;
        Ok(Val::Boolean(true))
    }

    /// The program of a file.
    fn program_of(&mut self, path: Str, text: &str) -> Run<'a, &'a Program> {
        let refused = |this: &Self, refused: RefusedError| match refused {
            RefusedError::Syntax { message, line } => {
                this.raise(&class::SYNTAX_ERROR, format!("{path}:{line}: syntax error, {message}"))
            }
            RefusedError::Unsupported(list) => {
                let first = list.first();
                let construct = first.map_or("", |first| first.construct.as_str());
                let line = first.map_or(0, |first| first.line);
                this.unsupported(format!("{construct} ({path}:{line})"))
            }
        };
        let tree = tree_of(&path, text).map_err(|error| refused(self, error))?;
        let (program, unsupported) = lower::lower(&path, text, tree.as_deref(), Role::WithLibraries);
        if !unsupported.is_empty() {
            return Err(refused(self, RefusedError::Unsupported(unsupported)));
        }
        Ok(self.heap.program(Arc::new(program)))
    }
}

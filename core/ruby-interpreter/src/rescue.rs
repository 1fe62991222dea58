//! `begin` with `rescue`, `else`, `ensure` and `retry`.

use super::class;
use super::failure::{R, Run, Unwind};
use super::interpreter::Interpreter;
use super::tree::Rescue;
use super::value::{Env, Exception, Frame, Val};

impl<'a> Interpreter<'a> {
    pub(super) fn rescue(&mut self, rescue: &'a Rescue, env: &'a Env<'a>, frame: Frame<'a>) -> R<'a> {
        let result = self.rescued(rescue, env, frame);
        match &rescue.ensure {
            Some(ensure) if !matches!(result, Err(Unwind::Fatal(_))) => {
                self.eval(ensure, env, frame)?;
                result
            }
            _ => result,
        }
    }

    fn rescued(&mut self, rescue: &'a Rescue, env: &'a Env<'a>, frame: Frame<'a>) -> R<'a> {
        loop {
            let result = self.eval(&rescue.body, env, frame);
            let exception = match (result, &rescue.otherwise) {
                (Ok(_), Some(otherwise)) => return self.eval(otherwise, env, frame),
                (Err(Unwind::Raise(exception)), _) => exception,
                (result, _) => return result,
            };
            let mut handled = None;
            'clauses: for (classes, target, body) in &rescue.clauses {
                let classes = if classes.is_empty() {
                    vec![Val::Class(&class::STANDARD_ERROR)]
                } else {
                    self.list(classes, env, frame)?
                };
                for wanted in classes {
                    if self.rescues(wanted, exception)? {
                        handled = Some((target, body));
                        break 'clauses;
                    }
                }
            }
            let Some((target, body)) = handled else { return Err(Unwind::Raise(exception)) };
            if let Some(target) = target {
                self.assign(target, Val::Exception(exception), env, frame)?;
            }
            let outer = self.error.replace(exception);
            let result = self.eval(body, env, frame);
            self.error = outer;
            match result {
                Err(Unwind::Retry) => self.step()?,
                other => return other,
            }
        }
    }

    fn rescues(&mut self, wanted: Val<'a>, exception: &'a Exception<'a>) -> Run<'a, bool> {
        match wanted {
            Val::Class(wanted) if exception.class.is_a(wanted) => Ok(true),
            Val::Class(_) | Val::Module(_) => {
                Ok(self.send(wanted, "===", &[Val::Exception(exception)])?.is_truthy())
            }
            _ => {
                let message = "class or module required for rescue clause";
                Err(self.raise(&class::TYPE_ERROR, message))
            }
        }
    }

    /// The exception that is being handled.
    pub const fn handled(&self) -> Option<&'a Exception<'a>> {
        self.error
    }
}

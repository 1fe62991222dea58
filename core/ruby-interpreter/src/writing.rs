//! What is written to a text with `<<`, which most of a template is.

use super::call::Args;
use super::failure::{R, Run};
use super::held::Text;
use super::interpreter::{Interpreter, find};
use super::tree::{Call, Kind, Local, Node, Write, Written};
use super::value::{Env, Frame, Given, Val};
use bunraku_pcore::fuel::BYTES_IN_STEP;
use bunraku_pcore::value::Str;

/// The text that an expression is, frozen or not.
pub(super) fn literal(node: &Node) -> Option<&Str> {
    match &node.kind {
        Kind::Text(text) => Some(text),
        Kind::Call(call) if call.name == "freeze" && call.arguments.is_empty() && call.block.is_none() => {
            match &call.receiver {
                Some(Node { kind: Kind::Text(text), .. }) => Some(text),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The expression whose `to_s` another one is.
pub(super) fn shown(node: &Node) -> Option<&Node> {
    let Kind::Call(call) = &node.kind else { return None };
    let is_shown = call.name == "to_s" && call.arguments.is_empty() && call.block.is_none() && !call.safe;
    call.receiver.as_ref().filter(|receiver| is_shown && !matches!(receiver.kind, Kind::Itself))
}

impl<'a> Interpreter<'a> {
    /// Statements that write to one variable.
    pub(super) fn writes(
        &mut self,
        (to, writes): (Local, &'a [Write]),
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> R<'a> {
        let mut value = Val::Nil;
        for write in writes {
            // What is inserted may change what the variable has.
            value = match (find(env, to), &write.call.kind) {
                (Val::String(own), Kind::Call(call)) if self.is_plain(own) => {
                    match (&write.what, call.arguments.as_slice()) {
                        (Written::Literal(text), _) => {
                            self.reach(&write.call);
                            self.add_to(own, text)?;
                            Val::String(own)
                        }
                        (Written::Shown, [added]) => {
                            self.write_shown(own, (&write.call, call, added), env, frame)?
                        }
                        _ => self.write(own, (&write.call, call), env, frame)?,
                    }
                }
                _ => self.eval(&write.call, env, frame)?,
            };
        }
        Ok(value)
    }

    /// Whether `<<` on a text is Ruby's own, and may change it.
    pub(super) fn is_plain(&self, own: &Text) -> bool {
        !own.frozen.get() && self.modules.additions.is_empty()
    }

    /// `text << added` without a look at the table of methods. A literal needs no object, frozen or not.
    pub(super) fn write(
        &mut self,
        own: &'a Text,
        (node, call): (&'a Node, &'a Call),
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> R<'a> {
        let Some(added) = call.arguments.first() else { return Ok(Val::Nil) };
        if let Some(text) = literal(added) {
            self.reach(node);
            self.add_to(own, text)?;
            return Ok(Val::String(own));
        }
        if shown(added).is_some() {
            return self.write_shown(own, (node, call, added), env, frame);
        }
        let value = self.eval(added, env, frame)?;
        self.write_value(own, value, (node, call), frame)
    }

    /// `text << a.to_s`. That of a text or a whole number needs no object.
    fn write_shown(
        &mut self,
        own: &'a Text,
        (node, call, added): (&'a Node, &'a Call, &'a Node),
        env: &'a Env<'a>,
        frame: Frame<'a>,
    ) -> R<'a> {
        let Kind::Call(show) = &added.kind else { return Ok(Val::Nil) };
        let Some(receiver) = &show.receiver else { return Ok(Val::Nil) };
        let value = self.eval(receiver, env, frame)?;
        self.reach(added);
        let value = match value {
            Val::Integer(number) if self.is_plain(own) => {
                // The call, and the method that runs.
                self.charge_steps(2)?;
                self.reach(node);
                self.add_to(own, itoa::Buffer::new().format(number))?;
                return Ok(Val::String(own));
            }
            value => self.send_fast(value, show, Args::new(&[]), frame)?,
        };
        self.write_value(own, value, (node, call), frame)
    }

    /// `text << value`
    fn write_value(
        &mut self,
        own: &'a Text,
        value: Val<'a>,
        (node, call): (&'a Node, &'a Call),
        frame: Frame<'a>,
    ) -> R<'a> {
        self.reach(node);
        match value {
            Val::String(text) if self.is_plain(own) => {
                self.note_addition(own, text.len())?;
                own.push(text);
                Ok(Val::String(own))
            }
            other => self.send_fast(Val::String(own), call, Args::new(&[other]), frame),
        }
    }

    fn add_to(&mut self, own: &'a Text, text: &str) -> Run<'a, ()> {
        self.note_addition(own, text.len())?;
        own.push_str(text);
        Ok(())
    }

    /// Must be called before bytes are added to a text.
    #[inline]
    fn note_addition(&mut self, own: &'a Text, bytes: usize) -> Run<'a, ()> {
        self.charge_steps(1 + bytes as u64 / BYTES_IN_STEP)?;
        self.check_growth(own.len() + bytes)?;
        if own.given.get() != Given::No {
            self.note_change(Val::String(own));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use crate::erb::{Trim, to_ruby};
    use crate::function::FunctionWorld;

    fn rendered(template: &str) -> String {
        let program = crate::parse("t.erb", &to_ruby(template, Trim::Dash)).expect("it is known");
        crate::render(&program, &FunctionWorld::outside())
            .unwrap_or_else(|failure| format!("{}: {}", failure.line, failure.error.message))
    }

    #[test]
    fn statements_write_what_they_are_reached_with() {
        assert_eq!(rendered("a<%= 1 %>b<%= 'c' %><%= nil %><%= [1, :d] %>\n"), "a1bc[1, :d]\n");
        assert_eq!(rendered("ab<% _erbout << _erbout; _erbout << 'x' %>c"), "ababxc");
        assert_eq!(rendered("a<% _erbout = +'new'; _erbout << 'b'; _erbout << 7.to_s %>"), "newb7");
        assert_eq!(rendered("<% l = []; l << 1; l << 2; l << l.length %><%= l %>"), "[1, 2, 2]");
        assert_eq!(rendered("<% n = 1; n << 2; m = n << 2 %><%= m %>"), "4");
        assert_eq!(rendered("a\n<% _erbout.freeze %>\nb"), "2: can't modify frozen String: \"a\\n\"");
        assert_eq!(
            rendered("<% x = 1; x << 2; x << 'a' %>"),
            "1: no implicit conversion of String into Integer"
        );
    }

    #[test]
    fn a_call_finds_the_method_of_each_of_its_receivers() {
        let all = "[1, 'ab', :c, 2.5, nil, [3], {4 => 5}, 1..2]";
        assert_eq!(
            rendered(&format!("<%= {all}.map {{ |x| [x.class, x.to_s].join(' ') }}.join(',') %>")),
            "Integer 1,String ab,Symbol c,Float 2.5,NilClass ,Array [3],Hash {4=>5},Range 1..2"
        );
        assert_eq!(
            rendered("<% [[1, 2], [3]].each do |a, b| -%>\n<%= a %>-<%= b %>\n<% end -%>\n"),
            "1-2\n3-\n"
        );
        assert_eq!(
            rendered("<%= [[1, 2]].map { |a| a.inspect } %><%= {a: 1}.map { |k, v| \"#{k}#{v}\" } %>"),
            "[\"[1, 2]\"][\"a1\"]"
        );
    }
}

//! Templates in ERB: their text becomes a Ruby program that writes into `_erbout`, line by line as Ruby's
//! `erb` library lays it out, so that the lines of messages are those of the template.

use bunraku_pcore::value::{Str, shared};

/// The treatment of line ends after tags.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trim {
    /// They stay.
    None,
    /// `-`: `<%-` removes the indentation before it, `-%>` the line end after it. Puppet's mode.
    #[default]
    Dash,
    /// `>`: removes the line end after every tag.
    AllEnds,
    /// `<>`: the line end goes where a line begins and ends with a tag.
    WholeLines,
}

impl Trim {
    /// The mode of this name, as `ERB.new` takes it.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "" | "0" => Some(Self::None),
            "-" => Some(Self::Dash),
            ">" | "1" => Some(Self::AllEnds),
            "<>" | "2" => Some(Self::WholeLines),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Tag {
    Code,
    Insert,
    Comment,
}

/// The Ruby program of a template.
pub fn to_ruby(text: &str, trim: Trim) -> String {
    let mut writer = Writer::default();
    write(&mut writer, text, trim);
    writer.script
}

/// The beginning of the names that stand for texts in a [`short`] program; their numbers follow.
pub(super) const TEXT: &str = "__erbout_text_";

/// As [`to_ruby`], but with names instead of the texts between tags, and those texts. A parser reads names
/// faster. It may not find each of them: what is in a string or a comment of the program is none.
pub(super) fn short(text: &str, trim: Trim) -> (String, Vec<Str>) {
    let mut writer = Writer { texts: Some(Vec::new()), ..Writer::default() };
    write(&mut writer, text, trim);
    (writer.script, writer.texts.unwrap_or_default())
}

fn write(writer: &mut Writer, text: &str, trim: Trim) {
    writer.line.push("_erbout = +''".to_owned());
    let mut rest = text;
    let mut at_line_start = true;
    let mut begins_with_tag = false;
    while let Some((before, after)) = rest.split_once("<%") {
        if let Some(line) = before.rfind('\n') {
            begins_with_tag = line + 1 == before.len();
        } else if at_line_start {
            begins_with_tag = before.is_empty();
        }
        if let Some(literal) = after.strip_prefix('%') {
            writer.content.push_str(before);
            writer.content.push_str("<%");
            rest = literal;
            at_line_start = false;
            continue;
        }
        let dashed = trim == Trim::Dash && after.starts_with('-');
        if dashed {
            writer.content.push_str(without_indentation(before));
        } else {
            writer.content.push_str(before);
        }
        let mut chars = after.chars();
        let (kind, body) = match chars.next() {
            Some('-') if dashed => (Tag::Code, chars.as_str()),
            Some('=') => (Tag::Insert, chars.as_str()),
            Some('#') => (Tag::Comment, chars.as_str()),
            _ => (Tag::Code, after),
        };
        writer.flush();
        let Some((code, dashed, behind)) = tag_end(body, trim) else {
            // A tag that is never closed is text.
            writer.content = unescape(body);
            rest = "";
            break;
        };
        writer.tag(kind, &code);
        rest = behind;
        let next_line = ["\r\n", "\n"].into_iter().find_map(|end| rest.strip_prefix(end));
        let trimmed = match trim {
            Trim::None => false,
            Trim::Dash => dashed && (next_line.is_some() || rest.is_empty()),
            Trim::AllEnds => next_line.is_some(),
            Trim::WholeLines => next_line.is_some() && begins_with_tag,
        };
        at_line_start = false;
        if trimmed {
            writer.end_line();
            rest = next_line.unwrap_or(rest);
            at_line_start = true;
        }
    }
    writer.content.push_str(rest);
    writer.finish();
}

/// Whether the expression that code ends with may go on in the next line, where a call with arguments is not
/// the same as a name.
fn may_go_on(code: &str) -> bool {
    let code = code.trim_end();
    let ends_parameters = || {
        let before = code.strip_suffix('|').and_then(|code| code.rsplit_once('|'));
        before.map(|(before, _)| before.trim_end()).is_some_and(|of| of.ends_with("do") || of.ends_with('{'))
    };
    let is_name = |code: &str| code.ends_with(|last: char| last.is_alphanumeric() || last == '_');
    code.contains('#')
        || match code.char_indices().next_back() {
            Some((_, '|')) => !ends_parameters(),
            Some((at, '?' | '!')) => !code.get(..at).is_some_and(is_name),
            Some((_, last)) => ",&+-*/%^~=<>.:([{\\".contains(last),
            None => false,
        }
}

/// The text before `<%-` without the white space at the beginning of its line. The position after a tag
/// counts as the beginning of a line.
fn without_indentation(before: &str) -> &str {
    let trimmed = before.trim_end_matches([' ', '\t']);
    if trimmed.is_empty() || trimmed.ends_with('\n') { trimmed } else { before }
}

/// The code of a tag up to its end, whether `-%>` ended it, and the rest.
fn tag_end(body: &str, trim: Trim) -> Option<(String, bool, &str)> {
    let mut code = String::new();
    let mut rest = body;
    loop {
        let (before, after) = rest.split_once("%>")?;
        if let Some(before) = before.strip_suffix('%') {
            code.push_str(before);
            code.push_str("%>");
            rest = after;
            continue;
        }
        let without_dash = before.strip_suffix('-').filter(|_| trim == Trim::Dash);
        code.push_str(without_dash.unwrap_or(before));
        return Some((code, without_dash.is_some(), after));
    }
}

fn unescape(text: &str) -> String {
    text.replace("%%>", "%>")
}

/// Collects the statements of a program line by line.
#[derive(Default)]
struct Writer {
    script: String,
    line: Vec<String>,
    content: String,
    /// The texts between tags, where names stand for them.
    texts: Option<Vec<Str>>,
    /// Whether the last code may go on in what follows.
    goes_on: bool,
}

impl Writer {
    fn flush(&mut self) {
        if self.content.is_empty() {
            return;
        }
        if let Some(texts) = self.texts.as_mut().filter(|_| !self.goes_on) {
            let mut command = format!("{TEXT}{}", texts.len());
            command.extend(self.content.bytes().filter(|byte| *byte == b'\n').map(char::from));
            texts.push(shared(&self.content));
            self.line.push(command);
            self.content.clear();
            return;
        }
        self.goes_on = false;
        let mut command = String::with_capacity(self.content.len() + 24);
        command.push_str("_erbout.<< \"");
        let mut lines = 0;
        for character in self.content.chars() {
            match character {
                '\n' => {
                    lines += 1;
                    command.push_str("\\n");
                }
                '\r' => command.push_str("\\r"),
                '"' | '\\' | '#' => {
                    command.push('\\');
                    command.push(character);
                }
                '\0'..='\u{1f}' | '\u{7f}' => command.push_str(&format!("\\x{:02X}", character as u32)),
                _ => command.push(character),
            }
        }
        command.push_str("\".freeze");
        command.extend(std::iter::repeat_n('\n', lines));
        self.line.push(command);
        self.content.clear();
    }

    fn tag(&mut self, kind: Tag, code: &str) {
        match kind {
            Tag::Comment => {}
            Tag::Insert => self.goes_on = false,
            Tag::Code => self.goes_on = self.texts.is_some() && may_go_on(code),
        }
        match kind {
            Tag::Comment => {}
            Tag::Insert => self.line.push(format!("_erbout.<<(({code}).to_s)")),
            Tag::Code => match code.strip_suffix('\n') {
                Some(code) => {
                    self.line.push(code.to_owned());
                    self.end_line();
                }
                None => self.line.push(code.to_owned()),
            },
        }
    }

    fn end_line(&mut self) {
        self.flush();
        self.script.push_str(&self.line.join("; "));
        self.line.clear();
        self.script.push('\n');
    }

    fn finish(&mut self) {
        self.flush();
        self.line.push("_erbout".to_owned());
        self.script.push_str(&self.line.join("; "));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_become_statements_on_their_lines() {
        assert_eq!(
            to_ruby("a\n  <%- x -%>\n<%= y %>\n<%# no %>z<%% q", Trim::Dash),
            "_erbout = +''; _erbout.<< \"a\\n\".freeze\n;  x \n_erbout.<<(( y ).to_s); _erbout.<< \"\\n\".freeze\n; \
             _erbout.<< \"z<% q\".freeze; _erbout"
        );
        assert_eq!(to_ruby("<% a", Trim::Dash), "_erbout = +''; _erbout.<< \" a\".freeze; _erbout");
    }

    #[test]
    fn names_stand_for_texts_where_nothing_goes_on() {
        let (script, texts) = short("a\n<% l.each do |e| -%>\nb<%= e %>\n<% x &&-%>\nc<% end %>", Trim::Dash);
        assert_eq!(
            script,
            "_erbout = +''; __erbout_text_0\n;  l.each do |e| \n__erbout_text_1; _erbout.<<(( e ).to_s); \
             __erbout_text_2\n;  x &&\n_erbout.<< \"c\".freeze;  end ; _erbout"
        );
        assert_eq!(texts, ["a\n", "b", "\n"]);
        for goes_on in ["a,", "a ?", "a | b |", "x = [", "f(", "a && # b", "a.", "a ||"] {
            assert!(may_go_on(goes_on), "{goes_on}");
        }
        for ends in ["else", "if a.empty?", "l.each { |a, b|", "end", "a!", "f(b)", "h.each_pair do |k, v|"] {
            assert!(!may_go_on(ends), "{ends}");
        }
    }
}

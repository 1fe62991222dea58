//! Streams that people read, and what must not reach them.

use std::io::{self, BufWriter, IsTerminal as _, Write};

use bunraku::Host as _;
use bunraku::host::disk::DiskHost;
use clap::ValueEnum;

/// A stream that the command writes to.
pub trait Stream: Write + Send {
    /// Whether it is a terminal.
    fn is_terminal(&self) -> bool;

    /// The number of columns of the terminal, if it is known.
    fn columns(&self) -> Option<usize> {
        None
    }
}

/// The output streams of the command.
pub struct Streams {
    /// Results.
    pub out: Box<dyn Stream>,
    /// Messages.
    pub err: Box<dyn Stream>,
}

impl Streams {
    /// Those of the process.
    pub fn of_process() -> Self {
        Self { out: Box::new(StandardOutput(BufWriter::new(io::stdout()))), err: Box::new(io::stderr()) }
    }
}

/// The standard output, written in large pieces unless it is a terminal.
struct StandardOutput(BufWriter<io::Stdout>);

impl Write for StandardOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Stream for StandardOutput {
    fn is_terminal(&self) -> bool {
        self.0.get_ref().is_terminal()
    }

    fn columns(&self) -> Option<usize> {
        width_of(self.0.get_ref())
    }
}

impl Stream for io::Stderr {
    fn is_terminal(&self) -> bool {
        io::IsTerminal::is_terminal(self)
    }

    fn columns(&self) -> Option<usize> {
        width_of(self)
    }
}

fn width_of(stream: &impl std::os::fd::AsFd) -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(stream)?;
    Some(usize::from(width.0)).filter(|width| *width > 0)
}

/// A colour of the terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    Red = 31,
    Green = 32,
    Yellow = 33,
    Magenta = 35,
}

/// When colours are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ColourChoice {
    /// On a terminal, unless `NO_COLOR` is set.
    #[default]
    Auto,
    Always,
    Never,
}

/// A part of a line.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Part<'t> {
    Plain(&'t str),
    Coloured(&'t str, Colour),
}

/// A stream for people. All output passes through here, so that no text of a catalog, of facts or of a
/// message can control a terminal: control characters are shown as pictures, those that change the direction
/// of writing are replaced. Line ends and tabs stay.
pub(crate) struct Screen {
    stream: Box<dyn Stream>,
    is_terminal: bool,
    has_colours: bool,
    /// Whether a progress line is shown.
    has_progress: bool,
}

impl Screen {
    pub(crate) fn new(stream: Box<dyn Stream>) -> Self {
        let is_terminal = stream.is_terminal();
        let mut screen = Self { stream, is_terminal, has_colours: false, has_progress: false };
        screen.set_colours(ColourChoice::Auto);
        screen
    }

    pub(crate) fn set_colours(&mut self, choice: ColourChoice) {
        self.has_colours = match choice {
            // As no-color.org has it: an empty variable counts as none.
            ColourChoice::Auto => {
                let no_color = DiskHost.environment_variable("NO_COLOR");
                self.is_terminal && no_color.is_none_or(|value| value.is_empty())
            }
            ColourChoice::Always => true,
            ColourChoice::Never => false,
        };
    }

    pub(crate) fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    pub(crate) fn has_colours(&self) -> bool {
        self.has_colours
    }

    pub(crate) fn columns(&self) -> Option<usize> {
        self.stream.columns()
    }

    /// Writes a text and, unless it ends with one, the end of a line.
    pub(crate) fn line(&mut self, text: &str) -> io::Result<()> {
        self.parts(&[Part::Plain(text)])
    }

    /// Writes a line of parts, each in its colour.
    pub(crate) fn parts(&mut self, parts: &[Part<'_>]) -> io::Result<()> {
        let mut line = String::new();
        for part in parts {
            match *part {
                Part::Coloured(text, colour) if self.has_colours => {
                    line.push_str(&format!("\x1b[{}m{}\x1b[0m", colour as u8, printable(text)));
                }
                Part::Plain(text) | Part::Coloured(text, _) => line.push_str(&printable(text)),
            }
        }
        if !line.ends_with('\n') {
            line.push('\n');
        }
        self.bytes(line.as_bytes())
    }

    /// Writes a text.
    pub(crate) fn text(&mut self, text: &str) -> io::Result<()> {
        self.bytes(printable(text).as_bytes())
    }

    /// Writes data, which programs read: as it is, unless the stream is a terminal. JSON stays JSON there.
    pub(crate) fn data(&mut self, text: &str, is_json: bool) -> io::Result<()> {
        match (self.is_terminal, is_json) {
            (false, _) => self.bytes(text.as_bytes()),
            (true, false) => self.text(text),
            (true, true) => self.bytes(escaped_json(text).as_bytes()),
        }
    }

    /// Writes bytes as they are.
    pub(crate) fn bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hide_progress();
        self.stream.write_all(bytes)?;
        if self.is_terminal { self.stream.flush() } else { Ok(()) }
    }

    /// Tells on a terminal how far something is, in a line that goes away.
    pub(crate) fn progress(&mut self, text: &str) {
        if self.is_terminal {
            // If nothing can be written, the failure cannot be reported.
            let _ = self.bytes(format!("\r\x1b[K{}", printable(text)).as_bytes());
            self.has_progress = true;
        }
    }

    /// Removes the progress line.
    pub(crate) fn hide_progress(&mut self) {
        if std::mem::take(&mut self.has_progress) {
            // If nothing can be written, there is nothing to hide.
            let _ = self.stream.write_all(b"\r\x1b[K");
        }
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// A text that a terminal does not take for orders.
pub(crate) fn printable(text: &str) -> String {
    text.chars().map(shown).collect()
}

/// Whether a terminal takes nothing of a text for an order.
pub(crate) fn is_printable(text: &str) -> bool {
    text.chars().all(|char| shown(char) == char)
}

fn shown(char: char) -> char {
    match char {
        '\t' | '\n' => char,
        '\u{7f}' => '\u{2421}',
        '\0'..='\u{1f}' => char::from_u32(0x2400 + u32::from(char)).unwrap_or(char::REPLACEMENT_CHARACTER),
        _ if is_hidden(char) => char::REPLACEMENT_CHARACTER,
        _ => char,
    }
}

/// Whether a character is an order of eight bits, ends lines, or turns the direction of writing.
fn is_hidden(char: char) -> bool {
    matches!(
        char,
        '\u{80}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'
            | '\u{2029}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
    )
}

/// JSON with the characters escaped that it may hold as they are, and a terminal would take for orders.
fn escaped_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        if char == '\u{7f}' || is_hidden(char) {
            out.push_str(&format!("\\u{:04x}", u32::from(char)));
        } else {
            out.push(char);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Recorded;

    const HOSTILE: &str = "a\u{1b}[31mb\u{9b}1mc\u{202e}d\u{7f}\tz\nf";
    const TAME: &str = "a\u{241b}[31mb\u{fffd}1mc\u{fffd}d\u{2421}\tz\nf";

    #[test]
    fn no_orders_reach_a_terminal() {
        let (written, stream) = Recorded::new(false);
        let mut screen = Screen::new(Box::new(stream));
        screen.line(HOSTILE).unwrap();
        screen.text(HOSTILE).unwrap();
        assert_eq!(written.text(), format!("{TAME}\n{TAME}"));
        assert!(is_printable(TAME) && !is_printable(HOSTILE));
    }

    #[test]
    fn data_is_given_as_it_is_unless_it_is_a_terminal() {
        let (written, stream) = Recorded::new(false);
        Screen::new(Box::new(stream)).data(HOSTILE, false).unwrap();
        assert_eq!(written.text(), HOSTILE);

        let json = serde_json::to_string(HOSTILE).unwrap();
        let (written, stream) = Recorded::new(true);
        let mut screen = Screen::new(Box::new(stream));
        screen.data(&json, true).unwrap();
        let text = written.text();
        assert!(!text.contains(['\u{1b}', '\u{9b}', '\u{202e}', '\u{7f}']), "{text:?}");
        assert_eq!(serde_json::from_str::<String>(&text).unwrap(), HOSTILE);
    }
}

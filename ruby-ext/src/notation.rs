//! The notation of a syntax tree as Ruby's arrays and hashes.

use bunraku::syntax::pn::Sink;
use magnus::{Error, IntoValue, RArray, Ruby, Value, prelude::*};

/// Builds Ruby objects from a notation.
pub(crate) struct RubySink<'r> {
    ruby: &'r Ruby,
    /// The open arrays of elements, outermost first; the first is for the result. They are Ruby arrays, so
    /// that the garbage collector sees their elements.
    open: RArray,
    /// The kind of each open array after the first: the key of the enclosing hash, if it has one.
    around: Vec<Option<&'static str>>,
    failure: Option<Error>,
}

impl<'r> RubySink<'r> {
    /// An empty sink.
    pub fn new(ruby: &'r Ruby) -> Result<Self, Error> {
        let open = ruby.ary_new();
        open.push(ruby.ary_new())?;
        Ok(Self { ruby, open, around: Vec::new(), failure: None })
    }

    /// The result.
    ///
    /// # Errors
    /// An error of Ruby, such as a lack of memory.
    pub fn finish(self) -> Result<Value, Error> {
        match self.failure {
            Some(failure) => Err(failure),
            None => self.open.entry::<RArray>(0)?.entry(0),
        }
    }

    fn note(&mut self, result: Result<(), Error>) {
        if let Err(error) = result {
            self.failure.get_or_insert(error);
        }
    }

    fn add(&mut self, value: impl IntoValue) {
        let result = self.open.entry::<RArray>(-1).and_then(|innermost| innermost.push(value));
        self.note(result);
    }

    fn open(&mut self, around: Option<&'static str>) {
        self.around.push(around);
        let result = self.open.push(self.ruby.ary_new());
        self.note(result);
    }

    fn pop(&mut self) -> Result<(), Error> {
        let Some(around) = self.around.pop() else { return Ok(()) };
        let elements: RArray = self.open.pop()?;
        let outer: RArray = self.open.entry(-1)?;
        match around {
            None => outer.push(elements),
            Some(key) => {
                let hash = self.ruby.hash_new();
                hash.aset(key, elements)?;
                outer.push(hash)
            }
        }
    }
}

impl Sink for RubySink<'_> {
    fn open_call(&mut self, name: &str) {
        self.open(Some("^"));
        self.add(name);
    }

    fn open_list(&mut self) {
        self.open(None);
    }

    fn open_map(&mut self) {
        self.open(Some("#"));
    }

    fn key(&mut self, key: &str) {
        self.add(key);
    }

    fn close(&mut self) {
        let result = self.pop();
        self.note(result);
    }

    fn string(&mut self, value: &str) {
        self.add(value);
    }

    fn integer(&mut self, value: i64) {
        self.add(value);
    }

    fn big_integer(&mut self, digits: &str) {
        match self.ruby.str_new(digits).funcall::<_, _, Value>("to_i", ()) {
            Ok(value) => self.add(value),
            Err(error) => self.note(Err(error)),
        }
    }

    fn float(&mut self, value: f64) {
        self.add(value);
    }

    fn boolean(&mut self, value: bool) {
        self.add(value);
    }

    fn nil(&mut self) {
        self.add(self.ruby.qnil());
    }
}

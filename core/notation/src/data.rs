//! The notation as JSON data.

use serde_json::{Map, Number, Value};

use bunraku_syntax::pn::Sink;

/// Builds data from a notation.
#[derive(Default)]
pub(super) struct DataSink {
    /// The open calls, lists and maps, with their elements so far.
    open: Vec<(Shape, Vec<Value>)>,
    result: Value,
}

#[derive(Clone, Copy)]
enum Shape {
    Call,
    List,
    Map,
}

impl DataSink {
    /// The data.
    pub fn finish(self) -> Value {
        self.result
    }

    fn add(&mut self, value: Value) {
        match self.open.last_mut() {
            Some((_, elements)) => elements.push(value),
            None => self.result = value,
        }
    }
}

impl Sink for DataSink {
    fn open_call(&mut self, name: &str) {
        self.open.push((Shape::Call, vec![Value::from(name)]));
    }

    fn open_list(&mut self) {
        self.open.push((Shape::List, Vec::new()));
    }

    fn open_map(&mut self) {
        self.open.push((Shape::Map, Vec::new()));
    }

    fn key(&mut self, key: &str) {
        self.add(Value::from(key));
    }

    fn close(&mut self) {
        if let Some((shape, elements)) = self.open.pop() {
            let elements = Value::Array(elements);
            let value = match shape {
                Shape::List => elements,
                Shape::Call => single("^", elements),
                Shape::Map => single("#", elements),
            };
            self.add(value);
        }
    }

    fn string(&mut self, value: &str) {
        self.add(Value::from(value));
    }

    fn integer(&mut self, value: i64) {
        self.add(Value::from(value));
    }

    fn big_integer(&mut self, digits: &str) {
        // A JSON reader with 64-bit integers reads it as a float.
        self.add(digits.parse::<Number>().map_or(Value::Null, Value::Number));
    }

    fn float(&mut self, value: f64) {
        self.add(Value::from(value));
    }

    fn boolean(&mut self, value: bool) {
        self.add(Value::Bool(value));
    }

    fn nil(&mut self) {
        self.add(Value::Null);
    }
}

fn single(key: &str, value: Value) -> Value {
    let mut map = Map::new();
    map.insert(key.to_owned(), value);
    Value::Object(map)
}

/// Passes the parts of data to a sink. An object that is not a notation is passed as `nil`.
pub(super) fn replay(data: &Value, sink: &mut dyn Sink) {
    /// A value, a key, or the end of an open element.
    enum Step<'v> {
        Value(&'v Value),
        Key(&'v Value),
        Close,
    }
    let mut steps = vec![Step::Value(data)];
    while let Some(step) = steps.pop() {
        let value = match step {
            Step::Value(value) => value,
            Step::Key(key) => {
                sink.key(key.as_str().unwrap_or_default());
                continue;
            }
            Step::Close => {
                sink.close();
                continue;
            }
        };
        match value {
            Value::Null => sink.nil(),
            Value::Bool(value) => sink.boolean(*value),
            Value::Number(number) => match (number.as_i64(), number.as_f64()) {
                (Some(value), _) => sink.integer(value),
                (None, Some(value)) if number.is_f64() => sink.float(value),
                (None, _) => sink.big_integer(&number.to_string()),
            },
            Value::String(value) => sink.string(value),
            Value::Array(elements) => {
                sink.open_list();
                steps.push(Step::Close);
                steps.extend(elements.iter().rev().map(Step::Value));
            }
            Value::Object(map) => {
                match (map.get("^"), map.get("#")) {
                    (Some(Value::Array(elements)), _) => {
                        sink.open_call(elements.first().and_then(Value::as_str).unwrap_or_default());
                        steps.push(Step::Close);
                        steps.extend(elements.iter().skip(1).rev().map(Step::Value));
                    }
                    (_, Some(Value::Array(entries))) => {
                        sink.open_map();
                        steps.push(Step::Close);
                        let entries = entries.iter().enumerate().rev();
                        steps.extend(entries.map(|(at, entry)| {
                            if at % 2 == 0 { Step::Key(entry) } else { Step::Value(entry) }
                        }));
                    }
                    _ => sink.nil(),
                }
            }
        }
    }
}

//! Data for the compilation: `lookup()`, the `hiera` functions and automatic parameter lookup.

use std::rc::Rc;
use std::sync::Arc;

use super::Compilation;
use crate::eval::context::LookupRequest;
use crate::eval::{Closure, Evaluated, Evaluator, Origin, Scope};
use crate::hiera::{self, ExplainOptions, Explanation};
use bunraku_pcore::value::{Str, Value};
use bunraku_syntax::diagnostic::Error;

impl Compilation<'_> {
    /// Looks up data for a scope.
    pub(super) fn look_up(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        request: &LookupRequest,
        default_block: Option<&Closure>,
    ) -> Evaluated<Option<Value>> {
        let Some(explanation) = self.tracing() else {
            return hiera::lookup(evaluator, scope, &self.data, request, default_block).map(Some);
        };
        let call = self.last_call();
        let found = hiera::trace(evaluator, scope, &self.data, request, default_block, &explanation)?;
        self.note_lookup(call, &request.names, &explanation);
        Ok(Some(found))
    }

    /// Automatic parameter lookup: the value of `class::parameter`, if the data has one, and its origin.
    pub(super) fn look_up_parameter(
        &self,
        evaluator: &Evaluator<'_>,
        scope: &Rc<Scope>,
        key: &str,
    ) -> Evaluated<Option<(Value, Option<Arc<Origin>>)>> {
        let explanation = self.tracing();
        let found = hiera::automatic_parameter(evaluator, scope, &self.data, key, explanation.clone())?;
        let origin = || self.origin_of_lookup(explanation.as_deref()?);
        Ok(found.map(|value| (value, origin())))
    }

    /// Looks up data as [`lookup`](Self::lookup) does, and explains it.
    pub fn explain(
        &self,
        request: &LookupRequest,
        options: ExplainOptions,
    ) -> (Result<Value, Error>, Rc<Explanation>) {
        let mut explanation = Rc::new(Explanation::new(options));
        let result = self.with_evaluator(|evaluator| {
            let (result, explained) = hiera::explain(evaluator, &self.top, &self.data, request, options);
            explanation = explained;
            result
        });
        (result, explanation)
    }

    /// Whether variables of the class `settings` were read so far.
    pub fn reads_settings(&self) -> bool {
        self.settings_scope.get().is_some()
    }

    /// The keys that were looked up so far, each once, in order.
    pub fn looked_up_keys(&self) -> Vec<Str> {
        self.data.recorded_keys()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bunraku_host::memory::MemoryHost;

    use crate::compiler::{NodeInput, compile};
    use crate::eval::Limits;
    use crate::loader::{Environment, EnvironmentOptions};

    /// What the classes of modules with these data say of their parameters.
    fn told(modules: &[&str], files: &[(&str, &str)]) -> Vec<String> {
        let mut host = MemoryHost::new();
        for module in modules {
            let class = format!("class {module}($x, $y = 'd') {{ notice(\"{module} ${{x}} ${{y}}\") }}");
            host.add(format!("/e/modules/{module}/manifests/init.pp"), class);
        }
        files.iter().for_each(|(path, text)| host.add(format!("/e/{path}"), *text));
        let options = EnvironmentOptions {
            name: "production".into(),
            directory: Some("/e".into()),
            modulepath: Some(vec!["/e/modules".into()]),
            code: Some(modules.iter().map(|module| format!("include {module}\n")).collect()),
            ..EnvironmentOptions::default()
        };
        let environment = Environment::load(Arc::new(host), options).expect("its files can be read");
        let node = NodeInput { name: "n".into(), ..NodeInput::default() };
        let result = compile(&environment, node, Limits::default());
        let failure = result.outcome.err().map(|error| error.message);
        result.logs.into_iter().map(|entry| entry.message).chain(failure).collect()
    }

    #[test]
    fn parameters_of_later_classes_are_those_of_first_ones() {
        let hierarchy = |paths: &str| format!("version: 5\nhierarchy:\n  - name: all\n    paths: {paths}\n");
        let (common, own) =
            (hierarchy("[first.yaml, common.yaml]"), hierarchy("['%{module_name}.yaml', common.yaml]"));
        let data = "k: v\na::x: 1\nb::x: 'at %{lookup(\"k\")}'\nc::x: { p: 1 }\nd::x: plain\nd::y: ~\n\
                    e::x: common\ne::y: [1, '%{module_name}']\nlookup_options: { c::x: { merge: hash } }\n";
        let modules = ["a", "b", "c", "d", "e", "f", "g"];
        let own_data = |module: &'static str, text: &'static str| {
            let paths =
                [format!("modules/{module}/hiera.yaml"), format!("modules/{module}/data/common.yaml")];
            paths.into_iter().zip([hierarchy("[common.yaml]"), text.to_owned()])
        };
        let files = |configuration: &str, more: &[(&str, &str)]| {
            let mut files: Vec<(String, String)> =
                vec![("hiera.yaml".into(), configuration.into()), ("data/common.yaml".into(), data.into())];
            files.extend(more.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
            files.extend(own_data("f", "f::x: own\nf::y: 2\n").chain(own_data("g", "g::y: 3\n")));
            files
        };
        let told = |files: Vec<(String, String)>| {
            let files: Vec<(&str, &str)> =
                files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
            told(&modules, &files)
        };
        let missing = "Error while evaluating a Function Call, Class[G]: expects a value for parameter 'x'";
        assert_eq!(
            told(files(&common, &[("data/first.yaml", "c::x: { q: 2 }\ne::x: first\n")])),
            ["a 1 d", "b at v d", "c {p => 1, q => 2} d", "d plain d", "e first [1, e]", "f own 2", missing]
        );
        assert_eq!(
            told(files(
                &own,
                &[("data/b.yaml", "b::y: of b\n"), ("data/e.yaml", "e::x: of e\nd::x: none\n")]
            )),
            ["a 1 d", "b at v of b", "c {p => 1} d", "d plain d", "e of e [1, e]", "f own 2", missing]
        );
    }
}

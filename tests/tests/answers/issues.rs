//! The reference's issues of Hiera's configurations that no vector can ask about (`data/issues.jsonl` asks
//! about the others). `core/docs/issues.md` lists where each issue is tested, and which cannot arise.

use std::sync::Arc;

use bunraku::compiler::{Limits, NodeInput, compile};
use bunraku::host::memory::MemoryHost;
use bunraku::loader::{Environment, EnvironmentOptions};

/// A `hiera.yaml` of an environment or of the global layer, and the code and line of the reference's error.
const CONFIGURATIONS: &[(&str, &str, &str, Option<u32>)] = &[
    (
        "environment",
        "---\nversion: 5\nhierarchy:\n  - name: a\n    path: c.yaml\ndefault_hierarchy:\n  - name: b\n    path: c.yaml\n",
        "HIERA_DEFAULT_HIERARCHY_NOT_IN_MODULE",
        Some(6),
    ),
    (
        "environment",
        "---\nversion: 4\nhierarchy:\n  - name: a\n    backend: yaml\n  - name: b\n    backend: nob\n",
        "HIERA_NO_PROVIDER_FOR_BACKEND",
        Some(7),
    ),
    ("environment", "---\nversion: 3\n:hierarchy: [c]\n", "HIERA_VERSION_3_NOT_GLOBAL", None),
    ("global", "---\nversion: 4\nhierarchy: []\n", "HIERA_UNSUPPORTED_VERSION_IN_GLOBAL", None),
    (
        "global",
        "---\nversion: 5\nhierarchy:\n  - name: a\n    hiera3_backend: yaml\n    path: c\n",
        "HIERA_V3_BACKEND_REPLACED_BY_DATA_HASH",
        Some(5),
    ),
    ("global", "---\n:backends: [yaml, yaml]\n:hierarchy: [c]\n", "HIERA_BACKEND_MULTIPLY_DEFINED", Some(2)),
    (
        "global",
        "---\nversion: 5\ndefault_hierarchy:\n  - name: a\n    path: c.yaml\n",
        "HIERA_DEFAULT_HIERARCHY_NOT_IN_MODULE",
        Some(3),
    ),
];

#[test]
fn configurations_of_hiera_that_no_module_has() {
    for (layer, text, code, line) in CONFIGURATIONS {
        let mut files = MemoryHost::new();
        files.add("/envs/production/manifests/site.pp", "lookup('x', { default_value => 1 })");
        let is_global = *layer == "global";
        files.add(if is_global { "/global.yaml" } else { "/envs/production/hiera.yaml" }, *text);
        let options = EnvironmentOptions {
            name: "production".to_owned(),
            environmentpath: vec!["/envs".to_owned()],
            global_hiera: is_global.then(|| "/global.yaml".to_owned()),
            ..EnvironmentOptions::default()
        };
        let environment = Environment::load(Arc::new(files), options).expect("the environment loads");
        let node = NodeInput { name: "node".to_owned(), ..NodeInput::default() };
        let error = compile(&environment, node, Limits::default()).outcome.expect_err(text);
        assert_eq!(
            (error.issue.map(|issue| issue.code()), error.location.line),
            (Some(*code), *line),
            "{text}"
        );
    }
}

//! The files of `deploy/` speak of what is there: metrics that are recorded, tables of the schema,
//! options that the program has. `scripts/check-deploy` asks the tools that read them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::process::{Place, end};

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// Words that begin with `crawler_`.
fn names(text: &str) -> BTreeSet<&str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
        .filter(|word| word.starts_with("crawler_"))
        .collect()
}

#[test]
fn alerts_and_dashboard_ask_for_metrics_that_are_recorded() {
    let (source, dashboard) = (read("src/meter.rs"), read("deploy/grafana/dashboard.json"));
    let recorded = names(&source);
    let alerts = read("deploy/prometheus/alerts.yml");
    let wanted: BTreeSet<&str> = &names(&alerts) | &names(&dashboard);
    assert!(wanted.len() >= 8, "{wanted:?}");
    let missing: Vec<_> = wanted.difference(&recorded).collect();
    assert!(missing.is_empty(), "{missing:?} are not in src/meter.rs");
    let panels: serde_json::Value = serde_json::from_str(&dashboard).unwrap();
    let ids: BTreeSet<u64> = panels["panels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|panel| panel["id"].as_u64().unwrap())
        .collect();
    assert_eq!(ids.len(), panels["panels"].as_array().unwrap().len(), "a panel's id twice");
}

#[test]
fn autoscaling_asks_for_columns_that_are_there() {
    let schema = read("deploy/sql/0001_store.sql");
    let scaling = read("deploy/kubernetes/autoscale.yaml");
    for word in ["crawler_data.pace", "due", "lease_until"] {
        assert!(schema.contains(word) && scaling.contains(word), "{word}");
    }
}

#[test]
fn containers_run_roles_that_the_program_has() {
    let help = Place::new().run(["run", "--help"]).good();
    for file in
        ["deploy/compose.yaml", "deploy/kubernetes/worker.yaml", "deploy/kubernetes/serve.yaml"]
    {
        let text = read(file);
        for part in text.split("--role, ").skip(1) {
            let role: String = part.chars().take_while(char::is_ascii_lowercase).collect();
            assert!(help.contains(&format!("- {role}:")), "{file}: {role}\n{help}");
        }
    }
}

#[test]
fn a_pod_started_beside_a_service_of_the_same_name() {
    let place = Place::new();
    let config = read("deploy/kubernetes/config.yaml");
    let (_, config) = config.split_once("config.toml: |\n").expect("a file");
    place.write(
        "config.toml",
        config.lines().map(|l| l.trim_start().to_owned() + "\n").collect::<String>(),
    );
    for pods in ["worker", "serve"] {
        let text = read(&format!("deploy/kubernetes/{pods}.yaml"));
        assert!(text.contains("      enableServiceLinks: false\n"), "{pods}");
    }
    // Other namespaces have Services, too, and other manifests.
    let mut command = place.command(["config", "show"]);
    command.env("CRAWLER_SERVICE_HOST", "10.96.0.5").env("CRAWLER_PORT", "tcp://10.96.0.5:80");
    // Whatever bytes others write.
    command.env("OTHER", OsStr::from_bytes(b"\xff"));
    end(command.spawn().unwrap()).good();
}

#[test]
fn commands_in_a_container_lacked_the_password() {
    // They are given no --config, so what opens the store is in the environment.
    let commands = read("deploy/kubernetes/kustomization.yaml");
    assert!(commands.contains("-- crawler token add"), "{commands}");
    assert!(!read("deploy/kubernetes/config.yaml").contains("store"));
    for file in ["compose.yaml", "kubernetes/worker.yaml", "kubernetes/serve.yaml"] {
        let text = read(&format!("deploy/{file}"));
        for variable in ["CRAWLER_STORE", "CRAWLER_STORE__PASSWORD_FILE"] {
            let named = [
                format!("name: {variable}\n"),
                format!("name: {variable},"),
                format!("{variable}: "),
            ];
            assert!(named.iter().any(|name| text.contains(name)), "{file}: {variable}");
        }
    }
}

//! The units and manifests in docs/deploy, held against their own validators and against the
//! program's real flags.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Deserialize;
use yaml_serde::Value;

use crate::support;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/deploy").join(name)
}

fn documents(file: &str) -> Vec<Value> {
    let text = fs::read_to_string(folder("kubernetes").join(file)).unwrap();
    yaml_serde::Deserializer::from_str(&text)
        .map(|document| Value::deserialize(document).unwrap())
        .collect()
}

/// The value at a path of keys; a number is a position in a list.
fn at<'v>(value: &'v Value, path: &str) -> &'v Value {
    path.split('.').fold(value, |value, key| match key.parse::<usize>() {
        Ok(position) => value.get(position).unwrap_or_else(|| panic!("nothing at {path}")),
        Err(_) => value.get(key).unwrap_or_else(|| panic!("nothing at {path}")),
    })
}

#[test]
fn systemd_accepts_the_units() {
    let units = ["firstcall.service", "firstcall-nightly.service", "firstcall-nightly.timer"];
    let paths = units.map(|unit| folder("systemd").join(unit));
    let verified = Command::new("systemd-analyze")
        .args(["verify", "--man=no", "--recursive-errors=no"])
        .args(&paths)
        .output();
    match verified {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("skipped: systemd-analyze is not here (Debian package `systemd`)");
        }
        verified => {
            let output = verified.unwrap();
            let told = support::stderr(&output);
            assert!(output.status.success(), "{told}");
            // Unknown keys are only told, not refused.
            let about_ours: Vec<&str> =
                told.lines().filter(|line| line.contains("firstcall")).collect();
            assert!(about_ours.is_empty(), "{told}");
        }
    }
}

#[test]
fn the_manifests_are_what_kubernetes_expects() {
    let deployment = documents("deployment.yaml");
    let kinds: Vec<&str> = deployment.iter().map(|doc| at(doc, "kind").as_str().unwrap()).collect();
    assert_eq!(kinds, ["PersistentVolumeClaim", "Deployment", "Service"]);
    let [claim, deployment, service] = &deployment[..] else { panic!("three documents") };
    // A data folder has one writer, and the old one goes before the new one comes.
    assert_eq!(at(deployment, "spec.replicas").as_u64(), Some(1));
    assert_eq!(at(deployment, "spec.strategy.type").as_str(), Some("Recreate"));
    let pod = at(deployment, "spec.template");
    assert_eq!(at(deployment, "spec.selector.matchLabels"), at(pod, "metadata.labels"));
    assert_eq!(at(service, "spec.selector"), at(pod, "metadata.labels"));

    let jobs = documents("cronjob.yaml");
    let [job] = &jobs[..] else { panic!("one document") };
    assert_eq!(at(job, "kind").as_str(), Some("CronJob"));
    assert_eq!(at(job, "spec.concurrencyPolicy").as_str(), Some("Forbid"));
    let job_pod = at(job, "spec.jobTemplate.spec.template");
    assert_eq!(at(job_pod, "spec.restartPolicy").as_str(), Some("Never"));
    let volume = "spec.volumes.0.persistentVolumeClaim.claimName";
    let environment = "spec.containers.0.env.0";
    for pod in [pod, job_pod] {
        assert_eq!(at(pod, volume), at(claim, "metadata.name"));
        assert_eq!(at(pod, environment), at(job_pod, environment), "one data folder for both");
        assert_eq!(at(pod, "spec.containers.0.volumeMounts.0.mountPath").as_str(), Some("/data"));
    }
}

/// The words after `firstcall` of everything in docs/deploy that is run.
fn commands() -> Vec<Vec<String>> {
    let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut found = Vec::new();
    for unit in ["firstcall.service", "firstcall-nightly.service"] {
        let text = fs::read_to_string(folder("systemd").join(unit)).unwrap();
        let lines = text.lines().filter_map(|line| line.strip_prefix("ExecStart=/usr/bin/env "));
        found.extend(lines.map(|line| words(line.strip_prefix("firstcall ").unwrap())));
    }
    let cron = fs::read_to_string(folder("cron").join("firstcall")).unwrap();
    let line = cron.lines().find(|line| line.starts_with("30 3 * * * firstcall ")).unwrap();
    let commands = line.trim_start_matches("30 3 * * * firstcall ").split(" && ");
    found.extend(commands.map(|command| words(command.strip_prefix("firstcall ").unwrap())));
    let deployment = documents("deployment.yaml");
    let jobs = documents("cronjob.yaml");
    for args in [
        at(&deployment[1], "spec.template.spec.containers.0.args"),
        at(&jobs[0], "spec.jobTemplate.spec.template.spec.containers.0.args"),
    ] {
        let args = args.as_sequence().unwrap();
        found.push(args.iter().map(|arg| arg.as_str().unwrap().to_owned()).collect());
    }
    found
}

#[test]
fn every_command_line_is_one_that_the_program_takes() {
    let commands = commands();
    assert_eq!(commands.len(), 7);
    for mut command in commands {
        // Read whole, and then asked for help instead of being run.
        command.push("--help".to_owned());
        support::succeed(Path::new("."), &command);
    }
}

#[test]
fn the_readme_names_every_file() {
    let readme = fs::read_to_string(folder("README.md")).unwrap();
    for part in ["systemd", "kubernetes", "cron"] {
        for entry in fs::read_dir(folder(part)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            assert!(readme.contains(&format!("({part}/{name})")), "{part}/{name}");
        }
    }
}

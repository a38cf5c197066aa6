//! Checks what the workspace depends on against our policy: licences, banned crates, sources.
//!
//! Reads `cargo metadata`, with all features on, so that an optional dependency counts like any other.
//! It needs no network. Security advisories are left to others: their database is not in a registry.

use anyhow::{Context, Result, bail};
use serde_json::Value;
use spdx::{Expression, Licensee, ParseMode};

use crate::cargo::cargo;

/// Licences that let Fathom stay under Apache-2.0. The list is a policy, not an inventory: one that no
/// dependency uses today stays.
const ALLOWED_LICENSES: [&str; 13] = [
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "CDLA-Permissive-2.0",
    "ISC",
    "MIT",
    "MPL-2.0",
    "Unicode-3.0",
    "Zlib",
];

/// Crates that must not come in, not even through others, each with the reason.
const BANNED_CRATES: [(&str, &str); 5] = [
    ("openssl", "use rustls"),
    ("openssl-sys", "use rustls"),
    ("native-tls", "use rustls"),
    (
        "aws-lc-sys",
        "it needs a long C build; use rustls with ring",
    ),
    ("bincode", "it is no longer maintained"),
];

/// The only place that dependencies may come from, beside the workspace itself.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Fails with one line for every dependency that breaks the policy.
pub fn check() -> Result<()> {
    let output = cargo("metadata --format-version 1 --all-features --locked")?
        .output()
        .context("cannot run cargo: is it in the search path?")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    let violations = violations(&serde_json::from_slice(&output.stdout)?)?;
    if violations.is_empty() {
        return Ok(());
    }
    bail!("{}", violations.join("\n"))
}

fn violations(metadata: &Value) -> Result<Vec<String>> {
    let allowed: Vec<Licensee> = ALLOWED_LICENSES
        .iter()
        .map(|name| Licensee::parse(name).with_context(|| format!("{name} is no SPDX licence")))
        .collect::<Result<_>>()?;
    let mut violations = Vec::new();
    for package in metadata["packages"].as_array().into_iter().flatten() {
        let name = package["name"].as_str().unwrap_or_default();
        let version = package["version"].as_str().unwrap_or_default();
        let faults = [
            license_fault(package["license"].as_str(), &allowed),
            source_fault(package["source"].as_str()),
            ban_fault(name),
            wildcard_fault(package),
        ];
        let faults = faults.into_iter().flatten();
        violations.extend(faults.map(|fault| format!("{name} {version}: {fault}")));
    }
    Ok(violations)
}

fn license_fault(license: Option<&str>, allowed: &[Licensee]) -> Option<String> {
    let Some(license) = license else {
        return Some("names no licence".into());
    };
    match Expression::parse_mode(license, ParseMode::LAX) {
        Err(_) => Some(format!("\"{license}\" is no SPDX expression")),
        Ok(expression) => {
            let met = expression.evaluate(|wanted| allowed.iter().any(|one| one.satisfies(wanted)));
            (!met).then(|| format!("the licence \"{license}\" is not allowed"))
        }
    }
}

/// Packages of the workspace have no source.
fn source_fault(source: Option<&str>) -> Option<String> {
    let foreign = source.filter(|source| *source != REGISTRY)?;
    Some(format!("comes from {foreign}, not from crates.io"))
}

fn ban_fault(name: &str) -> Option<String> {
    let (_, reason) = BANNED_CRATES.iter().find(|(banned, _)| *banned == name)?;
    Some(format!("is banned: {reason}"))
}

/// A dependency of ours must say its version; those on each other go by path.
fn wildcard_fault(package: &Value) -> Option<String> {
    if !package["source"].is_null() {
        return None;
    }
    let mut dependencies = package["dependencies"].as_array().into_iter().flatten();
    let wild = dependencies.find(|dependency| {
        dependency["req"].as_str() == Some("*") && dependency["path"].is_null()
    })?;
    let name = wild["name"].as_str().unwrap_or_default();
    Some(format!("takes any version of {name}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn faults(package: Value) -> Vec<String> {
        violations(&json!({ "packages": [package] })).unwrap()
    }

    fn package(name: &str, license: Value) -> Value {
        json!({ "name": name, "version": "1.0.0", "license": license, "source": REGISTRY })
    }

    #[test]
    fn a_choice_of_licences_is_met_by_one_and_a_sum_by_all() {
        for good in [
            "MIT",
            "GPL-3.0-only OR MIT",
            "Apache-2.0 / MIT",
            "(MIT OR GPL-3.0-only) AND Unicode-3.0",
        ] {
            assert!(faults(package("x", json!(good))).is_empty(), "{good}");
        }
        for bad in ["GPL-3.0-only", "MIT AND AGPL-3.0-only", "whatever"] {
            assert_eq!(faults(package("x", json!(bad))).len(), 1, "{bad}");
        }
        assert_eq!(
            faults(package("x", Value::Null)),
            ["x 1.0.0: names no licence"]
        );
    }

    #[test]
    fn a_banned_crate_is_named_with_the_reason() {
        let told = faults(package("openssl", json!("Apache-2.0")));
        assert_eq!(told, ["openssl 1.0.0: is banned: use rustls"]);
    }

    #[test]
    fn only_our_own_crates_come_from_elsewhere_than_the_registry() {
        let mut package = package("x", json!("MIT"));
        package["source"] = json!("git+https://example.org/x");
        assert!(faults(package.clone())[0].contains("not from crates.io"));
        package["source"] = Value::Null;
        assert!(faults(package).is_empty());
    }

    #[test]
    fn our_dependencies_say_their_version() {
        let ours = |req: &str| {
            json!({
                "name": "ours", "version": "0.1.0", "license": "Apache-2.0",
                "dependencies": [{ "name": "x", "req": req }],
            })
        };
        assert!(faults(ours("^1")).is_empty());
        assert_eq!(faults(ours("*")), ["ours 0.1.0: takes any version of x"]);
    }
}

//! Whatever is in the file, the answer is a plan or problems, never a panic.

use super::FILE;
use crate::Plan;
use crate::layers::expand;
use crate::spec::Spec;
use proptest::prelude::*;
use settings::document::parse;

/// A value as somebody might write it.
fn value() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<i64>().prop_map(|number| number.to_string()),
        any::<f64>().prop_map(|number| format!("{number:?}")),
        "[a-z0-9 /.-]{0,12}".prop_map(|text| format!("{text:?}")),
        Just("true".to_owned()),
        Just("\"all\"".to_owned()),
        Just("\"20 packets\"".to_owned()),
        Just("\"dctcp\"".to_owned()),
        Just("\"9 KB\"".to_owned()),
        Just("\"3 us\"".to_owned()),
        Just("[]".to_owned()),
        Just("[[0, 1]]".to_owned()),
        Just("[0.2, 3, \"x\"]".to_owned()),
        Just("{ kind = \"pareto\" }".to_owned()),
        Just("{ 0 = { load = 0.1 } }".to_owned()),
        Just("1979-05-27T07:32:00Z".to_owned()),
    ]
}

/// A key as somebody might write it.
fn key() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("seed"),
        Just("topology"),
        Just("kind"),
        Just("links"),
        Just("link"),
        Just("fabric"),
        Just("transport"),
        Just("workload"),
        Just("0"),
        Just("poisson"),
        Just("size"),
        Just("variant"),
        Just("sweep"),
        Just("name"),
        Just("k"),
        Just("host-edge"),
        Just("queue"),
        Just("mtu"),
        Just("load"),
        Just("measure"),
        Just("watch"),
        Just("\"a.b\""),
    ];
    prop::collection::vec(part, 1..4).prop_map(|parts| parts.join("."))
}

proptest! {
    #[test]
    fn arbitrary_text_does_not_panic(text in "\\PC{0,200}", set in "\\PC{0,40}") {
        let _ = Plan::read(&text, "x.toml", &[set]).map_err(|problems| problems.to_string());
    }

    #[test]
    fn arbitrary_changes_do_not_panic(key in key(), value in value(), set in any::<bool>()) {
        let (text, overrides) = match set {
            true => (FILE.to_owned(), vec![format!("{key}={value}")]),
            false => (format!("{key} = {value}\n{FILE}"), Vec::new()),
        };
        let _ = Plan::read(&text, "x.toml", &overrides).map_err(|problems| problems.to_string());
        let variant = format!("{FILE}[[variant]]\nname = \"a\"\n{key} = {value}\n[sweep]\n{key} = {value}\n");
        let _ = Plan::read(&variant, "x.toml", &[]).map_err(|problems| problems.to_string());
    }

    #[test]
    fn a_file_cut_short_does_not_panic(end in 0..FILE.len()) {
        let _ = Plan::read(&FILE[..end], "x.toml", &[]).map_err(|problems| problems.to_string());
    }

    /// The form is checked against a schema of the types: what passes can be read into them.
    #[test]
    fn what_is_well_formed_can_be_read(key in key(), value in value()) {
        let Ok(document) = parse(&format!("{key} = {value}\n{FILE}"), "x.toml") else { return Ok(()) };
        let Ok(runs) = expand(document, &[], "x.toml") else { return Ok(()) };
        for run in runs.iter().filter(|run| settings::inspect(&run.root, crate::spec::shape(), crate::layers::KEYS).is_empty()) {
            prop_assert!(serde_json::from_value::<Spec>(run.root.to_json()).is_ok(), "{key} = {value}");
        }
    }
}

#[test]
fn depth_is_no_danger() {
    for deep in [format!("{}1{}", "a = ".to_owned() + &"[".repeat(5000), "]".repeat(5000)), "a.".repeat(5000) + "b = 1"]
    {
        assert!(Plan::read(&deep, "x.toml", &[]).is_err());
    }
    let deep = format!("{}x=1", "a.".repeat(5000));
    assert!(Plan::read(FILE, "x.toml", &[deep.clone(), format!("x={}", "[".repeat(5000))]).is_err());
    let quoted = format!("{FILE}[sweep]\n\"{}\" = [1]\n", deep.trim_end_matches("=1"));
    assert!(Plan::read(&quoted, "x.toml", &[]).is_err());
}

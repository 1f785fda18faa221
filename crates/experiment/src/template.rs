//! Experiment files to begin with.

use settings::cure;

/// A commented experiment file.
struct Template {
    kind: &'static str,
    text: &'static str,
    /// A file that it reads, if it does: what it is called, and what is in it.
    beside: Option<(&'static str, &'static str)>,
}

macro_rules! templates {
    (@beside) => { None };
    (@beside $name:literal) => { Some(($name, include_str!(concat!("../templates/", $name)))) };
    ($($kind:literal $(with $name:literal)?),* $(,)?) => {
        &[$(Template {
            kind: $kind,
            text: include_str!(concat!("../templates/", $kind, ".toml")),
            beside: templates!(@beside $($name)?),
        }),*]
    };
}

const TEMPLATES: &[Template] = templates![
    "minimal",
    "permutation",
    "poisson",
    "incast",
    "all-reduce",
    "collectives",
    "stardust",
    "shoal",
    "xfabric",
    "r2c2",
    "fastpod",
    "an3",
    "failures",
    "trace" with "flows.csv",
];

/// There is no template of this kind.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("there is no template \"{kind}\"; {}", cure("the templates are", kind, template_kinds()))]
pub struct UnknownTemplate {
    /// What was asked for.
    pub kind: String,
}

/// The kinds of templates.
pub fn template_kinds() -> impl Iterator<Item = &'static str> + Clone {
    TEMPLATES.iter().map(|template| template.kind)
}

fn find(kind: &str) -> Result<&'static Template, UnknownTemplate> {
    let found = TEMPLATES.iter().find(|template| template.kind == kind);
    found.ok_or_else(|| UnknownTemplate { kind: kind.to_owned() })
}

/// A commented experiment file of this kind, to begin with.
///
/// # Errors
/// There is none of this kind.
pub fn template(kind: &str) -> Result<&'static str, UnknownTemplate> {
    Ok(find(kind)?.text)
}

/// The name and the text of a file that the template of this kind reads from its own folder, if it reads one.
///
/// # Errors
/// There is none of this kind.
pub fn template_companion(kind: &str) -> Result<Option<(&'static str, &'static str)>, UnknownTemplate> {
    Ok(find(kind)?.beside)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Plan;

    #[test]
    fn every_template_can_be_run() {
        let folder = std::env::temp_dir().join(format!("gossamer-templates-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (name, text) in template_kinds().filter_map(|kind| template_companion(kind).unwrap()) {
            std::fs::write(folder.join(name), text).unwrap();
        }
        for kind in template_kinds() {
            let file = folder.join(format!("{kind}.toml"));
            let plan = Plan::read(template(kind).unwrap(), &file.display().to_string(), &[]);
            let plan = plan.unwrap_or_else(|problems| panic!("{problems}"));
            assert!(!plan.runs.is_empty());
            assert_eq!(plan.warnings, Vec::<String>::new(), "{kind}");
            for run in &plan.runs {
                let core_seconds = run.estimated_hops() / crate::HOPS_PER_CORE_SECOND;
                assert!(core_seconds < 60.0, "{kind}: {} would take {core_seconds} s", run.name);
            }
        }
        std::fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn other_kinds_are_refused() {
        let wrong = |kind: &str| template(kind).unwrap_err().to_string();
        assert_eq!(wrong("permutaton"), r#"there is no template "permutaton"; did you mean permutation?"#);
        assert_eq!(
            wrong("mesh"),
            r#"there is no template "mesh"; the templates are minimal, permutation, poisson, incast, all-reduce, collectives, stardust, shoal, xfabric, r2c2, fastpod, an3, failures, trace"#
        );
    }
}

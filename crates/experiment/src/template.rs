//! Experiment files to begin with.

use crate::nearest::cure;

/// A commented experiment file.
struct Template {
    kind: &'static str,
    text: &'static str,
}

const TEMPLATES: [Template; 6] = [
    Template { kind: "minimal", text: include_str!("../templates/minimal.toml") },
    Template { kind: "permutation", text: include_str!("../templates/permutation.toml") },
    Template { kind: "poisson", text: include_str!("../templates/poisson.toml") },
    Template { kind: "incast", text: include_str!("../templates/incast.toml") },
    Template { kind: "all-reduce", text: include_str!("../templates/all-reduce.toml") },
    Template { kind: "trace", text: include_str!("../templates/trace.toml") },
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

/// A commented experiment file of this kind, to begin with.
///
/// # Errors
/// There is none of this kind.
pub fn template(kind: &str) -> Result<&'static str, UnknownTemplate> {
    let found = TEMPLATES.iter().find(|template| template.kind == kind);
    found.map(|template| template.text).ok_or_else(|| UnknownTemplate { kind: kind.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Plan;

    #[test]
    fn every_template_can_be_run() {
        let folder = std::env::temp_dir().join(format!("gossamer-templates-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        // The one that reads a trace shows how to write it.
        let trace = template("trace").unwrap();
        let lines = trace.lines().filter_map(|line| line.strip_prefix("#     "));
        std::fs::write(folder.join("flows.csv"), lines.map(|line| format!("{line}\n")).collect::<String>()).unwrap();
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
            r#"there is no template "mesh"; the templates are minimal, permutation, poisson, incast, all-reduce, trace"#
        );
    }
}

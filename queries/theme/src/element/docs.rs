//! Descriptions of components and their props, for the manual and for editors.

/// What authors read of a component.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ComponentDocs {
    /// Name.
    pub name: &'static str,
    /// What it is, in a line of Markdown.
    pub about: &'static str,
    /// Props, each with what it does.
    pub props: Vec<(&'static str, &'static str)>,
    /// How it is written; `None` where that would change the page around it.
    pub example: Option<&'static str>,
}

/// Blocks of `# Name`, a line about it, lines of `prop: what it does`, `---` and an example.
const COMPONENTS: &str = include_str!("components.txt");

/// Returns every component, in the order of the manual.
pub fn component_docs() -> Vec<ComponentDocs> {
    let blocks = COMPONENTS
        .strip_prefix("# ")
        .unwrap_or(COMPONENTS)
        .split("\n# ");
    let docs = blocks.map(|block| {
        let (head, example) = match block.split_once("\n---\n") {
            Some((head, example)) => (head, Some(example.trim_end())),
            None => (block, None),
        };
        let mut lines = head.lines();
        ComponentDocs {
            name: lines.next().unwrap_or_default(),
            about: lines.next().unwrap_or_default(),
            props: lines.filter_map(|line| line.split_once(": ")).collect(),
            example,
        }
    });
    docs.collect()
}

#[cfg(test)]
mod tests {
    use super::super::props::PROPS;
    use super::super::{NAMES, foreign};
    use super::*;

    #[test]
    fn each_component_and_each_of_its_props_is_described() {
        let docs = component_docs();
        let described: Vec<&str> = docs.iter().map(|docs| docs.name).collect();
        let missing = NAMES.iter().filter(|name| !described.contains(name));
        assert_eq!(missing.collect::<Vec<_>>(), [&""; 0]);
        for name in &described {
            assert!(
                NAMES.contains(name) && !foreign::NAMES.contains(name),
                "{name}"
            );
        }
        for (component, props) in PROPS {
            let of_component = docs.iter().find(|docs| docs.name == *component);
            let known = &of_component.expect("it is described").props;
            let known: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
            for prop in *props {
                assert!(known.contains(prop), "{component}: {prop}");
            }
        }
    }
}

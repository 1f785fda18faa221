//! Cures for text that is not TOML, from the line that is wrong: what people write instead is nearly always one of a few things.

use toml::de::DeTable;

/// What to do about the line `source`, about which the reader says `message`.
pub(crate) fn cure(source: &str, message: &str) -> Option<String> {
    let source = source.split(" #").next().unwrap_or_default().trim();
    if message.starts_with("duplicate key") {
        let what = if source.starts_with('[') { "table" } else { "key" };
        return Some(format!("this {what} is in the file already: keep one of the two"));
    }
    if let Some(name) = source.strip_prefix('[').filter(|_| !source.contains('=')) {
        let inner = name.trim_matches(['[', ']', ' ']);
        let right = if name.starts_with('[') { format!("[[{inner}]]") } else { format!("[{inner}]") };
        return (right != source).then(|| format!("write {right}"));
    }
    let Some((key, value)) = source.split_once('=') else {
        let (key, value) = source.split_once(':').or_else(|| source.split_once(' '))?;
        return Some(format!("write {} = {}", key.trim(), right_value(value.trim())?));
    };
    let (key, value) = (key.trim(), value.trim());
    if value.is_empty() {
        return Some(format!("write a value after {key} ="));
    }
    let right = right_value(value)?;
    (right != value).then(|| format!("write {key} = {right}"))
}

/// `value` as TOML would have it: the same if it is right.
fn right_value(value: &str) -> Option<String> {
    if DeTable::parse(&format!("value = {value}")).is_ok() {
        return Some(value.to_owned());
    }
    match value.to_lowercase().as_str() {
        "true" | "yes" | "on" => return Some("true".to_owned()),
        "false" | "no" | "off" => return Some("false".to_owned()),
        _other => {}
    }
    // Decimal commas, and numbers that begin or end with their point.
    let number = value.replace(',', ".");
    if number.bytes().all(|b| b.is_ascii_digit() || b == b'.') && number.parse::<f64>().is_ok() {
        let front = if number.starts_with('.') { "0" } else { "" };
        let back = if number.ends_with('.') { "0" } else { "" };
        return Some(format!("{front}{number}{back}"));
    }
    if value.starts_with(['[', '{']) {
        return None;
    }
    let bare = value.trim_matches(|c: char| "\"'“”‘’„`".contains(c));
    (!bare.is_empty() && !bare.contains(['"', '\\', '='])).then(|| format!("\"{bare}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_suspects() {
        let cured = |source: &str| cure(source, "").unwrap_or_default();
        assert_eq!(cured("duration = 20 ms  # long"), r#"write duration = "20 ms""#);
        assert_eq!(cured("kind = fat-tree"), r#"write kind = "fat-tree""#);
        assert_eq!(cured("kind = “fat-tree”"), r#"write kind = "fat-tree""#);
        assert_eq!(cured("kind = \"fat-tree"), r#"write kind = "fat-tree""#);
        assert_eq!(cured("kind: fat-tree"), r#"write kind = "fat-tree""#);
        assert_eq!(cured("k: 4"), "write k = 4");
        assert_eq!(cured("k 4"), "write k = 4");
        assert_eq!(cured("load = .5"), "write load = 0.5");
        assert_eq!(cured("load = 1."), "write load = 1.0");
        assert_eq!(cured("load = 0,5"), "write load = 0.5");
        assert_eq!(cured("flows = True"), "write flows = true");
        assert_eq!(cured("kind ="), "write a value after kind =");
        assert_eq!(cured("[[variant]"), "write [[variant]]");
        assert_eq!(cured("[topology"), "write [topology]");
        assert_eq!(cured("x = [1, 2"), "");
        assert_eq!(cured(""), "");
    }
}

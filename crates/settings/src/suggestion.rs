//! The nearest right spelling of a word.

/// Which of `words` a person most likely meant by `word`.
pub fn nearest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let plain = |text: &str| text.to_lowercase().replace(['-', '_', ' '], "");
    let wanted = plain(word);
    let allowed = (wanted.chars().count() / 3).max(1);
    let distance = |candidate: &str| {
        let candidate = plain(candidate);
        let part = wanted.len() >= 4 && candidate.len() >= 4;
        let inside = part && (candidate.contains(&wanted) || wanted.contains(&candidate));
        let steps = strsim::damerau_levenshtein(&wanted, &candidate);
        // A word within the other ("threshold" for "ecn_threshold") is meant unless something is closer.
        if inside { steps.min(allowed) } else { steps }
    };
    let candidates = words.into_iter().map(|candidate| (distance(candidate), candidate));
    // Of a letter or two, one step may leave nothing.
    let near = |distance: usize| distance <= allowed && (distance == 0 || distance < wanted.chars().count());
    candidates.filter(|(distance, _)| near(*distance)).min_by_key(|(distance, _)| *distance).map(|(_, word)| word)
}

/// Which of `words` `word` is, but for one slip of the fingers. For places where other words are right too, such as attributes of a
/// file that are somebody else's: there, [`nearest`] would take too many for misspelt.
pub fn misspelt<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LEAST_LETTERS: usize = 4; // of three letters one slip makes many a word
    let wanted = word.to_lowercase();
    let is_meant = |candidate: &&str| {
        let steps = strsim::damerau_levenshtein(&wanted, &candidate.to_lowercase());
        steps == 0 || (steps == 1 && candidate.len() >= LEAST_LETTERS)
    };
    words.into_iter().find(is_meant)
}

/// "did you mean fat-tree?", or all the words there are.
pub fn cure<'a>(what: &str, word: &str, words: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match nearest(word, words.clone()) {
        Some(near) => format!("did you mean {near}?"),
        None => format!("{what} {}", listed(words)),
    }
}

/// `a, b, c`.
pub fn listed<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    words.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_other_words_are_right_only_slips_are_misspelt() {
        let attributes = ["rate", "bandwidth", "id"];
        assert_eq!(misspelt("Rate", attributes), Some("rate"));
        assert_eq!(misspelt("bandwith", attributes), Some("bandwidth"));
        for own in ["bandwidths2", "maximum_rate", "ix", ""] {
            assert_eq!(misspelt(own, attributes), None, "{own}");
        }
    }

    #[test]
    fn finds_what_was_meant() {
        let kinds = ["fat-tree", "leaf-spine", "folded-clos", "star", "file"];
        assert_eq!(nearest("fat-tre", kinds), Some("fat-tree"));
        assert_eq!(nearest("FatTree", kinds), Some("fat-tree"));
        assert_eq!(nearest("clos", kinds), Some("folded-clos"));
        assert_eq!(nearest("torus", kinds), None);
        assert_eq!(nearest("", kinds), None);
        assert_eq!(nearest("x", ["y", "xy"]), None);
        assert_eq!(nearest("ab", ["ac"]), Some("ac"));
        assert_eq!(nearest("threshold", ["ecn_threshold", "priorities"]), Some("ecn_threshold"));
        assert_eq!(
            cure("the kinds are", "torus", kinds),
            "the kinds are fat-tree, leaf-spine, folded-clos, star, file"
        );
    }
}

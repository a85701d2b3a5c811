//! Completion of a line: fields, functions, macros, commands.

use super::session::Session;

/// The names known to a session, owned.
pub(super) struct Completion {
    expressions: sprag_cel::Completion,
    commands: Vec<&'static str>,
}

impl Completion {
    pub(super) fn new(session: &Session, commands: Vec<&'static str>) -> Completion {
        let variables = session.names().into_iter().filter_map(|name| Some((name, session.type_of(name)?))).collect();
        Completion { expressions: sprag_cel::Completion::new(session.env, variables), commands }
    }

    /// Returns the start of the last word of a line, and its completions.
    pub(super) fn complete(&self, line: &str) -> (usize, Vec<String>) {
        if line.starts_with(':') && !line.contains(' ') {
            let fitting = self.commands.iter().filter(|command| command.starts_with(line));
            return (0, fitting.map(|command| (*command).to_owned()).collect());
        }
        self.expressions.complete(line)
    }
}

#[cfg(test)]
mod tests {
    use super::super::session::Bound;
    use super::*;

    /// The completions of a line, at most three.
    fn complete(line: &str) -> String {
        let text = br#"{"replicas": 1, "items": [{"name": "a", "ports": [{"port": 1}]}], "labels": {"a": "b"}}"#;
        let new = Some(sprag_value::json::parse(text).expect("the value is JSON"));
        let completion = Completion::new(&Session::new(Bound::Values { new, old: None }, None), vec![":help", ":self"]);
        let (start, words) = completion.complete(line);
        let shown: Vec<String> = words.iter().take(3).map(|word| format!("{}{word}", &line[..start])).collect();
        shown.join(" ")
    }

    #[test]
    fn fields_follow_the_values() {
        assert_eq!(complete("self.re"), "self.replicas");
        assert_eq!(complete("self.items[0].na"), "self.items[0].name");
        assert_eq!(complete("self.items[0].ports[1].po"), "self.items[0].ports[1].port");
        assert_eq!(complete("1 + self.?repl"), "1 + self.?replicas");
        assert_eq!(complete("size(self.items) > 0 && sel"), "size(self.items) > 0 && self");
    }

    #[test]
    fn loop_variables_are_elements() {
        assert_eq!(complete("self.items.all(i, i.na"), "self.items.all(i, i.name");
        let nested = "self.items.all(i, i.ports.exists(p, p.po";
        assert_eq!(complete(nested), format!("{nested}rt"));
        assert_eq!(complete("x.all(i, i.por"), "");
    }

    #[test]
    fn functions_and_macros_are_known() {
        assert_eq!(complete("qu"), "quantity(");
        assert_eq!(complete("sets.c"), "sets.contains(");
        assert_eq!(complete("se"), "self semver( sets.");
        assert_eq!(complete("self.items.exi"), "self.items.exists( self.items.existsOne( self.items.exists_one(");
        assert_eq!(complete("'é'.upper"), "'é'.upperAscii(");
        assert_eq!(complete(":h"), ":help");
    }

    #[test]
    fn functions_fit_their_receiver() {
        assert_eq!(complete("self.items[0].name.si"), "self.items[0].name.size(");
        assert_eq!(complete("self.items[0].name.dist"), "");
        assert_eq!(complete("self.items.dist"), "self.items.distinct(");
        assert_eq!(complete("unknown.dist"), "unknown.distinct(");
    }

    #[test]
    fn odd_lines_complete_to_nothing() {
        for line in ["", "]", "self[", "self..", "self.items[", "é", "(i,i.", "....", ":x y"] {
            complete(line);
        }
        let nested = "(a,a.".repeat(20_000);
        complete(&nested);
    }
}

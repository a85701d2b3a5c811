//! Random types, as Go source, with rules of all stages in all places that can have one.

use std::fmt::Write as _;

use sprag_tags::Dialect;

use super::super::fuzz::Source;

/// The options that rules depend on.
pub(super) const OPTIONS: [&str; 2] = ["F", "G"];

/// The declarations of a kind `Widget` and all it is made of; `suffix` is part of their names.
pub(super) fn declarations(source: &mut Source, dialect: Dialect, suffix: &str) -> String {
    let mut types = Types { source, dialect, suffix, text: String::new() };
    types.kind();
    types.spec();
    types.part();
    types.scalars();
    types.text
}

/// The form of a field or element, as far as rules care.
#[derive(Clone, Copy, PartialEq)]
enum Form {
    Text,
    Number,
    Flag,
    Texts,
    Numbers,
    TextMap,
    Part,
    Parts,
    PartMap,
}

/// A field's Go type, its form, and whether it can be unset.
type FieldType = (&'static str, Form, bool);

const FIELDS: [FieldType; 17] = [
    ("string", Form::Text, true),
    ("*string", Form::Text, true),
    ("Word", Form::Text, true),
    ("*Word", Form::Text, true),
    ("Phase", Form::Text, true),
    ("int32", Form::Number, true),
    ("*int32", Form::Number, true),
    ("bool", Form::Flag, true),
    ("*bool", Form::Flag, true),
    ("[]string", Form::Texts, true),
    ("Words", Form::Texts, true),
    ("[]int32", Form::Numbers, true),
    ("map[string]string", Form::TextMap, true),
    ("map[string]Part", Form::PartMap, true),
    ("Part", Form::Part, false),
    ("*Part", Form::Part, true),
    ("[]Part", Form::Parts, true),
];

struct Types<'s> {
    source: &'s mut Source,
    dialect: Dialect,
    suffix: &'s str,
    text: String,
}

impl Types<'_> {
    fn is_kep(&self) -> bool {
        self.dialect == Dialect::Kep
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "{line}");
    }

    /// A rule on a line of its own.
    fn tag(&mut self, tag: &str) {
        self.line(&format!("\t// {tag}"));
    }

    fn kind(&mut self) {
        let suffix = self.suffix;
        self.line(&format!(
            "type Widget{suffix} struct {{\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\
             \tSpec Spec{suffix} `json:\"spec\"`\n}}\n"
        ));
    }

    fn spec(&mut self) {
        self.line(&format!("type Spec{} struct {{", self.suffix));
        let count = 2 + self.source.below(4);
        for index in 0..count {
            let field = *self.source.pick(&FIELDS);
            self.rules(field);
            if field.2 && self.source.chance(15) {
                let sibling = (index + 1) % count;
                let word = *self.source.pick(&["dependentRequired", "dependentForbidden"]);
                self.staged(&format!("+k8s:{word}(f{sibling})"));
            }
            self.field(&format!("F{index}"), field.0);
        }
        if self.source.chance(40) {
            self.union();
        }
        if self.source.chance(30) {
            self.modes();
        }
        if self.is_kep() && self.source.chance(30) {
            self.bound_by_field();
        }
        self.line("}\n");
    }

    fn field(&mut self, name: &str, ty: &str) {
        let own = ["Part", "Words", "Word", "Phase"].into_iter().find(|own| ty.ends_with(own));
        let suffix = own.map_or("", |_| self.suffix);
        let json = name.to_lowercase();
        self.line(&format!("\t{name} {ty}{suffix} `json:\"{json},omitempty\"`\n"));
    }

    /// The rules of a field.
    fn rules(&mut self, (_, form, can_be_unset): FieldType) {
        if matches!(form, Form::Parts) && self.source.chance(60) {
            self.tag("+k8s:listType=map");
            self.tag("+k8s:listMapKey=name");
            for _ in 0..self.source.below(3) {
                let rule = self.part_rule();
                let key = *self.source.pick(&["a", "b"]);
                self.wrapped(&format!("+k8s:item(name: \"{key}\")="), &rule);
            }
        } else if matches!(form, Form::Texts | Form::Numbers | Form::Parts) && self.source.chance(70) {
            let ty = *self.source.pick(&["atomic", "set"]);
            self.tag(&format!("+k8s:listType={ty}"));
        }
        if can_be_unset {
            match self.source.below(6) {
                0 => self.tag("+k8s:optional"),
                1 => self.tag("+k8s:required"),
                _ => {}
            }
            if self.source.chance(40) {
                let word = *self.source.pick(&["required", "optional", "forbidden"]);
                self.shadowed(&format!("+k8s:{word}"));
            }
        }
        for _ in 0..self.source.below(4) {
            let (wrapper, rule) = self.rule(form);
            self.wrapped(&wrapper, &rule);
        }
    }

    /// A wrapper, or none, and a rule for a value of this form.
    fn rule(&mut self, form: Form) -> (String, String) {
        let number = self.source.below(3);
        let plain = |text: String| (String::new(), text);
        match form {
            Form::Text => plain(self.text_rule()),
            Form::Number => plain(self.number_rule()),
            Form::Flag => plain((*self.source.pick(&["+k8s:neq=true", "+k8s:immutable", "+k8s:update=NoModify"])).to_owned()),
            Form::Texts | Form::Numbers => match self.source.below(6) {
                0 => plain(format!("+k8s:maxItems={number}")),
                1 => plain(format!("+k8s:minItems={}", number + 1)),
                2 => plain("+k8s:immutable".to_owned()),
                3 => plain("+k8s:update=NoSet".to_owned()),
                _ if form == Form::Texts => ("+k8s:eachVal=".to_owned(), self.text_rule()),
                _ => ("+k8s:eachVal=".to_owned(), self.number_rule()),
            },
            Form::TextMap => match self.source.below(5) {
                0 => plain(format!("+k8s:maxProperties={number}")),
                1 => plain(format!("+k8s:minProperties={}", number + 1)),
                2 => plain("+k8s:immutable".to_owned()),
                3 => ("+k8s:eachKey=".to_owned(), self.text_rule()),
                _ => ("+k8s:eachVal=".to_owned(), self.text_rule()),
            },
            Form::Part => match self.source.below(4) {
                0 => plain("+k8s:immutable".to_owned()),
                _ => plain(self.part_rule()),
            },
            Form::Parts => match self.source.below(5) {
                0 => plain(format!("+k8s:maxItems={number}")),
                1 => plain("+k8s:immutable".to_owned()),
                _ => ("+k8s:eachVal=".to_owned(), self.part_rule()),
            },
            Form::PartMap => match self.source.below(3) {
                0 => plain(format!("+k8s:maxProperties={number}")),
                _ => ("+k8s:eachVal=".to_owned(), self.part_rule()),
            },
        }
    }

    fn text_rule(&mut self) -> String {
        let number = self.source.below(3);
        match self.source.below(9) {
            0 => format!("+k8s:minLength={}", number + 1),
            1 | 2 => format!("+k8s:maxLength={number}"),
            3 => format!("+k8s:maxBytes={number}"),
            4 => "+k8s:format=k8s-short-name".to_owned(),
            5 => "+k8s:neq=\"a\"".to_owned(),
            6 => "+k8s:immutable".to_owned(),
            7 => "+k8s:validateFalse=\"no\"".to_owned(),
            _ => format!("+k8s:update={}", self.source.pick(&["NoSet", "NoUnset", "NoModify"])),
        }
    }

    fn number_rule(&mut self) -> String {
        let number = self.source.below(4);
        match self.source.below(6) {
            0 => format!("+k8s:minimum={number}"),
            1 => format!("+k8s:maximum={number}"),
            2 => format!("+k8s:neq={number}"),
            3 => "+k8s:monotonic".to_owned(),
            4 => "+k8s:immutable".to_owned(),
            _ => format!("+k8s:exclusiveMinimum={number}"),
        }
    }

    /// A rule for a `Part` from the outside; now and then with the stage at the inner rule.
    fn part_rule(&mut self) -> String {
        let presence = self.source.chance(20);
        let (field, rule) = match self.source.below(4) {
            0 => ("name", self.text_rule()),
            1 => ("value", self.number_rule()),
            2 if presence => ("text", (*self.source.pick(&["+k8s:required", "+k8s:optional"])).to_owned()),
            2 => ("text", self.text_rule()),
            _ => return "+k8s:immutable".to_owned(),
        };
        let stage = if self.source.chance(25) { self.stage() } else { String::new() };
        format!("+k8s:subfield({field})={stage}{rule}")
    }

    fn stage(&mut self) -> String {
        (*self.source.pick(&["+k8s:alpha=", "+k8s:beta="])).to_owned()
    }

    /// A stage, mostly, and conditions.
    fn prefix(&mut self) -> String {
        let mut prefix = if self.source.chance(65) { self.stage() } else { String::new() };
        if self.source.chance(15) {
            let word = *self.source.pick(&["ifEnabled", "ifDisabled"]);
            let option = *self.source.pick(&OPTIONS);
            let _ = write!(prefix, "+k8s:{word}({option})=");
        }
        if self.is_kep() && self.source.chance(8) {
            const RARE: [&str; 3] =
                ["+k8s:warn=", "+k8s:ifNotSubresource(\"/status\")=", "+k8s:ifSubresource(\"/status\")="];
            let rare = self.source.pick(&RARE);
            prefix.push_str(rare);
        }
        prefix
    }

    fn staged(&mut self, rule: &str) {
        let prefix = self.prefix();
        self.tag(&format!("{prefix}{rule}"));
    }

    fn shadowed(&mut self, rule: &str) {
        let stage = self.stage();
        self.tag(&format!("{stage}{rule}"));
    }

    /// A rule in a wrapper, with the prefix outside or inside of it.
    fn wrapped(&mut self, wrapper: &str, rule: &str) {
        let prefix = self.prefix();
        if self.source.chance(70) {
            self.tag(&format!("{prefix}{wrapper}{rule}"));
        } else {
            self.tag(&format!("{wrapper}{prefix}{rule}"));
        }
    }

    /// A union of fields of their own; all members have the same prefix.
    fn union(&mut self) {
        let prefix = self.prefix();
        let kind = self.source.below(4);
        let member = match kind {
            0 => "+k8s:zeroOrOneOfMember",
            1 if self.is_kep() => "+k8s:memberOf(group: u)",
            _ => "+k8s:unionMember",
        };
        if kind == 1 && self.is_kep() {
            self.tag("+k8s:union(union: u)");
        }
        if kind == 2 {
            self.tag(&format!("{prefix}+k8s:unionDiscriminator"));
            self.field("D", "Word");
        }
        for name in ["A", "B", "C"].into_iter().take(2 + self.source.below(2)) {
            self.tag(&format!("{prefix}{member}"));
            self.tag("+k8s:optional");
            let ty = *self.source.pick(&["*string", "*Part", "string", "int32"]);
            self.field(name, ty);
        }
    }

    /// Rules of modes; the reference takes rules of one field for stable when their stages differ, so there they do not.
    fn modes(&mut self) {
        self.tag("+k8s:modeDiscriminator");
        self.field("M", "string");
        for name in ["X", "Y"] {
            let uniform = self.stage();
            for _ in 0..=self.source.below(3) {
                let stage = match self.source.below(3) {
                    _ if !self.is_kep() => uniform.clone(),
                    0 => String::new(),
                    _ => self.stage(),
                };
                let mode = *self.source.pick(&["a", "b", "ccc"]);
                let rule = match self.source.below(3) {
                    0 => "+k8s:required".to_owned(),
                    _ => self.text_rule(),
                };
                self.tag(&format!("{stage}+k8s:ifMode(\"{mode}\")={rule}"));
            }
            self.field(name, "*string");
        }
    }

    fn bound_by_field(&mut self) {
        self.tag("+k8s:optional");
        self.field("Limit", "*int32");
        self.staged("+k8s:maximum(constraint: limit)");
        self.field("Level", "int32");
    }

    fn part(&mut self) {
        self.line(&format!("type Part{} struct {{", self.suffix));
        for (name, ty, form) in
            [("Name", "string", Form::Text), ("Value", "int32", Form::Number), ("Text", "*string", Form::Text)]
        {
            if self.source.chance(30) {
                let word = *self.source.pick(&["required", "optional"]);
                self.shadowed(&format!("+k8s:{word}"));
            }
            if self.source.chance(40) {
                let (wrapper, rule) = self.rule(form);
                self.wrapped(&wrapper, &rule);
            }
            self.field(name, ty);
        }
        self.line("}\n");
    }

    /// Named strings and lists, with rules on the type itself.
    fn scalars(&mut self) {
        for (name, ty, form) in [("Word", "string", Form::Text), ("Words", "[]string", Form::Texts)] {
            for _ in 0..self.source.below(3) {
                let rule = match form {
                    Form::Texts => format!("+k8s:maxItems={}", self.source.below(3)),
                    _ => format!("+k8s:maxLength={}", self.source.below(3)),
                };
                let prefix = self.prefix();
                self.line(&format!("// {prefix}{rule}"));
            }
            self.line(&format!("type {name}{} {ty}\n", self.suffix));
        }
        let stage = if self.source.chance(60) { self.stage() } else { String::new() };
        self.line(&format!("// {stage}+k8s:enum"));
        let suffix = self.suffix;
        self.line(&format!("type Phase{suffix} string\n\nconst (\n\tPhase{suffix}A Phase{suffix} = \"a\"\n\tPhase{suffix}B Phase{suffix} = \"bb\"\n)\n"));
    }
}

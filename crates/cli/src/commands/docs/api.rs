//! The reference of an API, as Markdown or as one page of HTML.

use std::fmt::Write as _;

use crate::apidoc::Node;

/// The reference as Markdown.
pub(super) fn markdown(nodes: &[Node]) -> String {
    let mut page = "# API reference\n".to_owned();
    for node in nodes {
        let _ = write!(page, "\n## {}\n", node.name);
        paragraph(&mut page, &node.doc);
        list(&mut page, node);
        if !node.fields.is_empty() {
            page.push_str("\n| field | type | required | default | rules |\n|---|---|---|---|---|\n");
            node.fields.iter().for_each(|field| row(&mut page, "", field));
        }
    }
    page
}

/// A text with the releases of Kubernetes that it is about, if not all.
fn in_its_releases(text: &str, releases: Option<&str>) -> String {
    releases.map_or(text.to_owned(), |releases| format!("{text}, {releases}"))
}

fn paragraph(page: &mut String, doc: &str) {
    if !doc.is_empty() {
        let _ = write!(page, "\n{}\n", doc.trim());
    }
}

fn list(page: &mut String, node: &Node) {
    if !node.rules.is_empty() {
        page.push('\n');
    }
    for rule in &node.rules {
        let _ = writeln!(page, "- {} (`{}`)", in_its_releases(&rule.words, rule.releases.as_deref()), rule.rule);
    }
}

fn row(page: &mut String, prefix: &str, node: &Node) {
    let cell = |text: &str| text.replace('|', "\\|").replace('\n', " ");
    let name = format!("{prefix}{}", node.name);
    let rules: Vec<String> =
        node.rules.iter().map(|rule| cell(&in_its_releases(&rule.words, rule.releases.as_deref()))).collect();
    let required = if node.required { "yes" } else { "" };
    let default = node.default.as_ref().map_or(String::new(), |default| format!("`{}`", cell(default)));
    let _ = writeln!(
        page,
        "| `{name}` | {} | {required} | {default} | {} |",
        cell(&in_its_releases(&node.ty, node.releases.as_deref())),
        rules.join("; ")
    );
    node.fields.iter().for_each(|field| row(page, &format!("{name}."), field));
}

const HEAD: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>API reference</title><style>
body{font-family:system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}
input{width:100%;padding:.5rem;font-size:1rem}table{border-collapse:collapse;width:100%}
td,th{border:1px solid #ccc;padding:.3rem;text-align:left;vertical-align:top}code{background:#eee}
</style></head><body><h1>API reference</h1><input id=\"q\" placeholder=\"Search fields and types\" autofocus>
";

const TAIL: &str = "<script>
const q=document.getElementById('q');
q.addEventListener('input',()=>{const w=q.value.toLowerCase();
for(const s of document.querySelectorAll('section')){let any=s.querySelector('h2').textContent.toLowerCase().includes(w);
for(const r of s.querySelectorAll('tbody tr')){const hit=r.textContent.toLowerCase().includes(w);r.hidden=!hit&&!any;any=any||hit}
s.hidden=!any}});
</script></body></html>
";

/// The reference as one page that needs nothing else.
pub(super) fn html(nodes: &[Node]) -> String {
    let mut page = HEAD.to_owned();
    for node in nodes {
        let _ = write!(page, "<section><h2>{}</h2><p>{}</p><ul>", escaped(&node.name), escaped(&node.doc));
        for rule in &node.rules {
            let _ = write!(
                page,
                "<li>{} <code>{}</code></li>",
                escaped(&in_its_releases(&rule.words, rule.releases.as_deref())),
                escaped(&rule.rule)
            );
        }
        page.push_str(
            "</ul><table><thead><tr><th>field</th><th>type</th><th>default</th><th>rules</th></tr></thead><tbody>\n",
        );
        node.fields.iter().for_each(|field| html_row(&mut page, "", field));
        page.push_str("</tbody></table></section>\n");
    }
    page + TAIL
}

fn html_row(page: &mut String, prefix: &str, node: &Node) {
    let name = format!("{prefix}{}", node.name);
    let rules: Vec<String> = node.rules.iter().map(|rule| escaped(&rule.words)).collect();
    let required = if node.required { " <b>required</b>" } else { "" };
    let default = escaped(node.default.as_deref().unwrap_or_default());
    let _ = writeln!(
        page,
        "<tr><td><code>{}</code>{required}<br>{}</td><td>{}</td><td>{default}</td><td>{}</td></tr>",
        escaped(&name),
        escaped(&node.doc),
        escaped(&in_its_releases(&node.ty, node.releases.as_deref())),
        rules.join("<br>")
    );
    node.fields.iter().for_each(|field| html_row(page, &format!("{name}."), field));
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

//! The book: its summary, its links, the pages that are printed, and what pages say about the code.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use expect_test::expect_file;

use crate::run::sprag;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn root(path: &str) -> PathBuf {
    Path::new(ROOT).join(path)
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The Markdown files of a folder and below.
fn markdown(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            markdown(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
}

/// The pages that a reader meets: those of the book and those at the top of the repository.
fn pages() -> Vec<PathBuf> {
    let mut pages = Vec::new();
    markdown(&root("docs"), &mut pages);
    let top = fs::read_dir(ROOT).unwrap().map(|entry| entry.unwrap().path());
    pages.extend(top.filter(|path| path.extension().is_some_and(|extension| extension == "md")));
    pages.push(root("crates/conformance/recorded/README.md"));
    pages.sort();
    pages
}

/// The lines outside of code blocks, without inline code.
fn prose(page: &str) -> Vec<String> {
    let mut in_code = false;
    let mut lines = Vec::new();
    for line in page.lines() {
        if line.trim_start().starts_with("```") {
            in_code = !in_code;
        } else if !in_code {
            let outside = line.split('`').enumerate().filter(|(at, _)| at % 2 == 0).map(|(_, part)| part);
            lines.push(outside.collect::<Vec<_>>().join(""));
        }
    }
    lines
}

/// The targets of the links of a page.
fn links(page: &str) -> Vec<String> {
    let mut links = Vec::new();
    for line in prose(page) {
        for part in line.split("](").skip(1) {
            links.push(part.split(')').next().unwrap().to_owned());
        }
    }
    links
}

/// The anchors that the headings of a page have.
fn anchors(page: &str) -> BTreeSet<String> {
    let mut in_code = false;
    let mut anchors = BTreeSet::new();
    for line in page.lines() {
        if line.starts_with("```") {
            in_code = !in_code;
        }
        if in_code || !line.starts_with('#') {
            continue;
        }
        let heading = line.trim_start_matches('#').trim().to_lowercase();
        let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        anchors.insert(kept.map(|c| if c == ' ' { '-' } else { c }).collect());
    }
    anchors
}

#[test]
fn every_page_is_in_the_summary() {
    let summary: BTreeSet<String> = links(&read(&root("docs/SUMMARY.md"))).into_iter().collect();
    let mut pages = Vec::new();
    markdown(&root("docs"), &mut pages);
    let docs = root("docs");
    let named = pages.iter().map(|page| page.strip_prefix(&docs).unwrap().display().to_string());
    let expected: BTreeSet<String> = named.filter(|page| page != "SUMMARY.md").collect();
    assert_eq!(summary.iter().filter(|link| !expected.contains(*link)).collect::<Vec<_>>(), [""; 0], "lead nowhere");
    assert_eq!(expected.difference(&summary).collect::<Vec<_>>(), [""; 0], "are not in docs/SUMMARY.md");
}

#[test]
fn links_lead_somewhere() {
    let mut dead = Vec::new();
    for page in pages() {
        for link in links(&read(&page)) {
            if link.starts_with("http://") || link.starts_with("https://") {
                continue;
            }
            let (path, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            if !target.exists() || (!anchor.is_empty() && !anchors(&read(&target)).contains(anchor)) {
                dead.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert_eq!(dead, [""; 0]);
}

#[test]
fn pages_of_commands_are_current() {
    let index = sprag(&["docs", "commands"], "").stdout;
    expect_file![concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/commands.md")].assert_eq(&index);
    let names: BTreeSet<String> = links(&index).into_iter().collect();
    for link in &names {
        let name = link.strip_prefix("commands/").and_then(|link| link.strip_suffix(".md")).unwrap();
        let page = sprag(&["docs", "commands", name], "");
        assert_eq!((page.stderr.as_str(), page.code), ("", Some(0)));
        expect_file![root("docs").join(link)].assert_eq(&page.stdout);
    }
    let written = fs::read_dir(root("docs/commands")).unwrap().map(|entry| entry.unwrap().file_name());
    let written: BTreeSet<String> = written.map(|name| format!("commands/{}", name.to_str().unwrap())).collect();
    assert_eq!(written, names);
}

#[test]
fn an_unknown_command_has_no_page() {
    let run = sprag(&["docs", "commands", "validat"], "");
    assert_eq!(
        (run.stderr.as_str(), run.code),
        ("error: there is no command \"validat\": did you mean validate?\n", Some(2))
    );
}

/// The files that a page shows, by name.
fn shown_files(page: &str) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some((_, name)) = line.strip_prefix("```").and_then(|fence| fence.split_once("example=")) {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            files.insert(name.to_owned(), format!("{}\n", block.join("\n")));
        }
    }
    files
}

#[test]
fn the_first_api_is_the_example() {
    let shown = shown_files(&read(&root("docs/first-api.md")));
    assert_eq!(shown.len(), 5);
    for (name, text) in shown {
        assert_eq!(text, read(&root("examples/gadgets").join(&name)), "examples/gadgets/{name}");
    }
}

/// The commands of `sprag` in the code blocks of a page. Those of `console` blocks are run by another test.
fn commands_of(page: &str) -> Vec<String> {
    let mut fence = None;
    let mut commands = Vec::new();
    for line in page.lines() {
        if let Some(language) = line.strip_prefix("```") {
            fence = if fence.is_some() { None } else { Some(language) };
            continue;
        }
        let is_code = fence.is_some_and(|language| matches!(language, "sh" | "yaml"));
        let Some((before, command)) = line.split_once("sprag ").filter(|_| is_code) else { continue };
        let is_start = before.trim_matches([' ', '-', '$']).is_empty();
        let is_command = is_start || ["| ", ": ", "$("].iter().any(|end| before.ends_with(end));
        if is_command && !before.contains('#') {
            commands.push(command.split(['>', '|', '#', '&', ')', '\\']).next().unwrap().trim().to_owned());
        }
    }
    commands
}

/// With `--help` behind them, commands are parsed and nothing runs.
#[test]
fn commands_in_guides_are_known() {
    let mut count = 0;
    for page in
        ["docs/ci.md", "docs/test-server.md", "docs/first-api.md", "docs/serve.md", "docs/operate.md", "README.md"]
    {
        for command in commands_of(&read(&root(page))) {
            // What stands behind `--` is another command.
            let args: Vec<&str> = command.split(' ').take_while(|arg| *arg != "--").chain(["--help"]).collect();
            let run = sprag(&args, "");
            assert_eq!(run.code, Some(0), "{page}: sprag {command}\n{}", run.stderr);
            count += 1;
        }
    }
    assert!(count > 10, "{count}");
}

/// The names of all functions in the workspace, which tests are among.
fn functions(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let path = entry.path();
        if path.is_dir() {
            functions(&path, names);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let text = read(&path);
            names.extend(
                text.split("fn ").skip(1).map(|rest| {
                    rest.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect::<String>()
                }),
            );
        }
    }
}

#[test]
fn divergences_name_tests_that_exist() {
    let mut names = BTreeSet::new();
    functions(&root("crates"), &mut names);
    functions(&root("examples"), &mut names);
    let page = read(&root("DIVERGENCES.md"));
    let mut missing = Vec::new();
    for line in page.lines().filter(|line| line.starts_with("| ")) {
        let cell = line.trim_end_matches('|').trim_end().rsplit(" | ").next().unwrap();
        let is_suite = cell.contains("suite");
        for name in cell.split('`').skip(1).step_by(2) {
            let is_missing = if name.starts_with("crates/") {
                !root(name).exists()
            } else {
                let last = name.rsplit("::").next().unwrap();
                let is_name = last.contains('_')
                    && last.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
                is_name && !is_suite && !names.contains(last)
            };
            if is_missing {
                missing.push(name.to_owned());
            }
        }
    }
    assert_eq!(missing, [""; 0]);
}

#[test]
fn the_map_lists_every_crate_after_those_it_uses() {
    let page = read(&root("ARCHITECTURE.md"));
    let (_, map) = page.split_once("\n## Where is the code that").unwrap();
    let (map, _) = map.split_once("\n\nA crate depends only").unwrap();
    let order: Vec<&str> =
        map.lines().filter_map(|line| line.strip_suffix("` |")).map(|line| line.rsplit('`').next().unwrap()).collect();
    let crates = fs::read_dir(root("crates")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert_eq!(crates.collect::<BTreeSet<_>>(), order.iter().map(|&name| name.to_owned()).collect());
    for (at, name) in order.iter().enumerate() {
        let manifest = read(&root("crates").join(name).join("Cargo.toml"));
        let sections = manifest
            .split("\n[")
            .filter(|section| section.starts_with("dependencies]") || section.starts_with("build-dependencies]"));
        for line in sections.flat_map(str::lines).filter_map(|line| line.strip_prefix("sprag-")) {
            let used: String = line.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
            assert!(order[..at].contains(&used.as_str()), "{name} uses {used}, which is below it");
        }
    }
}

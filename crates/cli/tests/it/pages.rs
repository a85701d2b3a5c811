//! The README and the pages under `docs/`: their files are written, their commands run, and what those print is what the page says.

use std::path::Path;

use expect_test::expect_file;

use crate::run;
use crate::scratch::Scratch;

/// The page with the output of its commands as it is now.
fn rewritten(name: &str, page: &str) -> String {
    let scratch = Scratch::new(&name.replace("../", ""));
    let mut result = String::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        result.push_str(line);
        result.push('\n');
        let Some(fence) = line.strip_prefix("```").filter(|fence| !fence.is_empty()) else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        if let Some((_, file)) = fence.split_once("file=") {
            scratch.write(file, &format!("{}\n", block.join("\n")));
        }
        if fence == "console" {
            let command = block[0].strip_prefix("$ ").unwrap();
            // From a clone, on the files of the repository.
            if let Some(command) = command.strip_prefix("cargo run -- ") {
                let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
                let run = run::sprag_in(root, &command.split(' ').collect::<Vec<_>>(), "");
                result.extend([block[0], "\n", &run.stdout, &run.stderr, "```\n"]);
                continue;
            }
            let (input, command) = command.rsplit_once("sprag ").unwrap();
            // `cat FILE | sprag …` reads a file of the page.
            let file = input.strip_prefix("cat ").and_then(|input| input.strip_suffix(" | "));
            let input = file.map(|file| std::fs::read_to_string(scratch.dir().join(file)).unwrap());
            let args: Vec<&str> = command.split(' ').collect();
            let run = run::sprag_in(scratch.dir(), &args, input.unwrap_or_default());
            result.extend([block[0], "\n", &run.stdout, &run.stderr]);
        } else {
            result.extend(block.iter().map(|line| format!("{line}\n")));
        }
        result.push_str("```\n");
    }
    result
}

macro_rules! pages {
    ($($test:ident: $page:literal),*) => {
        $(#[test]
        fn $test() {
            let page = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/", $page));
            expect_file![concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/", $page)].assert_eq(&rewritten($page, page));
        })*
    };
}

pages!(
    admission_says_what_it_does: "admission.md",
    api_says_what_it_does: "api.md",
    ci_says_what_it_does: "ci.md",
    crd_says_what_it_does: "crd.md",
    first_api_says_what_it_does: "first-api.md",
    install_says_what_it_does: "install.md",
    migration_says_what_it_does: "migration.md",
    policies_say_what_they_do: "policies.md",
    readme_says_what_it_does: "../README.md",
    ratcheting_says_what_it_does: "ratcheting.md",
    test_says_what_it_does: "test.md",
    upgrade_says_what_it_does: "upgrade.md",
    validate_says_what_it_does: "validate.md"
);

//! Help, version, and what is wrong with a command line.

use expect_test::expect;

use crate::run::{check, command};

#[expect(clippy::too_many_lines, reason = "a snapshot of every help page")]
#[test]
fn help_shows_examples_for_every_command() {
    check(
        &["--help"],
        "",
        &expect![[r#"
            Kubernetes API validation without a server: validate manifests, check definitions and types, test rules

            Usage: sprag [OPTIONS] [COMMAND]

            Commands:
              api          Print a snapshot of an API, and compare it with its last release
              backup       Copy the objects of a data folder to a file, also while its server runs
              cel          Evaluate CEL expressions as Kubernetes does
              check        Check an object against the tags of its type
              completions  Print a script by which a shell completes commands and flags
              coverage     List the rules of types that no test triggers
              crd          Check definitions of custom resources
              crds         Keep definitions of custom resources in the repository, for all commands
              docs         Print reference pages
              doctor       Show what counts in this folder, and from where: release, settings, definitions, gates
              envtest      Serve tests that use envtest, in place of kube-apiserver and etcd
              explain      Print the rules of a type or field, and where each comes from
              gen          Generate Rust types and validators
              kubeconfig   Print a kubeconfig for a user and groups
              lint         Find mistakes in API types and definitions of custom resources
              lsp          Serve an editor: diagnostics, hover, completion and fixes while you type
              man          Write the manual pages of all commands to a folder
              restore      Put the objects of a backup into a data folder that has none
              run          Run a command against a Kubernetes API of its own, in memory
              serve        Serve built-in kinds and custom resources as a Kubernetes API server
              test         Run tests for the rules of custom resources and declared types
              upgrade      Report what an upgrade of Kubernetes rejects, warns of and changes
              validate     Validate manifests as the API server would
              version      Print the version, the commit and the release of Kubernetes that is emulated
              help         Print this message or the help of the given subcommand(s)

            Options:
                  --color <WHEN>  Coloured output: auto, always or never; `NO_COLOR` and `FORCE_COLOR` count for auto [default: auto]
              -h, --help          Print help
              -V, --version       Print version

            Exit codes: 0 clean, 1 findings, 2 usage or I/O

            Examples:
              sprag validate -f manifests/ -R --crds crds/ --base origin/main
              sprag serve --crds config/crd/
              sprag run -- kubectl create deployment web --image=nginx:1.29
              KUBEBUILDER_ASSETS=$(sprag envtest path) go test ./...
              sprag check --types ./api/v1 --type Widget -f widget.json
              sprag gen --types ./api/v1 --out src/generated
              sprag docs tags > tags.md
              sprag cel eval 'self.replicas <= 5' --self widget.json
            --- exit 0
        "#]],
    );
    check(
        &["cel", "--help"],
        "",
        &expect![[r#"
            Evaluate CEL expressions as Kubernetes does

            Usage: sprag cel [OPTIONS] <COMMAND>

            Commands:
              cost  Estimate the cost of the rules of definitions
              eval  Evaluate an expression: its value, type and cost
              repl  Evaluate expressions line by line
              help  Print this message or the help of the given subcommand(s)

            Options:
                  --color <WHEN>  Coloured output: auto, always or never; `NO_COLOR` and `FORCE_COLOR` count for auto [default: auto]
              -h, --help          Print help
            --- exit 0
        "#]],
    );
    check(
        &["cel", "eval", "--help"],
        "",
        &expect![[r#"
            Evaluate an expression: its value, type and cost

            Usage: sprag cel eval [OPTIONS] [EXPR]

            Arguments:
              [EXPR]  The expression; without one, with --crd, the rules that the definition has at --path

            Options:
                  --color <WHEN>                  Coloured output: auto, always or never; `NO_COLOR` and `FORCE_COLOR` count for auto [default: auto]
                  --self <VALUE>                  The value of `self`: a file, JSON that begins with a brace or bracket, or `-` for standard input
                  --old <VALUE>                   The value of `oldSelf`
                  --crd <PATH>                    Types and rules of this definition: file, folder, git:REV:PATH or `-`
                  --path <FIELD>                  Path of the expression in the schema of --crd, as in spec.list[0]
                  --object <VALUE>                The value of `object`, for expressions of admission policies
                  --old-object <VALUE>            The value of `oldObject`
                  --request <VALUE>               The value of `request` [default: one that fits the objects]
                  --params <VALUE>                The value of `params`
                  --namespace-object <VALUE>      The value of `namespaceObject`
                  --kubernetes-version <VERSION>  The release of Kubernetes whose new expressions these are
                  --explain                       Show where the estimated cost comes from
              -o, --output <FORMAT>               Output format: text or json [default: text]
              -h, --help                          Print help

            Without --crd, the types of `self` and `oldSelf` are inferred from their values. An expression that does not fit them runs
            untyped, with a warning that says why. The estimated cost assumes values as large as a request can carry, as the API server
            does for a schema without maxItems, maxLength and maxProperties.

            With --crd, an object of the definition gets its defaults, and --path leads to `self` in it; what has no kind is `self` itself.

            Of the variables of admission policies, `object`, `oldObject`, `request`, `params` and `namespaceObject` are there;
            `authorizer` and `variables` are not. Those that are not given are null.

            Exit codes: 0 a value (also false), 1 the expression does not compile or fails, or a rule does not hold, 2 usage or I/O

            Examples:
              sprag cel eval '1 + 2'
              sprag cel eval 'self.replicas <= self.maxReplicas' --self widget.yaml
              sprag cel eval 'self.a.b + 1' --self '{"a": {"b": 1}}'
              sprag cel eval '!has(oldSelf.class) || self.class == oldSelf.class' --self new.json --old old.json
              kubectl get deploy web -o json | sprag cel eval 'self.spec.template.spec.containers.map(c, c.image)' --self -
              sprag cel eval 'self.items.all(i, i.name.size() < 64)' --self list.json --explain
              sprag cel eval '[3, 1, 2].sort()' --kubernetes-version 1.35
              sprag cel eval --crd crds/widgets.yaml --path spec --self widget.yaml
              sprag cel eval 'object.spec.replicas <= params.maxReplicas' --object widget.yaml --params params.yaml
            --- exit 0
        "#]],
    );
    check(
        &["cel", "repl", "--help"],
        "",
        &expect![[r#"
            Evaluate expressions line by line

            Usage: sprag cel repl [OPTIONS]

            Options:
                  --color <WHEN>                  Coloured output: auto, always or never; `NO_COLOR` and `FORCE_COLOR` count for auto [default: auto]
                  --self <VALUE>                  The value of `self`: a file, JSON that begins with a brace or bracket, or `-` for standard input
                  --old <VALUE>                   The value of `oldSelf`
                  --crd <PATH>                    Types and rules of this definition: file, folder, git:REV:PATH or `-`
                  --path <FIELD>                  Path of the expression in the schema of --crd, as in spec.list[0]
                  --object <VALUE>                The value of `object`, for expressions of admission policies
                  --old-object <VALUE>            The value of `oldObject`
                  --request <VALUE>               The value of `request` [default: one that fits the objects]
                  --params <VALUE>                The value of `params`
                  --namespace-object <VALUE>      The value of `namespaceObject`
                  --kubernetes-version <VERSION>  The release of Kubernetes whose new expressions these are
              -h, --help                          Print help

            Tab completes fields and functions, the arrow keys recall earlier lines, Ctrl-C drops a line, Ctrl-D leaves.
            Lines may also come from a pipe; then the exit code is 1 if one of them fails.

            Examples:
              sprag cel repl --self widget.json
              echo 'size("hello")' | sprag cel repl
            --- exit 0
        "#]],
    );
    check(
        &["check", "--help"],
        "",
        &expect![[r#"
            Check an object against the tags of its type

            Usage: sprag check [OPTIONS] --types <PATH> --filename <FILE>

            Options:
                  --color <WHEN>                   Coloured output: auto, always or never; `NO_COLOR` and `FORCE_COLOR` count for auto [default: auto]
                  --types <PATH>                   Go package directory, Go file, Rust file or Rust source directory; may be repeated
              -R, --recursive                      Also read the directories below
                  --dialect <DIALECT>              Dialect of the tags, kep or kubernetes [default: as the package says, or its language]
                  --follow-links                   Read and write through links that lead out of their tree
                  --tags <FILE>                    File that declares tags of your own; may be repeated
                  --type <TYPE>                    Name of the object's type, with its package where that is needed [default: the object's kind]
              -f, --filename <FILE>                The object, as JSON or YAML; `-` reads standard input
                  --old <FILE>                     The object before the update; without it the object is created
                  --option <NAME=BOOL>             An option that rules depend on, of any name; may be repeated
                  --feature-gates <NAME=BOOL,...>  Feature gates of Kubernetes or of the types, as kube-apiserver takes them; others have their default of v1.37
                  --kubernetes-version <VERSION>   Release of Kubernetes, from 1.33 on, for types with `+sprag:since` or `+sprag:until` [default: 1.37]
                  --subresource <NAME>             The subresource of the request, such as `status`
              -o, --output <FORMAT>                Output format: text or json [default: text]
              -h, --help                           Print help

            Errors go to standard output, one per line, as Kubernetes prints them. Warnings, notes and findings about the
            types go to standard error.

            Examples:
              sprag check --types ./api/v1 --type Widget -f widget.json
              sprag check --types src/widget.rs -f new.json --old old.json --option WidgetPriority=true
              kubectl get deploy web -o json | sprag check --types ~/go/pkg/mod/k8s.io/api@v0.34.0/apps/v1 -f - --subresource status
            --- exit 0
        "#]],
    );
    check(
        &["gen", "--help"],
        "",
        &expect![[r#"
            Generate Rust types and validators

            Usage: sprag gen [OPTIONS] --types <PATH>
                   sprag gen <COMMAND>

            Commands:
              crd      Generate definitions of custom resources from types, for clusters that do not run Sprag
              openapi  Generate an `OpenAPI` document with the schemas of all kinds
              help     Print this message or the help of the given subcommand(s)

            Options:
                  --color <WHEN>             Coloured output: auto, always or never; `NO_COLOR` and `FORCE_COLOR` count for auto [default: auto]
                  --types <PATH>             Go package directory, Go file, Rust file or Rust source directory; may be repeated
              -R, --recursive                Also read the directories below
                  --dialect <DIALECT>        Dialect of the tags, kep or kubernetes [default: as the package says, or its language]
                  --follow-links             Read and write through links that lead out of their tree
                  --tags <FILE>              File that declares tags of your own; may be repeated
                  --out <DIR>                Directory to write to
                  --lint                     Write nothing, and print what the linter of upstream's validation-gen says; `sprag lint` says more
                  --verify                   Write nothing, and fail when a file is stale, missing or left over
                  --runtime-path <PATH>      Module with the functions that validators call [default: ::sprag::checks]
                  --value-path <PATH>        Module with dynamic values and Kubernetes' scalar types [default: ::sprag::value]
                  --hooks-path <PATH>        Module with the hand-written checks [default: crate::hooks]
                  --hook-stubs <FILE>        File to add a stub to for each hand-written check that it does not have
                  --all-kinds                Also make validators of the kinds that `+k8s:validation-gen` of their packages does not select
                  --type-path <MODULE=PATH>  Path of the types of a Rust module, seen from the generated code; may be repeated
                  --readonly-pkg <IMPORT>    Imported package whose rules apply too, any other being refused; may be repeated [default: all that are found]
              -h, --help                     Print help

            Of Go packages, Rust types and their validators are written; of Rust modules, validators only. Nothing is written
            when a tag is wrong. Files are replaced only when they change.

            Validators are made of the types that `+k8s:validation-gen` of their package selects, as upstream's validation-gen does,
            and of all types of a package without that tag. Kinds that are left out are named.

            `sprag gen crd` makes definitions of custom resources instead.

            Examples:
              sprag gen --types ~/go/pkg/mod/k8s.io/api@v0.34.0/core/v1 --out src/generated
              sprag gen --types src/widget.rs --type-path widget=crate::widget --out src/generated
              sprag gen --types ~/go/pkg/mod/k8s.io/api@v0.34.0/resource/v1 --all-kinds --out src/generated --hook-stubs src/hooks.rs
              sprag gen --types ./api -R --out src/generated --verify
            --- exit 0
        "#]],
    );
    check(
        &["docs", "--help"],
        "",
        &expect![[r#"
            Print reference pages

            Usage: sprag docs [OPTIONS] <COMMAND>

            Commands:
              api       An API: types, fields, defaults and rules in plain words, of Go, Rust, definitions or built-in kinds
              commands  The commands: a list of all, or the help of one with its subcommands
              tags      The tags: where they may stand, what they take, what they do
              kinds     The built-in kinds: versions, subresources, how much of them tags judge, what is not judged
              lint      The rules of `sprag lint`: what they find, why, and what to do
              help      Print this message or the help of the given subcommand(s)

            Options:
                  --color <WHEN>  Coloured output: auto, always or never; `NO_COLOR` and `FORCE_COLOR` count for auto [default: auto]
              -h, --help          Print help
            --- exit 0
        "#]],
    );
    check(
        &["docs", "tags", "--help"],
        "",
        &expect![[r#"
            The tags: where they may stand, what they take, what they do

            Usage: sprag docs tags [OPTIONS]

            Options:
                  --color <WHEN>     Coloured output: auto, always or never; `NO_COLOR` and `FORCE_COLOR` count for auto [default: auto]
                  --format <FORMAT>  Format of the page: markdown or json [default: markdown]
                  --tags <FILE>      File that declares tags of your own; may be repeated
              -h, --help             Print help

            Examples:
              sprag docs tags > tags.md
              sprag docs tags --tags api/tags.yaml
              sprag docs tags --format json | jq '.tags[].name'
            --- exit 0
        "#]],
    );
}

#[test]
fn the_version_is_that_of_the_package() {
    check(
        &["--version"],
        "",
        &expect![[r#"
        sprag 0.1.0
        --- exit 0
    "#]],
    );
}

#[test]
fn wrong_usage_exits_with_two() {
    check(
        &["chek"],
        "",
        &expect![[r#"
            --- stderr
            error: unrecognized subcommand 'chek'

              tip: some similar subcommands exist: 'cel', 'check'

            Usage: sprag [OPTIONS] [COMMAND]

            For more information, try '--help'.
            --- exit 2
        "#]],
    );
    check(
        &["check", "--types", "go/v1"],
        "",
        &expect![[r#"
        --- stderr
        error: the following required arguments were not provided:
          --filename <FILE>

        Usage: sprag check --types <PATH> --filename <FILE>

        For more information, try '--help'.
        --- exit 2
    "#]],
    );
    check(
        &["check", "--types", "go/v1", "-f", "-", "--option", "X=maybe"],
        "",
        &expect![[r#"
        --- stderr
        error: invalid value 'X=maybe' for '--option <NAME=BOOL>': "X=maybe" is not of the form NAME=true or NAME=false

        For more information, try '--help'.
        --- exit 2
    "#]],
    );
    check(
        &["check", "--types", "go/v1", "-f", "-", "--dialect", "latin"],
        "",
        &expect![[r#"
        --- stderr
        error: invalid value 'latin' for '--dialect <DIALECT>'
          [possible values: kep, kubernetes]

        For more information, try '--help'.
        --- exit 2
    "#]],
    );
    check(
        &["check", "--types", "go/v1", "-f", "-", "--old", "-"],
        "",
        &expect![[r#"
        --- stderr
        error: only one of -f and --old can be read from standard input
        --- exit 2
    "#]],
    );
}

#[test]
fn a_closed_reader_is_no_failure() {
    let object = ["--type", "WidgetSpec", "-f", "objects/spec-bad.json", "--option", "WidgetPriority=true"];
    let check = [&["check", "--types", "widget.rs"], &object[..]].concat();
    for args in [&["docs", "tags"][..], &["--help"], &check] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(args).stdout(writer).output().unwrap();
        assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(0), String::new()));
    }
}

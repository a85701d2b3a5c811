//! Acceptance of definitions: one large one, and all of a corpus from text to verdict.

use std::fs;
use std::path::Path;

use divan::{AllocProfiler, Bencher, black_box};
use sprag_release::Release;
use sprag_schema::accept;
use sprag_schema::crd::{Crd, prepare};
use sprag_value::Value;

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/corpus/crds");

#[expect(clippy::print_stderr, reason = "says why nothing is measured")]
fn main() {
    if Path::new(CORPUS).is_dir() {
        divan::main();
    } else {
        eprintln!("skipped: {CORPUS} is missing");
    }
}

#[expect(clippy::disallowed_methods, reason = "a bench reads its input")]
/// All texts of the corpus, or those whose names contain a word.
fn texts(word: &str) -> Vec<Vec<u8>> {
    let files = fs::read_dir(CORPUS).expect("the corpus is a folder");
    let paths = files.filter_map(|file| Some(file.ok()?.path()));
    let yaml = paths.filter(|path| path.extension().is_some_and(|extension| extension == "yaml"));
    yaml.filter(|path| path.to_string_lossy().contains(word)).filter_map(|path| fs::read(path).ok()).collect()
}

fn manifest(text: &[u8]) -> Value {
    let mut manifest = sprag_decode::yaml::decode(text).expect("the corpus is YAML");
    prepare::set_defaults(&mut manifest);
    prepare::for_create(&mut manifest);
    manifest
}

#[divan::bench(args = ["httproutes", "certificates", "prometheuses"])]
fn definition(bencher: Bencher, word: &str) {
    let text = texts(word).into_iter().max_by_key(Vec::len).expect("the corpus has it");
    let crd = Crd::read(&manifest(&text)).expect("the corpus has definitions");
    bencher.bench(|| accept::create(black_box(&crd), Release::NEWEST).errors.len());
}

#[divan::bench(sample_count = 10, sample_size = 1)]
fn corpus_from_text(bencher: Bencher) {
    let texts = texts("");
    bencher.bench(|| {
        let refused = |text: &Vec<u8>| {
            let crd = Crd::read(&manifest(text)).expect("the corpus has definitions");
            usize::from(!accept::create(&crd, Release::NEWEST).errors.is_empty())
        };
        texts.iter().map(refused).sum::<usize>()
    });
}

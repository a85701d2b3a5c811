//! The assets of envtest: folders, flags, and the two programs as envtest runs them.
#![cfg(unix)]

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use expect_test::expect;

use crate::run::{Run, command};
use crate::scratch::Scratch;

const PATIENCE: Duration = Duration::from_secs(20);

/// `sprag envtest` with a cache of its own.
fn envtest(scratch: &Scratch, args: &[&str]) -> Run {
    let args: Vec<&str> = ["envtest"].iter().chain(args).copied().collect();
    let mut command = command(&args);
    command.env("XDG_CACHE_HOME", scratch.join("cache")).env_remove("KUBEBUILDER_ASSETS").stdin(Stdio::null());
    Run::of(command.output().unwrap())
}

fn assets(scratch: &Scratch) -> PathBuf {
    let run = envtest(scratch, &["path"]);
    assert_eq!((run.code, &*run.stderr), (Some(0), ""));
    PathBuf::from(run.stdout.trim_end())
}

/// A program that is killed after the test.
struct Started(Child);

impl Started {
    fn new(program: &Path, args: &[String]) -> Started {
        let child = Command::new(program).args(args).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        Started(child.unwrap())
    }

    /// Tells it to stop; how it ended, what it had said, and how long it took.
    fn stop(mut self) -> (Option<i32>, String, Duration) {
        let before = Instant::now();
        let pid = self.0.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &pid]).status().unwrap().success());
        let status = self.0.wait().unwrap();
        let took = before.elapsed();
        let mut log = String::new();
        self.0.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        (status.code(), log, took)
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The response to a plain-text request, once the port is open.
fn get(port: u16, path: &str) -> String {
    let before = Instant::now();
    loop {
        if let Ok(mut stream) = TcpStream::connect(("127.0.0.1", port)) {
            write!(stream, "GET {path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").unwrap();
            let mut answer = String::new();
            stream.read_to_string(&mut answer).unwrap();
            return answer;
        }
        assert!(before.elapsed() < PATIENCE, "nobody listens");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn start_etcd(assets: &Path, port: u16) -> Started {
    let url = format!("http://127.0.0.1:{port}");
    let args = ["--listen-peer-urls=http://127.0.0.1:0", "--data-dir=/nowhere", "--unsafe-no-fsync=true"];
    let own = [format!("--advertise-client-urls={url}"), format!("--listen-client-urls={url}")];
    let started =
        Started::new(&assets.join("etcd"), &args.iter().map(ToString::to_string).chain(own).collect::<Vec<_>>());
    assert!(get(port, "/health").ends_with("{\"health\":\"true\",\"reason\":\"\"}"));
    started
}

/// A server with the flags that envtest passes, and a file of tokens in place of certificates of clients.
fn start_apiserver(assets: &Path, scratch: &Scratch, etcd: u16, port: u16) -> Started {
    let started = run_apiserver(assets, scratch, etcd, port, &[]);
    await_port(port);
    started
}

/// The same with more flags; it may not listen yet.
fn run_apiserver(assets: &Path, scratch: &Scratch, etcd: u16, port: u16, more: &[&str]) -> Started {
    scratch.write("tokens.csv", "secret,ann,1,system:masters\n");
    let args = [
        "--allow-privileged=true".to_owned(),
        "--authorization-mode=RBAC".to_owned(),
        "--bind-address=127.0.0.1".to_owned(),
        format!("--cert-dir={}", scratch.path("certs")),
        "--disable-admission-plugins=ServiceAccount".to_owned(),
        format!("--etcd-servers=http://127.0.0.1:{etcd}"),
        format!("--secure-port={port}"),
        format!("--service-account-issuer=https://127.0.0.1:{port}/"),
        "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
        format!("--token-auth-file={}", scratch.path("tokens.csv")),
    ];
    let args: Vec<String> = args.into_iter().chain(more.iter().map(ToString::to_string)).collect();
    Started::new(&assets.join("kube-apiserver"), &args)
}

fn await_port(port: u16) {
    let before = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        assert!(before.elapsed() < PATIENCE, "nobody listens");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Runs kubectl against a server; `None` without kubectl.
fn kubectl(port: u16, args: &[&str]) -> Option<String> {
    let server = format!("--server=https://127.0.0.1:{port}");
    let own = [&*server, "--token=secret", "--insecure-skip-tls-verify", "--kubeconfig=/dev/null"];
    let Ok(output) = Command::new("kubectl").args(own).args(args).output() else {
        eprintln!("skipped: there is no kubectl");
        return None;
    };
    Some(format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)))
}

#[test]
fn a_folder_has_this_binary_under_other_names() {
    let scratch = Scratch::new("envtest-path");
    let folder = assets(&scratch);
    assert!(folder.starts_with(scratch.join("cache")), "{folder:?}");
    assert_eq!(fs::metadata(&folder).unwrap().permissions().mode() & 0o777, 0o700);
    let binary = fs::metadata(env!("CARGO_BIN_EXE_sprag")).unwrap();
    for name in ["etcd", "kube-apiserver"] {
        let entry = fs::metadata(folder.join(name)).unwrap();
        assert_eq!((entry.len(), entry.modified().unwrap()), (binary.len(), binary.modified().unwrap()));
    }
    let inode = || fs::metadata(folder.join("etcd")).unwrap().ino();
    let before = inode();
    assert_eq!((assets(&scratch), inode()), (folder.clone(), before), "what is there stays");
    fs::remove_file(folder.join("etcd")).unwrap();
    fs::write(folder.join("kube-apiserver.tmp"), "left by one that was killed").unwrap();
    assert_eq!(assets(&scratch), folder);
    assert!(folder.join("etcd").exists(), "what is missing is made");
}

#[test]
fn ten_make_the_folder_at_once() {
    let scratch = Scratch::new("envtest-parallel");
    let paths: Vec<PathBuf> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..10).map(|_| scope.spawn(|| assets(&scratch))).collect();
        all.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert!(paths.iter().all(|path| *path == paths[0]));
    let mut names: Vec<String> =
        fs::read_dir(&paths[0]).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    names.retain(|name| name != "kubectl");
    names.sort();
    assert_eq!(names, ["etcd", "kube-apiserver", "kubernetes-version"]);
}

#[test]
fn calls_of_setup_envtest_are_answered() {
    let scratch = Scratch::new("envtest-setup");
    let bin = scratch.path("bin");
    let run = |args: &[&str]| envtest(&scratch, &[args, &["--bin-dir", &bin]].concat());
    let shown = |run: Run| format!("{}{}exit {}\n", run.stdout, run.stderr, run.code.unwrap()).replace(&bin, "BIN");
    let platform = if cfg!(target_arch = "aarch64") { "arm64" } else { "amd64" };
    let os = if cfg!(target_os = "macos") { "darwin" } else { "linux" };
    let shown = |run: Run| shown(run).replace(platform, "ARCH").replace(os, "OS");
    assert_eq!(
        shown(run(&["list"])),
        "(available)  v1.37.0  OS/ARCH\n(available)  v1.36.4  OS/ARCH\n(available)  v1.35.8  OS/ARCH\n(available)  v1.34.11  OS/ARCH\n\
         (available)  v1.33.13  OS/ARCH\nexit 0\n"
    );
    assert_eq!(shown(run(&["list", "-i"])), "exit 0\n");
    assert_eq!(shown(run(&["use", "-p", "path", "1.37.x!"])), "BIN/k8s/1.37.0-OS-ARCHexit 0\n");
    assert_eq!(shown(run(&["use", "-i", "-p", "env"])), "export KUBEBUILDER_ASSETS='BIN/k8s/1.37.0-OS-ARCH'\nexit 0\n");
    assert_eq!(
        shown(run(&["use", "latest"])),
        "Version: 1.37.0\nOS/Arch: OS/ARCH\nPath: BIN/k8s/1.37.0-OS-ARCH\nexit 0\n"
    );
    assert_eq!(shown(run(&["installed"])), "(installed)  v1.37.0  OS/ARCH\nexit 0\n");
    assert_eq!(
        shown(run(&["use", "-p", "path", "1.30.0"])),
        "BIN/k8s/1.33.13-OS-ARCHsprag envtest: 1.30.0 was asked for; the answers are those of 1.33.13\nexit 0\n"
    );
    assert_eq!(
        shown(run(&["use", "-p", "path", "1.34.1"])),
        "BIN/k8s/1.34.11-OS-ARCHsprag envtest: 1.34.1 was asked for; the answers are those of 1.34.11\nexit 0\n"
    );
    // Several are side by side.
    assert_eq!(shown(run(&["use", "-p", "path", "1.36.x!"])), "BIN/k8s/1.36.4-OS-ARCHexit 0\n");
    assert_eq!(shown(run(&["use", "-i", "-p", "path", "<1.36"])), "BIN/k8s/1.36.4-OS-ARCHexit 0\n");
    assert_eq!(
        shown(run(&["installed", "<1.36"])),
        "(installed)  v1.36.4  OS/ARCH\n(installed)  v1.34.11  OS/ARCH\n(installed)  v1.33.13  OS/ARCH\nexit 0\n"
    );
    assert_eq!(
        shown(run(&["sideload", "-p", "path", "1.37.0"])),
        "BIN/k8s/1.37.0-OS-ARCHsprag envtest: the archive is not needed: kube-apiserver and etcd are this binary\nexit 0\n"
    );
    assert_eq!(shown(run(&["list", "--os", "plan9"])), "exit 0\n");
    assert!(shown(run(&["use", "--arch", "s390x"])).contains("no such version exists for */s390x: run sprag there"));
    assert!(shown(run(&["use", "newest"])).contains("\"newest\" is no version: write it like 1.37.0"));
    assert_eq!(
        shown(run(&["cleanup", "<1.36"])),
        "removed 1.36.4 (OS/ARCH)\nremoved 1.34.11 (OS/ARCH)\nremoved 1.33.13 (OS/ARCH)\nexit 0\n"
    );
    assert_eq!(shown(run(&["cleanup", "1.37"])), "removed 1.37.0 (OS/ARCH)\nexit 0\n");
    assert_eq!(shown(run(&["cleanup"])), "exit 0\n");
}

#[test]
fn flags_are_known_or_refused_by_name() {
    let scratch = Scratch::new("envtest-flags");
    let folder = assets(&scratch);
    let say = |name: &str, args: &[&str]| Run::of(Command::new(folder.join(name)).args(args).output().unwrap());
    // envtest looks for a flag at the beginning of a line.
    let lists = |text: &str, flag: &str| text.lines().any(|line| line.trim_start().starts_with(&format!("--{flag}")));
    let help = say("kube-apiserver", &["--help"]);
    assert!(help.code == Some(0) && lists(&help.stdout, "secure-port") && !lists(&help.stdout, "insecure-port"));
    let help = say("etcd", &["--help"]);
    assert!(help.code == Some(0) && lists(&help.stdout, "unsafe-no-fsync"));
    let check = |name: &str, args: &[&str], expected: expect_test::Expect| {
        let run = say(name, args);
        assert_eq!((run.code, &*run.stdout), (Some(1), ""));
        expected.assert_eq(run.stderr.lines().next().unwrap());
    };
    check("kube-apiserver", &["--insecure-port=0"], expect!["Error: unknown flag: --insecure-port"]);
    check(
        "kube-apiserver",
        &["--audit-webhook-config-file=audit.yaml"],
        expect!["Error: --audit-webhook-config-file is not supported: events go to --audit-log-path only"],
    );
    check("kube-apiserver", &[], expect!["Error: --etcd-servers must be specified"]);
    check(
        "kube-apiserver",
        &["--etcd-servers=http://127.0.0.1:1", "--enable-admission-plugins=Nonsense"],
        expect![[r#"Error: enable-admission-plugins plugin "Nonsense" is unknown"#]],
    );
    check(
        "etcd",
        &["--listen-client-urls=ftp://x"],
        expect![[r#"Error: --listen-client-urls: "ftp://x" must begin with http://, https:// or unix://"#]],
    );
    assert!(say("kube-apiserver", &["--version"]).stdout.starts_with("Kubernetes v1.37.0"));
    let raw = say("kube-apiserver", &["--version=raw"]).stdout;
    assert!(raw.starts_with("version.Info{Major:\"1\", Minor:\"37\", "), "{raw}");
    let own = concat!("v1.37.0-sprag.", env!("CARGO_PKG_VERSION"));
    let other = say("kube-apiserver", &["--version=v1.36.9-custom"]);
    assert_eq!((other.code, &*other.stdout), (Some(1), ""));
    let expected = format!(
        "Error: invalid argument \"v1.36.9-custom\" for \"--version\" flag: version \"v1.36.9-custom\" must match \
         major/minor/patch of default version \"{own}\""
    );
    assert_eq!(other.stderr.lines().next(), Some(&*expected));
}

#[test]
fn folders_of_several_releases_answer_as_each() {
    let scratch = Scratch::new("envtest-releases");
    let of = |release: &str| {
        let run = envtest(&scratch, &["path", "--kubernetes-version", release]);
        assert_eq!((run.code, &*run.stderr), (Some(0), ""));
        PathBuf::from(run.stdout.trim_end())
    };
    let version =
        |folder: &Path| Run::of(Command::new(folder.join("kube-apiserver")).arg("--version").output().unwrap()).stdout;
    let old = of("1.34.x");
    let new = of("1.37");
    assert_eq!(new, assets(&scratch));
    assert_ne!(old, new);
    assert!(version(&old).starts_with("Kubernetes v1.34.11-sprag."), "{}", version(&old));
    assert!(version(&new).starts_with("Kubernetes v1.37.0-sprag."), "{}", version(&new));
    // A range of emulated versions belongs to a release.
    let args = ["--etcd-servers=http://127.0.0.1:1", "--emulated-version=1.35"];
    let refused = Run::of(Command::new(old.join("kube-apiserver")).args(args).output().unwrap());
    assert_eq!(
        (refused.code, refused.stderr.lines().next()),
        (Some(1), Some("Error: emulation version 1.35 is not between [1.31, 1.34.0]"))
    );
    fs::write(old.join("kubernetes-version"), "1.20\n").unwrap();
    let refused = Run::of(Command::new(old.join("kube-apiserver")).args(args).output().unwrap());
    assert!(refused.stderr.contains("Kubernetes 1.20 is older than the oldest known release"), "{}", refused.stderr);
    assert_eq!(of("1.34"), old, "what is there and wrong is made again");
    assert!(version(&old).starts_with("Kubernetes v1.34.11-sprag."));
    let run = envtest(&scratch, &["path", "--kubernetes-version", "1.32"]);
    assert_eq!((run.code, &*run.stdout), (Some(2), ""));
    assert!(run.stderr.contains("Kubernetes 1.32 is older than the oldest known release, 1.33"), "{}", run.stderr);
}

#[test]
fn envtest_finds_what_it_starts() {
    let scratch = Scratch::new("envtest-start");
    let folder = assets(&scratch);
    let etcd_port = free_port();
    let port = free_port();
    let etcd = start_etcd(&folder, etcd_port);
    let apiserver = start_apiserver(&folder, &scratch, etcd_port, port);
    assert!(scratch.join("certs/apiserver.crt").exists() && scratch.join("certs/apiserver.key").exists());
    if let Some(said) = kubectl(port, &["get", "service,endpointslice", "-o", "name"]) {
        assert_eq!(said, "service/kubernetes\nendpointslice.discovery.k8s.io/kubernetes\n");
        let ip = kubectl(
            port,
            &["get", "service", "kubernetes", "-o", "jsonpath={.spec.clusterIP}:{.spec.ports[0].targetPort}"],
        );
        assert_eq!(ip.unwrap(), format!("10.0.0.1:{port}"));
        // No controller runs: accounts are not made, and a deleted namespace stays.
        assert_eq!(
            kubectl(port, &["get", "serviceaccounts,configmaps", "-n", "default"]).unwrap(),
            "No resources found in default namespace.\n"
        );
        assert_eq!(kubectl(port, &["create", "namespace", "going"]).unwrap(), "namespace/going created\n");
        kubectl(port, &["delete", "namespace", "going", "--wait=false"]).unwrap();
        let phase = kubectl(port, &["get", "namespace", "going", "-o", "jsonpath={.status.phase}"]);
        assert_eq!(phase.unwrap(), "Terminating");
        assert_eq!(kubectl(port, &["run", "web", "--image=web"]).unwrap(), "pod/web created\n");
    }
    let (code, log, took) = apiserver.stop();
    assert_eq!(code, Some(0), "{log}");
    assert!(log.contains("--allow-privileged has no effect: privileged pods are always allowed"), "{log}");
    assert!(took < Duration::from_millis(500), "it took {took:?} to stop");
    let (code, log, took) = etcd.stop();
    assert_eq!((code, &*log), (Some(0), ""));
    assert!(took < Duration::from_millis(500), "it took {took:?} to stop");
}

#[test]
fn an_etcd_without_data_is_for_one_server() {
    let scratch = Scratch::new("envtest-shared");
    let folder = assets(&scratch);
    let etcd_port = free_port();
    let port = free_port();
    let _etcd = start_etcd(&folder, etcd_port);
    let first = start_apiserver(&folder, &scratch, etcd_port, port);
    let servers = format!("--etcd-servers=http://127.0.0.1:{etcd_port}");
    let second = Command::new(folder.join("kube-apiserver")).args([&*servers, "--bind-address=127.0.0.1"]).output();
    let second = Run::of(second.unwrap());
    assert_eq!(second.code, Some(1));
    assert!(second.stderr.contains("another server keeps its objects there already"), "{}", second.stderr);
    first.stop();
    let (_, log, _) = start_apiserver(&folder, &scratch, etcd_port, free_port()).stop();
    assert!(log.contains("this etcd holds no data: objects of the server before are gone"), "{log}");
    assert!(get(etcd_port, "/v3/kv/range").contains("this is Sprag in place of etcd"));
}

#[test]
fn an_apiserver_that_waits_for_its_etcd_stops_when_told() {
    let scratch = Scratch::new("envtest-early-stop");
    let folder = assets(&scratch);
    let apiserver = run_apiserver(&folder, &scratch, free_port(), free_port(), &[]);
    std::thread::sleep(Duration::from_millis(500));
    let (code, log, _) = apiserver.stop();
    assert_eq!(code, Some(0), "{log}");
}

#[test]
fn an_apiserver_waits_for_its_etcd_and_reports_the_version_it_is_told() {
    let scratch = Scratch::new("envtest-order");
    let folder = assets(&scratch);
    let etcd_port = free_port();
    let port = free_port();
    let mut apiserver = run_apiserver(&folder, &scratch, etcd_port, port, &["--version=v1.37.0-custom"]);
    std::thread::sleep(Duration::from_millis(500));
    assert!(apiserver.0.try_wait().unwrap().is_none(), "it waits");
    assert!(TcpStream::connect(("127.0.0.1", port)).is_err(), "and does not listen");
    let _etcd = start_etcd(&folder, etcd_port);
    await_port(port);
    if let Some(version) = kubectl(port, &["get", "--raw", "/version"]) {
        assert!(version.contains("\"gitVersion\": \"v1.37.0-custom\""), "{version}");
    }
    let (code, log, _) = apiserver.stop();
    assert_eq!(code, Some(0), "{log}");
}

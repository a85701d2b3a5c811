//! Tests of a cluster only.

use std::io::{Read as _, Write as _};
use std::sync::Arc;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair};
use sprag_storage::testing::{EtcdCluster, Scratch};
use sprag_storage::{Error, Etcd, EtcdOptions, EtcdTls, EtcdUser, Notice, Revision, Scope, Store, Write};

use crate::stores::{event, has_etcd, pod, pods, run};

#[test]
fn servers_share_a_cluster() {
    if !has_etcd() {
        return;
    }
    run(async {
        let cluster = EtcdCluster::start(1).await.unwrap();
        let one = Etcd::connect(&cluster.options()).await.unwrap();
        let two = Etcd::connect(&cluster.options()).await.unwrap();
        let mut watch = two.watch(&pods(), Revision::FIRST);
        let created = one.write(Write::create(pod("x", "a"), "1".into())).await.unwrap();
        assert_eq!(event(&mut watch).await, created);
        assert_eq!(two.get(&pod("x", "a")).await.unwrap().entry, created.entry);
        let mut apart = cluster.options();
        apart.prefix = "/registr".into();
        let three = Etcd::connect(&apart).await.unwrap();
        assert_eq!(three.get(&pod("x", "a")).await.unwrap().entry, None);
        assert_eq!(three.count(&pods()).await.unwrap(), 0);
        drop(two);
        assert!(watch.next().await.is_none_or(|notice| matches!(notice, Ok(Notice::Progress(_)))));
    });
}

#[test]
fn watches_of_a_resource_share_a_stream_and_may_begin_or_fall_behind() {
    // More than the server keeps for watches that share a stream.
    const WRITES: usize = 4_600;
    if !has_etcd() {
        return;
    }
    run(async {
        let cluster = EtcdCluster::start(1).await.unwrap();
        let store = Arc::new(Etcd::connect(&cluster.options()).await.unwrap());
        let first = store.write(Write::create(pod("x", "first"), "1".into())).await.unwrap();
        // One follows, one stops to read, one is of another namespace, one of one object.
        let mut follows = store.watch(&pods(), Revision::FIRST);
        let mut stops = store.watch(&pods(), Revision::FIRST);
        let mut elsewhere = store.watch(&Scope::namespace("", "pods", "y").unwrap(), Revision::FIRST);
        let mut object = store.watch(&Scope::object(&pod("x", "last")), Revision::FIRST);
        assert_eq!([event(&mut follows).await, event(&mut stops).await], [first.clone(), first.clone()]);
        let mut written = Vec::new();
        for part in 0..WRITES / 50 {
            let writes = (0..50).map(|number| {
                let store = store.clone();
                let key = pod("x", &format!("p{part}-{number}"));
                tokio::spawn(async move { store.write(Write::create(key, "1".into())).await.unwrap() })
            });
            let mut events = Vec::new();
            for write in writes.collect::<Vec<_>>() {
                events.push(write.await.unwrap());
            }
            events.sort_by_key(|event| event.revision);
            for expected in &events {
                assert_eq!(event(&mut follows).await, *expected);
            }
            written.extend(events);
        }
        let mut begins_late = store.watch(&pods(), first.revision);
        for expected in &written {
            assert_eq!(event(&mut stops).await, *expected);
            assert_eq!(event(&mut begins_late).await, *expected);
        }
        // All of them are in step again.
        let there = store.write(Write::create(pod("y", "a"), "1".into())).await.unwrap();
        let last = store.write(Write::create(pod("x", "last"), "1".into())).await.unwrap();
        for watch in [&mut follows, &mut stops, &mut begins_late] {
            assert_eq!([event(watch).await, event(watch).await], [there.clone(), last.clone()]);
        }
        assert_eq!([event(&mut elsewhere).await, event(&mut object).await], [there, last]);
    });
}

#[test]
fn a_restart_interrupts_nothing() {
    if !has_etcd() {
        return;
    }
    run(async {
        let mut cluster = EtcdCluster::start(1).await.unwrap();
        let store = Etcd::connect(&cluster.options()).await.unwrap();
        let mut watch = store.watch(&pods(), Revision::FIRST);
        let created = store.write(Write::create(pod("x", "a"), "1".into())).await.unwrap();
        assert_eq!(event(&mut watch).await, created);
        cluster.kill(0).unwrap();
        let read = tokio::time::timeout(Duration::from_millis(300), store.get(&pod("x", "a"))).await;
        assert!(read.is_err(), "nobody is there to answer");
        cluster.restart(0).unwrap();
        assert_eq!(store.get(&pod("x", "a")).await.unwrap().entry, created.entry);
        let updated = store.write(Write::update(pod("x", "a"), created.revision, "2".into())).await.unwrap();
        assert_eq!(event(&mut watch).await, updated, "nothing twice, nothing lost");
    });
}

#[test]
fn a_cluster_that_is_away_is_said_to_be() {
    if !has_etcd() {
        return;
    }
    run(async {
        let mut cluster = EtcdCluster::start(1).await.unwrap();
        let options = EtcdOptions { timeout: Duration::from_millis(300), ..cluster.options() };
        let store = Etcd::connect(&options).await.unwrap();
        cluster.kill(0).unwrap();
        let read = store.get(&pod("x", "a")).await;
        assert!(matches!(read, Err(Error::Unavailable { .. })), "{read:?}");
        let write = store.write(Write::create(pod("x", "a"), "1".into())).await;
        assert!(matches!(write, Err(Error::Unavailable { .. } | Error::Uncertain { .. })), "{write:?}");
        assert!(matches!(Etcd::connect(&options).await, Err(Error::Unavailable { .. })));
    });
}

#[test]
fn old_history_is_compacted_by_one_of_the_servers() {
    if !has_etcd() {
        return;
    }
    run(async {
        let cluster = EtcdCluster::start(1).await.unwrap();
        let options = EtcdOptions { compact_every: Some(Duration::from_millis(300)), ..cluster.options() };
        let stores = [Etcd::connect(&options).await.unwrap(), Etcd::connect(&options).await.unwrap()];
        let mut last = stores[0].write(Write::create(pod("x", "a"), "1".into())).await.unwrap();
        loop {
            last = stores[1].write(Write::update(pod("x", "a"), last.revision, "2".into())).await.unwrap();
            let mut watch = stores[0].watch(&pods(), Revision::FIRST);
            match watch.next().await {
                Some(Ok(Notice::Event(_) | Notice::Progress(_))) => tokio::time::sleep(Duration::from_millis(50)).await,
                Some(Err(Error::Gone { .. })) => break,
                other => panic!("{other:?}"),
            }
        }
        assert_eq!(stores[0].get(&pod("x", "a")).await.unwrap().entry, last.entry);
    });
}

/// A certificate authority, and what it vouches for.
struct Certificates {
    authority: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Certificates {
    fn new() -> Certificates {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let authority = params.self_signed(&key).unwrap().pem();
        Certificates { authority, issuer: Issuer::new(params, key) }
    }

    fn issue(&self) -> (String, String) {
        let mut params = CertificateParams::new(vec!["127.0.0.1".to_owned(), "localhost".to_owned()]).unwrap();
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        let key = KeyPair::generate().unwrap();
        (params.signed_by(&key, &self.issuer).unwrap().pem(), key.serialize_pem())
    }
}

#[test]
fn connections_are_encrypted_and_both_sides_known() {
    if !has_etcd() {
        return;
    }
    let files = Scratch::new("tls").unwrap();
    let ours = Certificates::new();
    let file = |name: &str, content: &str| {
        let path = files.path().join(name);
        std::fs::write(&path, content).unwrap();
        path.display().to_string()
    };
    let (certificate, key) = ours.issue();
    let arguments = [
        ("--cert-file", file("server.crt", &certificate)),
        ("--key-file", file("server.key", &key)),
        ("--trusted-ca-file", file("ca.crt", &ours.authority)),
    ];
    let arguments = arguments.iter().flat_map(|(name, path)| [*name, path.as_str()]).chain(["--client-cert-auth"]);
    let arguments: Vec<_> = arguments.collect();
    run(async {
        let cluster = EtcdCluster::start_with(1, "https", &arguments).await.unwrap();
        let (certificate, key) = ours.issue();
        let tls = |authority: &str, identity: Option<(&str, &str)>| EtcdTls {
            authority: authority.into(),
            identity: identity.map(|(certificate, key)| (certificate.into(), key.into())),
            server_name: None,
        };
        let options = |tls, timeout| EtcdOptions { tls: Some(tls), timeout, ..cluster.options() };
        let good = tls(&ours.authority, Some((&certificate, &key)));
        let store = Arc::new(Etcd::connect(&options(good, Duration::from_secs(30))).await.unwrap());
        let created = store.write(Write::create(pod("x", "a"), "1".into())).await.unwrap();
        assert_eq!(event(&mut store.watch(&pods(), Revision::FIRST)).await, created);
        let brief = Duration::from_millis(500);
        let nameless = Etcd::connect(&options(tls(&ours.authority, None), brief)).await;
        assert!(matches!(nameless, Err(Error::Unavailable { .. })), "{nameless:?}");
        let strangers = tls(&Certificates::new().authority, Some((&certificate, &key)));
        let wrong = Etcd::connect(&options(strangers, brief)).await;
        assert!(matches!(wrong, Err(Error::Unavailable { .. })), "{wrong:?}");
    });
}

/// Sends a request to etcd's gateway for JSON.
fn post(address: &str, path: &str, body: &str) {
    let mut stream = std::net::TcpStream::connect(address).unwrap();
    let length = body.len();
    let head = format!("POST /v3/auth/{path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: {length}");
    write!(stream, "{head}\r\n\r\n{body}").unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{path}: {answer}");
}

#[test]
fn a_user_and_its_password_open_a_cluster_with_authentication() {
    if !has_etcd() {
        return;
    }
    run(async {
        // Tokens are forgotten after a second without use.
        let cluster = EtcdCluster::start_with(1, "http", &["--auth-token-ttl", "1"]).await.unwrap();
        let endpoint = cluster.options().endpoints.remove(0);
        let address = endpoint.trim_start_matches("http://");
        post(address, "user/add", r#"{"name": "root", "password": "secret"}"#);
        post(address, "role/add", r#"{"name": "root"}"#);
        post(address, "user/grant", r#"{"user": "root", "role": "root"}"#);
        post(address, "enable", "{}");
        let user = |password: &str| Some(EtcdUser { name: "root".into(), password: password.into() });
        let options = |user| EtcdOptions { user, timeout: Duration::from_secs(5), ..cluster.options() };
        let store = Etcd::connect(&options(user("secret"))).await.unwrap();
        let mut watch = store.watch(&pods(), Revision::FIRST);
        let created = store.write(Write::create(pod("x", "a"), "1".into())).await.unwrap();
        assert_eq!(event(&mut watch).await, created);
        tokio::time::sleep(Duration::from_secs(3)).await;
        let updated = store.write(Write::update(pod("x", "a"), created.revision, "2".into())).await.unwrap();
        assert_eq!(event(&mut watch).await, updated, "the token is renewed");
        assert_eq!(event(&mut store.watch(&pods(), created.revision)).await, updated);
        let wrong = Etcd::connect(&options(user("wrong"))).await;
        assert!(
            matches!(&wrong, Err(Error::Refused { reason }) if reason.contains("authentication failed")),
            "{wrong:?}"
        );
        let nobody = Etcd::connect(&options(None)).await;
        assert!(matches!(nobody, Err(Error::Refused { .. })), "{nobody:?}");
    });
}

#[test]
fn a_cluster_that_is_full_is_known_to_health_checks() {
    if !has_etcd() {
        return;
    }
    run(async {
        let cluster = EtcdCluster::start_with(1, "http", &["--quota-backend-bytes", "200000"]).await.unwrap();
        let store = Etcd::connect(&cluster.options()).await.unwrap();
        assert!(store.health().problem.is_none());
        let fill = async |number: usize| {
            store.write(Write::create(pod("x", &number.to_string()), vec![0; 50_000].into())).await
        };
        let mut refused = None;
        for number in 0..100 {
            refused = fill(number).await.err();
            if refused.is_some() {
                break;
            }
        }
        let refused = refused.expect("the quota is small");
        assert!(refused.is_full(), "{refused}");
        let health = store.health();
        assert_eq!(health.failed_writes, 1);
        assert!(health.problem.is_some_and(|problem| problem.is_full()));
    });
}

#[test]
fn a_change_of_what_is_compacted_is_not_a_creation() {
    if !has_etcd() {
        return;
    }
    run(async {
        let cluster = EtcdCluster::start(1).await.unwrap();
        let store = Etcd::connect(&cluster.options()).await.unwrap();
        let created = store.write(Write::create(pod("x", "a"), "1".into())).await.unwrap();
        let updated = store.write(Write::update(pod("x", "a"), created.revision, "2".into())).await.unwrap();
        assert_eq!(event(&mut store.watch(&pods(), created.revision)).await, updated);
        store.compact(updated.revision).await.unwrap();
        let mut watch = store.watch(&pods(), created.revision);
        let ended = loop {
            match watch.next().await {
                Some(Ok(Notice::Progress(_))) => {}
                other => break other,
            }
        };
        assert!(matches!(ended, Some(Err(Error::Gone { .. }))), "{ended:?}");
    });
}

//! What is sent says what `report.json` says, over either protocol, with and without TLS.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;

use firstcall::call::ClientName;
use firstcall::config::Config;
use firstcall::exporters::{ExportError, Sent, send};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use prost::Message;
use serde_json::Value;

use super::receiver::{Got, ReceiverTls, Taken, start, start_over_https, texts};
use crate::report::parameter_names::with_a_rare_name;
use crate::report::report_input::{
    HOSTILE, ReportDays, blank_day, counted, empty, habit_of, hostile, pair_of, usual,
};

/// Sends from a thread that may block, as a pass does.
async fn send_all(keys: &str, input: &ReportDays) -> Result<Sent, ExportError> {
    let settings = Config::parse(&format!("exporters: {{otlp: {{{keys}}}}}")).unwrap();
    let (figures, as_of) = (input.input().now, input.as_of);
    let settings = settings.exporters.otlp;
    tokio::task::spawn_blocking(move || send(&settings, &figures, as_of)).await.unwrap()
}

/// The points of one subject, by metric and the word that sets points of one metric apart.
fn of(points: &[Got], names: &[(&str, &str)]) -> BTreeMap<(String, String), f64> {
    let mut wanted: Vec<(&str, &str)> = names.to_vec();
    wanted.sort_unstable();
    let mut found = BTreeMap::new();
    for point in points {
        let is_name = |key: &str| matches!(key, "of" | "service" | "tool" | "client");
        let own = point.attributes.iter().filter(|(key, _)| is_name(key));
        let own: Vec<_> = own.map(|(key, value)| (key.as_str(), value.as_str())).collect();
        if own == wanted {
            let word = point.attributes.iter().find(|(key, _)| !is_name(key));
            let word = word.map(|(_, word)| word.clone()).unwrap_or_default();
            let before = found.insert((point.metric.clone(), word), point.value);
            assert!(before.is_none(), "{point:?} came twice");
        }
    }
    found
}

/// Every number of a report's figures under the name that METHOD section 13 gives it.
fn numbers(figures: &Value) -> BTreeMap<(String, String), f64> {
    let mut found = BTreeMap::new();
    for (name, value) in figures.as_object().unwrap() {
        let mut put = |name: String, word: &str, value: &Value| {
            let number = value.as_f64().or_else(|| value.as_bool().map(|b| f64::from(u8::from(b))));
            found.insert((format!("firstcall.{name}"), word.to_owned()), number.unwrap());
        };
        match name.as_str() {
            // Names, parts that are subjects of their own, and what a metric cannot be.
            "service" | "tool" | "client" | "clients" | "restated" | "recovery" => {}
            "unjudged" | "outcomes" | "retry_classes" => {
                let words = value.as_object().unwrap();
                words.iter().for_each(|(word, count)| put(name.clone(), word, count));
            }
            "reworded_parameters" => {
                for one in value.as_array().unwrap() {
                    let word = one["name"].as_str().unwrap();
                    put(format!("{name}.share"), word, &one["share"]);
                }
            }
            _ => match value {
                Value::Null => {}
                Value::Object(parts) => {
                    parts.iter().for_each(|(part, value)| put(format!("{name}.{part}"), "", value));
                }
                plain => put(name.clone(), "", plain),
            },
        }
    }
    found
}

#[track_caller]
fn assert_says(points: &[Got], names: &[(&str, &str)], figures: &Value) {
    let sent = of(points, names);
    let shown = numbers(figures);
    for (key, value) in &shown {
        let sent = sent.get(key).unwrap_or_else(|| panic!("{names:?}: {key:?} was not sent"));
        // The document rounds: rates to six decimals, times and sizes to three.
        assert!((sent - value).abs() <= 0.000_501, "{names:?} {key:?}: {sent} for {value}");
    }
    for (key, value) in &sent {
        // Words that were never seen are zeros here and absent there.
        assert!(shown.contains_key(key) || *value == 0.0, "{names:?}: {key:?} is not in the JSON");
    }
}

fn report_of(input: &ReportDays) -> Value {
    let files = firstcall::report::site(&input.input());
    let (_, text) = files.iter().find(|(path, _)| path.ends_with("report.json")).unwrap();
    serde_json::from_slice(text).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn every_figure_of_the_report_is_sent_under_its_name() {
    let taken = Taken::default();
    let address = start(taken.clone(), None).await;
    // With a name that may be shown of neither tool, and so not overall.
    let input = with_a_rare_name(4);
    let keys = format!("endpoint: 'http://{address}', headers: {{X-Scope-OrgID: shop}}");
    let sent = send_all(&keys, &input).await.unwrap();
    let points: Vec<Got> = taken
        .points()
        .into_iter()
        .filter(|got| !matches!(got.metric.as_str(), "firstcall.as_of" | "firstcall.covered_days"))
        .collect();
    assert_eq!((sent.points, sent.requests), (points.len() as u64 + 2, 1));
    let json = report_of(&input);
    assert_says(&points, &[("of", "overall")], &json["overall"]);
    for client in json["clients"].as_array().unwrap() {
        let names = [("of", "client"), ("client", client["client"].as_str().unwrap())];
        assert_says(&points, &names, client);
    }
    let mut cells = 0;
    for tool in json["tools"].as_array().unwrap() {
        let name = ("tool", tool["tool"].as_str().unwrap());
        let service = ("service", tool["service"].as_str().unwrap());
        assert_says(&points, &[("of", "tool"), service, name], tool);
        for client in tool["clients"].as_array().unwrap() {
            let client_name = ("client", client["client"].as_str().unwrap());
            assert_says(&points, &[("of", "tool_client"), service, name, client_name], client);
            cells += 1;
        }
    }
    let subjects: BTreeSet<_> = points
        .iter()
        .map(|point| {
            let is_name = |key: &str| matches!(key, "of" | "service" | "tool" | "client");
            point.attributes.iter().filter(|(key, _)| is_name(key)).collect::<Vec<_>>()
        })
        .collect();
    assert_eq!(subjects.len(), 1 + 8 + cells + json["clients"].as_array().unwrap().len());
    let unit = |name: &str| points.iter().find(|got| got.metric == name).unwrap().unit.clone();
    assert_eq!(unit("firstcall.latency_ms.p95"), "ms");
    assert_eq!(unit("firstcall.judged"), "{call}");
    assert_eq!(taken.headers(), ["shop"]);
    // 30 November 2026, 00:00 UTC: the end of the last covered day.
    let as_of = taken.points().into_iter().find(|got| got.metric == "firstcall.as_of").unwrap();
    assert!((as_of.value - 1_795_996_800.0).abs() < 0.5, "{}", as_of.value);
    let request = &taken.requests()[0].resource_metrics[0];
    let resource = texts(request.resource.as_ref().unwrap().attributes.clone());
    assert!(resource.contains(&("service.name".to_owned(), "firstcall".to_owned())));
    let scope = texts(request.scope_metrics[0].scope.as_ref().unwrap().attributes.clone());
    let rules = "window-30s window-30s+evidence/1".to_owned();
    assert_eq!(scope, [("firstcall.rules".to_owned(), rules)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn hostile_names_are_sent_as_they_are_and_as_nothing_else() {
    let taken = Taken::default();
    let address = start(taken.clone(), None).await;
    send_all(&format!("endpoint: 'http://{address}'"), &hostile()).await.unwrap();
    let points = taken.points();
    let seen = |key: &str| -> BTreeSet<&str> {
        let pairs = points.iter().flat_map(|got| &got.attributes);
        pairs.filter(|(name, _)| name == key).map(|(_, value)| value.as_str()).collect()
    };
    for name in HOSTILE {
        assert!(seen("tool").contains(name) && seen("service").contains(name), "{name:?}");
        assert!(seen("name").contains(name), "{name:?}");
        let client = ClientName::new(firstcall::call::Name::cut(name));
        assert!(seen("client").contains(client.as_str()), "{name:?}");
    }
    // Names stand in values only.
    let keys: BTreeSet<_> = points.iter().flat_map(|p| &p.attributes).map(|(k, _)| k).collect();
    let known = ["class", "client", "name", "of", "outcome", "reason", "service", "tool"];
    assert_eq!(keys.into_iter().collect::<Vec<_>>(), known);
    assert!(points.iter().all(|got| got.metric.starts_with("firstcall.")));
}

#[tokio::test(flavor = "multi_thread")]
async fn over_http_the_path_and_the_headers_are_those_of_the_settings() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let taken = Taken::default();
    let record = taken.clone();
    let line = std::thread::spawn(move || {
        let (stream, _) = listener.accept().unwrap();
        let mut reader = BufReader::new(&stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            assert!(reader.read_line(&mut head).unwrap() > 0, "{head}");
        }
        let head = head.to_lowercase();
        let length = head.lines().find_map(|line| line.strip_prefix("content-length: ")).unwrap();
        let mut body = vec![0; length.parse().unwrap()];
        reader.read_exact(&mut body).unwrap();
        record.add(ExportMetricsServiceRequest::decode(body.as_slice()).unwrap(), &head);
        write!(&stream, "HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
            .unwrap();
        head.lines().next().unwrap().to_owned()
    });
    let keys = format!(
        "endpoint: 'http://{address}/api/v1/otlp/', protocol: http/protobuf, headers: {{a: b}}"
    );
    let sent = send_all(&keys, &usual()).await.unwrap();
    assert_eq!(line.join().unwrap(), "post /api/v1/otlp/v1/metrics http/1.1");
    let head = &taken.headers()[0];
    assert!(head.contains("content-type: application/x-protobuf") && head.contains("\r\na: b"));
    assert_eq!(sent.points, taken.points().len() as u64);
}

#[tokio::test(flavor = "multi_thread")]
async fn over_grpc_with_tls_the_receiver_is_checked_and_shown_a_certificate() {
    check_tls("grpc").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn over_http_with_tls_the_receiver_is_checked_and_shown_a_certificate() {
    check_tls("http/protobuf").await;
}

async fn check_tls(protocol: &str) {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    let identity = || rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let (server, client, other) = (identity(), identity(), identity());
    std::fs::write(path("ca.pem"), server.cert.pem()).unwrap();
    std::fs::write(path("other.pem"), other.cert.pem()).unwrap();
    std::fs::write(path("cert.pem"), client.cert.pem()).unwrap();
    std::fs::write(path("key.pem"), client.signing_key.serialize_pem()).unwrap();
    let taken = Taken::default();
    let tls = ReceiverTls {
        cert: server.cert.pem(),
        key: server.signing_key.serialize_pem(),
        client_roots: Some(client.cert.pem()),
    };
    let port = match protocol {
        "grpc" => start(taken.clone(), Some(tls)).await.port(),
        _ => start_over_https(taken.clone(), tls).await.port(),
    };
    let dir = folder.path().display();
    let keys = |ca: &str, own: &str| {
        format!(
            "endpoint: 'https://localhost:{port}', protocol: {protocol}, timeout_s: 5, \
             tls: {{ca_file: '{dir}/{ca}'{own}}}"
        )
    };
    let own = format!(", cert_file: '{dir}/cert.pem', key_file: '{dir}/key.pem'");
    send_all(&keys("ca.pem", &own), &usual()).await.unwrap();
    assert_eq!(taken.requests().len(), 1);
    assert!(taken.points().iter().any(|point| point.metric == "firstcall.judged"));
    for (ca, own) in [("other.pem", own.as_str()), ("ca.pem", "")] {
        let error = send_all(&keys(ca, own), &usual()).await.unwrap_err();
        assert!(matches!(error, ExportError::Refused { .. }), "{error}");
        // Why stands in the line, not only that it was so. A server that misses the client's
        // certificate just closes.
        if protocol != "grpc" && ca == "other.pem" {
            assert!(error.to_string().to_lowercase().contains("certificate"), "{error}");
        }
    }
    let error = send_all(&keys("nowhere.pem", ""), &usual()).await.unwrap_err();
    assert!(matches!(error, ExportError::Unusable { .. }), "{error}");
    assert_eq!(taken.requests().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_refuses_or_is_not_there_is_told_with_what_to_do() {
    let address = start(Taken::refusing(), None).await;
    let keys = format!("endpoint: 'http://{address}', timeout_s: 2");
    let error = send_all(&keys, &usual()).await.unwrap_err();
    assert!(error.to_string().contains(&address.to_string()), "{error}");
    assert!(error.help().contains("exporters.otlp.endpoint"));
    // The port is free again, and nobody listens there.
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let keys = format!("endpoint: 'http://{gone}', timeout_s: 2");
    let began = std::time::Instant::now();
    let error = send_all(&keys, &usual()).await.unwrap_err();
    assert!(matches!(error, ExportError::Refused { .. }), "{error}");
    assert!(began.elapsed().as_secs() < 20, "{:?}", began.elapsed());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_an_endpoint_or_a_covered_day_nothing_is_sent() {
    assert_eq!(send_all("timeout_s: 2", &usual()).await.unwrap(), Sent::default());
    let taken = Taken::default();
    let address = start(taken.clone(), None).await;
    let sent = send_all(&format!("endpoint: 'http://{address}'"), &empty()).await.unwrap();
    assert_eq!((sent, taken.requests().len()), (Sent::default(), 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn thousands_of_tools_go_in_requests_that_a_receiver_takes() {
    let to = "2026-11-29".parse().unwrap();
    let mut day = blank_day(to);
    for tool in 0..700 {
        let key = pair_of("warehouse", &format!("tool_with_a_longer_name_{tool}"), "ide");
        day.tools.insert(key, counted(30, &habit_of("get_order"), 0));
    }
    let input = ReportDays { from: to, as_of: Some(to), days: vec![day], ..empty() };
    let taken = Taken::default();
    let address = start(taken.clone(), None).await;
    let sent = send_all(&format!("endpoint: 'http://{address}'"), &input).await.unwrap();
    // The default limit of gRPC receivers.
    assert!(taken.sizes().iter().all(|size| *size < 4 * 1024 * 1024), "{:?}", taken.sizes());
    assert_eq!(sent.requests, taken.requests().len() as u64);
    assert!(sent.requests > 2, "{}", sent.requests);
    let points = taken.points();
    assert_eq!(sent.points, points.len() as u64);
    assert!(!points.iter().any(|got| got.attributes.iter().any(|(k, _)| k.contains("overflow"))));
    let judged = points.iter().filter(|got| got.metric == "firstcall.judged").count();
    // All, every tool, every tool with the one client, and that client.
    assert_eq!(judged, 1 + 700 + 700 + 1);
}

/// The names by which Prometheus keeps the metrics: dots become underscores, and the unit stands
/// behind.
#[tokio::test(flavor = "multi_thread")]
async fn the_dashboard_asks_for_metrics_that_are_sent() {
    let taken = Taken::default();
    let address = start(taken.clone(), None).await;
    send_all(&format!("endpoint: 'http://{address}'"), &usual()).await.unwrap();
    let kept: BTreeSet<String> = taken
        .points()
        .into_iter()
        .map(|got| {
            let unit = match got.unit.as_str() {
                "1" => "_ratio",
                "ms" => "_milliseconds",
                "s" => "_seconds",
                "By" => "_bytes",
                _ => "",
            };
            format!("{}{unit}", got.metric.replace('.', "_"))
        })
        .collect();
    let text = include_str!("../../../docs/grafana-dashboard.json");
    let dashboard: Value = serde_json::from_str(text).unwrap();
    let mut asked = 0;
    for panel in dashboard["panels"].as_array().unwrap() {
        for target in panel["targets"].as_array().unwrap() {
            let query = target["expr"].as_str().unwrap();
            let names = query.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            for name in names.filter(|name| name.starts_with("firstcall_")) {
                assert!(kept.contains(name), "{name} is asked for and not sent: {kept:?}");
                asked += 1;
            }
        }
    }
    assert!(asked > 10, "{asked}");
}

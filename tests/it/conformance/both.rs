//! Rows 1 to 21: both transports, and gRPC.

use firstcall::otlp::generated::opentelemetry::proto::collector::trace::v1::ExportTraceServiceResponse;
use prost::Message;

use super::target::{Target, one_call, span};
use crate::receive::client::{EXPORT, Pieces, call, connect_h2, export};
use crate::receive::spans::{call_of_len, framed, gzip, ordinary, request};

const MIB: usize = 1024 * 1024;
const GZIP: &[(&str, &str)] = &[("grpc-encoding", "gzip")];

#[tokio::test]
async fn row_1_none_and_gzip() {
    let target = Target::get();
    target.takes(&one_call()).await;
    let packed = gzip(&one_call());
    assert_eq!(export(target.grpc, GZIP, framed(1, &packed)).await.grpc_status(), 0);
    assert_eq!(target.post(&packed, &["content-encoding: gzip"]).await.status, 200);
}

#[tokio::test]
async fn rows_2_16_27_the_limit_counts_inflated_bytes() {
    let target = Target::get();
    let bomb = gzip(&vec![0; 65 * MIB]);
    let answer = export(target.grpc, GZIP, framed(1, &bomb)).await;
    assert_eq!((answer.grpc_status(), answer.has_retry_info()), (8, false));
    assert_eq!(target.post(&bomb, &["content-encoding: gzip"]).await.status, 413);
}

#[tokio::test]
async fn rows_3_16_27_sixty_four_mebibytes_by_default() {
    let target = Target::get();
    // Old spans would be a partial success; only the code counts here.
    let bytes = call_of_len(60 * MIB);
    assert_eq!(target.export(&bytes).await.grpc_status(), 0);
    assert_eq!(target.post(&bytes, &[]).await.status, 200);
    let bytes = call_of_len(65 * MIB);
    let answer = target.export(&bytes).await;
    assert_eq!((answer.grpc_status(), answer.has_retry_info()), (8, false));
    assert_eq!(target.post(&bytes, &[]).await.status, 413);
}

#[tokio::test]
async fn rows_4_5_a_reply_stays_short_however_much_is_rejected() {
    let target = Target::get();
    let bad = |number| {
        let mut bad = span(number);
        bad.span_id = vec![0; 8];
        bad
    };
    let answer = target.post(&request((0..20_000).map(bad).collect()).encode_to_vec(), &[]).await;
    assert_eq!(answer.status, 200);
    assert!(answer.body.len() < 1000, "{} bytes", answer.body.len());
    let reply = ExportTraceServiceResponse::decode(answer.body.as_slice()).unwrap();
    assert_eq!(reply.partial_success.unwrap().rejected_spans, 20_000);
}

#[tokio::test]
async fn rows_6_7_an_empty_request_and_an_empty_envelope() {
    let target = Target::get();
    target.takes(b"").await;
    target.takes(&[0x0a, 0x00]).await;
    for body in ["{}", r#"{"resourceSpans":[{}]}"#, r#"{"resourceSpans":[]}"#] {
        let answer = target.post_json(body).await;
        assert_eq!((answer.status, answer.body.as_slice()), (200, b"{}".as_slice()), "{body}");
    }
}

#[tokio::test]
async fn rows_7_10_spans_that_nobody_asked_for_are_a_full_success() {
    let target = Target::get();
    target.takes(&request(vec![ordinary(1), span(2)]).encode_to_vec()).await;
}

#[tokio::test]
async fn rows_8_9_28_44_a_partial_success_counts_and_explains() {
    let target = Target::get();
    for (trace, id) in [(15, 8), (32, 8), (16, 7), (0, 8), (16, 0)] {
        let mut bad = span(1);
        bad.trace_id = vec![b'a'; trace];
        bad.span_id = vec![b'b'; id];
        let bytes = request(vec![span(2), bad, span(3)]).encode_to_vec();
        let answer = target.post(&bytes, &[]).await;
        assert_eq!(answer.status, 200);
        let over_grpc = target.export(&bytes).await;
        assert_eq!(over_grpc.grpc_status(), 0);
        for reply in [&answer.body[..], &over_grpc.body[5..]] {
            let partial = ExportTraceServiceResponse::decode(reply).unwrap().partial_success;
            let partial = partial.unwrap();
            assert_eq!(partial.rejected_spans, 1);
            assert!(!partial.error_message.is_empty());
        }
    }
}

/// A field of every wire type under a number that no message has.
fn unknown() -> Vec<u8> {
    // Field 1000: varint, eight bytes, length, four bytes.
    [
        &[0xc0, 0x3e, 1][..],
        &[0xc1, 0x3e, 1, 2, 3, 4, 5, 6, 7, 8],
        &[0xc2, 0x3e, 1, b'x'],
        &[0xc5, 0x3e, 1, 2, 3, 4],
    ]
    .concat()
}

#[tokio::test]
async fn row_12_unknown_fields_are_skipped_at_every_level() {
    let target = Target::get();
    let message = |tag: u8, bytes: &[u8]| {
        // Shorter than 16,384 bytes: a length of two bytes always fits.
        let len = bytes.len();
        let low = (len & 0x7f).to_le_bytes()[0] | 0x80;
        [&[tag, low, (len >> 7).to_le_bytes()[0]], bytes].concat()
    };
    let span = [span(1).encode_to_vec(), unknown()].concat();
    let scope = [message(0x12, &span), unknown()].concat();
    let resource = [message(0x12, &scope), unknown()].concat();
    target.takes(&[message(0x0a, &resource), unknown()].concat()).await;
}

#[tokio::test]
async fn rows_14_15_a_thousand_calls_at_once_on_one_connection() {
    let target = Target::get();
    let sender = connect_h2(target.grpc).await;
    let calls: Vec<_> = (0..1000)
        .map(|_| {
            let mut sender = sender.clone();
            let body = Pieces::whole(framed(0, &one_call()));
            tokio::spawn(async move { call(&mut sender, EXPORT, &[], body).await.grpc_status() })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap(), 0);
    }
}

#[tokio::test]
async fn rows_18_32_bug_36_what_is_damaged_to_its_last_byte_is_refused_for_good() {
    let target = Target::get();
    let mut cut = one_call();
    cut.pop();
    for junk in [b"junk".to_vec(), cut] {
        assert_eq!(target.export(&junk).await.grpc_status(), 3);
        let answer = target.post(&junk, &[]).await;
        assert_eq!((answer.status, answer.status_body().code), (400, 3));
    }
}

#[tokio::test]
async fn row_21_what_grpc_asks_for() {
    let target = Target::get();
    let body = framed(0, &one_call());
    let answer = export(target.grpc, &[("grpc-encoding", "identity")], body.clone()).await;
    assert_eq!(answer.grpc_status(), 0);
    let answer = export(target.grpc, &[("grpc-encoding", "snappy")], framed(1, b"x")).await;
    assert_eq!(answer.grpc_status(), 12);
    assert!(answer.header("grpc-accept-encoding").unwrap().contains("gzip"));
    let mut sender = connect_h2(target.grpc).await;
    let other = EXPORT.replace("Export", "Import");
    let answer = call(&mut sender, &other, &[], Pieces::whole(body.clone())).await;
    assert_eq!(answer.grpc_status(), 12);
    let json = [("content-type", "text/plain")];
    assert_eq!(call(&mut sender, EXPORT, &json, Pieces::whole(body)).await.status, 415);
}

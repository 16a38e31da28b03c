use super::*;
use std::time::{Duration, UNIX_EPOCH};

fn files(pages: &[(&str, &str)]) -> Vec<(PathBuf, Vec<u8>)> {
    pages.iter().map(|(path, text)| (PathBuf::from(path), text.as_bytes().to_vec())).collect()
}

fn read(path: &Path) -> Option<String> {
    fs::read_to_string(path).ok()
}

#[test]
fn a_site_is_made_and_replaced_whole() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("deep/site");
    let first = [
        ("index.html", "one"),
        ("tools/a.html", "a"),
        ("tools/page-2.html", "2"),
        ("nights/1.html", "n1"),
    ];
    publish(&dir, files(&first)).unwrap();
    assert_eq!(read(&dir.join("index.html")).as_deref(), Some("one"));
    fs::write(dir.join("CNAME"), "example.com").unwrap();
    publish(&dir, files(&[("index.html", "two"), ("tools/b.html", "b"), ("nights/2.html", "n2")]))
        .unwrap();
    assert_eq!(read(&dir.join("index.html")).as_deref(), Some("two"));
    assert_eq!(read(&dir.join("tools/b.html")).as_deref(), Some("b"));
    // An older night stays, and so do the tools that it links to, and a foreign file; a list
    // that has become shorter does not.
    assert_eq!(read(&dir.join("tools/page-2.html")), None);
    assert_eq!(read(&dir.join("tools/a.html")).as_deref(), Some("a"));
    assert_eq!(read(&dir.join("nights/1.html")).as_deref(), Some("n1"));
    assert_eq!(read(&dir.join("CNAME")).as_deref(), Some("example.com"));
    // Nothing is left beside it.
    assert_eq!(fs::read_dir(dir.parent().unwrap()).unwrap().count(), 1);
}

#[test]
fn an_unchanged_page_keeps_its_time() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("site");
    let pages = |index| files(&[("index.html", index), ("method.html", "same")]);
    publish(&dir, pages("one")).unwrap();
    let long_ago = UNIX_EPOCH + Duration::from_secs(1_000_000);
    for name in ["index.html", "method.html"] {
        let file = File::options().append(true).open(dir.join(name)).unwrap();
        file.set_modified(long_ago).unwrap();
    }
    publish(&dir, pages("two")).unwrap();
    let time = |name| fs::metadata(dir.join(name)).unwrap().modified().unwrap();
    assert_eq!(time("method.html"), long_ago);
    assert_ne!(time("index.html"), long_ago);
}

#[test]
fn what_a_crash_left_is_cleared_away() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("site");
    publish(&dir, files(&[("index.html", "old")])).unwrap();
    let left = temp.path().join(".site.firstcall-new");
    fs::create_dir_all(left.join("tools")).unwrap();
    fs::write(left.join("tools/half.html"), "<html>").unwrap();
    assert_eq!(read(&dir.join("index.html")).as_deref(), Some("old"));
    publish(&dir, files(&[("index.html", "new")])).unwrap();
    assert_eq!(read(&dir.join("index.html")).as_deref(), Some("new"));
    assert!(!dir.join("tools").exists() && !left.exists());
}

#[test]
fn a_folder_of_someone_elses_is_refused_and_left_alone() {
    let temp = tempfile::tempdir().unwrap();
    fs::write(temp.path().join("thesis.txt"), "years of work").unwrap();
    let error = publish(temp.path(), files(&[("index.html", "x")])).unwrap_err();
    assert!(matches!(error, PublishError::Foreign { .. }) && error.help().is_some());
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1);
    let file = temp.path().join("thesis.txt");
    let error = publish(&file, files(&[("index.html", "x")])).unwrap_err();
    assert!(matches!(error, PublishError::NotAFolder { .. }));
    assert_eq!(read(&file).as_deref(), Some("years of work"));
}

#[test]
fn a_site_that_cannot_be_finished_leaves_the_old_one_and_nothing_else() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("site");
    publish(&dir, files(&[("index.html", "old")])).unwrap();
    let error = publish_each(&dir, |writer| {
        writer.file(Path::new("index.html"), b"new")?;
        writer.long_file(Path::new("report.json"), &|out| {
            out.write_all(b"half")?;
            Err(std::io::Error::from(ErrorKind::StorageFull))
        })
    })
    .unwrap_err();
    assert!(error.help().unwrap().contains("make room"), "{error}");
    assert_eq!(read(&dir.join("index.html")).as_deref(), Some("old"));
    assert!(!dir.join("report.json").exists());
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 1);
}

#[test]
fn a_long_file_that_has_not_changed_keeps_its_time() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("site");
    let put = |last: &'static [u8]| {
        let long = vec![b'x'; 100_000];
        publish_each(&dir, |writer| {
            writer.long_file(Path::new("report.json"), &|out| {
                out.write_all(&long)?;
                out.write_all(last)
            })
        })
        .unwrap()
    };
    let time = || fs::metadata(dir.join("report.json")).unwrap().modified().unwrap();
    assert_eq!(put(b"1"), 1);
    let long_ago = UNIX_EPOCH + Duration::from_secs(1_000_000);
    let file = File::options().append(true).open(dir.join("report.json")).unwrap();
    file.set_modified(long_ago).unwrap();
    put(b"1");
    assert_eq!(time(), long_ago);
    put(b"2");
    assert_ne!(time(), long_ago);
}

#[test]
fn an_empty_folder_is_taken() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("empty");
    fs::create_dir(&dir).unwrap();
    publish(&dir, files(&[("index.html", "x")])).unwrap();
    assert_eq!(read(&dir.join("index.html")).as_deref(), Some("x"));
}

#[test]
fn no_page_leaves_the_site() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("site");
    for path in ["../evil.html", "/etc/evil.html", "", "tools/../../evil.html"] {
        let error = publish(&dir, files(&[(path, "x")])).unwrap_err();
        assert!(matches!(error, PublishError::PathOutside { .. }), "{path}");
    }
    assert_eq!(fs::read_dir(temp.path()).unwrap().count(), 0);
}

#[test]
fn a_folder_that_cannot_be_swapped_is_written_page_by_page() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("mount");
    fs::create_dir(&dir).unwrap();
    let site = Site::find(&dir).unwrap();
    let put = |index: &str| {
        let mut writer = Writer::start_where(&site, false).unwrap();
        writer.file(Path::new("index.html"), index.as_bytes()).unwrap();
        writer.long_file(Path::new("tools/a.html"), &|out| out.write_all(b"a")).unwrap();
        // Nothing is seen before the end.
        assert_ne!(read(&dir.join("index.html")).as_deref(), Some(index));
        writer.finish().unwrap();
    };
    put("one");
    let time = |name| fs::metadata(dir.join(name)).unwrap().modified().unwrap();
    let first = time("tools/a.html");
    put("two");
    assert_eq!(time("tools/a.html"), first);
    assert_eq!(read(&dir.join("tools/a.html")).as_deref(), Some("a"));
    assert_eq!(read(&dir.join("index.html")).as_deref(), Some("two"));
    assert!(!dir.join(staging::WITHIN).exists());
}

#[cfg(unix)]
#[test]
fn a_link_to_the_site_stays_a_link() {
    let temp = tempfile::tempdir().unwrap();
    let dir = temp.path().join("site-1");
    publish(&dir, files(&[("index.html", "one")])).unwrap();
    let link = temp.path().join("current");
    std::os::unix::fs::symlink(&dir, &link).unwrap();
    publish(&link, files(&[("index.html", "two")])).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(read(&dir.join("index.html")).as_deref(), Some("two"));
}

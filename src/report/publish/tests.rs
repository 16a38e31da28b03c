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
    swap::publish_within(&site, &files(&[("tools/a.html", "a"), ("index.html", "one")])).unwrap();
    swap::publish_within(&site, &files(&[("tools/a.html", "a"), ("index.html", "two")])).unwrap();
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

#!/usr/bin/env python3
"""Posts a summary of `firstcall summary` as one comment, or updates the one that is there.

    post-comment.py github|gitea|gitlab|bitbucket|bitbucket-server FILE

The comment is found by the hidden marker in its last line. A quiet summary (nothing changed)
updates an earlier comment and never makes a new one. Nothing but the standard library is used.

Read from the environment, and never printed: FIRSTCALL_TOKEN. Where to post:
  github, gitea   GITHUB_API_URL, GITHUB_REPOSITORY, FIRSTCALL_PULL_REQUEST; or, in place of
                  the number, FIRSTCALL_HEAD (OWNER:BRANCH) and FIRSTCALL_HEAD_SHA of the open
                  pull request
  gitlab          CI_API_V4_URL, CI_PROJECT_ID, CI_MERGE_REQUEST_IID
  bitbucket       BITBUCKET_WORKSPACE, BITBUCKET_REPO_SLUG, BITBUCKET_PR_ID (Bitbucket Cloud);
                  BITBUCKET_API_URL, https://api.bitbucket.org/2.0 where it is not set
  bitbucket-server  (Bitbucket Data Center and Server) BITBUCKET_URL, BITBUCKET_PROJECT (~name of
                  a personal one), BITBUCKET_REPO, BITBUCKET_PR_ID
"""

import json
import os
import re
import sys
import urllib.error
import urllib.parse
import urllib.request

# Bitbucket would show an HTML comment: its marker is a link reference that nothing refers to.
MARKER = re.compile(
    r"<!-- firstcall:summary(?P<quiet> quiet)? -->"
    r"|\[firstcall-summary\]: # \(firstcall:summary(?P<still> quiet)?\)"
)
HOSTS = ("github", "gitea", "gitlab", "bitbucket", "bitbucket-server")
PAGE = 100
MOST_PAGES = 50
MOST_BYTES = 64 * 1024 * 1024
TIMEOUT_SECONDS = 30


class Refused(Exception):
    """What went wrong, in one line for people."""


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect would carry the token to another address."""

    def redirect_request(self, *_arguments):
        return None


class Host:
    """A host's API: where comments are listed, made and changed."""

    def __init__(self, name):
        self.name = name
        self.token = setting("FIRSTCALL_TOKEN")
        self.change, self.header = "PATCH", ("Authorization", f"Bearer {self.token}")
        self.page = {"per_page": PAGE, "limit": PAGE}
        if name == "gitlab":
            project = urllib.parse.quote(setting("CI_PROJECT_ID"), safe="")
            merge_request = number("CI_MERGE_REQUEST_IID")
            base = address("CI_API_V4_URL")
            self.comments = f"{base}/projects/{project}/merge_requests/{merge_request}/notes"
            self.one = self.comments
            self.change, self.header = "PUT", ("PRIVATE-TOKEN", self.token)
        elif name == "bitbucket":
            workspace, slug = word("BITBUCKET_WORKSPACE"), word("BITBUCKET_REPO_SLUG")
            base = address("BITBUCKET_API_URL", "https://api.bitbucket.org/2.0")
            request = number("BITBUCKET_PR_ID")
            self.comments = f"{base}/repositories/{workspace}/{slug}/pullrequests/{request}/comments"
            self.one = self.comments
            self.change, self.page = "PUT", {"pagelen": PAGE}
        elif name == "bitbucket-server":
            project, slug = word("BITBUCKET_PROJECT"), word("BITBUCKET_REPO")
            request = number("BITBUCKET_PR_ID")
            base = f"{address('BITBUCKET_URL')}/rest/api/1.0/projects/{project}/repos/{slug}"
            self.one = f"{base}/pull-requests/{request}/comments"
            # It lists comments among everything else that happened, the newest first.
            self.comments, self.activities = self.one, f"{base}/pull-requests/{request}/activities"
            self.change = "PUT"
        else:
            repository = setting("GITHUB_REPOSITORY")
            if not re.fullmatch(r"[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+", repository):
                raise Refused("GITHUB_REPOSITORY is no owner/name")
            base = f"{address('GITHUB_API_URL')}/repos/{repository}"
            request = self.pull_request(base)
            self.comments = f"{base}/issues/{request}/comments"
            self.one = f"{base}/issues/comments"

    def pull_request(self, base):
        """The pull request's number: as given, or that of the head a workflow ran for. What a
        fork's own run says of its number is not to be believed."""
        if os.environ.get("FIRSTCALL_PULL_REQUEST"):
            return number("FIRSTCALL_PULL_REQUEST")
        head, sha = setting("FIRSTCALL_HEAD"), setting("FIRSTCALL_HEAD_SHA")
        query = urllib.parse.urlencode({"state": "open", "head": head, "per_page": PAGE})
        found = self.request("GET", f"{base}/pulls?{query}")
        for one in found if isinstance(found, list) else []:
            if isinstance(one.get("head"), dict) and one["head"].get("sha") == sha:
                return int(one["number"])
        raise Refused("no open pull request has this head any more")

    def body(self, text, there):
        """A comment as the host takes it; `there` is the one that it takes the place of."""
        if self.name == "bitbucket":
            return {"content": {"raw": text}}
        if self.name == "bitbucket-server":
            # It refuses a change of another version than the one that was read.
            return {"text": text} | ({"version": int(there["version"])} if there else {})
        return {"body": text}

    def text(self, comment):
        """A comment's Markdown; none of one that was deleted."""
        if comment.get("deleted"):
            return ""
        content = comment.get("content") if self.name == "bitbucket" else None
        of_text = "text" if self.name == "bitbucket-server" else "body"
        raw = content.get("raw", "") if isinstance(content, dict) else comment.get(of_text, "")
        return str(raw or "")

    def request(self, method, url, body=None):
        data = None if body is None else json.dumps(body).encode()
        headers = {
            self.header[0]: self.header[1],
            "Accept": "application/json",
            "Content-Type": "application/json",
            "User-Agent": "firstcall",
        }
        request = urllib.request.Request(url, data, headers, method=method)
        path = urllib.parse.urlsplit(url).path
        try:
            opener = urllib.request.build_opener(NoRedirect)
            with opener.open(request, timeout=TIMEOUT_SECONDS) as answer:
                return json.loads(answer.read(MOST_BYTES))
        except urllib.error.HTTPError as error:
            said = self.reason(error)
            raise Refused(f"{self.name} answered {error.code} to {method} {path}{said}") from None
        except (OSError, ValueError) as error:
            kind = type(error).__name__
            raise Refused(f"{self.name} gave no answer to {method} {path} ({kind})") from None

    def reason(self, error):
        """The host's own words, cut to one short line, should they hold the token without it."""
        try:
            said = json.loads(error.read(10_000))
            errors = said.get("errors")
            said = errors[0] if isinstance(errors, list) and errors else said
            said = said.get("message") or said.get("error", "")
            said = said.get("message", "") if isinstance(said, dict) else said
        except (OSError, ValueError, AttributeError):
            said = ""
        said = " ".join(str(said).replace(self.token, "***").split())[:200]
        # A line that begins with two colons would be a command to GitHub's runner.
        hint = "; the token may not write comments here" if error.code in (401, 403) else ""
        return (f": {said}" if said else "") + hint

    def existing(self):
        """The comment with the marker, the oldest first; none where there is none."""
        if self.name == "bitbucket-server":
            return self.existing_among_activities()
        seen = None
        for page in range(1, MOST_PAGES + 1):
            query = urllib.parse.urlencode(self.page | {"page": page})
            comments = self.request("GET", f"{self.comments}?{query}")
            # Bitbucket wraps the list; the address of the next page is not followed, which
            # could lead anywhere.
            is_last = isinstance(comments, dict) and "next" not in comments
            if isinstance(comments, dict):
                comments = comments.get("values")
            if not isinstance(comments, list):
                raise Refused(f"{self.name} sent no list of comments")
            for comment in comments:
                if marked(self.text(comment)):
                    return comment
            # A host that does not page sends the same list again.
            first = comments[0].get("id") if comments else None
            is_short = len(comments) < PAGE and self.name != "bitbucket"
            if is_last or is_short or first == seen:
                return None
            seen = first
        return None

    def existing_among_activities(self):
        start = 0
        for _page in range(MOST_PAGES):
            query = urllib.parse.urlencode({"start": start, "limit": PAGE})
            found = self.request("GET", f"{self.activities}?{query}")
            values = found.get("values") if isinstance(found, dict) else None
            if not isinstance(values, list):
                raise Refused(f"{self.name} sent no list of activities")
            for activity in values:
                comment = activity.get("comment")
                if isinstance(comment, dict) and marked(self.text(comment)):
                    return comment
            following = found.get("nextPageStart")
            if found.get("isLastPage", True) or not isinstance(following, int):
                return None
            if following <= start:
                return None
            start = following
        return None


def setting(name):
    value = os.environ.get(name, "")
    if not value:
        raise Refused(f"{name} is not set")
    return value


def number(name):
    value = setting(name)
    if not re.fullmatch(r"[0-9]{1,18}", value):
        raise Refused(f"{name} is no number")
    return value


def word(name):
    value = setting(name)
    if not re.fullmatch(r"[A-Za-z0-9_.{}~-]+", value) or set(value) <= {"."}:
        raise Refused(f"{name} is no name")
    return urllib.parse.quote(value, safe="~")


def address(name, default=None):
    value = (os.environ.get(name) or default or setting(name)).rstrip("/")
    if not re.match(r"https?://", value):
        raise Refused(f"{name} is no http or https address")
    return value


def marked(text):
    """The marker that is a text's last line; a quotation of one is none."""
    lines = text.rstrip().splitlines()
    return MARKER.fullmatch(lines[-1].strip()) if lines else None


def post(host, text):
    marker = marked(text)
    if marker is None:
        raise Refused("the file is no summary: its last line is not the marker")
    there = host.existing()
    if there is None and (marker["quiet"] or marker["still"]):
        return "nothing changed, so no comment was made"
    if there is None:
        host.request("POST", host.comments, host.body(text, None))
        return "made the comment"
    if host.text(there).replace("\r\n", "\n").strip() == text.strip():
        return "the comment says this already"
    host.request(host.change, f"{host.one}/{int(there['id'])}", host.body(text, there))
    return "updated the comment"


def main(arguments):
    try:
        if len(arguments) != 2 or arguments[0] not in HOSTS:
            raise Refused(f"usage: post-comment.py {'|'.join(HOSTS)} FILE")
        with open(arguments[1], encoding="utf-8") as file:
            text = file.read()
        print(f"firstcall: {post(Host(arguments[0]), text)}")
        return 0
    except Refused as refused:
        print(f"error: {refused}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"error: cannot read the summary: {error.strerror}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

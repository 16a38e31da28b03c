#!/usr/bin/env bash
# What the Action runs: the step summary, one comment on the pull request, and the gate.
# Every input comes in as an environment variable; none is ever part of a script's text.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
firstcall=${FIRSTCALL:-firstcall}

for name in FIRSTCALL_COMMENT FIRSTCALL_ALWAYS FIRSTCALL_NO_DROP; do
    case ${!name:-} in
    '' | true | false) ;;
    *)
        input=${name#FIRSTCALL_}
        input=${input,,}
        echo "error: the input ${input//_/-} is neither true nor false" >&2
        exit 2
        ;;
    esac
done

flags=()
[[ -z ${FIRSTCALL_LAST:-} ]] || flags+=(--last "$FIRSTCALL_LAST")
[[ -z ${FIRSTCALL_BASELINE:-} ]] || flags+=(--baseline "$FIRSTCALL_BASELINE")
[[ -z ${FIRSTCALL_BASELINE_NAME:-} ]] || flags+=(--baseline-name "$FIRSTCALL_BASELINE_NAME")
summary=("${flags[@]}")
[[ -z ${FIRSTCALL_REPORT_URL:-} ]] || summary+=(--report-url "$FIRSTCALL_REPORT_URL")
comment=("${summary[@]}")
[[ ${FIRSTCALL_ALWAYS:-false} != true ]] || comment+=(--always)

file=$(mktemp)
trap 'rm -f "$file"' EXIT

# 6: nothing to report yet, which is no failure of the change.
code=0
"$firstcall" summary --host github-step --always "${summary[@]}" >"$file" || code=$?
if ((code == 6)); then
    echo "firstcall: nothing to report yet"
    exit 0
fi
((code == 0)) || exit "$code"
[[ -z ${GITHUB_STEP_SUMMARY:-} ]] || cat "$file" >>"$GITHUB_STEP_SUMMARY"

is_posted=false
[[ ${FIRSTCALL_COMMENT:-true} != true || -z ${FIRSTCALL_PULL_REQUEST:-} ]] || is_posted=true
if [[ $is_posted == true || -n ${FIRSTCALL_SUMMARY_FILE:-} ]]; then
    "$firstcall" summary --host github "${comment[@]}" >"$file"
fi
[[ -z ${FIRSTCALL_SUMMARY_FILE:-} ]] || cp "$file" "$FIRSTCALL_SUMMARY_FILE"
if [[ $is_posted == true ]]; then
    python3 "$here/post-comment.py" github "$file"
fi

gate=()
[[ -z ${FIRSTCALL_MIN:-} ]] || gate+=(--min "$FIRSTCALL_MIN")
[[ ${FIRSTCALL_NO_DROP:-false} != true ]] || gate+=(--no-drop)
while IFS= read -r tool; do
    [[ -z $tool ]] || gate+=(--tool "$tool")
done <<<"${FIRSTCALL_TOOLS:-}"
if ((${#gate[@]})); then
    code=0
    "$firstcall" check "${gate[@]}" "${flags[@]}" || code=$?
    if ((code == 6)); then
        echo "firstcall: the gate has nothing to judge yet"
        exit 0
    fi
    exit "$code"
fi

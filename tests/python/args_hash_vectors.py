"""Checks examples/args-hash/python against the vectors of RFC 8785 and of its faults.

Usage: args_hash_vectors.py JCS_JSON ARGS_HASH_FOLDER
"""

import hashlib
import json
import sys

VECTORS, FOLDER = sys.argv[1:]
sys.path.insert(0, FOLDER)

from args_hash import args_hash, canonical, hash_of_text, parse  # noqa: E402


def text_of(vector):
    if "input_hex" in vector:
        return bytes.fromhex(vector["input_hex"]).decode()
    return vector["input"]


def check(vector):
    """What is wrong with a vector; None where all is well."""
    try:
        found = canonical(parse(text_of(vector)), depth=256)
    except (ValueError, TypeError, OverflowError, RecursionError) as fault:
        return None if "error" in vector else f"fails: {type(fault).__name__}"
    if "error" in vector:
        return f"should fail: {vector['error']}"
    if found != vector["canonical"]:
        return "another text"
    if hashlib.sha256(found.encode()).hexdigest()[:12] != vector["sha256_12"]:
        return "another hash"
    return None


def main():
    with open(VECTORS, encoding="utf-8") as file:
        vectors = json.load(file)
    wrong = [f"{each['name']}: {fault}" for each in vectors if (fault := check(each))]
    # Worked out from args-hash.md section 7.
    cases = [
        ("no arguments are {}", args_hash(None), "44136fa355b3"),
        ("an empty attribute too", hash_of_text(" "), "44136fa355b3"),
        ("key order does not matter", args_hash({"b": 1, "a": 2}), args_hash({"a": 2, "b": 1.0})),
        ("redacted", args_hash({"a": ["[REDACTED]"]}), None),
        ("cut", hash_of_text('{"q": "select * fr'), None),
        ("a lone surrogate", args_hash({"q": "\ud83d"}), None),
        ("nested too deep", args_hash(parse("[" * 129 + "]" * 129)), None),
        ("a tuple is a list", args_hash({"a": (1, 2)}), args_hash({"a": [1, 2]})),
        ("a set is no JSON", args_hash({"a": {1}}), None),
        ("2^53 + 1 is a double", args_hash(2**53 + 1), args_hash(2**53)),
        (
            "a wrapper of OpenLLMetry",
            hash_of_text('{"tool_name": "x", "arguments": {"a": 1}}'),
            args_hash({"a": 1}),
        ),
        (
            "a wrapper of LangChain",
            hash_of_text('{"input_str": "", "tags": [], "metadata": {}, "inputs": {"a": 1}}'),
            args_hash({"a": 1}),
        ),
    ]
    wrong += [f"{name}: {found} is not {right}" for name, found, right in cases if found != right]
    if wrong:
        sys.exit("\n".join(wrong))
    print(f"{len(vectors)} vectors hold")


main()

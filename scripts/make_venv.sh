#!/bin/sh
# Makes the environment in $1 and installs Handrail with its development tools into it.
set -eu

venv=$1
python=${PYTHON:-python3}

if ! command -v "$python" >/dev/null 2>&1; then
    echo "No $python found. Install Python 3.11 or newer, or name one: make PYTHON=/path/to/python3" >&2
    exit 1
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
    echo "$("$python" --version) is too old: Handrail needs Python 3.11 or newer. Name one: make PYTHON=python3.12" >&2
    exit 1
fi
if ! "$python" -c 'import venv, ensurepip' >/dev/null 2>&1; then
    echo "This Python cannot make environments. On Debian: apt-get install python3-venv" >&2
    exit 1
fi

echo "Making the environment in $venv ..."
[ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --editable '.[dev]'; then
    echo "Installing failed. The package index must be reachable; behind a proxy set HTTPS_PROXY, then run make again." >&2
    exit 1
fi

#!/bin/sh
# Sets up what `make` needs, one step a call. What is missing on the machine is named in one line.
#
#   tools/setup.sh machine     is everything here that cannot be installed from here?
#   tools/setup.sh packages    the virtual environment, with the versions of requirements.lock
#   tools/setup.sh tests       what the tests need besides, with the versions of requirements-dev.lock
#   tools/setup.sh extension   the Rust core as a Python extension, by the Cargo profile EXTENSION_PROFILE (release)
#   tools/setup.sh wheel       a wheel in target/wheels, with experiments and papers in it; for another platform, Rust's name of it in TARGET
#   tools/setup.sh browser     a Chromium for the check of reports; going without is no error
set -eu
cd "$(dirname "$0")/.."

python=${PYTHON:-python3}
venv=${VENV:-.venv}

missing() {
    echo "make: $1" >&2
    exit 2
}

has() {
    command -v "$1" >/dev/null 2>&1
}

needs_python() {
    has "$python" || missing "Python is missing: install Python 3.11 or newer, or name one with PYTHON=..."
    "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' ||
        missing "Python 3.11 or newer is needed, $python is $("$python" -c 'import platform; print(platform.python_version())'): name another with PYTHON=..."
    "$python" -c 'import ensurepip, venv' 2>/dev/null ||
        missing "Python's venv module is missing: install it (on Debian and Ubuntu: apt-get install python3-venv)"
}

needs_rust() {
    has cargo && has rustc || missing "Rust is missing: install it from https://rustup.rs"
    wanted=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    found=$(rustc --version | cut -d' ' -f2)
    lowest=$(printf '%s\n%s\n' "$wanted" "$found" | sort -t. -k1,1n -k2,2n -k3,3n | head -n1)
    [ "$lowest" = "$wanted" ] || missing "Rust $wanted or newer is needed, rustc is $found: run \`rustup update\`"
    has cc || has gcc || has clang ||
        missing "a C compiler is missing, which Rust links with: install one (on Debian and Ubuntu: apt-get install gcc libc6-dev)"
}

install() {
    echo "make: installing the Python packages of $1 into $venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check --requirement "$1"
}

case "${1:-}" in
machine)
    needs_python
    needs_rust
    ;;
packages)
    needs_python
    [ -x "$venv/bin/python" ] || "$python" -m venv "$venv"
    install requirements.lock
    ;;
tests)
    { cargo fmt --version && cargo clippy --version; } >/dev/null 2>&1 ||
        missing "rustfmt or clippy is missing: run \`rustup component add rustfmt clippy\`"
    install requirements-dev.lock
    ;;
extension)
    needs_rust
    profile=${EXTENSION_PROFILE:-release}
    echo "make: building the Rust core (a $profile build; the first takes a few minutes)"
    # The environment is named outright: maturin would otherwise take one that happens to be active.
    VIRTUAL_ENV=$PWD/$venv PIP_QUIET=1 PIP_DISABLE_PIP_VERSION_CHECK=1 \
        env -u MAKEFLAGS -u MFLAGS "$venv/bin/maturin" develop --profile "$profile" --locked --quiet
    ;;
wheel)
    needs_rust
    target=${TARGET:-}
    set --
    if [ -n "$target" ]; then
        [ -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ] ||
            missing "Rust's standard library for $target is missing: run \`rustup target add $target\`"
        # Zig is a C compiler and linker for every platform, and links with as old a C library as is asked for.
        install requirements-wheels.lock
        set -- --target "$target" --zig
        case $target in
        *-linux-gnu) set -- "$@" --compatibility manylinux_2_28 ;;
        *-apple-darwin) export RUSTFLAGS="-L framework=$PWD/tools/macos ${RUSTFLAGS:-}" ;;
        esac
    fi
    echo "make: building a wheel${target:+ for $target} (a release build; the first takes a few minutes)"
    # maturin follows no links and takes nothing from outside the package, so what ships beside the code is copied into it.
    data=python/gossamer/data
    trap 'rm -rf "$data"' EXIT
    trap 'exit 130' INT TERM
    rm -rf "$data"
    mkdir "$data"
    cp -R experiments papers "$data"
    find "$data" -name __pycache__ -prune -exec rm -rf {} +
    # maturin looks for Zig on the path, as a module of the Python there.
    PATH=$PWD/$venv/bin:$PATH env -u MAKEFLAGS -u MFLAGS "$venv/bin/maturin" build --release --locked --strip --quiet \
        --interpreter "$venv/bin/python" --out target/wheels "$@"
    ;;
browser)
    for name in chromium chromium-browser google-chrome; do
        if has "$name"; then exit 0; fi
    done
    if [ "$(id -u)" = 0 ] && has apt-get; then
        echo "make: installing Chromium for the check of reports"
        if apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium \
            >/dev/null; then exit 0; fi
    fi
    echo "make: Chromium is missing: the browser check of reports is skipped (on Debian: apt-get install chromium)" >&2
    ;;
*)
    sed -n 's/^#   //p' "$0" >&2
    exit 2
    ;;
esac

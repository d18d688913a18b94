#!/usr/bin/env bash
# Builds the wheel of bindings/python with the library of a build directory, and runs its tests.
# usage: tools/python.sh BUILD        e.g. build/gate, which has been built
# BUILD/python/dist then has a source distribution and a manylinux wheel, which holds zstd, liblzma, xxHash and nettle.
# The wheel is made from the source distribution and linked with the archives of BUILD, so the library is not compiled
# again. That the library's sources are whole in there is seen by configuring them. pip fetches what builds and tests need
# into a virtual environment. PYTHON names the interpreter.
set -euo pipefail
if (($# != 1)) || [[ ! -f $1/CMakeCache.txt ]]; then
  echo "usage: tools/python.sh BUILD, a build directory of CMake" >&2
  exit 1
fi
build=$(cd -- "$1" && pwd)
cd "$(dirname -- "${BASH_SOURCE[0]}")/.."
work=$build/python
rm -rf "$work"
mkdir -p "$work/source"

# step NAME COMMAND...: its output is shown only if it fails.
step() {
  local name=$1 start=$SECONDS
  shift
  "$@" >"$work/$name.log" 2>&1 || {
    tail -50 "$work/$name.log"
    echo "python: $name failed, see $work/$name.log"
    exit 1
  }
  echo "python: $name took $((SECONDS - start)) s"
}

python=$work/venv/bin/python
step environment "${PYTHON:-python3}" -m venv "$work/venv"
step tools "$python" -m pip install --retries 10 --no-compile -r bindings/python/tests/requirements.txt
step library cmake --install "$build" --prefix "$work/library" --component development
step sdist "$python" -m build --sdist --no-isolation --outdir "$work/dist" bindings/python
tar xzf "$work"/dist/*.tar.gz -C "$work/source" --strip-components=1

arguments=(-C cmake.define.BDELTA_PYTHON_INSTALLED=ON -C "cmake.define.CMAKE_PREFIX_PATH=$work/library"
           -C "build-dir=$work/build")
if command -v ccache >/dev/null; then arguments+=(-C cmake.define.CMAKE_CXX_COMPILER_LAUNCHER=ccache); fi
export CMAKE_BUILD_PARALLEL_LEVEL=2
step wheel "$python" -m build --wheel --no-isolation --outdir "$work/wheel" "${arguments[@]}" "$work/source"
step repair env PATH="$work/venv/bin:$PATH" auditwheel repair --wheel-dir "$work/dist" "$work"/wheel/*.whl
step install "$python" -m pip install --no-index --no-deps --no-compile "$work"/dist/*.whl
step sources cmake -S "$work/source/project" -B "$work/configured" -DBDELTA_PROGRAMS=OFF

# Tests of clusters mostly wait, so they run beside the others.
"$python" -m pytest -q -n 2 --dist loadfile bindings/python/tests

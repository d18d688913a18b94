#!/usr/bin/env bash
# Builds the site of the documents, with MkDocs (Debian's package mkdocs).
# usage: tools/site.sh [DIR]     default: build/site; the pages are then in DIR/html
# Pages keep their places, so that links between them hold on the site and in the tree. A link that leads nowhere is an error.
set -euo pipefail

cd "$(dirname -- "${BASH_SOURCE[0]}")/.."
command -v mkdocs >/dev/null || { echo "site: mkdocs is missing; apt-get install mkdocs" >&2; exit 1; }
site=$(realpath -m -- "${1:-build/site}")
rm -rf -- "$site/pages" "$site/html"
mkdir -p -- "$site/pages"
{
  echo LICENSE
  ls -- *.md
  find docs src tests tools testdata -name '*.md' -o -name '*.svg' -o -name '*.css' -o -path 'tests/bench/runs/*/summary.csv'
} | sort -u | tar -cf - --files-from=- | tar -xf - -C "$site/pages"
sed "s|^docs_dir: .*|docs_dir: $site/pages|; s|^site_dir: .*|site_dir: $site/html|" mkdocs.yml >"$site/mkdocs.yml"
mkdocs --quiet build --strict --clean --config-file "$site/mkdocs.yml"
# Pages ask for scripts that Debian's package has under another name, as jQuery, or not at all. Without jQuery the menu of
# narrow screens does not open.
cd "$site/html"
sed -n 's|.* src="\(js/[^"]*\)".*|\1|p' index.html | while read -r script; do
  [[ -e $script ]] && continue
  case $script in js/jquery-*) cat js/jquery-*.min.js >"$script" ;; *) : >"$script" ;; esac
done
echo "$site/html/index.html"

#!/usr/bin/env bash
# Downloads the release VERSION from DOWNLOAD_URL, compares it with the checksum of the release, and puts it on the path.
set -euo pipefail

# shellcheck disable=SC2153 # The step sets it.
version="${VERSION#v}"
if ! [[ "$version" =~ ^[0-9]+\.[0-9]+\.[0-9]+ ]]; then
    echo "::error::\`$VERSION\` is no version of Quire: set \`version\`, or use the action at a tag such as v0.1.0"
    exit 2
fi
case "$RUNNER_OS-$RUNNER_ARCH" in
    Linux-X64) target=x86_64-unknown-linux-gnu ;;
    Linux-ARM64) target=aarch64-unknown-linux-gnu ;;
    macOS-X64) target=x86_64-apple-darwin ;;
    macOS-ARM64) target=aarch64-apple-darwin ;;
    *)
        echo "::error::Quire has no release for $RUNNER_OS on $RUNNER_ARCH"
        exit 2
        ;;
esac
name="quire-$version-$target"
folder="$RUNNER_TEMP/quire-$version"
mkdir -p "$folder"
cd "$folder"
for file in "$name.tar.gz" SHA256SUMS; do
    curl --fail --silent --show-error --location --retry 3 --output "$file" "$DOWNLOAD_URL/v$version/$file"
done
# A sum that is not there is no sum that fits.
grep -F "  $name.tar.gz" SHA256SUMS > sum
if command -v sha256sum > /dev/null; then sha256sum --check --quiet sum; else shasum -a 256 --check --quiet sum; fi
tar -xzf "$name.tar.gz"
echo "$folder/$name" >> "$GITHUB_PATH"
"./$name/quire" --version

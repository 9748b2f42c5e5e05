#!/bin/sh
# What scripts/release/bare-tests.sh does with the Debian package inside of a system that has nothing but Debian's base.
set -eu
cd /trial

dpkg --install ./*.deb
dpkg --status neuralbo | grep -E '^(Version|Installed-Size|Status)'
dpkg --verify neuralbo
neuralbo --version
neuralbo run --param 'x=float(-5,10)' --param 'y=float(0,15)' --trials 30 --seed 1 --json -- sh examples/branin.sh '{x}' '{y}'
neuralbo run --study s --function branin --method random --trials 6 --workers 3 --quiet
neuralbo studies

# Debian's minimal base leaves out manual pages unless a package's list asks for them; the package holds them.
dpkg --listfiles neuralbo | grep -q '/man1/neuralbo-run.1.gz$'
# shellcheck disable=SC1091
bash -c '. /usr/share/bash-completion/completions/neuralbo && complete -p neuralbo'
[ -s /usr/share/zsh/vendor-completions/_neuralbo ]
[ -s /usr/share/fish/vendor_completions.d/neuralbo.fish ]

dpkg --remove neuralbo
[ ! -e /usr/bin/neuralbo ]

#!/bin/sh
# What scripts/release/bare-tests.sh does with the Python package: the wheel inside of a system that has nothing but Python, or the sources
# where there are also Rust and a C compiler.
set -eu
cd /trial

python3 --version
python3 -m venv --clear /opt/venv
PATH=/opt/venv/bin:$PATH
case $(ls ./neuralbo-*) in
*.whl) pip install --quiet --no-index --disable-pip-version-check ./neuralbo-*.whl ;;
*) pip install --quiet --disable-pip-version-check ./neuralbo-*.tar.gz ;;
esac
pip check --disable-pip-version-check
pip list --disable-pip-version-check

echo "== command"
[ "$(neuralbo --version)" = "$(python -m neuralbo --version)" ]
neuralbo --version
neuralbo run --param 'x=float(-5,10)' --param 'y=float(0,15)' --trials 30 --seed 1 --json -- sh examples/branin.sh '{x}' '{y}'
neuralbo run --study s --method random --param 'x=float(0,1)' --trials 6 --workers 3 --quiet -- sh -c 'echo {x}'
neuralbo run --study late --method random --param 'x=float(0,1)' --trials 2 --trial-timeout 200ms --quiet -- sleep 9 || [ $? = 1 ]
[ "$(neuralbo trials late | grep -c timeout)" = 2 ]
neuralbo studies
neuralbo report s -o s.html

echo "== package"
python - <<'CODE'
import sys
import urllib.request

import neuralbo

result = neuralbo.minimize(lambda x: (x[0] - 1) ** 2 + (x[1] + 2) ** 2, [(-5, 5), (-5, 5)], n_trials=30, seed=1, workers=2)
assert result.fun < 0.1, result
study = neuralbo.load_study("neuralbo.db", "s")
assert len(study.trials) >= 6
with neuralbo.dashboard(study) as shown:
    assert urllib.request.urlopen(shown.url.split("#")[0]).status == 200
assert "numpy" not in sys.modules
print(neuralbo.__version__, result.fun)
CODE
for example in examples/python/*.py; do
    # Examples that import other packages are for other tests.
    names=$(sed -nE 's/^ *(import|from) ([a-z_]+).*/\2/p' "$example" | sort -u)
    # shellcheck disable=SC2086
    python -c 'import importlib.util, sys; sys.exit(any(importlib.util.find_spec(n) is None for n in sys.argv[1:]))' $names || continue
    echo "== $example"
    (cd /tmp && python "/trial/$example")
done

echo "== import"
for _ in 1 2 3 4 5; do
    python -X importtime -c 'import neuralbo' 2>&1 | tail -1
done

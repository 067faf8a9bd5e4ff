# SPDX-License-Identifier: Apache-2.0
# An all-gather on growing tori: each block between the lines "# %%" is a cell of a notebook.

# %%
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from meshwright import Server, rows  # noqa: E402

# %% One server answers all requests.
results = []
with Server() as mesh:
    for side in (3, 4, 5):
        results.append(mesh.run("gossip", topology=f"torus:{side}x{side}", length=16))

# %% pandas.DataFrame(table) has a column for each of these names.
table = rows(results)
for line in table:
    print(line["topology"], line["algorithm"], line["cycles"], line["lower_bound"])

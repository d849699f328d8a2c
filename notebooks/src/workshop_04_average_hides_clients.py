# %% [markdown]
# # Workshop 4: the average hides clients
#
# *Minutes 55 to 70 of 90. You need: episode 1.*
#
# **Questions.** Can a model be fair on average and unfair at home? How much of a gap is chance?
#
# Demographic disparity (DD) is the largest minus the smallest share of favourable predictions between groups: 0 if
# women and men are called employed equally often. FeDa4Fair draws its line at 0.09.

# %% tags=["parameters"]
seed = 42

# %%
from trustkit.widgets import app

import trustkit as tk

lab = tk.checkpoint("04")
lab.change(seed=seed)
run = tk.run(tk.presets()["start"].change(seed=seed))

# %% [markdown]
# ## What the server sees

# %%
found = tk.disparities_of(run, "sex")
print(f"all rows together: DD {found.pooled:.3f}, line {found.line}")
tk.plot.client_gaps(found, view="server")

# %% [markdown]
# Below the line. **Predict:** how many of the ten clients are above it? Write a number down.

# %%
guess = 0  # your turn

# %% [markdown]
# ## What clients see

# %%
print(f"you said {guess}; {found.over.sum()} of {len(found.names)} clients are above the line")
print(f"worst client {found.worst:.3f}, masking gap {found.worst:.3f} - {found.pooled:.3f} = {found.masking:.3f}")
tk.plot.client_gaps(found)

# %% [markdown]
# ## Explain
#
# At some clients women are called employed less often, at others men. In the pool the two partly cancel; for the people
# at those clients nothing cancels. Part of every gap is chance: groups are small, and a largest minus a smallest is
# never negative.

# %%
expected, p = tk.metrics.chance_gap(found.counts)
for name, gap, chance, often in zip(found.names, found.gap, expected, p, strict=True):
    print(f"{name:10} gap {gap:.3f}, {chance:.3f} by chance alone, as large as this in {often:.0%} of shuffles")

# %% [markdown]
# ## Make it happen
#
# Here the clients are almost alike: α = 10.

# %%
app(lab)

# %% [markdown]
# **Exercise 4.** Move only the label skew α until DD of all rows is below 0.09 while some client is above 0.15; press
# *Run* after each move. Before you start: which way will you move it?

# %% tags=["solution"]
lab.change(skew=2.0)
lab.run(wait=True)

# %%
tk.check("04", lab)

# %% [markdown]
# There is a band of α in which the average hides somebody. Above it clients are alike and nobody is far off; below it
# the pool itself crosses the line, and nothing is hidden any more.
#
# > **What this does not show.** Why groups differ, and what would be just. A gap is one measure, of predictions on
# > some rows; among ten clients the largest gap is large by chance as well. Lesson [the average hides
# > clients](06_the_average_hides_clients.ipynb) goes on from here, with natural clients and remedies.
#
# Next: [the trust radar](workshop_05_trust_radar.ipynb)

# %% [markdown]
# # Workshop 5: the trust radar
#
# *Minutes 70 to 82 of 90. You need: episodes 3 and 4.*
#
# **Questions.** What is a trust score made of? Who decides what counts?
#
# Two runs of the same task: one without noise, one with ε = 2. A fact sheet is folded from each, and a report is a
# function of the fact sheet: six pillars, each a mean of notions, each a mean of metrics.

# %%
from trustkit.widgets import app

import trustkit as tk

runs = tk.recorded("05")
plain, private = (tk.assess(tk.facts_of(record)) for record in runs.values())
print(f"trust without noise {plain.score:.3f}, with ε = 2 {private.score:.3f}")

# %% [markdown]
# **Predict:** which pillars are higher with noise, which are lower?

# %%
for name, score in private.pillars.items():
    print(f"{name:16} {plain.pillars[name]:.2f} -> {score:.2f}")
tk.plot.pillar_radar(private, baseline=plain)

# %% [markdown]
# ## Which metric moved it?
#
# The score is a weighted tree, so the difference can be handed back to the metrics exactly.

# %%
moved = tk.waterfall(plain, private)
tk.plot.trust_waterfall(moved, {line.metric: line.row.name for line in private.metrics})

# %%
print(private.explain("privacy"))

# %% [markdown]
# ## Who decides?
#
# Nobody has measured that a pillar weighs one sixth. **Exercise 5.** With a neighbour: one of you finds weights with
# which the private run is trusted more, the other weights with which the run without noise is. Only weights may move.
# Pillars are named as above; what is not named weighs 1.

# %% tags=["exercise"]
mine, yours = {"privacy": 1}, {"privacy": 1}  # your turn
tk.check("05", [mine, yours])

# %% tags=["solution"]
mine, yours = {"privacy": 2}, {"privacy": 0, "fairness": 2}
tk.check("05", [mine, yours])

# %% [markdown]
# The same with sliders: the run without noise is pinned; move the weights in the section on trust.

# %%
lab = tk.checkpoint("05")
app(lab)

# %%
tk.check("05", lab)

# %% [markdown]
# ## How sure is the order?
#
# Draw weights and normalisers a thousand times around those of the profile: in how many draws is the private run
# trusted more?

# %%
print(f"in {tk.outranks(private, plain):.0%} of the draws")

# %% [markdown]
# The order survives small changes of the weights, and not the one that your neighbour made. Both are true; a report has
# to name its weights.

# %% [markdown]
# > **What this does not show.** Whether either run deserves trust. A score is a summary of stated and measured facts
# > by one profile's judgement, and no certificate. What has no evidence is missing, which is not the same as bad, and
# > not the same as good.
#
# Next: [the report](workshop_06_report.ipynb)

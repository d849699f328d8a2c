# %% [markdown]
# # Workshop 2: who owns what?
#
# *Minutes 18 to 34 of 90. You need: episode 1.*
#
# **Questions.** What if parties know the same rows, but different columns? How unequal are they, how alike?
#
# 15,000 printed letters, sixteen measurements of each. Four parties hold different measurements. Two numbers say how
# they were dealt: **α**, how unequal the *importance* of their columns is, and **β**, how *correlated* the parties are.

# %% tags=["parameters"]
seed = 2

# %%
from trustkit.widgets import app

import trustkit as tk

lab = tk.checkpoint("02")
letter = tk.datasets.load("letter")

# %% [markdown]
# ## α: importance
#
# Small α: one party is likely to hold most of what matters. **Predict:** how large will the largest share be for α =
# 100, for α = 0.3?

# %%
for alpha in (100.0, 1.0, 0.3):
    split = tk.split.joint(letter, parties=4, alpha=alpha, beta=0.6, seed=seed)
    print(f"α = {alpha:5}: the largest party holds {max(split.achieved['importance']):.2f} of the importance")

# %% [markdown]
# Importance is measured, by Shapley values of a boosted-tree model; α only says how unequal the shares are *drawn*.
# With another seed the same α deals other shares, so publish what was achieved, not what was asked.
#
# ## β: correlation between parties
#
# Icor is the mean correlation between the parties' columns. β places it between the smallest and the largest value that
# a search finds for parties of these sizes. **Predict:** does β = 0 put correlated columns together, or apart?

# %%
for beta in (0.0, 1.0):
    split = tk.split.correlation(letter, parties=4, beta=beta, seed=seed)
    low, high = split.achieved["bounds"]
    print(f"β = {beta}: Icor {split.achieved['icor']:.3f}, between {low:.3f} and {high:.3f}")
    display(tk.plot.correlation_blocks(tk.FederatedDataset(letter, split)))

# %% [markdown]
# At β = 0 correlated columns sit with the same party: dark squares lie inside the orange lines. At β = 1 they are
# spread.
#
# ## Both at once

# %%
app(lab)

# %% [markdown]
# **Exercise 2.** Find a split in which one party holds more than 60 % of the importance while β stays below 0.5. Move α
# and β on the page; nothing has to be trained. Each check says how far you are.

# %% tags=["solution"]
lab.change(alpha=0.5, beta=0.3)

# %%
tk.check("02", lab)

# %% [markdown]
# ## Explain
#
# Read the split the other way round: α̂ and β̂ estimate both numbers from a division that somebody hands you.

# %%
mine = tk.split.joint(letter, parties=4, alpha=0.5, beta=0.3, seed=seed)
beta = tk.split.estimate_beta(letter, mine)
alpha = tk.split.estimate_alpha(tk.split.column_importance(letter), mine)
print(f"estimated α {alpha:.2f} (asked 0.5), β {beta.beta:.2f} (asked 0.3)")
print(f"Icor {beta.icor:.3f}, between {beta.bounds[0]:.3f} and {beta.bounds[1]:.3f}")

# %% [markdown]
# α was asked to be 0.5 and comes back as another number: four shares are a small sample. β comes back as it was
# achieved, because it describes the split itself, between bounds that belong to these party sizes.
#
# > **What this does not show.** Whether such parties exist, and whether training gets harder: lesson [training across
# > columns](02_training_across_columns.ipynb) does that. Bounds are what a search has met, and a better search widens
# > them.
#
# Next: [the price of privacy](workshop_03_price_of_privacy.ipynb)

# %% [markdown]
# # Workshop 1: a first run
#
# *Minutes 8 to 18 of 90. You need: the preflight.*
#
# **Questions.** What happens in a round? What does it cost if fewer clients train at a time?
#
# 16,000 people from the American Community Survey in Massachusetts; the model says who is employed. Ten simulated
# clients hold them, each with its own mix. In every round half of the clients train, and the server takes the mean of
# their models.

# %% tags=["parameters"]
seed = 42

# %%
from trustkit.widgets import app

import trustkit as tk

lab = tk.checkpoint("01")
lab.change(seed=seed)
app(lab)

# %% [markdown]
# The page opens on a run that was recorded; *Run* plays one anew. Controls that this episode does not need are hidden.
# The same numbers as text:

# %%
before = tk.headline_of(lab.outcome.record)
print(f"mean accuracy {before.accuracy:.3f}, worst client {before.worst_accuracy:.3f}")
print(f"{(before.bytes_up + before.bytes_down) / 1e6:.3f} MB sent and received in {before.rounds} rounds")

# %% [markdown]
# ## Predict
#
# You are going to halve the share of clients that train in each round, from 0.5 to 0.25. What will mean accuracy be,
# and how many megabytes will cross the network? Write both down first; a prediction is neither right nor wrong.

# %%
predicted = {"accuracy": 0.70, "megabytes": 0.02}  # your turn

# %% [markdown]
# ## Run
#
# **Exercise 1.** Press *Pin*, move the slider q to 0.25, press *Run*. Then check.

# %% tags=["solution"]
lab.pin()
lab.change(selection=0.25)
lab.run(wait=True)

# %%
tk.check("01", lab, predicted=predicted)

# %% [markdown]
# ## Explain
#
# Say it to whoever sits beside you: did accuracy follow the share of clients? Did the traffic?

# %%
quarter = tk.run(tk.presets()["start"].change(participation=0.25, seed=seed))
after = tk.headline_of(quarter)
sent = (after.bytes_up + after.bytes_down) / (before.bytes_up + before.bytes_down)
print(f"accuracy {before.accuracy:.3f} -> {after.accuracy:.3f}, traffic {sent:.0%} of what it was")
print(f"clients that trained in each round: {quarter.selected.sum(1).tolist()}")

# %% [markdown]
# Traffic goes with the number of clients that train: a quarter of ten is rounded to two, which is two fifths of five,
# not half. Accuracy hardly moves, and it may even rise: these rows are an easy task, and one run is one draw of who
# trains. Does the difference mean anything? Three seeds give a first answer.

# %%
half = [tk.headline_of(tk.run(tk.presets()["start"].change(seed=seed + k))).accuracy for k in range(3)]
print(f"half of them, three seeds: {min(half):.3f} to {max(half):.3f}")

# %% [markdown]
# **Take it with you.** *Undo* takes any move back, *Link* and *Code* hand the page to somebody else.
#
# > **What this does not show.** A simulation runs on one machine: its seconds are not a federation's. Clients are
# > drawn from one survey, where real ones differ in more than their mix. Three seeds are few.
#
# Next: [who owns what?](workshop_02_who_owns_what.ipynb)

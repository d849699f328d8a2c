# %% [markdown]
# # Workshop 6: the report
#
# *Minutes 82 to 90 of 90. You need: episode 5.*
#
# **Questions.** What do you hand to somebody who was not here? What can it not tell them?

# %%
import pathlib
import tempfile

import trustkit as tk
from trustkit import use

# %%
experiment = tk.presets()["start"].change(privacy=use("gaussian", epsilon=2.0))  # or one of your own
facts = tk.facts_of(tk.run(experiment), purpose="teaching", background="a workshop of ninety minutes")
report = tk.assess(facts)
print(report.summary)

# %% [markdown]
# Purpose and background are stated by you; everything else was measured or follows from the experiment. The profile
# `paper` has twenty metrics. The whole taxonomy has more, and what nobody has measured is missing, never scored 0:

# %%
whole = tk.assess(facts, profile="calibrated")
print(len(whole.measured), "metrics measured,", len(whole.missing), "missing:", *whole.missing)

# %% [markdown]
# ## Hand it in
#
# A page to read, the same as data, and the facts it was computed from: whoever has the facts can compute the score
# again.

# %%
folder = pathlib.Path(tempfile.mkdtemp())
tk.export.write(report, folder / "report.html")
tk.export.write(report, folder / "report.json")
tk.export.write(facts, folder / "factsheet.json")
print(sorted(file.name for file in folder.iterdir()))

# %% [markdown]
# **Exercise 6, the exit ticket.** Write one thing that the score cannot tell you, and check what you hand in. The check
# computes the score again from the facts. Your sentence is read by people.

# %% tags=["exercise"]
ticket = ""  # your turn: one sentence

# %% tags=["solution"]
ticket = "Who is harmed when the model is wrong, and whether they were asked."

# %%
(folder / "ticket.txt").write_text(ticket)
tk.check("06", folder)

# %% [markdown]
# ## On the board
#
# In the app, *Link* carries controls, weights and baseline to somebody else's browser. On the command line
# `trustkit run start/private` writes the same report, and `trustkit replay` plays it again and says, number by number,
# whether it still holds.
#
# ## Homework
#
# - [Attack and defend](05_attack_and_defend.ipynb): what an attack does, and what a defence costs.
# - [The average hides clients](06_the_average_hides_clients.ipynb): natural clients, chance, remedies.
# - [Audit your own table](07_audit_your_own_table.ipynb): bring your own data.
#
# > **What this does not show.** Anything about a federation that was not simulated. The report states what was done
# > here, with which data and which seed; it vouches for nothing else.

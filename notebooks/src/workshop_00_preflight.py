# %% [markdown]
# # Workshop 0: is everything here?
#
# *Minutes 0 to 8 of 90. You need nothing but this page.*
#
# Federated learning trains one model on data that stay where they are. In ninety minutes you will divide real data
# among clients, train, look behind the average, put a price on privacy, and say how far the result can be trusted. In
# every episode you **predict**, then **run**, then **explain** what you saw to whoever sits beside you.
#
# | minutes | episode | exercise |
# |---|---|---|
# | 0 to 8 | this page | the code of the room |
# | 8 to 18 | [a first run](workshop_01_first_run.ipynb) | half as many clients at a time |
# | 18 to 34 | [who owns what?](workshop_02_who_owns_what.ipynb) | one party holds most, correlation is low |
# | 34 to 50 | [the price of privacy](workshop_03_price_of_privacy.ipynb) | the smallest ε that keeps accuracy |
# | 50 to 55 | break | |
# | 55 to 70 | [the average hides clients](workshop_04_average_hides_clients.ipynb) | make it hide one |
# | 70 to 82 | [the trust radar](workshop_05_trust_radar.ipynb) | the same runs, the other way round |
# | 82 to 90 | [the report](workshop_06_report.ipynb) | hand it in |

# %%
import trustkit as tk

# %% [markdown]
# ## Check this machine
#
# The next cell loads every embedded data set, trains three rounds, starts the privacy accountant, draws the app, and
# holds three rounds against recorded ones. It takes between ten seconds and a minute, and asks no network. Click into
# it and press Shift+Enter.

# %%
ready = tk.preflight()
ready

# %% [markdown]
# Every line should begin with `ok`. The last one has a code of six characters, which stands for this version of
# trustkit, its data and its recorded runs: whoever in the room has the same code sees the same numbers. If a line says
# `FAIL` there is no code; open the address that the room shares and follow there. Nothing has to be repaired now.
#
# **Exercise 0.** Write your code between the quotation marks, run the cell, and say the code aloud.

# %% tags=["exercise"]
tk.check("00", "")  # your turn

# %% tags=["solution"]
tk.check("00", ready.code)

# %% [markdown]
# ## How exercises are checked
#
# `tk.check` says each condition, whether it is met, and how far you are from the line. What has not been run is *not
# known yet*, which is no failure. `hints=1` shows a first hint, `hints=2` one more. `tk.checkpoint("03")` puts the
# controls to where episode 3 begins, with runs that were recorded, so that nobody has to wait for what others trained.

# %%
tk.check("01", hints=1)

# %% [markdown]
# > **What this does not show.** That a machine is ready says nothing about whether its answers are right. The code
# > tells apart versions, not people, and is no secret.

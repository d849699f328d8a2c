# %% [markdown]
# # Ten minutes with trustkit
#
# Federated learning trains one model on data that stay where they are. How far can it be trusted? This tour divides
# real data among clients, trains, looks at every client, and writes a trust report. Every number below comes from
# real rows; where data are synthetic, trustkit says so.

# %%
import trustkit as tk
from trustkit import use

# %% [markdown]
# ## 1. Real data
#
# 16,000 people from the American Community Survey in Massachusetts, 2015 to 2018. The question: is a person employed?
# Sex and race are known for every row, so that the answer can be checked group by group.

# %%
# NBVAL_CHECK_OUTPUT
data = tk.datasets.load("acs_employment")
print(data)
print({name: data.codes(name)[1] for name in ("sex", "race")})

# %% [markdown]
# ## 2. Ten clients that see different things
#
# A Dirichlet split gives each client its own mix of the two classes: the smaller α, the more the clients differ.

# %%
partition = tk.split.dirichlet(data, parties=10, alpha=1.0, seed=42)
tk.plot.label_shares(tk.FederatedDataset(data, partition))

# %% [markdown]
# ## 3. Train
#
# An experiment is a handful of names, some numbers and a seed: all that it takes to play it again.

# %%
# NBVAL_CHECK_OUTPUT
experiment = tk.Experiment(
    data="acs_employment",
    split=use("dirichlet", parties=10, alpha=1.0),
    algorithm=use("fedavg", lr=0.02),
    model="logistic",
    rounds=20,
    participation=0.5,
    seed=42,
)
record = tk.run(experiment)
print(f"mean accuracy {tk.headline_of(record).accuracy:.2f} after {len(record)} rounds")

# %%
tk.plot.accuracy_by_round(record)

# %% [markdown]
# `for r in tk.play(experiment)` gives the same rounds one by one. Stop by not asking for more; go on later with
# `tk.play(experiment, after=r)`, bit for bit the same.

# %%
# NBVAL_CHECK_OUTPUT
rounds = tk.play(experiment)
third = [next(rounds) for _ in range(3)][-1]
rest = list(tk.play(experiment, after=third))
print(bool((rest[-1].state["params"] == record.last.state["params"]).all()))

# %% [markdown]
# ## 4. The average hides clients
#
# Demographic disparity (DD) is the gap between the groups' shares of favourable predictions. Pooled over all clients
# it can be small while single clients lie above 0.09, the line that FeDa4Fair draws. Groups under 30 rows are marked:
# their rates are uncertain.

# %%
# NBVAL_CHECK_OUTPUT
gaps = tk.fairness_of(record, "sex")
print(f"pooled {gaps.pooled:.2f}, worst client {gaps.worst:.2f}, {gaps.undefined} clients undefined")
print(f"{gaps.over} of {len(gaps.names)} clients above 0.09")

# %%
tk.plot.client_fairness(
    gaps.disparity,
    gaps.opportunity,
    gaps.names,
    interval=(gaps.low, gaps.high),
    small=gaps.small,
    pooled=gaps.pooled,
)

# %% [markdown]
# *What this does not show:* a small gap is not fairness. It is one measure, on one task, for the groups that the
# survey names.

# %% [markdown]
# ## 5. How far can it be trusted?
#
# A fact sheet is folded from the run; the report is a function of the fact sheet: six pillars, each a mean of notions
# and metrics. What has no evidence is listed as missing, never scored 0.

# %%
# NBVAL_CHECK_OUTPUT
report = tk.assess(tk.facts_of(record, purpose="teaching", background="the tour"))
for name, score in report.pillars.items():
    print(f"{name}: {score:.1f}")

# %% [markdown]
# ## 6. The price of privacy
#
# With a Gaussian mechanism, ε is composed over all rounds by an accountant; its assumption is stated beside it. The
# privacy pillar rises; what happens to accuracy?

# %%
# NBVAL_CHECK_OUTPUT
private = tk.run(experiment.change(privacy=use("gaussian", epsilon=6.0)))
print(f"ε = {private.last.epsilon:.2f}, mean accuracy {tk.headline_of(private).accuracy:.2f}")
print(tk.build(private.experiment).trainer.facts["assumption"])

# %%
tk.plot.pillar_radar(tk.assess(tk.facts_of(private)), baseline=report)

# %% [markdown]
# ## 7. The other way to divide: columns
#
# Across columns, parties hold different features of the same rows. β places the correlation between parties between
# the smallest and the largest that any split of these columns reaches. Asked and achieved are both kept.

# %%
# NBVAL_CHECK_OUTPUT
letter = tk.datasets.load("letter")
columns = tk.split.correlation(letter, parties=4, beta=0.6, seed=42)
print(f"asked β 0.6, achieved {columns.achieved['beta']:.2f}; Icor {columns.achieved['icor']:.3f}")

# %%
tk.plot.correlation_blocks(tk.FederatedDataset(letter, columns))

# %% [markdown]
# SplitNN trains one joint model on the four parties; every byte that crosses a border is counted.

# %%
joint = tk.run(tk.Experiment("letter", use("correlation", parties=4, beta=0.6), "splitnn", rounds=2, seed=42))
print(f"accuracy {tk.headline_of(joint).accuracy:.2f}, {tk.headline_of(joint).bytes_up / 1e6:.0f} MB up")

# %% [markdown]
# ## 8. Move it yourself
#
# The same pictures as a panel: move α, β, ε, the number of clients or the selection rate, press Run, pin a baseline,
# compare.

# %%
from trustkit.widgets import app

app()

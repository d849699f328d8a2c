# %% [markdown]
# # Training across columns
#
# *About 45 minutes. You need: the tour, lesson 01, and what a gradient is.*
#
# A bank knows what people owe, a shop what they buy, a clinic how they are; only one of them knows what shall be
# predicted. In vertical federated learning they train one model on columns that never leave their owners. What does
# leave are *messages*: embeddings, gradients, residuals, histograms. After this lesson you can say what each family
# of algorithms sends, how much, what it gains over a party that stays alone, and what somebody who listens finds in
# it. All messages here are really made and counted, byte by byte; the network between the parties is simulated, so no
# time on a wire is in any number.

# %%
import numpy as np
from trustkit.widgets import Lab, Setting, VerticalPanel

import trustkit as tk
from trustkit import comparison, use, vertical

letters = tk.Experiment("letter", use("importance", parties=4, alpha=1.0), use("splitnn", lr=3e-3), rounds=5)
record = tk.run(letters)
print(f"accuracy of the joint model: {record.last.accuracy[0]:.3f}")

# %% [markdown]
# ## 1. Split a network: SplitNN
#
# Party 0 has the labels, the *primary* party. Each party sends its columns through a small network of its own and
# passes on what comes out, 100 numbers a row: an **embedding**. The primary joins them, computes the loss, and sends
# each party the **gradient** of its embedding. Bars to the right: sent; to the left: received.

# %%
tk.plot.traffic_bars(record)

# %% [markdown]
# The bytes have a closed form: three parties besides the primary, each 100 numbers of 4 bytes a training row and
# pass, and as much back.
#
# **Exercise 1.** Change `local` to `(100, 20)`, so that embeddings have 20 numbers. Predict bytes and accuracy first.
# Which of the two follows your prediction better?

# %%
rows = int((~tk.build(letters).fed.data.held_out).sum())
counted = record.traffic["embedding"][:, 0].sum()
print(f"formula {3 * rows * 100 * 4 * 5:,} bytes of embeddings, counted {counted:,.0f}")
narrow = tk.run(letters.change(algorithm__local=(100, 100)))  # your turn
print(f"accuracy {narrow.last.accuracy[0]:.3f}, all parties sent {narrow.bytes_up.sum() / 1e6:.1f} MB")

# %% [markdown]
# ## 2. Is it worth it?
#
# Two yardsticks, neither of which is a federation. **Alone**: the primary party with its own columns. **All columns
# at one place**: what nobody is allowed to do. A joint model is worth its messages as far as it lies above the first,
# and the second is about what it can hope for.

# %%
yardsticks = comparison.compare_algorithms(letters, ["splitnn", "solo", "pooled"])
tk.plot.quality_curves(yardsticks.titled(), ["One party alone", "All columns at one place"])

# %% [markdown]
# Here the joint model even lies above: its four bottom networks have 127,826 parameters between them, the one network
# of all columns has 37,226. So a yardstick is no upper bound.
#
# **Exercise 2.** `solo` takes the number of a `party`. Which of the four would be best off alone? Look at the
# parties' columns in `tk.build(letters).fed.partition.sizes` before you try.

# %%
alone = tk.run(letters.change(algorithm=use("solo", party=1, lr=3e-3)))  # your turn: 0, 2, 3
print(tk.build(letters).fed.partition.sizes, f"accuracy alone {alone.last.accuracy[0]:.3f}")

# %% [markdown]
# ## 3. Grow trees together: FedTree
#
# Boosted trees need no embeddings. The primary sends the gradient of each row's loss; the others answer with
# **histograms**: sums of gradients over the bins of their columns. The primary picks the best split and asks its
# owner which rows go left, an **instance set**. Nothing is lost by that: the trees are those of all columns at one
# place, to the last bit of a float.

# %%
cells = tk.Experiment("breast_cancer", use("importance", parties=4), use("fedtree", depth=3), rounds=8)
trees = tk.run(cells)
central = tk.run(cells.change(algorithm=use("pooled_trees", depth=3)))
X = tk.build(cells).fed.data.X
margins = [tk.build(each.experiment).trainer.logits(each.last.state, X) for each in (trees, central)]
print(f"largest difference of a margin on {len(X)} rows: {np.abs(margins[0] - margins[1]).max():.1e}")
tk.plot.traffic_bars(trees)

# %% [markdown]
# ## 4. The same trees under encryption: SecureBoost
#
# Gradients tell labels, as you will see below. So SecureBoost encrypts them: parties add up ciphertexts without
# reading them, and only the primary can open the sums. The encryption here is real (Paillier), so keys are short and
# trees shallow in this lesson; 512 bits are for learning only.

# %%
small = cells.change(algorithm=use("fedtree", depth=1, bins=4), rounds=1)
locked = comparison.compare_algorithms(small, ["fedtree", use("secureboost", depth=1, bins=4, key_bits=512)])
margins = [tk.build(each.experiment).trainer.logits(each.last.state, X) for each in locked.records.values()]
print(f"largest difference of a margin: {np.abs(margins[0] - margins[1]).max():.1e}")
locked.frame()[["algorithm", "accuracy", "sent", "seconds"]]

# %% [markdown]
# **Exercise 3.** A ciphertext of a 512-bit key has 128 bytes. Where do most of the bytes go, into gradients or into
# histograms? `record.traffic` has both by kind. And why is the accuracy the same to the last digit?

# %% [markdown]
# ## 5. Assist one another: GAL
#
# In gradient-assisted learning the primary sends **residuals**, what is still wrong. Each party fits a model of its
# own choice to them, and returns predictions. A round is a whole training at each party, so few rounds are needed and
# few bytes: one number a row and class (of two classes a single one), not 100. So compare by bytes, not by rounds.

# %%
three = comparison.compare_algorithms(cells.change(rounds=8), ["splitnn", "gal", "fedtree", "solo", "pooled"])
tk.plot.quality_curves(three.titled(), ["One party alone", "All columns at one place"], by="bytes")

# %%
three.frame()[["algorithm", "accuracy", "sent", "most_in", "most_out", "seconds"]].round(3)

# %% [markdown]
# ## 6. Does the split matter?
#
# Lesson 01 divided columns along **α**, how unequal the parties' importance is, and **β**, how correlated they are.
# VertiBench asks which algorithms mind. Here is one seed on a small table: enough to learn how to look, not to claim
# anything.
#
# **Exercise 4.** The line of the trees is flat. It has to be: why?

# %%
along = comparison.compare_algorithms(cells.change(rounds=5), ["splitnn", "gal", "fedtree", "solo"], along="beta")
tk.plot.quality_by_split(along)

# %% [markdown]
# ## 7. Who can listen?
#
# No raw column was sent, but that does not mean that nothing was told. Take GAL: its residual is *label −
# prediction*, where a prediction lies between 0 and 1. So it is positive for one class and negative for the other,
# and whoever receives it reads off the label. No statistics are needed.

# %%
gal = three.records["gal", None]
built = tk.build(gal.experiment)
with vertical.listening() as heard:
    built.trainer.step(gal.last.state, gal.last.index + 1, lambda: None)
residual = next(each.numbers for each in heard if each.kind == "residual")
labels = built.fed.data.y[~built.fed.data.held_out]
print(f"on the wire: a residual of each of {len(residual)} training rows, {residual[:3, 0]} …")
print(f"labels read off their sign: {((residual[:, 0] > 0) == (labels == 1)).mean():.0%} right")

# %% [markdown]
# `exposure_of` tries the attacks that apply to a run: labels from gradients or residuals, another party's columns
# from embeddings, who was trained on. Each is compared with what takes no run at all: guessing, or the attacker's own
# columns. Attacks are lower bounds: what is not found is not safe.

# %%
for name in ("splitnn", "gal", "fedtree", "solo"):
    print(f"{name:8} {tk.exposure_of(three.records[name, None], rows=300)}")

# %% [markdown]
# ## 8. Defences and what they cost
#
# Noise on a row's embeddings, or on the gradients that tell its label, bounds what any attack can find, with an ε for
# the whole training. Labels can be answered at random once. Compare privacy, accuracy and bytes: to the left and up
# is better.

# %%
split = three.experiments["splitnn", None]
defended = {
    "SplitNN": split,
    "labels at random, ε 1": split.change(privacy=use("randomised_labels", epsilon=1.0)),
    "noise on gradients, ε 8": split.change(privacy=use("column_noise", epsilon=8.0, protects="labels")),
    "noise on embeddings, ε 8": split.change(privacy=use("column_noise", epsilon=8.0, protects="features")),
}
found = tk.compare_exposure(defended, seeds=range(2), rows=300)
tk.plot.exposure_points(found)

# %% [markdown]
# **Exercise 5.** Raise the ε of the embeddings to 1,000: does the attack find more? And which of the four protects
# both, labels and features? Try `protects="both"`.
#
# ## 9. When the target is a number
#
# Nothing changes but the loss. There is no accuracy; the error has the target's unit, here years. These songs are
# made up, in the columns of MSD.

# %%
songs = tk.Experiment(
    use("msd_synthetic", rows=1500), use("importance", parties=4), use("fedtree", depth=3, lr=0.3), rounds=20
)
years = comparison.compare_algorithms(songs, ["fedtree", "solo_trees", "pooled_trees"])
tk.plot.quality_curves(years.titled(), ["One party's trees alone", "Trees on all columns at one place"])

# %% [markdown]
# ## 10. As a panel
#
# All of this while you watch: choose algorithms and splits, press *Compare algorithms*, tick *privacy attacks*. *Stop
# algorithms* keeps what was trained.

# %%
display(VerticalPanel(Lab(Setting.of(cells))))

# %% [markdown]
# *What this lesson does not show:* time on a network (count bytes and rounds instead), parties that drop out or lie,
# and aligning people's records without showing who they are. Answers to the exercises: 1. A fifth of the bytes,
# exactly; accuracy falls a little. 2. All hold four columns here, so it is importance that tells. 3. Into gradients,
# 175 kB of 186: there are more rows than bins. The trees are the same, since sums under encryption are exact. 4.
# Trees see sums over bins of single columns, and who holds a column changes none of them. 5. Still nothing, by these
# attacks: the noise of a whole training is large even then. But e to the power of 1,000 bounds nothing, so it is no
# promise. None of the four protects both.

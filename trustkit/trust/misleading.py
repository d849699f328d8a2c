"""Where each metric misleads: a case in which its value is right and what one would read into it is wrong."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["MISLEADS"]

MISLEADS: Mapping[str, str] = {
    "differential_privacy": (
        "Noise with ε = 1,000 counts as much as with ε = 0.1, though it hides next to nothing: read ε beside it."
    ),
    "encryption": (
        "Secure aggregation with two clients scores 1, and each of the two learns the other's update by taking its own "
        "off the sum. Encryption says nothing about what the model itself gives away."
    ),
    "anonymization": (
        "A column that nobody listed as a quasi-identifier can still tell rows apart; then k is too large. Two values "
        "that mean nearly the same count as diverse."
    ),
    "information_leakage": (
        "A weak critic finds little, and little is then reported as safe. Rounds between those that were looked at may "
        "tell more."
    ),
    "membership_inference": (
        "An area of 0.5 is an average: the attack may be sure about a few rows, outliers above all, and guess at the "
        "rest. Membership Exposure looks at those."
    ),
    "membership_exposure": (
        "At a low rate few rows decide: with 100 rows that are no members, one more false alarm moves the rate by a "
        "hundredth."
    ),
    "privacy_claim": (
        "The bound that an attack shows is often far below ε, so that a claim which is too low by half is not refuted."
    ),
    "entropy": (
        "Clients of equal size score 1 whoever they are, even if one of them holds all rows of a class and is known by "
        "that."
    ),
    "global_privacy_risk": (
        "With enough clients the risk is small at any ε, though what one client's update tells has not changed: with "
        "10,000 clients and ε = 6 it is 0.04."
    ),
    "certified_robustness": (
        "It is an estimate and no certificate: where gradients vanish, as in a saturated network, the estimated "
        "Lipschitz constant is too small and the distance too large."
    ),
    "poisoning_defence": (
        "A model that guesses the largest class keeps its accuracy under any attack and scores near 1: read accuracy "
        "beside it."
    ),
    "replacement_attack": (
        "Where attackers are few and selected seldom, the share that is kept depends on when they came: an attack in "
        "the last round is not mended, one in the first is."
    ),
    "fgsm_robustness": (
        "One step along the gradient misses what a model that hides its gradients gets wrong: a high score can be a "
        "sign of vanishing gradients, not of robustness."
    ),
    "pgd_robustness": (
        "A model that is as bad on rows as they are loses little: 0.3 of 0.3 scores 1. More steps or restarts can only "
        "lower it."
    ),
    "testing_coverage": "A line counts as tested if it ran, whether or not anything was asserted about what it did.",
    "system_reliability": (
        "A simulation drops clients as it was told to; its rates say nothing about real devices. Three rates weigh "
        "alike, though a timeout can be mended and an error in the data cannot."
    ),
    "performance": (
        "Where nine rows in ten are of one class, 0.9 is reached without looking. A mean over clients hides those for "
        "whom the model fails."
    ),
    "personalization": "A personalised method that makes every client worse counts as much as one that helps.",
    "federation_scale": (
        "A hundred clients that hold the same rows score as a hundred independent ones do; ten clients and ninety-nine "
        "score the same."
    ),
    "client_reputation": (
        "An honest client whose data are unlike the others' looks like an attacker, since both move the model away "
        "from the rest."
    ),
    "data_quality": (
        "Near the optimum good updates no longer improve the model and count as bad; in the first rounds nearly any "
        "update improves it."
    ),
    "selection_variation": (
        "Random selection over few rounds varies by chance alone: at q = 0.5 and 20 rounds about 0.22, with nobody "
        "preferred. Equal turns say nothing about whose update counts."
    ),
    "accuracy_variation": (
        "It is small where the model is equally bad for everybody. With few test rows a client, chance makes most of "
        "it."
    ),
    "contribution_fairness": (
        "A Shapley value over few permutations is noise; negative ones make the Gini index hard to read. Equal "
        "contributions are no merit of the federation."
    ),
    "discrimination_index": (
        "Groups of few rows have an F1 that jumps, and the largest gap is taken: with many small groups it is large by "
        "chance. A gap on one attribute says nothing of two crossed."
    ),
    "class_imbalance": (
        "Merged counts can be balanced while every client holds a single class: then it scores 1 on the hardest split "
        "there is."
    ),
    "algorithmic_transparency": (
        "The mark is the family's: a linear model of 10,000 columns is read by nobody, a network of three units by "
        "most."
    ),
    "model_size": (
        "Parameters are no measure of what a person understands: a table of a thousand rules has more of them than a "
        "small network, and can be read."
    ),
    "feature_importance": (
        "One column that leaks the label gives a large variation and a score of 1. Correlated columns share their "
        "importance, which makes it look even."
    ),
    "simplification": (
        "Where nine rows in ten are of one class, a tree that always says so agrees with the model on nearly all of "
        "them."
    ),
    "visualization": "A picture counts, whether or not anybody can read anything from it.",
    "project_specs": "Three words of filler count as three statements; only an empty text does not.",
    "participants": "A number is counted as stated, whether or not it is right.",
    "data": "That something is stated about the data says nothing of whether the data are fit for the purpose.",
    "configuration": "Everything can be stated about a configuration that no one should have used.",
    "system": "Times and bytes of a simulation are complete, and are not those of a federation.",
    "performance_results": "Bad results that are stated in full score 1: what counts is that they are stated.",
    "fairness_results": (
        "Large gaps that are stated in full score 1; without a protected attribute nothing can be stated."
    ),
    "algorithmic_auditing": (
        "An artefact counts by its being there: an audit that found nothing because it looked at nothing scores as a "
        "thorough one."
    ),
    "client_selector": (
        "A stated criterion can be an unfair one: to choose the fastest clients scores 1 and shuts slow devices out."
    ),
    "client_registry": "A registry is complete if its rows are, whoever stands behind the ids.",
    "co_versioning": "That versions are mapped does not say that an old one can still be loaded.",
    "replacement_trigger": "A trigger that is documented and can never fire scores 1.",
    "model_replacement": (
        "Accuracy over all clients can be kept while one group pays for it; and a replacement that is never needed was "
        "not put to the test."
    ),
    "aggregation_algorithm": (
        "The value is an accuracy on somebody else's benchmark: on your data the order may be another."
    ),
    "decentralisation": "Neighbours that all follow one of them are a server by another name.",
}  # fmt: skip
"""One case a metric of the whole taxonomy, by id."""

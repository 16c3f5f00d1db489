"""Variants that the check lets pass and that count as far as rules can: forty to sixty-four paying cards."""

import random
from typing import Any

from khora_sim.rules.checks import MAX_ASKING
from khora_sim.rules.describe import toml_text
from khora_sim.rules.variant import base_data

CARDS = 64
REPEATED = ("philosophy", "legislation", "culture", "trade", "military", "tax-phase", "card-played")
PAID = ("vp", "drachmas", "philosophy")
COUNTED = ("knowledge", "minor-tokens", "red-tokens", "hand-cards", "cards-in-play", "tax", "citizens")
SPARING = ("cheaper-levels", "cheaper-progress", "spares-troops", "progress-levels")
ACTIONS = ("philosophy", "legislation", "culture", "trade", "politics", "politics")
TRADES = [
    {"on": "trade", "gain": {"drachmas": 30}},
    {"on": "trade", "gain": {"vp": 3}, "per": "drachmas"},
]


def forty_traders() -> dict[str, Any]:
    """All forty cards are free, pay 30 drachmas in a trade, and then 3 points for each drachma."""
    card = {"kind": "ongoing", "cost": 0, "needs": {}, "effects": TRADES}
    return {"name": "forty-traders", "cards": dict.fromkeys(base_data()["cards"], card)}


def hostile_variant_toml(seed: int) -> str:
    """The text of a variant file that counts far, the same for the same seed."""
    return toml_text(_Hostile(seed).variant())


class _Hostile:
    """One variant in the making; each has a few kinds of effects that add up."""

    def __init__(self, seed: int) -> None:
        self.luck = random.Random(seed)
        self.seed = seed
        self.asking = 0
        self.many = self.luck.random() < 0.5  # cards that let more cards be played
        kinds = (self.by_hoard, self.by_count, self.actions, self.standing, self.tokens, self.loss)
        self.kinds = [self.flat, *self.luck.sample(kinds, k=self.luck.randint(1, 3))]

    def variant(self) -> dict[str, Any]:
        most = self.luck.choice([3, 10, 30])
        base = base_data()
        ids = [*base["cards"], *(f"new-{number}" for number in range(CARDS - len(base["cards"])))]
        return {
            "name": f"hostile-{self.seed}",
            "rounds": self.luck.choice([9, 12]),
            "hand_dealt": 8,
            "start": {"drachmas": 99, "vp": self.luck.choice([0, 99]), "dice": 3},
            "limits": dict.fromkeys(("citizens", "troops", "tax", "glory"), 30),
            "prices": {"minor_token": 0, "philosophy_per_need": self.luck.choice([1, 99])},
            "actions": {"philosophy_tokens": most, "legislation_citizens": most, "trade_bonus": most},
            "options": {"progress_bonuses_stack": True},
            "cards": {key: {"name": key, **self.card()} for key in ids},
            "events": {f"new-{number}": self.event(f"New {number}") for number in range(10)},
            "remove": {"events": [key for key, event in base["events"].items() if event["slot"] == "middle"]},
            "spaces": {key: {"drachmas": most, "vp": most} for key in base["spaces"]},
        }

    def event(self, name: str) -> dict[str, Any]:
        effect = {"on": "at-once", "special": "take-actions", "number": 4}
        return {"name": name, "slot": "middle", "effect": effect | {"action": self.luck.choice(ACTIONS)}}

    def card(self) -> dict[str, Any]:
        effects: list[dict[str, Any]] = [self.more_cards()] if self.many else []
        while len(effects) < 3:
            effect = self.luck.choice(self.kinds)()
            if "special" not in effect or effect["special"] not in [made.get("special") for made in effects]:
                effects.append(effect)
        triggers = {effect["on"] for effect in effects}
        kind = "immediate" if triggers == {"at-once"} else "ongoing"
        needs = {"red": 9} if self.luck.random() < 0.1 else {}
        return {"kind": kind, "cost": self.luck.choice([0, 0, 0, 99]), "needs": needs, "effects": effects}

    def more_cards(self) -> dict[str, Any]:
        return {"on": "at-once", "special": "take-actions", "action": "politics", "number": 2}

    def flat(self) -> dict[str, Any]:
        return {"on": self.luck.choice(REPEATED), "gain": {self.luck.choice(PAID): 30}}

    def by_hoard(self) -> dict[str, Any]:
        gain = self.luck.choice([{"vp": 3}, {"citizens": 3}, {"tax": 3}])
        per = self.luck.choice(["drachmas", "philosophy"])
        return {"on": self.luck.choice(REPEATED), "gain": gain, "per": per}

    def by_count(self) -> dict[str, Any]:
        gain, per = {self.luck.choice(PAID): 10}, self.luck.choice(COUNTED)
        return {"on": self.luck.choice(REPEATED), "gain": gain, "per": per}

    def actions(self) -> dict[str, Any]:
        action, number = self.luck.choice(ACTIONS), self.luck.randint(1, 4)
        return {"on": "at-once", "special": "take-actions", "action": action, "number": number}

    def standing(self) -> dict[str, Any]:
        return {"on": "always", "special": self.luck.choice(SPARING), "number": 9}

    def tokens(self) -> dict[str, Any]:
        if self.asking == MAX_ASKING:
            return {"on": "at-once", "gain": {"tokens": 30, "cards": 3}}
        self.asking += 1
        return {"on": "trade", "gain": {"tokens": 30}}

    def loss(self) -> dict[str, Any]:
        gain = {self.luck.choice(PAID): -3}
        return {"on": self.luck.choice(REPEATED), "gain": gain, "per": self.luck.choice(["drachmas", "tax"])}

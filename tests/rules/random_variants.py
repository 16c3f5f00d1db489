"""Random variants that are valid by construction, to try the engine on rules nobody thought of."""

import random
from collections import Counter
from typing import Any

from khora_sim.rules.checks import HOARDS, LEVEL_GAINS, MAX_ASKING, REPEATED, RESOURCES
from khora_sim.rules.describe import toml_text
from khora_sim.rules.specials import BY_WORD, STANDING, Special
from khora_sim.rules.terms import Action, Colour, Quantity, Track, word
from khora_sim.rules.variant import base_data

COLOURS = [word(colour) for colour in Colour]
ACTIONS = [word(action) for action in Action]
TRACKS = [word(track) for track in Track]
PER = [word(quantity) for quantity in Quantity if quantity != Quantity.ONE]
EVERYWHERE = ["lowest-culture", "highest-economy", "weakest-military", "persepolis-explored"]
AT_ONCE = [word(special) for special in Special if special >= Special.TAKE_BACK_CARD]
TOKENS = [f"{size}-{colour}" for size in ("minor", "major") for colour in COLOURS]


def random_variant(seed: int) -> dict[str, Any]:
    """The data of a valid variant file, the same for the same seed."""
    return _Maker(seed).variant()


def random_variant_toml(seed: int) -> str:
    """The same as the text of a variant file."""
    return toml_text(random_variant(seed))


class _Maker:
    """One variant in the making: its luck, and what it must not have too often."""

    def __init__(self, seed: int) -> None:
        self.luck = random.Random(seed)
        self.seed = seed
        self.asking: Counter[str] = Counter()
        self.base = base_data()

    def variant(self) -> dict[str, Any]:
        rounds = self.luck.choice([2, 5, 9, 9, 9, 12])
        level = self.luck.choice([4, 6, 7, 7])
        data: dict[str, Any] = {"name": f"random-{self.seed}", "rounds": rounds, "remove": {}}
        data["hand_dealt"] = self.luck.choice([1, 3, 5, 5, 7])
        data |= self.settings(level)
        self.change_set(data, "cards", 64, max(4 * data["hand_dealt"], 8), self.card)
        self.change_set(data, "cities", 16, 4, self.city)
        self.change_set(data, "spaces", 60, 1, self.space, limit=data["limits"]["troops"])
        self.change_set(data, "events", 32, rounds, self.event, keep=("first", "last"))
        return data

    def settings(self, level: int) -> dict[str, Any]:
        pick = self.luck.randint
        limits = {name: pick(9, 20) for name in ("citizens", "troops", "tax", "glory")} | {"level": level}
        start = {name: pick(0, 6) for name in ("drachmas", "citizens", "tax", "glory", "troops", "vp")}
        start |= {name: pick(1, 2) for name in TRACKS} | {"dice": pick(1, 3)}
        prices = {"minor_token": pick(0, 7), "citizens_per_philosophy": pick(0, 5)}
        prices |= {"philosophy_per_need": pick(1, 3), "philosophy_per_level": pick(1, 3)}
        actions = {"philosophy_tokens": pick(0, 3), "legislation_citizens": pick(0, 5)}
        actions |= {"legislation_cards": pick(1, 4), "trade_bonus": pick(0, 3)}
        achievements = {"victory-points": pick(1, 20), "citizens": pick(1, 9), "troops": pick(1, 9)}
        achievements |= {"economy": pick(1, level), "politics": pick(1, 5)}
        options = {name: self.luck.random() < 0.3 for name in self.base["options"]}
        tracks = {
            track: {str(number): {"cost": pick(0, 9), "gain": self.level_gain()} for number in range(2, 8)}
            for track in TRACKS
        }
        return {
            "limits": limits,
            "start": start,
            "prices": prices,
            "actions": actions,
            "achievements": achievements,
            "options": options,
            "tracks": tracks,
        }

    def change_set(self, data, section, most, least, make, keep=(), limit=0) -> None:
        """Remove some of a set, change some and add some; now and then fill it to the brim."""
        known = self.base[section]
        ids = [key for key, entry in known.items() if entry.get("slot") not in keep]
        self.luck.shuffle(ids)
        # Two base events stay for the first and the last round; the spaces must suit the limit on troops.
        spare = max(len(known) - least - len(keep), 0)
        removed = ids[: self.luck.randint(0, spare)] if self.luck.random() < 0.7 else []
        data["remove"][section] = removed
        kept = [key for key in ids if key not in removed]
        changed = kept[: self.luck.randint(0, len(kept))]
        if section == "spaces":
            changed = [key for key in kept if key in changed or known[key]["needed"] > limit]
        room = most - len(known) + len(removed)
        added = self.luck.choice([0, self.luck.randint(0, room), room])
        entries = {key: make(known[key].get("name")) for key in changed}
        entries |= {f"new-{number}": make(f"New {number}") for number in range(added)}
        data[section] = entries

    def card(self, name: str | None) -> dict[str, Any]:
        return {"name": name, **self.source("card")}

    def city(self, name: str | None) -> dict[str, Any]:
        first = self.source("first development") | {"cost": 0, "needs": {}}
        rest = {str(number): self.source("development") for number in (2, 3, 4)}
        return {"name": name, "developments": {"1": first, **rest}}

    def event(self, name: str | None) -> dict[str, Any]:
        event: dict[str, Any] = {"name": name, "slot": "middle", "scope": "all"}
        if self.luck.random() < 0.1:
            gain = self.gain(RESOURCES)
            return event | {"effect": {"on": "dice-phase", "if": "low-dice", "number": 7, "gain": gain}}
        event["effect"] = self.at_once("event")
        if self.luck.random() < 0.5:
            event |= {"scope": "troops", "lowest": self.at_once("event") if self.luck.random() < 0.7 else {}}
        return event

    def space(self, name: str | None) -> dict[str, Any]:
        tokens = self.luck.choices(TOKENS, k=self.luck.choice([1, 1, 1, 2, 4]))
        needed = self.luck.randint(0, 13)
        space: dict[str, Any] = {"tokens": tokens, "needed": needed, "lost": self.luck.randint(0, 15)}
        return space | {"drachmas": self.luck.randint(0, 6), "vp": self.luck.randint(0, 6)}

    def source(self, owner: str) -> dict[str, Any]:
        """A card or development with one to three effects that do not repeat a special effect."""
        effects: list[dict[str, Any]] = []
        for _ in range(self.luck.choice([1, 1, 2, 3])):
            effect = self.effect(owner)
            if effect.get("special") not in [made["special"] for made in effects if "special" in made]:
                effects.append(effect)
        triggers = {effect["on"] for effect in effects}
        kinds = {"at-once": "immediate", "final-scoring": "end-game"}
        kind = kinds.get(min(triggers), "ongoing") if len(triggers) == 1 else "ongoing"
        needs = {colour: self.luck.randint(0, 3) for colour in COLOURS if self.luck.random() < 0.4}
        return {"kind": kind, "cost": self.luck.randint(0, 8), "needs": needs, "effects": effects}

    def effect(self, owner: str) -> dict[str, Any]:
        kind = self.luck.choice(["at-once", "at-once", "always", "final-scoring", "repeated", "repeated"])
        if kind == "at-once":
            return self.at_once(owner)
        if kind == "always":
            return self.standing()
        effect: dict[str, Any] = {"on": "final-scoring", "gain": {"vp": self.luck.randint(1, 5)}}
        if kind == "repeated":
            effect = {"on": self.luck.choice(REPEATED), "gain": self.gain((*RESOURCES, "cards", *TRACKS))}
            if owner == "card" and self.luck.random() < 0.3 and self.asking[effect["on"]] < MAX_ASKING:
                self.asking[effect["on"]] += 1
                return {"on": effect["on"], **self.asked()}
        if effect["on"] == "progress-end" and self.luck.random() < 0.5:
            return effect | {"if": "no-progress"}
        return self.counted(self.conditional(effect))

    def asked(self) -> dict[str, Any]:
        if self.luck.random() < 0.5:
            return {"gain": {"tokens": self.luck.randint(1, 2)}}
        return {"special": "choose-gain", "choices": self.choices()}

    def choices(self) -> list[dict[str, int]]:
        return [self.gain((*RESOURCES, *TRACKS, "cards", "tokens")) for _ in range(self.luck.randint(2, 4))]

    def standing(self) -> dict[str, Any]:
        special = self.luck.choice(STANDING)
        effect: dict[str, Any] = {"on": "always", "special": special}
        if BY_WORD[special].number:
            low, high = BY_WORD[special].number
            effect["number"] = self.luck.randint(low, min(high, low + 3))
        if special == "sells-glory":
            effect["gain"] = {"vp": self.luck.randint(1, 4), "drachmas": self.luck.randint(1, 3)}
        return effect

    def at_once(self, owner: str) -> dict[str, Any]:
        everything = (*RESOURCES, *TRACKS, "dice", "cards", "tokens")
        if self.luck.random() < 0.5:
            effect = self.conditional({"on": "at-once", "gain": self.gain(everything)})
            return effect if {"tokens", "dice"} & effect["gain"].keys() else self.counted(effect)
        specials = ["choose-gain", "choose-tracks"] if owner == "first development" else AT_ONCE
        special = self.luck.choice(specials)
        if owner == "card" and special == "take-back-card":
            special = "any-action"  # Ostracism is the one card that may take cards back
        effect = {"on": "at-once", "special": special}
        if BY_WORD[special].number:
            effect["number"] = self.luck.randint(*BY_WORD[special].number)
        if special == "take-actions":
            effect["action"] = self.luck.choice(ACTIONS)
        if special == "choose-gain":
            effect["choices"] = self.choices()
        if special == "lose-token":
            effect["gain"] = self.gain(everything)
        if special == "cheaper-step" and self.luck.random() < 0.5:
            effect["track"] = self.luck.choice(TRACKS)
        return self.conditional(effect)

    def conditional(self, effect: dict[str, Any]) -> dict[str, Any]:
        return effect | {"if": self.luck.choice(EVERYWHERE)} if self.luck.random() < 0.2 else effect

    def counted(self, effect: dict[str, Any]) -> dict[str, Any]:
        if self.luck.random() < 0.6:
            return effect
        per, every = self.luck.choice(PER), self.luck.randint(1, 4)
        if per in HOARDS:  # what has no upper limit must not breed
            small = {
                name: max(-3, min(amount, 3)) for name, amount in effect["gain"].items() if name not in HOARDS
            }
            return effect | {"gain": small or {"vp": 1}, "per": per, "every": every}
        return effect | {"per": per, "every": every}

    def gain(self, names) -> dict[str, int]:
        chosen = self.luck.sample(list(names), k=self.luck.choice([1, 1, 2, 3]))
        return {
            name: self.luck.choice([-4, -1, 1, 2, 5]) if name in RESOURCES else self.luck.randint(1, 2)
            for name in chosen
        }

    def level_gain(self) -> dict[str, int]:
        return {} if self.luck.random() < 0.4 else self.gain(LEVEL_GAINS)

"""The base game as the rulebook tells it, written down a second time and by hand.

Cards and developments: name (or city and number), kind, cost, needs as red/blue/green, effects in short.
"""

CARDS = """
Bank                     | end-game  | 0 | 2/0/0 | final-scoring: vp+1 per 2 drachmas
Austerity                | end-game  | 6 | 0/0/3 | final-scoring: vp+3 per 1 hand-cards
Proskenion               | end-game  | 0 | 0/2/0 | final-scoring: vp+1 per 1 citizens
Diversification          | end-game  | 6 | 1/1/1 | final-scoring: vp+3 per 1 lowest-track
Central Government       | end-game  | 4 | 0/0/2 | final-scoring: vp+2 per 1 cards-in-play
Gold Reserve             | end-game  | 8 | 3/0/0 | final-scoring: vp+2 per 1 economy
Heavy Taxes              | end-game  | 4 | 2/0/2 | final-scoring: vp+2 per 1 tax
Hall of Statues          | end-game  | 2 | 1/1/1 | final-scoring: vp+1 per 1 knowledge
Stoa Poikile             | ongoing   | 0 | 0/0/1 | culture: drachmas+2
Amnesty for Socrates     | ongoing   | 2 | 0/0/0 | legislation: philosophy+1
Persians                 | ongoing   | 0 | 0/1/1 | culture: troops+2
Extraordinary Collection | ongoing   | 0 | 1/0/0 | card-played: drachmas+2
Diolkos                  | ongoing   | 0 | 1/0/0 | trade: vp+1 drachmas+1 troops+1
Corinthian Columns       | ongoing   | 0 | 0/0/0 | always: token-price 3
Foreign Supplies         | ongoing   | 2 | 0/0/0 | trade: troops+2
Gradualism               | ongoing   | 0 | 0/0/1 | always: cheaper-levels 1
Old Guard                | ongoing   | 0 | 1/0/1 | progress-end: if no-progress vp+4
Oracle                   | ongoing   | 3 | 1/1/1 | development: vp+4
Power                    | ongoing   | 0 | 1/1/0 | tax-phase: if lowest-culture vp+4
Public Market            | ongoing   | 3 | 1/0/0 | tax-phase: if highest-economy vp+3
Reformists               | ongoing   | 0 | 1/1/1 | always: progress-levels 2
Founding the Lyceum      | ongoing   | 3 | 0/0/0 | philosophy: philosophy+1
Stadion                  | ongoing   | 2 | 0/2/0 | tax-phase: troops+2
Lighthouse               | ongoing   | 1 | 1/0/0 | trade: vp+3
Helepole                 | ongoing   | 1 | 0/1/0 | always: spares-troops 1
Constructing the Mint    | ongoing   | 2 | 2/0/0 | always: free-economy
Ostracism                | immediate | 3 | 0/0/0 | at-once: take-back-card & at-once: take-actions 1 politics
Rivalry                  | immediate | 0 | 0/0/0 | at-once: if weakest-military military+1
Peripteros               | immediate | 1 | 0/0/2 | at-once: culture+1
Quarry                   | immediate | 0 | 1/0/0 | at-once: tax+1
Contribution             | immediate | 0 | 0/1/0 | at-once: drachmas+1 per 1 minor-tokens
Colossus of Rhodes       | immediate | 6 | 1/1/1 | at-once: vp+10
Silver Mining            | immediate | 3 | 1/0/0 | at-once: tax+2
Scholarly Welcome        | immediate | 2 | 0/0/0 | at-once: tokens+1
Tunnel of Eupalinos      | immediate | 4 | 0/0/0 | at-once: vp+6
Gifts from the West      | immediate | 0 | 0/0/0 | at-once: drachmas+3
Council                  | immediate | 0 | 0/0/0 | at-once: cards+2
Mercenary Recruitment    | immediate | 0 | 1/0/0 | at-once: troops+1 per 1 economy
Archives                 | immediate | 2 | 0/0/0 | at-once: philosophy+3
Greek Fire               | immediate | 0 | 0/1/0 | at-once: troops+4
"""

DEVELOPMENTS = """
Corinth 1 | immediate | 0 | 0/0/0 | at-once: drachmas+4
Corinth 2 | immediate | 1 | 1/0/0 | at-once: tax+1 per 1 knowledge
Corinth 3 | ongoing   | 2 | 2/1/1 | always: progress-levels 2 & always: cheaper-progress 1
Corinth 4 | end-game  | 3 | 2/2/2 | final-scoring: vp+2 per 1 knowledge
Thebes 1  | immediate | 0 | 0/0/0 | at-once: military+1
Thebes 2  | ongoing   | 0 | 0/1/1 | always: sells-glory vp+4 drachmas+2
Thebes 3  | ongoing   | 0 | 1/2/1 | always: explorations 2
Thebes 4  | end-game  | 2 | 2/2/2 | final-scoring: vp+2 per 1 minor-tokens
Miletus 1 | immediate | 0 | 0/0/0 | at-once: economy+1
Miletus 2 | immediate | 1 | 1/0/0 | at-once: choose-tracks 2
Miletus 3 | ongoing   | 2 | 2/0/1 | trade: vp+3
Miletus 4 | immediate | 4 | 3/0/2 | at-once: vp+15
Sparta 1  | ongoing   | 0 | 0/0/0 | always: spares-troops 1
Sparta 2  | ongoing   | 1 | 0/2/0 | military: tax+1
Sparta 3  | immediate | 2 | 1/3/1 | at-once: take-actions 2 military
Sparta 4  | end-game  | 4 | 2/3/2 | final-scoring: vp+4 per 1 blue-tokens
Olympia 1 | immediate | 0 | 0/0/0 | at-once: tax+1
Olympia 2 | ongoing   | 0 | 0/0/1 | culture: troops+1 philosophy+1
Olympia 3 | immediate | 2 | 1/0/2 | at-once: culture+2
Olympia 4 | immediate | 3 | 2/1/3 | at-once: take-actions 3 culture
Argos 1   | immediate | 0 | 0/0/0 | at-once: troops+2
Argos 2   | immediate | 0 | 0/2/0 | at-once: choose-gain (troops+2 or drachmas+3 or vp+4 or citizens+5)
Argos 3   | immediate | 0 | 1/2/0 | at-once: military+1
Argos 4   | immediate | 2 | 1/3/2 | at-once: glory+2
Athens 1  | immediate | 0 | 0/0/0 | at-once: philosophy+3
Athens 2  | ongoing   | 0 | 1/0/1 | card-played: vp+3 drachmas+2
Athens 3  | ongoing   | 1 | 0/2/0 | card-played: troops+2
Athens 4  | end-game  | 2 | 2/2/2 | final-scoring: vp+3 per 1 cards-in-play
"""

#: name, slot, for whom, effect, and what happens to those with the least troops
EVENTS = """
Growing Population       | first  | all    | dice-phase: if low-dice 4 philosophy+1     | -
Conquest of the Persians | last   | all    | at-once: if persepolis-explored any-action | -
Plague of Athens         | middle | all    | at-once: citizens-2                        | -
Origin of the Academy    | middle | troops | at-once: philosophy+1  | at-once: lose-philosophy
Oracle of Delphi         | middle | all    | at-once: lose-token philosophy+2           | -
Conscripting Troops      | middle | troops | at-once: citizens+3                        | at-once: citizens-3
Eleusinian Mysteries     | middle | troops | at-once: vp+4                              | at-once: vp-4
Supplies from Lydia      | middle | all    | at-once: drachmas+3                        | -
Military Victory         | middle | troops | at-once: cheaper-step 2                    | -
Prosperity               | middle | troops | at-once: take-actions 1 politics           | -
Invention of the Trireme | middle | all    | at-once: troops+3                          | -
Drought                  | middle | all    | at-once: drachmas-2                        | -
The Savior of Greece     | middle | troops | at-once: drachmas+2                        | at-once: drachmas-2
The Rise of Persia       | middle | all    | at-once: cheaper-step 2 military           | -
Outbreak of War          | middle | all    | at-once: troops-2                          | -
The Thirty Tyrants       | middle | troops | at-once: cards+2                           | at-once: discard 2
"""

#: needed/lost/drachmas/VP of the spaces, in the order of the ids
SPACES = {
    "minor-red": "2/1/0/0 3/0/0/0 2/2/1/0 3/1/1/0 4/2/2/0 5/1/2/0",
    "major-red": "5/4/2/0 6/3/2/0 7/5/3/0 8/6/4/0 9/8/6/0",
    "minor-blue": "2/2/0/0 3/1/0/0 3/3/1/1 4/2/1/1",
    "major-blue": "4/4/1/1 5/3/1/1 6/5/2/1 6/5/1/2 7/6/2/2 8/7/3/3 9/9/4/4",
    "minor-green": "2/1/0/0 3/0/0/0 2/2/0/1 3/1/0/1 4/2/0/2 5/1/0/2",
    "major-green": "5/4/0/2 6/3/0/2 7/5/0/3 8/6/0/4 9/8/0/6",
}

#: level: cost and gain
TRACKS = {
    "economy": {
        2: (2, "citizens+3"),
        3: (2, "citizens+3"),
        4: (3, "vp+5"),
        5: (3, "citizens+5"),
        6: (4, ""),
        7: (4, "vp+10"),
    },
    "culture": {
        2: (1, ""),
        3: (4, "tax+1"),
        4: (6, "dice+1"),
        5: (6, "tax+1"),
        6: (7, "tax+1"),
        7: (7, "tax+2"),
    },
    "military": {
        2: (2, "glory+1"),
        3: (3, ""),
        4: (4, "glory+1"),
        5: (5, ""),
        6: (7, "glory+1"),
        7: (9, "glory+2"),
    },
}

SETTINGS = {
    "rounds": 9,
    "hand_dealt": 5,
    "start_drachmas": 4,
    "start_citizens": 3,
    "start_tax": 0,
    "start_glory": 0,
    "start_troops": 0,
    "start_vp": 0,
    "start_level": [1, 1, 1],
    "start_dice": 2,
    "max_citizens": 15,
    "max_troops": 15,
    "max_tax": 10,
    "max_glory": 10,
    "max_level": 7,
    "philosophy_tokens": 1,
    "legislation_citizens": 3,
    "legislation_cards": 2,
    "trade_bonus": 1,
    "token_price": 5,
    "citizens_per_philosophy": 3,
    "philosophy_per_need": 2,
    "philosophy_per_level": 1,
    "achievement_needs": [10, 12, 6, 4, 3],
    "card_count": 40,
    "city_count": 7,
    "new_cities": 0,
    "missing_cities": 0,
    "event_count": 16,
    "new_events": 0,
    "missing_events": 0,
    "space_count": 34,
    "persepolis": 33,
}


def rows(table: str) -> list[list[str]]:
    """The cells of a table above."""
    return [[cell.strip() for cell in line.split("|")] for line in table.strip().splitlines()]

"""Progress of long work, as an interface: whoever works reports here, and `pages` shows it or nobody does."""


class Progress:
    """Takes reports of how long work goes. This one shows nothing."""

    live = False  # somebody looks at it, so that notes are worth computing

    def step(self, text: str) -> None:
        """Name what is being done now, such as "drawing figure 3 of 9"."""

    def begin(self, what: str, total: int | None, done: int = 0, unit: str = "games") -> None:
        """Begin a counted task, of which some may be done already; its total may be unknown."""

    def advance(self, count: int) -> None:
        """Count some more as done; worker threads call this too."""

    def note(self, text: str) -> None:
        """Show a short text beside the count, such as the leading win rates."""

    def line(self, text: str) -> None:
        """Leave a line that stays, such as what a lesson taught."""


class Continued(Progress):
    """Counts on in a task that somebody else began: a tuning plays many runs and shows one bar."""

    def __init__(self, to: Progress):
        self.to = to

    def advance(self, count: int) -> None:
        """Count on."""
        self.to.advance(count)

"""Log lines of a program on an ordinary day, red herrings included."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

_MULTIPLIER = 6364136223846793005
_INCREMENT = 1442695040888963407
_MODULUS = 1 << 64
_OPEN_REQUESTS = 12


@dataclass
class Dice:
    """A linear congruential generator: `random` may change its sequences between Python versions, this cannot."""

    state: int

    def below(self, limit: int) -> int:
        self.state = (self.state * _MULTIPLIER + _INCREMENT) % _MODULUS
        return (self.state >> 33) % limit

    def pick[T](self, choices: tuple[T, ...]) -> T:
        return choices[self.below(len(choices))]


type Draw = Callable[[Dice], object]


@dataclass(frozen=True)
class Voice:
    """How one program talks: templates, each with its weight among all, and what their fields are drawn from.

    A request and then each field is drawn for each line, whether the template has it or not, in this order: another
    order is another log.
    """

    templates: tuple[tuple[int, str], ...]
    fields: Mapping[str, Draw]

    @property
    def total_weight(self) -> int:
        return sum(weight for weight, _ in self.templates)


@dataclass
class Noise:
    """Endless ordinary lines; the lines of one request lie near each other, as they do in reality."""

    voice: Voice
    dice: Dice
    _requests: list[str] = field(default_factory=list)

    def line(self) -> str:
        template = self._template()
        request = self._request()
        drawn = {name: draw(self.dice) for name, draw in self.voice.fields.items()}
        return template.format(request=request, **drawn)

    def _template(self) -> str:
        ticket = self.dice.below(self.voice.total_weight)
        for weight, template in self.voice.templates:
            ticket -= weight
            if ticket < 0:
                return template
        raise AssertionError("the weights do not add up")

    def _request(self) -> str:
        if len(self._requests) < _OPEN_REQUESTS:
            self._requests.append(f"{self.dice.below(1 << 24):06x}")
        position = self.dice.below(len(self._requests))
        return self._requests.pop(position) if self.dice.below(5) == 0 else self._requests[position]

"""Instructions of ReAct: the format, the tools, and reminders. Pure."""

from collections.abc import Iterable

from tarsy_contracts.events import OfferedTool
from tarsy_session.controllers.react.schema import parameter_lines
from tarsy_session.text import remove_marks

FORMAT = """\
Thought: what you know, and what you want to find out next
Action: the name of one tool, and nothing else on the line
Action Input: its arguments as one JSON object, {} when it needs none"""

ANSWER = """\
Thought: why you know enough
Final Answer: your analysis, as long as it has to be"""

HOW = f"""\
## How you answer

You call tools in plain text. Each of your answers has one of two forms. To call a tool:

{FORMAT}

Stop right after the input. The next message, which begins with "Observation:", is what the tool returned. You never
write an observation yourself: one that did not come from the tool is cut off, with all that follows it.

When you know enough:

{ANSWER}

One call in an answer, never a call and a final answer together. Every header begins a line and ends with a colon. What
stands under none of these headers is lost."""

NO_TOOLS = "You have no tools: think, and give your final answer."

SHORT = f"""\
To call a tool:
{FORMAT}
Or, when you know enough:
{ANSWER}"""

NOTHING = f"Your answer was empty. {SHORT}"
NEITHER = f"Your answer had neither an action nor a final answer, so nothing was done. {SHORT}"
ONLY_THOUGHTS = (
    'After your thought there was no "Action:" with the name of a tool, and no "Final Answer:" with your analysis.'
    " Go on with one of them."
)
INPUT_WITHOUT_ACTION = (
    'There was an "Action Input:" without an "Action:" before it, so it is not known which tool you mean. Write both:'
    f"\n{FORMAT}"
)
ACTION_WITHOUT_NAME = f'After "Action:" there was no name of a tool. Write it on the same line:\n{FORMAT}'
ACTION_IS_A_SENTENCE = (
    'After "Action:" there was a sentence, and no name of a tool that you have. Write the name and nothing else there,'
    f' the reason under "Thought:".\n{FORMAT}'
)
NO_ACTION_AND_NO_ANSWER = (
    'You named no tool, and gave no final answer. If you know enough, write "Final Answer:" and your analysis after it;'
    ' else name a tool after "Action:".'
)
EMPTY_FINAL_ANSWER = 'Nothing stood after "Final Answer:". Write your whole analysis there.'

CONCLUDE = (
    "You have used all your iterations: no tool is called any more. Conclude now, from what you have seen."
    ' Write "Final Answer:", and after it what is known and from where, what is likely, and what remains open.'
)


def compose_format(*, has_tools: bool) -> str:
    """Composes the format, without the tools' descriptions: those stand once on the log for all agents of a stage."""
    return HOW if has_tools else f"{HOW}\n\n## Your tools\n\n{NO_TOOLS}"


def describe_tools(tools: Iterable[OfferedTool]) -> str:
    return "\n\n".join(["## Your tools", *(_describe_tool(offered) for offered in tools)])


def render_observation(text: str) -> str:
    """Renders a result as a user message. Text from outside has its marks around it already."""
    return f"Observation:\n{text}"


def _describe_tool(offered: OfferedTool) -> str:
    definition = offered.definition
    lines = parameter_lines(definition.input_schema)
    parameters = ["Parameters:", *lines] if lines else ["No parameters."]
    described = "\n".join([f"### {definition.name}", "", *_description_lines(definition.description), *parameters])
    # They are a server's own words.
    return remove_marks(described)


def _description_lines(text: str) -> list[str]:
    return [text.strip(), ""] if text.strip() else []

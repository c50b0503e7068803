"""The digest of a week as a message of Slack: pure. Its names were masked."""

from tarsy_contracts.digest_text import digest_sections, digest_title
from tarsy_notifier.digest.weekly_digest import WeeklyDigest
from tarsy_notifier.notification_text import cut
from tarsy_notifier.slack.message import EVENT_TYPE, TEXT_LIMIT, SlackMessage, escape, section_block

HEADING = ":calendar: Weekly digest"


def digest_message(weekly: WeeklyDigest) -> SlackMessage:
    title = digest_title(weekly.digest)
    linked = f"<{weekly.link}|{title}>" if weekly.link else title
    sections = [
        section_block(f"*{section.title}*\n{cut(_list(section.lines), TEXT_LIMIT)}")
        for section in digest_sections(weekly.digest)
    ]
    return SlackMessage(
        text=f"{HEADING}: {title}",
        blocks=[section_block(f"*{HEADING}*\n{linked}"), *sections],
        # The empty session: no notification looks for its thread here, whatever the digest says.
        metadata={
            "event_type": EVENT_TYPE,
            "event_payload": {"session_id": "", "event_id": weekly.id, "kind": "digest"},
        },
    )


def _list(lines: tuple[str, ...]) -> str:
    return "\n".join(f"• {escape(line)}" for line in lines)

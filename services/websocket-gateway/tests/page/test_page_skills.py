"""The skills of an agent in the story, in Chromium: their names, and folded what each says."""

import json

import pytest
from playwright.async_api import expect

from page.conftest import BLANK, OpenTab
from tarsy_contracts.api.trace import TracedSkill, TracedSkills
from tarsy_contracts.skills import PlannedSkill, Skill, SkillFile
from tarsy_testing.browser.page_api import PageApi
from tarsy_testing.browser.page_feed import SHOW_SESSION
from tarsy_testing.story.story import SESSION, Story, agent, chain, stage
from tarsy_websocket_gateway.messages.feed import Feed
from tarsy_websocket_gateway.page_files.assets import load_page

pytestmark = pytest.mark.asyncio(loop_scope="session")

ASSETS = f"/assets/{load_page().version}"
HOUSE = Skill(name="house", description="Our words", body="The shop is **Emma**.")
DISKS = Skill(
    name="disks",
    description="When disks are full",
    body="<img src=x onerror=alert(1)> Look at inodes.",
    files=(SkillFile(path="references/nfs.md", text="NFS has its own."),),
)
READ = f"GET /api/v1/sessions/{SESSION}/trace/skills"


async def test_a_skill_is_named_in_the_story_and_unfolds_to_what_it_says(open_reused_tab: OpenTab) -> None:
    planned = tuple(PlannedSkill(name=one.name, digest=one.digest, required=one is HOUSE) for one in (HOUSE, DISKS))
    plan = chain(stage(agent().model_copy(update={"skills": planned})))
    story = Story(plan=plan, skills=(HOUSE, DISKS)).asking()
    traced = [
        TracedSkill.model_validate({**one.model_dump(), "digest": one.digest, "loaded_by": [story.execution().id]})
        for one in (HOUSE, DISKS)
    ]
    api = PageApi({READ: TracedSkills(session_id=SESSION, last_number=9, complete=True, skills=tuple(traced))})
    feed = Feed()
    messages = [json.loads(one.text) for record in story.log for one in feed.event(record)]
    async with open_reused_tab(api) as tab:
        await tab.page.goto(BLANK)
        await tab.page.evaluate(SHOW_SESSION, [ASSETS, SESSION, None, messages])
        item = tab.page.locator(".item[data-type=skill_loaded]")
        await expect(item).to_contain_text("In the instructions: house")
        assert api.requests(READ) == []
        await item.get_by_text("Show their texts").click()
        await item.get_by_text("disks: loaded").click()
        await expect(item).to_contain_text("<img src=x onerror=alert(1)> Look at inodes.")
        await item.get_by_text("references/nfs.md").click()
        await expect(item).to_contain_text("NFS has its own.")
        await item.get_by_text("house: in the instructions").click()
        await expect(item.locator("strong")).to_have_text("Emma")
        assert len(api.requests(READ)) == 1

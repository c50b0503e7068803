"""Filters of Go TARSy's dashboard by features that no session has here: scores and reviews.

They are answered, not refused: a dashboard that keeps a filter in its address then shows an empty list, and no error.
"""

from pydantic import BaseModel, Field

NOT_SCORED = "not_scored"
"""The scoring status of each session."""


class AbsentFeatures(BaseModel):
    """Nothing scores or reviews sessions yet: no session has such a value.

    An empty one says nothing. `scoring_status`: each session is `not_scored`.
    """

    scoring_status: str = Field("", max_length=200)
    review_status: str = Field("", max_length=200)
    assignee: str = Field("", max_length=500)
    quality_rating: str = Field("", max_length=200)

    @property
    def matches_none(self) -> bool:
        scored = self.scoring_status != "" and NOT_SCORED not in self.scoring_status.split(",")
        return scored or any((self.review_status, self.assignee, self.quality_rating))

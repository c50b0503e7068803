"""An answer of the API as the commands read it, for tests that need all of its fields."""

SESSION: dict[str, object] = {
    "id": "s", "alert_type": "kubernetes", "title": "", "severity": None, "source": "api", "chain_id": "c",
    "status": "pending", "author": "ann", "priority": "normal", "created_at": "2026-11-22T10:00:00.000Z",
    "last_number": 1, "scripted": False, "started_at": None, "completed_at": None, "duration_ms": None,
    "queue_position": None, "error_message": None, "total_stages": 1, "has_parallel_stages": False,
    "llm_interaction_count": 0, "mcp_interaction_count": 0, "input_tokens": 0, "output_tokens": 0, "total_tokens": 0,
    "provider_fallback_count": 0, "completed_stages": 0, "failed_stages": 0, "current_stage_index": None,
    "current_stage_id": None,
}  # fmt: skip

// One line of the list, as the API gives it. What an older API does not have is not shown.

/** @typedef {import("tarsy-api").components["schemas"]["ListedSession"]} KnownFields */
/** @typedef {import("tarsy-api").components["schemas"]["SessionActivity"]} Activity */
/** @typedef {Partial<KnownFields> & Pick<KnownFields, "id" | "status" | "last_number" | "created_at" | "alert_type"> &
 *   { cost?: number | null, cost_completeness?: string }} Listed */
/** @typedef {ReturnType<typeof fromRow>} Row */

/** Each session has one of these, or two, where a calendar is configured: they are for filters, and not shown here. */
const OF_THE_CALENDAR = new Set(["weekday", "weekend", "holiday", "staffed", "unstaffed"]);

/** @param {Listed} row */
export function fromRow(row) {
  return {
    id: row.id,
    title: row.title || row.alert_type || row.id,
    alertType: row.alert_type,
    severity: row.severity ?? null,
    where: [row.cluster, row.namespace, row.workload].filter(Boolean).join("/"),
    source: row.source ?? "",
    scripted: row.scripted ?? false,
    createdAt: row.created_at,
    day: dayOf(row.created_at),
    status: row.status,
    queuePosition: row.queue_position ?? null,
    approvalsWaiting: row.approvals_waiting ?? 0,
    startedAt: row.started_at ?? null,
    endedAt: row.completed_at ?? null,
    number: row.last_number,
    answered: row.last_number,
    outcome: row.outcome ?? null,
    summary: row.executive_summary ?? "",
    failure: row.error_message ?? "",
    partialReason: row.partial_reason ?? "",
    now: row.now ?? null,
    inputTokens: row.input_tokens ?? 0,
    outputTokens: row.output_tokens ?? 0,
    cost: row.cost ?? null,
    /** A model that was used has no price. */
    isCostPartial: row.cost_completeness === "partial",
    changed: row.changed ?? 0,
    actionVerdict: row.action_verdict ?? "",
    evidenceLimits: row.evidence_limits ?? [],
    labels: (row.session_labels ?? []).filter((label) => !OF_THE_CALENDAR.has(label)),
    chain: row.chain_id ?? "",
    isUnmatched: row.chain_unmatched ?? false,
    provider: row.llm_provider ?? null,
    fallbacks: row.provider_fallback_count ?? 0,
    repeats: row.repeat_count ?? 0,
    parentId: row.parent_id ?? null,
    score: row.latest_score ?? null,
    rating: row.quality_rating ?? null,
    assignee: row.review_status === "in_progress" ? (row.assignee ?? "") : "",
  };
}

/** The same for all times of one day, where the browser is.
 *  @param {string} stamp */
function dayOf(stamp) {
  return new Date(stamp).toDateString();
}
